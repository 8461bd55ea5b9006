"""In the Present layout the last action and its key are shown for a moment."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

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


def test_other_layouts_show_no_keys(opened):
    trigger(opened, "debug.forward")
    assert opened.findChild(KeyDisplay).isHidden()
    trigger(opened, "view.layout_present", "debug.backward", "view.layout_learn")
    assert opened.findChild(KeyDisplay).isHidden()
