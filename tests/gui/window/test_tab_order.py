"""The Tab key goes round the window, and leaves every widget with its own parent."""

import pytest
import shiboken6
from PySide6.QtWidgets import QMainWindow, QPushButton, QVBoxLayout, QWidget

from gradstep_gui.window.tab_order import next_by_tab


@pytest.fixture
def window(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    holder = QWidget()
    column = QVBoxLayout(holder)
    for name in ("one", "two", "three"):
        button = QPushButton(name)
        button.setObjectName(name)
        column.addWidget(button)
    window.setCentralWidget(holder)
    window.menuBar().addMenu("File")
    window.show()
    return window


def test_tab_goes_round_in_both_directions(window):
    window.findChild(QPushButton, "one").setFocus()
    seen = []
    for onwards in (True, True, True, False, False):
        button = next_by_tab(window, onwards=onwards)
        button.setFocus()
        seen.append(button.objectName())
    assert seen == ["two", "three", "one", "three", "two"]


def test_a_lone_widget_has_no_next_one(window):
    window.findChild(QPushButton, "one").setDisabled(True)
    window.findChild(QPushButton, "two").setDisabled(True)
    window.findChild(QPushButton, "three").setFocus()
    assert next_by_tab(window, onwards=True) is None


@pytest.mark.parametrize("onwards", [True, False])
@pytest.mark.parametrize("gone", ["one", "two", "three"])
def test_a_widget_that_is_deleted_takes_no_other_from_python(window, gone, onwards):
    bar = window.menuBar()
    menu = bar.actions()[0].menu()
    buttons = {button.objectName(): button for button in window.findChildren(QPushButton)}
    for _ in range(4):
        next_by_tab(window, onwards=onwards).setFocus()
    shiboken6.delete(buttons.pop(gone))
    kept = (window, bar, menu, window.centralWidget(), *buttons.values())
    assert all(shiboken6.isValid(each) for each in kept)
