"""The window without a mouse: everything is named, and Tab comes by in the order of reading."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from gradstep_gui.widgets.fields import ValueField

Role = QAccessible.Role
NO_ROLES = {Role.NoRole, Role.Client}
CELLS = {Role.Cell, Role.TreeItem, Role.ListItem, Role.RowHeader, Role.ColumnHeader}


@pytest.fixture
def window(driver):
    driver.open_scenario("05_two_heads_two_optimizers")
    driver.loop()
    return driver.window


MOST = 200
"""More than there are places for the Tab key to come to."""


def by_tab(window):
    """Press Tab until it comes to where it has been; yield each widget while it has the focus."""
    found = []
    for _ in range(MOST):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        widget = QApplication.focusWidget()
        if found and widget is found[0]:
            return
        if not found or widget is not found[-1]:  # a text may have several links
            found.append(widget)
            yield widget
    pytest.fail(f"the Tab key does not come round: {[name(each) for each in found[-9:]]}")


def name(widget):
    words = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or words


def test_every_focusable_widget_has_an_accessible_name(window):
    nameless = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.objectName() != "qt_spinbox_lineedit"  # read with its box
        and not name(widget)
    ]
    assert nameless == []


@pytest.mark.parametrize("dock", ["event_log", "explain", "parameters", "graph", "breakpoints"])
def test_every_widget_reached_by_the_tab_key_is_visible_and_has_a_name(window, driver, dock):
    window.activateWindow()
    window.show_view(dock)
    driver.settle()
    before, hidden = window.grab().toImage(), []
    for widget in by_tab(window):
        assert name(widget), widget
        place = widget.rect().translated(widget.mapTo(window, widget.rect().topLeft()))
        place.adjust(-3, -3, 3, 3)
        picture = window.grab().toImage()
        if picture.copy(place) == before.copy(place):
            hidden.append(name(widget))
        before = picture
    assert hidden == []


def test_everything_in_the_window_has_a_name_and_a_role_for_a_screen_reader(window):
    nameless = []

    def walk(interface):
        state, role = interface.state(), interface.role()
        if state.invisible or role in CELLS:
            return
        if state.focusable and (role in NO_ROLES or not interface.text(QAccessible.Text.Name)):
            nameless.append((type(interface.object()).__name__, role))
        for at in range(interface.childCount()):
            walk(interface.child(at))

    walk(QAccessible.queryAccessibleInterface(window))
    assert nameless == []


def test_no_two_entries_of_a_menu_have_the_same_letter(window):
    def walk(title, actions):
        letters = [QKeySequence.mnemonic(each.text()).toString() for each in actions]
        letters = [letter for letter in letters if letter]
        assert len(letters) == len(set(letters)), (title, letters)
        for each in actions:
            if each.menu() is not None:
                walk(each.text(), each.menu().actions())

    walk("menu bar", window.menuBar().actions())


def test_no_two_actions_have_the_same_keys(window):
    keys = [action.shortcut().toString() for action in window.actions_by_id.values()]
    keys = [key for key in keys if key]
    assert len(keys) == len(set(keys))


def test_tab_reaches_the_fields_between_the_optimizer_and_its_tensors(window):
    order = list(by_tab(window))
    names = [name(widget) for widget in order]
    fields = [place for place, widget in enumerate(order) if isinstance(widget, ValueField)]
    assert fields == list(range(fields[0], fields[0] + len(fields)))
    assert names.index("Show all options") < fields[0] < names.index("Held tensors and their state")


def test_tab_reaches_the_filter_of_events_before_the_events(window):
    names = [name(widget) for widget in by_tab(window)]
    places = [
        names.index(each) for each in ("Filter events", "Keep the current event visible", "Events")
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
def test_shortcuts_are_those_of_other_debuggers(window, action, keys):
    assert window.actions_by_id[action].shortcut().toString() == keys


def test_f10_walks_the_loop_and_shift_f10_walks_back(window, driver):
    before = driver.snapshot.event_index
    driver.qtbot.keyClick(window, Qt.Key.Key_F10)
    driver.settle()
    assert driver.snapshot.event_index == before + 1
    driver.qtbot.keyClick(window, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    driver.settle()
    assert driver.snapshot.event_index == before
