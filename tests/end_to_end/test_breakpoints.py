"""Breakpoints and watches in the window: add, run, go back, find the last writer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradstep.debugger import Debugger
from gradstep_gui.widgets.tables.cells import CELL_ROLE

WEIGHT = "model.weight"


@pytest.fixture
def opened(driver):
    driver.open_scenario("02_linear_regression")
    return driver


def write(driver, action, dock, field, text):
    """Choose an entry of the menu, and write into the field that it leads to."""
    driver.trigger(action)
    view = driver.window.docks[dock].widget()
    driver.qtbot.keyClicks(getattr(view, field), text)
    driver.qtbot.keyClick(getattr(view, field), Qt.Key.Key_Return)
    driver.settle()
    return view


def test_a_run_stops_at_a_breakpoint_reports_the_reason_and_runs_back(opened):
    view = write(opened, "debug.new_breakpoint", "breakpoints", "fresh", "iteration == 7")
    write(opened, "debug.new_breakpoint", "breakpoints", "fresh", "iteration == 3")
    opened.press("debug.run")
    assert opened.window.status_line.text("stop") == "■ iteration == 3, after Event 12"
    assert [row.count.text() for row in view.rows] == ["0 hits", "● 1 hit"]
    opened.window.show_view("event_log")
    opened.settle()
    log = opened.window.docks["event_log"].widget().model
    assert [log.index(row, 0).data() for row in (11, 12)] == ["11", "▶ ● 12"]
    opened.press("debug.run")
    assert opened.snapshot.event_index == 28
    opened.trigger("debug.run_back")
    assert opened.window.status_line.text("stop") == "■ iteration == 3, after Event 12"
    assert opened.snapshot.event_index == 12
    opened.press("debug.back")
    assert opened.window.status_line.text("stop") == ""
    opened.press("debug.run")
    assert len(opened.debugger.branches) == 1


def test_a_wrong_condition_is_kept_and_corrected_in_place(opened):
    view = write(opened, "debug.new_breakpoint", "breakpoints", "fresh", "los > 1")
    row = view.rows[0]
    assert row.problem.text() == "▲ column 1: there is no 'los'; did you mean 'loss'?"
    row.expression.selectAll()
    opened.qtbot.keyClicks(row.expression, "iteration == 2")
    opened.qtbot.keyClick(row.expression, Qt.Key.Key_Return)
    opened.settle()
    assert not view.rows[0].problem.isVisible()
    opened.press("debug.run")
    assert opened.snapshot.event_index == 8


def test_a_watch_follows_every_moment(opened):
    view = write(opened, "debug.new_watch", "watches", "field", "iteration")
    opened.iterate(5)
    cells = [view.table.model().index(0, column).data(CELL_ROLE).text for column in (1, 2)]
    assert cells == ["5", "+1"]
    opened.press("debug.back")
    cells = [view.table.model().index(0, column).data(CELL_ROLE).text for column in (1, 2)]
    assert cells == ["4", "no change"]


def test_the_tensor_looked_at_can_be_broken_at_watched_and_traced(opened):
    opened.iterate(3)
    opened.controller.select(next(iter(opened.snapshot.parameters)))
    opened.press("debug.zero_grad", "debug.forward")
    opened.trigger("tensor.who_changed")
    assert opened.snapshot.event_index == 12
    opened.trigger("tensor.watch")
    opened.trigger("tensor.break_grad")
    name = opened.controller.selected
    debugger = opened.debugger
    assert [watch.expression for watch in debugger.watches] == [f'data("{name}")']
    assert [p.expression for p in debugger.breakpoints] == [f'changed("{name}.grad")']
    opened.press("debug.run")
    assert opened.snapshot.event_index == 13


def test_actions_on_a_tensor_follow_to_a_tensor_of_another_program(opened):
    watch = opened.window.actions_by_id["tensor.watch"]
    name = list(opened.snapshot.parameters)[-1]
    opened.controller.select(name)
    assert watch.text() == f"&Watch {name}"
    opened.open_scenario("01_who_does_what")
    assert opened.controller.selected == "x"
    assert watch.text() == "&Watch x"
    opened.trigger("tensor.watch")
    assert [watch.expression for watch in opened.debugger.watches] == ['data("x")']


def test_who_changed_it_finds_nothing_for_an_unwritten_tensor(opened):
    opened.controller.select(next(iter(opened.snapshot.parameters)))
    opened.press("debug.forward")
    opened.trigger("tensor.who_changed_grad")
    assert "no event up to here has written model.0.weight.grad" in opened.message


def test_breakpoints_are_unsaved_changes_and_are_saved(opened, tmp_path):
    assert not opened.controller.state.modified
    write(opened, "debug.new_breakpoint", "breakpoints", "fresh", "iteration == 3")
    assert opened.controller.state.modified
    opened.controller.save(tmp_path / "a.gradstep")
    opened.settle()
    assert not opened.controller.state.modified
    again = Debugger.open(tmp_path / "a.gradstep")
    assert [point.expression for point in again.breakpoints] == ["iteration == 3"]
