"""The window without a mouse: everything is named, and Tab comes by in the order of reading."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget

from gradstep_gui.widgets.value_field import ValueField


@pytest.fixture
def window(driver):
    driver.open_scenario("05_two_heads_two_optimizers")
    driver.loop()
    return driver.window


def by_tab(window):
    """Return what the Tab key comes to, in order."""
    found, widget = [], window.nextInFocusChain()
    while widget is not window:
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            found.append(widget)
        widget = widget.nextInFocusChain()
    return found


def name(widget):
    words = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or words


def test_everything_that_can_have_the_focus_has_a_name(window):
    nameless = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.objectName() != "qt_spinbox_lineedit"  # read with its box
        and not name(widget)
    ]
    assert nameless == []


def test_tab_comes_to_the_fields_between_the_optimizer_and_what_it_holds(window):
    order = by_tab(window)
    names = [name(widget) for widget in order]
    fields = [place for place, widget in enumerate(order) if isinstance(widget, ValueField)]
    assert fields == list(range(fields[0], fields[0] + len(fields)))
    assert names.index("Show all options") < fields[0] < names.index("Held tensors and their state")


def test_tab_comes_to_the_filter_of_events_before_the_events(window):
    names = [name(widget) for widget in by_tab(window)]
    places = [
        names.index(each)
        for each in ("Which events to list", "Keep the moment on show in sight", "Events")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("action", "keys"),
    [
        ("debug.run", "F5"),
        ("debug.pause", "Shift+F5"),
        ("debug.step_over", "F10"),
        ("debug.step_into", "F11"),
        ("debug.step_out", "Shift+F11"),
        ("debug.back", "Shift+F10"),
    ],
)
def test_the_keys_are_those_of_other_debuggers(window, action, keys):
    assert window.actions_by_id[action].shortcut().toString() == keys


def test_f10_walks_the_loop_and_shift_f10_walks_back(window, driver):
    before = driver.snapshot.event_index
    driver.qtbot.keyClick(window, Qt.Key.Key_F10)
    driver.settle()
    assert driver.snapshot.event_index == before + 1
    driver.qtbot.keyClick(window, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    driver.settle()
    assert driver.snapshot.event_index == before
