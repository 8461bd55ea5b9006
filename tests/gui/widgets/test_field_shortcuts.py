"""Ctrl+Home and Ctrl+End are the window's also while a field of one line has the focus."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMainWindow, QPlainTextEdit, QSpinBox, QVBoxLayout, QWidget

from gradstep_gui.widgets.field_shortcuts import FieldShortcuts

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    FieldShortcuts(window)
    window.pressed = []
    for key in ("Ctrl+Home", "Ctrl+End"):
        action = QAction(key, window, shortcut=QKeySequence(key))
        action.triggered.connect(lambda _=False, key=key: window.pressed.append(key))
        window.addAction(action)
    content = QWidget()
    column = QVBoxLayout(content)
    for field in (QLineEdit("a text"), QSpinBox(), QPlainTextEdit("lines")):
        column.addWidget(field)
    window.setCentralWidget(content)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    return window


@pytest.mark.parametrize("kind", [QLineEdit, QSpinBox])
def test_a_field_leaves_the_keys_to_the_window(qtbot, window, kind):
    field = window.centralWidget().layout().itemAt([QLineEdit, QSpinBox].index(kind)).widget()
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Home, CTRL)
    qtbot.keyClick(field, Qt.Key.Key_End, CTRL)
    assert window.pressed == ["Ctrl+Home", "Ctrl+End"]


def test_home_alone_stays_with_the_field(qtbot, window):
    field = window.findChild(QLineEdit)
    field.setFocus()
    field.setCursorPosition(3)
    qtbot.keyClick(field, Qt.Key.Key_Home)
    assert (field.cursorPosition(), window.pressed) == (0, [])


def test_a_text_of_several_lines_keeps_the_keys(qtbot, window):
    text = window.findChild(QPlainTextEdit)
    text.setFocus()
    qtbot.keyClick(text, Qt.Key.Key_Home, CTRL)
    assert window.pressed == []
