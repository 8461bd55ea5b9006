"""Layouts: each shows its docks and tabs; others come when they are needed; all is remembered."""

import dataclasses
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeView

from gradstep_gui import main_window
from gradstep_gui.action_ids import LayoutId, ViewId
from gradstep_gui.settings import CHOSEN_LAYOUT, Settings
from gradstep_gui.window import layouts
from gradstep_gui.window.layouts import LAYOUTS
from tests.gui.triggering import TIMEOUT_S


@pytest.fixture
def opened(make_window, open_fake, monkeypatch):
    monkeypatch.setattr(layouts, "SETTLING_MS", 600_000)  # also on a busy machine
    window = make_window(open_fake)
    window.controller.open(Path("parabola.json"))
    assert window.controller.wait_idle(TIMEOUT_S)
    return window


def choose(window, layout):
    window.actions_by_id[f"view.layout_{layout}"].trigger()


def shown_docks(window):
    return {name for name, dock in window.docks.items() if not dock.isHidden()}


def shown_tabs(window):
    return {name for name in window.centre.views if window.centre.has_tab(name)}


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.id)
def test_a_layout_shows_what_it_lists_and_hides_all_else(opened, layout):
    choose(opened, layout.id)
    of_scripts = {"output", "variables", "ranks"}
    assert shown_docks(opened) == (layout.docks & opened.docks.keys()) - of_scripts
    assert shown_tabs(opened) == set(layout.tabs) & opened.centre.views.keys()
    checked = [
        one.id for one in LAYOUTS if opened.actions_by_id[f"view.layout_{one.id}"].isChecked()
    ]
    assert checked == [layout.id]


def test_the_chosen_layout_is_there_after_a_restart(opened, make_window, open_fake, tmp_path):
    choose(opened, LayoutId.LEARN)
    opened.close()
    assert Settings(tmp_path / "settings.ini").get(CHOSEN_LAYOUT) is LayoutId.LEARN
    again = make_window(open_fake)
    again.controller.open(Path("line.json"))
    assert again.controller.wait_idle(TIMEOUT_S)
    assert again.layouts.current.id is LayoutId.LEARN
    assert shown_docks(again) == shown_docks(opened)


def test_each_layout_keeps_the_changes_of_the_user_until_it_is_restored(opened):
    choose(opened, LayoutId.LEARN)
    plain = shown_docks(opened)
    opened.docks[ViewId.WATCHES].toggleViewAction().trigger()
    choose(opened, LayoutId.DEBUG)
    opened.docks[ViewId.COMPARE].toggleViewAction().trigger()
    choose(opened, LayoutId.LEARN)
    assert shown_docks(opened) == {*plain, "watches"}
    choose(opened, LayoutId.DEBUG)
    assert "compare" not in shown_docks(opened)
    opened.actions_by_id["view.restore_layout"].trigger()
    assert "compare" in shown_docks(opened)
    choose(opened, LayoutId.LEARN)
    opened.actions_by_id["view.restore_layout"].trigger()
    assert shown_docks(opened) == plain


def test_a_hidden_dock_comes_to_the_front_when_it_is_asked_for(opened, qtbot):
    choose(opened, LayoutId.LEARN)
    findings = opened.docks[ViewId.FINDINGS]
    opened.resize(1280, 1200)
    assert findings.isHidden()
    opened.show_view(ViewId.FINDINGS)
    qtbot.waitUntil(lambda: findings.widget().is_seen)
    assert opened.dockWidgetArea(findings) == Qt.DockWidgetArea.BottomDockWidgetArea
    qtbot.waitUntil(lambda: 0.15 < findings.height() / opened.height() < 0.3)
    assert findings.windowTitle() == "Findings"


def test_what_comes_unasked_is_marked_until_the_user_goes_to_it(opened, qtbot):
    choose(opened, LayoutId.LEARN)
    dock = opened.docks[ViewId.PARAMETERS]
    opened.layouts.bring_up(ViewId.PARAMETERS, marked=True)
    assert dock.windowTitle() == "● Parameters"
    opened.layouts.bring_up(ViewId.PARAMETERS, marked=True)
    assert dock.windowTitle() == "● Parameters"
    qtbot.mouseClick(dock.widget(), Qt.MouseButton.LeftButton)
    assert dock.windowTitle() == "Parameters"


def test_the_mark_goes_also_with_the_focus(opened, qtbot):
    choose(opened, LayoutId.LEARN)
    dock = opened.docks[ViewId.PARAMETERS]
    opened.layouts.bring_up(ViewId.PARAMETERS, marked=True)
    opened.activateWindow()
    tree = dock.findChild(QTreeView)
    qtbot.waitUntil(tree.isVisible)
    tree.setFocus()
    qtbot.waitUntil(lambda: dock.windowTitle() == "Parameters")


def test_a_marked_tab_of_the_centre_loses_its_mark_with_the_layout(opened):
    choose(opened, LayoutId.LEARN)
    assert opened.centre.tabBar().isHidden()
    opened.layouts.bring_up(ViewId.GRAPH, marked=True)
    assert opened.centre.title_of(ViewId.GRAPH) == "● Graph"
    assert opened.centre.currentWidget() is opened.centre.graph
    assert not opened.centre.tabBar().isHidden()
    choose(opened, LayoutId.DEBUG)
    assert opened.centre.title_of(ViewId.GRAPH) == "Graph"
    assert opened.centre.currentWidget() is opened.centre.plots


