"""History: recording, replaying, forking, and detecting a diverged replay."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.errors import GradStepError, ReplayError
from gradstep.history.history import DivergedError, History
from gradstep.history.log.event_log import EventLog
from gradstep.history.log.pending_events import write_pending
from gradstep.program.operation import Backward, Forward, LoadState, Step, ZeroGrad


def record_all(history, program, operations):
    for operation in operations:
        history.record(program, operation)


def test_an_event_lists_what_its_operation_read_and_wrote(program, loop):
    history = History.start(program)
    record_all(history, program, loop)
    forward = history.events[1]
    assert forward.index == 2
    assert forward.operation == Forward()
    assert forward.loss == 2.5
    assert forward.rows == (0, 7)
    assert forward.writes == ("loss", "loss.graph")
    assert [event.iteration for event in history.events] == [0, 0, 0, 0]


def test_a_failed_operation_is_an_event_with_its_error_and_remedy(program):
    history = History.start(program)
    index = history.record(program, Backward()).index
    outcome = history.log.event(index).outcome
    assert (outcome.ok, outcome.error) == (False, "OperationError")
    assert outcome.message == "loss has not been computed"
    assert outcome.remedy == "press Forward first"


def test_a_note_of_a_successful_operation_is_kept(program):
    history = History.start(program)
    history.record(program, Step("sgd"))
    assert history.events[-1].outcome.ok
    assert history.events[-1].outcome.message == "nothing to step"


def test_goto_restores_the_state_of_any_event(program, loop):
    history = History.start(program)
    states = [program.capture()]
    for operation in loop * 5 + (Backward(), Forward()):
        history.record(program, operation)
        states.append(program.capture())
    for index in (0, 22, 3, 7, 21, 1):
        history.goto(program, index)
        assert same(program.capture(), states[index])


def test_goto_from_the_present_replays_only_the_events_between(program, loop):
    history = History.start(program)
    record_all(history, program, loop * 3)
    history.goto(program, 8)
    runs = program.runs
    history.goto(program, 10, live=8)
    assert program.runs - runs == 2


def test_goto_a_missing_event_names_the_range(program):
    history = History.start(program)
    with pytest.raises(GradStepError, match="no Event 1"):
        history.goto(program, 1)


@pytest.fixture
def no_checkpoint_by_time(monkeypatch):
    """Take no Checkpoint because an Operation was slow, as it is on a busy machine."""
    monkeypatch.setattr("gradstep.history.history.REPLAY_S", 1e9)
    monkeypatch.setattr("gradstep.history.history.EARLY_S", 1e9)


@pytest.mark.usefixtures("no_checkpoint_by_time")
def test_a_diverged_replay_is_reported_and_leaves_a_recorded_state(program, loop):
    history = History.start(program)
    record_all(history, program, loop * 2)
    program.lr = 0.2
    with pytest.raises(DivergedError, match="Event 4 diverged: it wrote other values") as caught:
        history.goto(program, 6)
    assert caught.value.event == 4
    assert caught.value.reason == "it wrote other values than when it was recorded"
    assert program.x._array.tolist() == [1.0, 2.0]


@pytest.mark.usefixtures("no_checkpoint_by_time")
def test_a_long_diverged_replay_leaves_its_last_equal_state(program, loop, monkeypatch):
    history = History.start(program)
    record_all(history, program, loop * 2)
    monkeypatch.setattr("gradstep.history.history.REPLAY_S", 0.0)
    program.lr = 0.2
    with pytest.raises(ReplayError, match="Event 4 diverged"):
        history.goto(program, 6)
    assert history.nearest(6).index == 3
    assert program.x._grad._array.tolist() == [1.0, 2.0]


@pytest.mark.usefixtures("no_checkpoint_by_time")
def test_a_failed_replay_is_reported(program, loop, monkeypatch):
    history = History.start(program)
    record_all(history, program, loop)
    monkeypatch.setattr(program, "_forward", program._backward)
    with pytest.raises(DivergedError, match="Event 2 diverged: it failed") as caught:
        history.goto(program, 3)
    assert caught.value.event == 2


def test_a_fork_keeps_the_events_before_it_and_leaves_the_old_branch_alone(program, loop):
    history = History.start(program)
    record_all(history, program, loop * 2)
    branch = history.fork(program, 6)
    branch.record(program, ZeroGrad("sgd"))
    assert [event.operation for event in history.events] == [*loop, *loop]
    assert len(branch) == 7
    assert branch.events[5] == history.events[5]
    assert branch.events[6].operation == ZeroGrad("sgd")
    assert history.events[6].operation == Backward()


def test_the_series_of_a_fork_are_those_of_an_uninterrupted_run(program, loop):
    history = History.start(program)
    record_all(history, program, loop * 4)
    branch = history.fork(program, 10)
    record_all(branch, program, loop[2:])
    record_all(branch, program, loop)
    assert branch.series.names == history.series.names
    for name in history.series.names:
        np.testing.assert_array_equal(branch.series.column(name)[1], history.series.column(name)[1])


def test_load_state_restores_an_earlier_state_and_replays(program, loop):
    history = History.start(program)
    record_all(history, program, loop * 2)
    index = history.record(program, LoadState(event=4)).index
    assert program.x._array.tolist() == [0.9, 1.8]
    assert history.checkpoints.indices[-1] == index
    state = program.capture()
    history.goto(program, 1)
    history.goto(program, index)
    assert same(program.capture(), state)


def test_load_state_of_a_missing_event_fails_and_changes_nothing(program, loop):
    history = History.start(program)
    record_all(history, program, loop)
    state = program.capture()
    index = history.record(program, LoadState(event=99)).index
    assert not history.log.event(index).outcome.ok
    assert same(program.capture(), state)


def test_a_recorder_is_notified_of_every_event_and_checkpoint(program, loop):
    class Observer:
        def __init__(self):
            self.events, self.checkpoints = [], []

        def event_recorded(self, history, index):
            self.events.append(history.log.event(index).operation)

        def checkpoint_taken(self, history, checkpoint):
            self.checkpoints.append(checkpoint.index)

    history = History.start(program)
    history.recorder = observer = Observer()
    record_all(history, program, (*loop, Backward(), LoadState(event=0)))
    assert observer.events == [*loop, Backward(), LoadState(event=0)]
    assert observer.checkpoints[-1] == 6


def test_checkpoints_depend_on_computing_time_and_not_on_events(program, loop, monkeypatch):
    clock = iter(range(10_000))
    monkeypatch.setattr("gradstep.history.history.perf_counter", lambda: next(clock) * 1e-3)
    history = History.start(program)
    record_all(history, program, loop * 25)
    gaps = np.diff(history.checkpoints.indices)
    assert len(gaps) > 1
    assert gaps.max() <= 44


def test_slow_writing_of_events_does_not_make_checkpoints_rare(program, loop, monkeypatch):
    now = 0.0

    def tick(seconds=1e-3):
        nonlocal now
        now += seconds
        return now

    def slowly(events, log):
        tick(1.0)
        write_pending(events, log)

    monkeypatch.setattr("gradstep.history.history.perf_counter", tick)
    monkeypatch.setattr("gradstep.history.history.write_pending", slowly)
    history = History.start(program)
    record_all(history, program, loop * 100)
    assert np.diff(history.checkpoints.indices).max() <= 44


operations = st.lists(
    st.sampled_from((ZeroGrad("sgd"), Forward(), Backward(), Step("sgd"), LoadState(event=2))),
    max_size=30,
)


@settings(max_examples=40)
@given(operations=operations, targets=st.lists(st.integers(0, 30), max_size=6))
def test_any_operations_in_any_order_can_be_restored(make_program, operations, targets):
    program = make_program()
    history = History.start(program)
    states = [program.capture()]
    for operation in operations:
        history.record(program, operation)
        states.append(program.capture())
    for target in targets:
        index = min(target, len(history))
        history.goto(program, index)
        assert same(program.capture(), states[index])


def same(first, second):
    return first.keys() == second.keys() and all(
        value.tobytes() == second[key].tobytes()
        if isinstance(value, np.ndarray) and isinstance(second[key], np.ndarray)
        else value == second[key]
        for key, value in first.items()
    )


def test_reading_the_log_writes_pending_events_first(program, loop):
    history = History.start(program)
    record_all(history, program, loop * 2 + loop[:1])
    assert len(history) == 9
    assert [event.operation for event in history.events] == [*loop, *loop, loop[0]]
    record_all(history, program, loop[1:])
    assert (len(history), history.log.event(12).operation) == (12, loop[3])


def test_interrupted_writing_is_resumed(program, loop, monkeypatch):
    history = History.start(program)
    record_all(history, program, loop)
    extend, left = EventLog.extend, iter((False,))

    def interrupted(log, events):
        extend(log, events[:2])
        if not next(left, True):
            raise KeyboardInterrupt
        extend(log, events[2:])

    monkeypatch.setattr(EventLog, "extend", interrupted)
    with pytest.raises(KeyboardInterrupt):
        history.log.event(1)
    assert [event.operation for event in history.events] == [*loop]


def test_events_written_together_equal_events_written_one_by_one(make_program, loop):
    together, singly = make_program(), make_program()
    first, second = History.start(together), History.start(singly)
    record_all(first, together, loop * 5)
    for operation in loop * 5:
        second.record(singly, operation)
        assert second.log.operation(len(second)) == operation
    assert list(first.events) == list(second.events)


def test_a_recorded_event_knows_whether_it_completed_an_iteration(program, loop):
    history = History.start(program)
    record_all(history, program, [*loop, *loop, *loop[:2]])
    completing = [at for at in range(1, len(history) + 1) if history.applied_event(at).completes]
    assert completing == [4, 8]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_event_is_not_finite_when_only_a_gradient_is_not(program, value):
    history = History.start(program)
    assert history.record(program, Forward()).is_finite
    program._backward = spoiled(program, value)
    assert not history.record(program, Backward()).is_finite
    program.x._grad._array[:] = 0.0
    assert history.record(program, Step("sgd")).is_finite


def spoiled(program, value):
    """Return a Backward whose gradient has one element that is not finite."""
    backward = program._backward

    def run():
        effect = backward()
        program.x._grad._array[1] = value
        return effect

    return run


def test_an_event_is_not_finite_when_only_the_data_are_not(program, loop):
    history = History.start(program)
    record_all(history, program, loop[:3])
    program.x._grad._array[0] = -np.inf
    applied = history.record(program, Step("sgd"))
    assert (applied.completes, applied.is_finite) == (True, False)


def test_each_of_several_losses_of_an_event_is_sampled(program):
    program.losses["other"] = None
    forward = program._forward

    def both():
        effect = forward()
        program.losses["other"] = type(program.x)(_array=np.array(7.0), _grad=None)
        effect.writes = ("loss", "other", "loss.graph")
        return effect

    program._forward = both
    history = History.start(program)
    record_all(history, program, [Forward(), Backward(), Step("sgd")])
    last = {name: history.series.column(f"loss/{name}")[1][-1] for name in ("loss", "other")}
    assert last == {"loss": 2.5, "other": 7.0}
