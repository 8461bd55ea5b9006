"""The filled button: the one thing to press, also by keyboard."""

import pytest
from PySide6.QtCore import Qt

from gradstep_gui.widgets.filled_button import FilledButton


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_the_space_bar_and_enter_press_it_once(qtbot, key):
    button = FilledButton("Continue")
    qtbot.addWidget(button)
    pressed = []
    button.clicked.connect(lambda: pressed.append(True))
    qtbot.keyClick(button, key)
    assert pressed == [True]
