"""In the Present layout the last action and its key are shown for a moment."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLineEdit

from gradstep_gui.window.key_display import KeyDisplay
from tests.gui.triggering import TIMEOUT_S, trigger


@pytest.fixture
def opened(make_window, open_fake, monkeypatch):
    monkeypatch.setattr("gradstep_gui.window.key_display.SHOWN_MS", 200)
    window = make_window(open_fake)
    window.controller.open(Path("parabola.json"))
    assert window.controller.wait_idle(TIMEOUT_S)
    return window


def test_a_key_is_named_with_what_it_does_and_goes_again(opened, qtbot):
    trigger(opened, "view.layout_present")
    display = opened.findChild(KeyDisplay)
    qtbot.keyClick(opened, Qt.Key.Key_F10)
    assert display.isVisible()
    assert display.text == "F10  Over"
    assert opened.controller.wait_idle(TIMEOUT_S)
    qtbot.waitUntil(display.isHidden, timeout=60_000)


def test_a_pressed_button_is_named_and_the_plate_stays_inside_the_window(opened):
    trigger(opened, "view.layout_present", "debug.forward")
    display = opened.findChild(KeyDisplay)
    assert display.text.endswith("Forward")
    opened.resize(1000, 700)
    assert opened.rect().contains(display.geometry())
    assert display.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


def test_the_plate_covers_nothing_where_the_toolbar_has_room(opened, qtbot):
    trigger(opened, "view.layout_present")
    empty = opened.toolbar.empty_part
    display = opened.findChild(KeyDisplay)

    def is_in_the_empty_part():
        trigger(opened, "debug.forward")
        room = QRect(empty.mapTo(opened, QPoint()), empty.size())
        return room.contains(display.geometry())

    opened.resize(1600, 800)
    qtbot.waitUntil(is_in_the_empty_part, timeout=TIMEOUT_S * 1000)


def test_other_layouts_show_no_keys(opened):
    trigger(opened, "debug.forward")
    assert opened.findChild(KeyDisplay).isHidden()
    trigger(opened, "view.layout_present", "debug.backward", "view.layout_learn")
    assert opened.findChild(KeyDisplay).isHidden()


def test_keys_that_trigger_no_action_are_shown_too_but_not_what_is_typed(opened, qtbot):
    trigger(opened, "view.layout_present")
    display = opened.findChild(KeyDisplay)
    qtbot.keyClick(opened, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: display.text == "Tab", timeout=TIMEOUT_S * 1000)
    qtbot.keyClick(opened, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: display.text == "Shift+Tab", timeout=TIMEOUT_S * 1000)
    field = QLineEdit(opened)
    field.show()
    for letter in "42":
        qtbot.keyClick(field, letter)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: display.text == "Return", timeout=TIMEOUT_S * 1000)
    assert field.text() == "42"


def test_the_second_key_of_an_action_is_shown_when_it_was_pressed(opened, qtbot):
    trigger(opened, "view.layout_present")
    display = opened.findChild(KeyDisplay)
    one, two = QKeySequence("F7"), QKeySequence("Ctrl+J")
    opened.actions_by_id["debug.forward"].setShortcuts([one, two])
    qtbot.keyClick(opened, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert display.text == "Ctrl+J  Forward"
