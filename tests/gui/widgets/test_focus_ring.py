"""Focus rings: on the area that the keyboard has come to, and on nothing else."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.widgets.focus_ring import FocusRings


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    for area in (QLineEdit(), QTextEdit(), QTextEdit()):
        layout.addWidget(area)
        if isinstance(area, QTextEdit):
            area.setTabChangesFocus(True)
    window.rings = FocusRings(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.findChild(QLineEdit).setFocus()
    return window


def ringed(window):
    areas = [window.findChild(QLineEdit), *window.findChildren(QTextEdit)]
    return [any(ring.isVisible() for ring in window.rings.on(area)) for area in areas]


def test_an_area_focused_with_the_tab_key_has_a_ring(window, qtbot):
    assert ringed(window) == [False, False, False]
    for expected in ([False, True, False], [False, False, True], [False, False, False]):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert ringed(window) == expected


def test_a_ring_grows_with_its_area(window, qtbot):
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    area = window.findChild(QTextEdit)
    window.resize(window.width() + 100, window.height() + 60)
    qtbot.waitUntil(lambda: window.rings.on(area)[0].size() == area.size(), timeout=60_000)


def test_an_area_focused_with_a_click_has_no_ring(window):
    window.findChild(QTextEdit).setFocus(Qt.FocusReason.MouseFocusReason)
    assert ringed(window) == [False, False, False]


@pytest.mark.parametrize("flat", [True, False])
def test_a_flat_button_has_a_ring_because_its_style_draws_none(window, qtbot, flat):
    button = QPushButton("Insert", flat=flat)
    window.layout().addWidget(button)
    button.show()
    window.findChildren(QTextEdit)[-1].setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button
    assert bool(window.rings.on(button)) == flat
