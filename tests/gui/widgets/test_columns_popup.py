"""Short lists side by side, in a popup."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton, QWidget

from gradstep_gui.widgets.columns_popup import ColumnsPopup

COLUMNS = [("Reads", ["x", "x.grad"]), ("Writes", ["x"]), ("Leaves alone", [])]


def test_it_shows_a_column_for_each_list_and_says_where_one_is_empty(qtbot):
    popup = ColumnsPopup()
    qtbot.addWidget(popup)
    popup.show_columns("Step optimizer, event 3", COLUMNS, "nothing")
    popup.show_columns("Step optimizer, event 4", COLUMNS, "nothing")
    assert popup.accessibleDescription() == (
        "Step optimizer, event 4. Reads: x, x.grad. Writes: x. Leaves alone: nothing."
    )


@pytest.fixture
def window(qtbot):
    made = QWidget()
    made.resize(640, 400)
    made.button = QToolButton(made)
    made.button.setGeometry(500, 200, 120, 24)
    made.field = QLineEdit(made)
    made.field.setGeometry(10, 300, 200, 24)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def popup(window):
    made = ColumnsPopup(window)
    made.show_columns("Step", COLUMNS, "nothing")
    made.open_above(window.button, window.button)
    return made


def test_it_opens_above_a_widget_so_that_what_follows_stays_in_sight(window, popup):
    assert popup.isVisible()
    assert window.rect().contains(popup.geometry())
    assert popup.geometry().bottom() == 200 - 5
    assert popup.geometry().right() == window.button.geometry().right()


def test_it_opens_below_where_there_is_no_room_above(window, popup):
    window.button.move(500, 10)
    popup.open_above(window.button, window.button)
    assert popup.y() == 38


def test_escape_closes_it_and_gives_the_focus_back(qtbot, window, popup):
    qtbot.waitUntil(popup.hasFocus, timeout=5000)
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    assert popup.isHidden()
    assert window.button.hasFocus()


def test_a_press_inside_leaves_it_open_and_one_elsewhere_closes_it(qtbot, window, popup):
    qtbot.mouseClick(popup, Qt.MouseButton.LeftButton)
    assert popup.isVisible()
    qtbot.mouseClick(window.field, Qt.MouseButton.LeftButton)
    assert popup.isHidden()


def test_a_long_line_is_wrapped(qtbot):
    popup = ColumnsPopup()
    qtbot.addWidget(popup)
    popup.show_columns("Step", [("Reads", ["a long line of words " * 20])], "nothing")
    popup.adjustSize()
    assert popup.width() < 400
    assert popup.findChildren(QLabel)