def test_a_dock_that_is_there_already_is_not_marked(opened):
    opened.layouts.bring_up(ViewId.PROGRAM, marked=True)
    assert opened.docks[ViewId.PROGRAM].windowTitle() == "Program"


def test_until_one_is_chosen_programs_open_in_learn_and_scripts_in_debug(opened, monkeypatch):
    monkeypatch.setattr(layouts, "CHOSEN_LAYOUT", dataclasses.replace(CHOSEN_LAYOUT, key="unset"))
    opened.layouts.open(is_script=False)
    assert opened.layouts.current.id is LayoutId.LEARN
    assert "event_log" not in shown_docks(opened)
    opened.layouts.open(is_script=True)
    assert opened.layouts.current.id is LayoutId.DEBUG
    assert "event_log" in shown_docks(opened)


def test_learn_has_one_plot_open_and_each_layout_remembers_which(opened):
    stack = opened.plots.stack
    assert stack.folded == ()
    choose(opened, LayoutId.LEARN)
    assert stack.folded == ("outputs", "grad", "parameters")
    assert opened.plots.toolbar.isHidden()
    assert not opened.centre.landscape._has_tools
    stack.fold(["outputs", "grad"])
    choose(opened, LayoutId.DEBUG)
    assert stack.folded == ()
    assert not opened.plots.toolbar.isHidden()
    assert opened.centre.landscape._has_tools
    choose(opened, LayoutId.LEARN)
    assert stack.folded == ("outputs", "grad")


def test_in_learn_the_script_gets_about_half_of_what_the_centre_has(opened, qtbot):
    opened.resize(1280, 800)
    choose(opened, LayoutId.LEARN)
    program = opened.docks[ViewId.PROGRAM]
    qtbot.waitUntil(lambda: 0.3 < program.height() / opened.height() < 0.5)


def test_the_script_has_its_height_as_soon_as_a_first_program_is_opened(
    make_window, open_fake, qtbot
):
    window = make_window(open_fake)
    choose(window, LayoutId.LEARN)
    window.resize(1280, 800)
    window.show()
    window.controller.open(Path("parabola.json"))
    assert window.controller.wait_idle(TIMEOUT_S)
    program = window.docks[ViewId.PROGRAM]
    qtbot.waitUntil(lambda: program.height() > window.height() // 5)


def test_the_docks_have_their_sizes_in_a_window_that_gets_its_own_only_later(opened, qtbot):
    choose(opened, LayoutId.LEARN)
    opened.show_view(ViewId.WATCHES)
    opened.resize(1700, 1000)  # as a desktop does that maximizes it
    tensors = opened.docks[ViewId.TENSORS]
    qtbot.waitUntil(lambda: 0.25 < tensors.width() / opened.width() < 0.3)
    assert opened.docks[ViewId.WATCHES].isVisible()


def test_docks_come_back_as_they_were_left_in_a_window_that_is_maximized_only_later(
    opened, make_window, open_fake, qtbot
):
    choose(opened, LayoutId.LEARN)
    opened.resize(1600, 1000)
    opened.layouts.restore()
    tensors = opened.docks[ViewId.TENSORS]
    qtbot.waitUntil(lambda: 0.25 < tensors.width() / 1600 < 0.3)
    opened.layouts._settling.stop()  # as after a moment
    for timer in (opened.layouts._soon, opened.layouts._sharing):
        timer.stop()
    opened.resizeDocks([tensors], [620], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: tensors.width() == 620)
    opened.close()
    again = make_window(open_fake)
    again.resize(900, 700)
    again.controller.open(Path("line.json"))
    assert again.controller.wait_idle(TIMEOUT_S)
    assert again.docks[ViewId.TENSORS].width() < 620
    again.resize(1600, 1000)
    qtbot.waitUntil(lambda: again.docks[ViewId.TENSORS].width() == 620)


def test_the_script_comes_back_in_the_height_that_it_was_left_in(
    opened, make_window, open_fake, qtbot
):
    choose(opened, LayoutId.LEARN)
    opened.resize(1440, 880)
    opened.show_view(ViewId.INSIDE)
    program = opened.docks[ViewId.PROGRAM]
    qtbot.waitUntil(lambda: program.height() > 100)
    opened.layouts._settling.stop()  # as after a moment
    for timer in (opened.layouts._soon, opened.layouts._sharing):
        timer.stop()
    opened.resizeDocks([program], [260], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: program.height() == 260)
    opened.close()
    again = make_window(open_fake)
    again.resize(1440, 880)
    again.controller.open(Path("line.json"))
    assert again.controller.wait_idle(TIMEOUT_S)
    qtbot.waitUntil(lambda: again.docks[ViewId.PROGRAM].height() == 260)


def test_a_first_start_takes_the_whole_screen_and_a_later_one_the_size_it_was_left_with(
    make_window, open_fake, monkeypatch
):
    monkeypatch.setattr(main_window, "SMALLEST", (400, 300))  # the screen of tests is small
    window = make_window(open_fake)
    window.appear()
    assert window.isMaximized()
    window.showNormal()
    window.resize(700, 500)
    window.close()
    again = make_window(open_fake)
    again.appear()
    assert (again.isMaximized(), again.width(), again.height()) == (False, 700, 500)
