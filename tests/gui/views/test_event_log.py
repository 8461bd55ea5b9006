"""The event log: its lines, how it follows a run, and its links back to events."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt

from gradstep.history.records.breakpoints import Breaks
from gradstep.history.records.event import Event, Outcome
from gradstep.history.records.what_if import Edits
from gradstep.program.abilities import Abilities
from gradstep.program.operation import (
    Backward,
    Forward,
    LoadState,
    SetMode,
    Skip,
    Step,
    ZeroGrad,
)
from gradstep_gui.views.event_log import EventLogView
from gradstep_gui.views.event_log.cells import EventColumn, addresses_text
from gradstep_gui.widgets.tables.cells import CELL_ROLE
from tests.gui.factory import RememberingController, events, failed, layered


def moment_of(log, cursor=None):
    place = len(log) if cursor is None else cursor
    event = log[place - 1] if place else None
    moment = layered(2, 3, event=event, event_count=len(log))
    return dataclasses.replace(moment, event_index=place)


@pytest.fixture
def open_view(qtbot):
    def opened(log=(), cursor=None):
        controller = RememberingController(moment_of(log, cursor), log)
        view = EventLogView(controller)
        qtbot.addWidget(view)
        view.resize(1100, 300)
        view.show()
        return view, controller

    return opened


def test_the_number_of_an_event_is_never_cut(open_view):
    view, controller = open_view(events(4))
    before = view.table.columnWidth(EventColumn.INDEX)
    controller.snapshot = dataclasses.replace(controller.snapshot, event_count=1_234_567)
    view.render(controller.snapshot)
    needed = view.table.fontMetrics().horizontalAdvance("▶ ● 1,234,567")
    assert before < needed + 14 <= view.table.columnWidth(EventColumn.INDEX)


def cell(view, row, column, role=Qt.ItemDataRole.DisplayRole):
    return view.model.index(row, column).data(role)


def look(view, row, column):
    return cell(view, row, column, CELL_ROLE)


def shown(view):
    return [view.model.event_index(row) for row in range(view.model.rowCount())]


def choose(view, words):
    view.filter.setCurrentIndex(view.filter.findText(words))


def test_the_first_line_is_the_program_as_built(open_view):
    view, _ = open_view()
    assert view.model.rowCount() == 1
    assert cell(view, 0, EventColumn.OPERATION) == "Start"
    assert cell(view, 0, EventColumn.INDEX) == "▶ 0"


def test_a_line_shows_operation_target_loss_and_evidence(open_view):
    reads = ("model.0.weight", "model.0.bias", "data.train")
    view, _ = open_view([Event(1, 0, Forward(), reads=reads, writes=("loss",), loss=0.25)])
    assert [cell(view, 1, column) for column in EventColumn] == [
        *("▶ 1", "0", "Forward", "", "ok", "0.25", "2 tensors, data.train", "loss"),
    ]
    assert look(view, 1, EventColumn.OPERATION).after == "loss"
    assert look(view, 1, EventColumn.OPERATION).swatch == "forward"


def test_only_a_script_has_a_column_of_lines(open_view):
    view, controller = open_view([Event(1, 0, Step(at="train.py:42"))])
    assert view.table.isColumnHidden(EventColumn.LINE)
    script = dataclasses.replace(controller.snapshot, abilities=Abilities(has_lines=True))
    controller.show(script)
    assert not view.table.isColumnHidden(EventColumn.LINE)
    assert cell(view, 1, EventColumn.LINE) == "train.py:42"
    assert "Event 1, iteration 0, train.py:42" in view.details.toPlainText()
    controller.show(dataclasses.replace(script, abilities=Abilities()))
    assert view.table.isColumnHidden(EventColumn.LINE)


def test_the_column_of_lines_is_as_wide_as_a_long_file_name_where_there_is_room(open_view):
    name = "train_the_classifier.py:142"
    view, controller = open_view([Event(1, 0, Step(at=name))])
    view.resize(1400, 300)
    script = dataclasses.replace(controller.snapshot, abilities=Abilities(has_lines=True))
    controller.show(script)
    assert view.table.columnWidth(EventColumn.LINE) > view.fontMetrics().horizontalAdvance(name)


def test_a_rejected_event_shows_the_reason_and_the_remedy(open_view):
    view, _ = open_view([failed(1, Backward(), "the graph was freed", "press Forward again")])
    assert cell(view, 1, EventColumn.OPERATION) == "✖ Backward"
    assert cell(view, 1, EventColumn.OUTCOME) == "failed"
    assert cell(view, 1, EventColumn.WROTE) == "the graph was freed"
    assert look(view, 1, EventColumn.WROTE).after == "press Forward again"
    assert look(view, 1, EventColumn.WROTE).tone == "error"
    text = view.details.toPlainText()
    assert "TensorError: the graph was freed" in text
    assert "press Forward again" in text


def test_a_note_follows_the_list_of_written_values(open_view):
    note = Outcome(message="nothing to step: every .grad is None")
    view, _ = open_view([Event(1, 0, Step(), outcome=note)])
    assert cell(view, 1, EventColumn.WROTE) == ""
    assert look(view, 1, EventColumn.WROTE).after == "nothing to step: every .grad is None"


def test_a_loss_that_was_not_computed_is_left_empty(open_view):
    view, _ = open_view([Event(1, 0, Step())])
    assert cell(view, 1, EventColumn.LOSS) == ""


def test_events_after_the_cursor_are_dimmed(open_view):
    view, _ = open_view(events(8), cursor=5)
    assert cell(view, 5, EventColumn.INDEX) == "▶ 5"
    assert look(view, 5, EventColumn.READ).tone == ""
    assert look(view, 6, EventColumn.READ).tone == "muted"


def test_a_click_seeks_the_event(open_view, qtbot):
    view, controller = open_view(events(8))
    place = view.table.visualRect(view.model.index(6, EventColumn.OPERATION)).center()
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert controller.sought == [6]


def test_arrows_look_and_enter_goes(open_view, qtbot):
    view, controller = open_view(events(8))
    view.activateWindow()
    view.table.setFocus()
    qtbot.waitUntil(view.table.hasFocus, timeout=60_000)
    qtbot.keyClick(view.table, Qt.Key.Key_Up)
    assert controller.sought == []
    assert "Event 7" in view.details.toPlainText()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert controller.sought == [7]


def test_the_log_follows_the_end(open_view):
    view, controller = open_view(events(100))
    log = events(200)
    controller.show(moment_of(log), log)
    assert view.table.currentIndex().row() == 200
    assert view.table.rowAt(view.table.viewport().height() - 4) == 200


def test_a_smaller_log_still_shows_the_current_event(open_view, qtbot):
    view, _ = open_view(events(100))
    view.resize(1100, 160)
    qtbot.waitUntil(lambda: view.table.rowViewportPosition(100) >= 0, timeout=60_000)
    bottom = view.table.rowViewportPosition(100) + view.table.rowHeight(100)
    assert bottom <= view.table.viewport().height()


def test_scrolling_away_keeps_the_scroll_position(open_view):
    view, controller = open_view(events(200))
    view.table.verticalScrollBar().setValue(20)
    assert not view.follow.isChecked()
    log = events(300)
    controller.show(moment_of(log), log)
    assert view.table.verticalScrollBar().value() == 20
    view.follow.click()
    assert view.table.currentIndex().row() == 300


def test_a_filter_lists_one_kind_and_grows_with_the_log(open_view):
    view, controller = open_view(events(8))
    choose(view, "Forward")
    assert shown(view) == [2, 6]
    log = events(12)
    controller.show(moment_of(log), log)
    assert shown(view) == [2, 6, 10]


def test_the_list_can_be_filtered_to_failed_events(open_view):
    view, _ = open_view([*events(4), failed(5, Step(), "nothing to step"), Event(6, 1, ZeroGrad())])
    choose(view, "Failed Events")
    assert shown(view) == [5]


def test_a_filter_looks_again_at_a_log_that_forked(open_view):
    log = events(8)
    view, controller = open_view(log)
    choose(view, "Forward")
    forked = [*log[:5], Event(6, 1, Skip(Forward())), *log[6:]]
    controller.serial += 1
    controller.show(moment_of(forked), forked)
    assert shown(view) == [2]


def test_a_fork_replaces_the_lines_after_it(open_view):
    log = events(8)
    view, controller = open_view(log)
    forked = [*log[:5], msgspec.structs.replace(log[3], index=6)]
    controller.serial += 1
    controller.show(moment_of(forked), forked)
    assert view.model.rowCount() == 7
    assert cell(view, 6, EventColumn.OPERATION) == "Step"


def test_only_visible_rows_of_a_hundred_thousand_events_are_read(open_view):
    log = events(100_000)
    view, controller = open_view(log)
    read = []
    fetch = controller.events_slice
    controller.events_slice = lambda start, stop: read.append(stop - start) or fetch(start, stop)
    controller.show(moment_of(log), log)
    view.grab()
    assert sum(read) < 500
    view.table.verticalScrollBar().setValue(50_000)
    view.grab()
    assert sum(read) < 1500


def test_of_a_long_run_only_the_events_shown_last_are_kept(open_view):
    log = events(20_000)
    view, controller = open_view(log)
    for row in range(1, len(log), 64):
        view.model.event_at(row)
    read = []
    fetch = controller.events_slice
    controller.events_slice = lambda start, stop: read.append(start) or fetch(start, stop)
    view.model.event_at(len(log) - 64)
    assert read == []
    assert view.model.event_at(1) == log[0]
    assert read == [0]


def test_a_filter_over_a_long_log_works_in_slices(open_view, qtbot):
    log = events(40_000)
    view, _ = open_view(log)
    choose(view, "Step")
    qtbot.waitUntil(lambda: view.model.rowCount() == 10_000, timeout=60_000)
    assert view.model.event_index(9_999) == 40_000


def test_the_random_generator_is_not_mistaken_for_a_module_named_generator(open_view):
    drawn = Event(1, 0, Forward(), writes=("loss", "generator"), loss=1.0)
    mode = Event(2, 0, SetMode(training=False), writes=("generator",))
    view, _ = open_view([drawn, mode], 1)
    assert cell(view, 1, EventColumn.WROTE) == "loss, random generator"
    assert cell(view, 2, EventColumn.WROTE) == "generator"
    assert "random generator" in view.details.toPlainText()


def test_addresses_are_labelled_by_kind():
    written = ("w", "b", "optimizer/w/exp_avg", "optimizer/b/exp_avg", "optimizer/lr", "generator")
    assert addresses_text(written, {"w", "b"}) == "2 tensors, 2 exp_avg, generator, optimizer/lr"
    read = ("optimizer/lr", "optimizer/momentum", "w", "w.grad", "b.grad")
    assert addresses_text(read, {"w", "b"}) == "w, 2 grads, 2 hyperparameters"
    assert addresses_text(("x.grad",), {"x"}) == "x.grad"
    assert addresses_text((), {"x"}) == ""


def test_the_table_has_its_rows_where_the_mouse_finds_them(open_view):
    view, _ = open_view(events(3))
    assert view.table.rowAt(QPoint(0, 2).y()) == 0


def test_the_menu_of_an_event_asks_what_if(open_view, qtbot):
    view, _ = open_view(events(8), 8)
    assert view.fill_menu(6)
    actions = {action.objectName(): action for action in view.menu.actions()}
    actions["event_log.what_if_skip"].trigger()
    assert view.controller.branches.asked == [Edits(skip=(6,))]
    with qtbot.waitSignal(view.what_if_requested, timeout=60_000) as asked:
        actions["event_log.what_if_ask"].trigger()
    assert asked.args == [6]


def test_the_menu_of_an_event_loads_its_state_if_it_has_happened(open_view):
    view, controller = open_view(events(8), 6)
    assert view.fill_menu(6)
    actions = {action.objectName(): action for action in view.menu.actions()}
    actions["event_log.load"].trigger()
    actions["event_log.load_modules"].trigger()
    assert controller.applied == [LoadState(6), LoadState(6, ("modules",))]
    assert view.fill_menu(7)
    assert "event_log.load" not in {action.objectName() for action in view.menu.actions()}


def test_the_start_and_a_run_offer_no_menu(open_view):
    view, controller = open_view(events(8), 8)
    assert not view.fill_menu(0)
    controller.be("running")
    assert not view.fill_menu(6)
    assert view.menu.actions() == []


def test_events_at_which_breakpoints_stopped_runs_are_marked(open_view):
    view, controller = open_view(events(8))
    controller.breakpoints.current = Breaks(hits=frozenset((3, 8)))
    reported = [view.model.index(row, EventColumn.INDEX).data() for row in (2, 3, 8)]
    assert reported == ["2", "● 3", "▶ ● 8"]


def test_the_details_of_a_forward_name_the_value_that_it_computed(open_view):
    forward = Event(1, 0, Forward("accuracy"), Outcome(), (), ("accuracy",), 0, 0.9375, None)
    view, _ = open_view([forward])
    view.details.show_event(forward)
    assert "accuracy = 0.9375" in view.details.toPlainText()


def changed_rows(view):
    """Collect the first and the last row of each change that the model reports."""
    found = []
    view.model.dataChanged.connect(lambda first, last: found.append((first.row(), last.row())))
    return found


def test_a_new_event_changes_only_the_rows_at_the_cursor(open_view):
    log = events(8)
    view, controller = open_view(log[:7])
    found = changed_rows(view)
    controller.show(moment_of(log), log)
    assert found == [(7, 8)]


def test_a_seek_changes_the_rows_that_it_passes(open_view):
    log = events(8)
    view, controller = open_view(log)
    found = changed_rows(view)
    controller.show(moment_of(log, 3), log)
    controller.show(moment_of(log, 5), log)
    assert found == [(3, 8), (3, 5)]
    choose(view, "Forward")
    assert shown(view) == [2, 6]
    found.clear()
    controller.show(moment_of(log, 6), log)
    assert found == [(1, 1)]


def test_other_names_change_all_rows(open_view):
    log = events(8)
    view, controller = open_view(log)
    found = changed_rows(view)
    fewer = dataclasses.replace(moment_of(log), parameters={})
    controller.show(fewer, log)
    assert found == [(0, 8)]
