"""The controller: commands go in, Snapshots, States and messages come out."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradstep.program.operation import Backward, Forward, SetHyperparameter, Step, ZeroGrad
from gradstep.session.store import SavingCancelledError
from gradstep_gui.controller import Controller
from gradstep_gui.messages import Messages

TIMEOUT_S = 60.0
TIMEOUT_MS = 60_000


@pytest.fixture
def messages(qapp):
    return Messages()


@pytest.fixture
def controller(messages, open_fake):
    controller = Controller(messages, open_fake)
    yield controller
    controller.close()


@pytest.fixture
def opened(controller):
    controller.open(Path("parabola.json"))
    assert controller.wait_idle(TIMEOUT_S)
    return controller


def press(controller, *operations):
    for operation in operations:
        controller.apply(operation)
    assert controller.wait_idle(TIMEOUT_S)


def test_nothing_is_open_at_first(controller):
    assert controller.snapshot is None
    assert controller.document is None
    assert controller.state.work == "empty"
    assert controller.events_count() == 0


def test_opening_shows_the_moment_before_any_event(opened):
    assert opened.snapshot.event_index == 0
    assert opened.document.name == "parabola"
    assert opened.document.path == Path("parabola.json")
    assert opened.state.work == "paused"
    assert not opened.state.can_go_back
    assert not opened.state.modified


def test_a_session_that_somebody_else_saved_is_not_saved_over(opened, messages, tmp_path):
    path = tmp_path / "mine.gradstep"
    for _time in range(2):  # over one's own file as often as one likes
        opened.save(path)
        assert opened.wait_idle(TIMEOUT_S)
    path.write_bytes(b"saved by another window")
    opened.save(path)
    assert opened.wait_idle(TIMEOUT_S)
    assert "was changed by another program" in messages.history[-1].text
    assert messages.history[-1].remedy == "save under another name"
    assert path.read_bytes() == b"saved by another window"


def test_each_operation_brings_one_snapshot(opened, qtbot):
    with qtbot.waitSignal(opened.snapshot_changed, timeout=60_000) as blocker:
        opened.apply(Forward())
    assert blocker.args[0].loss == 25.0
    assert blocker.args[0].event.operation == Forward()


def test_the_four_operations_move_the_parameter(opened):
    press(opened, ZeroGrad(), Forward(), Backward(), Step())
    assert opened.snapshot.parameters["x"].value.mean == 4.0
    assert opened.snapshot.iteration == 1
    assert opened.state.modified
    assert [event.index for event in opened.events_slice(1, 99)] == [2, 3, 4]


def test_going_back_and_seeking_show_the_past(opened):
    press(opened, ZeroGrad(), Forward(), Backward(), Step())
    opened.back()
    opened.wait_idle(TIMEOUT_S)
    assert (opened.snapshot.event_index, opened.snapshot.event_count) == (3, 4)
    assert opened.state.can_go_forward
    opened.seek(1)
    opened.wait_idle(TIMEOUT_S)
    assert opened.snapshot.parameters["x"].value.mean == 5.0


def test_a_slider_that_is_dragged_fast_is_followed_to_where_it_stops(opened):
    opened.iterate(3)
    opened.wait_idle(TIMEOUT_S)
    gate, sought = threading.Event(), []
    engine = opened.debugger
    seek = engine.seek

    def slow(index, should_stop=None):
        sought.append(index)
        gate.wait(TIMEOUT_S)
        seek(index)

    engine.seek = slow
    for index in (9, 8, 7, 6, 5):
        opened.seek(index)
    gate.set()
    opened.wait_idle(TIMEOUT_S)
    assert sought in ([9, 5], [5])
    assert opened.snapshot.event_index == 5


def test_a_seek_is_not_omitted_when_something_was_done_after_it(opened):
    press(opened, ZeroGrad(), Forward(), Backward(), Step())
    opened.seek(2)
    opened.apply(Step())
    opened.seek(1)
    opened.wait_idle(TIMEOUT_S)
    assert (opened.snapshot.event_index, opened.snapshot.event_count) == (1, 3)


def test_the_memory_limit_applies_to_open_and_later_programs(opened):
    opened.set_memory(64)
    opened.wait_idle(TIMEOUT_S)
    assert opened.debugger.branches.memory_budget == 64 * 2**20
    opened.open(Path("another.json"))
    opened.wait_idle(TIMEOUT_S)
    assert opened.debugger.branches.memory_budget == 64 * 2**20


def test_seeking_an_iteration_finds_its_last_event(opened):
    opened.iterate(3)
    opened.wait_idle(TIMEOUT_S)
    opened.seek_iteration(2)
    opened.wait_idle(TIMEOUT_S)
    assert (opened.snapshot.event_index, opened.snapshot.iteration) == (8, 2)


def test_a_rejected_operation_is_reported_with_its_remedy(opened, messages):
    press(opened, Backward())
    assert messages.history[-1].text == "there is no loss"
    assert messages.history[-1].remedy == "press Forward first"
    assert opened.snapshot.event_index == 1


def test_a_file_that_cannot_be_opened_leaves_the_program_that_was_open(opened, messages):
    press(opened, Forward())
    opened.open(Path("bad.json"))
    opened.wait_idle(TIMEOUT_S)
    assert "$.optimizers.optimizer.lr: -1 is negative" in messages.history[-1].text
    assert "bad.json" in messages.history[-1].text
    assert messages.history[-1].remedy == "write 0.1"
    assert opened.document.name == "parabola"
    assert opened.snapshot.event_index == 1


def test_an_internal_error_is_reported_and_the_session_continues(opened, qtbot):
    opened.debugger.crash_on = Backward()
    with qtbot.waitSignal(opened.crashed, timeout=60_000) as blocker:
        opened.apply(Backward())
    assert isinstance(blocker.args[0].error, ZeroDivisionError)
    press(opened, Forward())
    assert opened.snapshot.loss == 25.0


def test_a_run_continues_until_pause_and_shows_snapshots_meanwhile(opened, qtbot):
    opened.run()
    assert opened.state.work == "running"
    qtbot.waitUntil(lambda: opened.snapshot.iteration > 20, timeout=60_000)
    opened.pause()
    qtbot.waitUntil(lambda: opened.state.work == "paused", timeout=60_000)
    assert opened.wait_idle(TIMEOUT_S)
    assert opened.snapshot.event_count == len(opened.debugger.events)


def test_a_run_waits_while_its_state_is_shown(opened, qtbot):
    """Both need the interpreter, and buttons that change while a run goes on take long."""
    waits = []
    opened.state_changed.connect(
        lambda state: waits.append((state.work, not opened._worker._may_work.is_set()))
    )
    opened.run()
    assert ("running", True) in waits
    qtbot.waitUntil(lambda: opened.snapshot.event_index > 0, timeout=TIMEOUT_MS)
    opened.pause()
    assert opened.wait_idle(TIMEOUT_S)


def test_pictures_of_a_run_come_at_the_screens_rate_not_one_an_iteration(opened):
    before = len(opened.debugger.captured)
    opened.iterate(300)
    opened.wait_idle(TIMEOUT_S)
    assert opened.snapshot.iteration == 300
    assert len(opened.debugger.captured) - before < 100


def test_an_edit_during_a_run_is_applied_and_the_run_continues(opened, qtbot):
    opened.run()
    qtbot.waitUntil(lambda: opened.snapshot.iteration > 3, timeout=60_000)
    opened.apply(SetHyperparameter("lr", 0.2))
    seen = opened.snapshot.iteration
    qtbot.waitUntil(lambda: opened.snapshot.iteration > seen + 3, timeout=60_000)
    assert opened.state.work == "running"
    opened.pause()
    assert opened.wait_idle(TIMEOUT_S)
    kinds = [type(event.operation) for event in opened.debugger.events]
    assert kinds.count(SetHyperparameter) == 1


def test_an_edit_during_a_counted_run_leaves_the_count_as_it_was(opened, qtbot):
    opened.iterate(400)
    qtbot.waitUntil(lambda: opened.snapshot.iteration > 3, timeout=60_000)
    opened.apply(SetHyperparameter("lr", 0.2))
    assert opened.wait_idle(TIMEOUT_S)
    assert opened.snapshot.iteration == 400


def test_views_get_the_arrays_that_any_of_them_wants(opened):
    assert opened.snapshot.parameters["x"].value.array is None
    opened.set_wanted("table", ["x"])
    opened.set_wanted("inspector", ["x.grad"])
    opened.wait_idle(TIMEOUT_S)
    assert opened.snapshot.parameters["x"].data.tolist() == [5.0]
    opened.set_wanted("table", [])
    opened.wait_idle(TIMEOUT_S)
    assert opened.debugger.captured[-1] == {"x.grad"}


def test_series_arrive_once_and_from_row_0_when_requested_again(opened):
    opened.set_series_wanted("plots", ["loss/loss"])
    opened.iterate(2)
    opened.wait_idle(TIMEOUT_S)
    first = opened.take_series("plots")
    assert first.columns["loss/loss"].start == 0
    assert first.columns["loss/loss"].x.tolist() == [1.0, 2.0]
    assert first.names == ("event", "loss/loss")
    opened.iterate(1)
    opened.wait_idle(TIMEOUT_S)
    second = opened.take_series("plots")
    assert second.columns["loss/loss"].start == 2
    assert second.columns["loss/loss"].x.tolist() == [3.0]
    assert opened.take_series("plots").columns == {}
    opened.set_series_wanted("plots", ["loss/loss"])
    opened.wait_idle(TIMEOUT_S)
    assert opened.take_series("plots").columns["loss/loss"].x.tolist() == [1.0, 2.0, 3.0]


def test_what_views_want_during_a_run_they_get_during_it(opened, qtbot):
    opened.run()
    opened.set_series_wanted("plots", ["loss/loss"])
    opened.set_wanted("table", ["x"])
    qtbot.waitUntil(lambda: "loss/loss" in opened.take_series("plots").columns, timeout=60_000)
    qtbot.waitUntil(lambda: opened.snapshot.parameters["x"].data is not None, timeout=60_000)
    assert opened.state.work == "running"
    opened.pause()
    assert opened.wait_idle(TIMEOUT_S)


def test_saving_makes_the_document_unmodified(opened, tmp_path):
    press(opened, Forward())
    opened.save(tmp_path / "run.gradstep")
    opened.wait_idle(TIMEOUT_S)
    assert opened.document.path == tmp_path / "run.gradstep"
    assert not opened.state.modified
    press(opened, Backward())
    assert opened.state.modified


@pytest.fixture
def slow_save(opened, open_fake, tmp_path):
    """A save that has written 3 of 4 Events and waits until it is let go or cancelled."""
    finish, cancelled = threading.Event(), []

    def write(progress, should_stop):
        progress(3, 4)
        while not finish.wait(0.001):
            if should_stop():
                cancelled.append(True)
                raise SavingCancelledError(tmp_path / "run.gradstep")

    open_fake.opened[0].begin_save = lambda _path: SimpleNamespace(write=write)
    press(opened, Forward())
    seen = []
    opened.save_progressed.connect(lambda *numbers: seen.append(numbers))
    opened.save(tmp_path / "run.gradstep")
    yield SimpleNamespace(finish=finish, cancelled=cancelled, seen=seen)
    finish.set()
    opened.wait_idle(TIMEOUT_S)


def test_while_a_session_is_saved_everything_else_can_continue(opened, slow_save, qtbot):
    qtbot.waitUntil(lambda: opened.state.saving)
    assert opened.state.work == "paused"
    opened.apply(Backward())
    qtbot.waitUntil(lambda: opened.events_count() == 2)
    assert opened.state.saving
    slow_save.finish.set()
    assert opened.wait_idle(TIMEOUT_S)
    assert not opened.state.saving
    assert opened.document.path.name == "run.gradstep"
    assert opened.state.modified  # the file has no Backward


def test_a_save_that_ends_during_a_run_is_reported_then(opened, slow_save, qtbot):
    saved = []
    opened.saved.connect(saved.append)
    opened.run()
    qtbot.waitUntil(lambda: opened.state.work == "running" and opened.state.saving)
    slow_save.finish.set()
    qtbot.waitUntil(lambda: bool(saved))
    assert opened.state.work == "running"
    opened.pause()


def test_the_progress_of_a_save_is_shown(opened, slow_save, qtbot):
    qtbot.waitUntil(lambda: slow_save.seen == [(3, 4)])
    assert opened.state.saving


def test_a_cancelled_save_is_not_a_failure_and_leaves_the_changes_unsaved(opened, slow_save, qtbot):
    qtbot.waitUntil(lambda: opened.state.saving)
    opened.cancel_save()
    assert opened.wait_idle(TIMEOUT_S)
    assert slow_save.cancelled == [True]
    assert not opened.state.saving
    assert opened.state.modified
    assert opened.document.path == Path("parabola.json")


def test_opening_another_program_restarts_the_series(opened):
    opened.set_series_wanted("plots", ["loss/loss"])
    opened.iterate(2)
    opened.wait_idle(TIMEOUT_S)
    opened.take_series("plots")
    opened.open(Path("another.json"))
    opened.wait_idle(TIMEOUT_S)
    batch = opened.take_series("plots")
    assert batch.columns["loss/loss"].start == 0
    assert len(batch.columns["loss/loss"].x) == 0


def test_a_selected_tensor_is_signalled_once(controller, qtbot):
    reported = []
    controller.selected_changed.connect(reported.append)
    controller.select("x")
    controller.select("x")
    assert reported == ["x"]
    assert controller.selected == "x"


def test_a_closed_controller_shows_nothing_more(qapp, messages, open_fake):
    controller, shown = Controller(messages, open_fake), []
    controller.state_changed.connect(shown.append)
    controller.listing_changed.connect(shown.append)
    controller.open(Path("parabola.json"))
    controller.close()
    before = len(shown)
    qapp.processEvents()
    assert len(shown) == before
    assert controller.wait_idle(TIMEOUT_S)
