"""EventLog: Events are stored compactly and read back unchanged."""

import math

import numpy as np
import pytest

from gradstep.errors import GradStepError
from gradstep.history.log import event_log as module
from gradstep.history.log.checksum import row_bytes
from gradstep.history.log.event_log import CHUNK, EventLog
from gradstep.history.log.vocabulary import Vocabulary
from gradstep.history.records.event import Event, Outcome
from gradstep.program.operation import Backward, Forward, SetHyperparameter, Step, ZeroGrad
from gradstep.spill import SpillFile


def new_log():
    return EventLog(Vocabulary(("loss",)))


def append(log, event):
    return log.append(
        event.iteration,
        event.operation,
        outcome=event.outcome,
        reads=event.reads,
        writes=event.writes,
        checksum=event.checksum,
        loss=event.loss,
        rows=event.rows,
    )


EVENTS = (
    Event(1, 0, Forward(), Outcome(), ("x",), ("loss",), 2**32 - 1, 0.1 + 0.2, (3, 70_000, 0)),
    Event(2, 0, Step("a"), Outcome(message="nothing to step")),
    Event(3, 2**40, SetHyperparameter("betas", [0.9, 0.99]), Outcome(False, "E", "bad", "mend")),
    Event(4, 1, Forward(batch="held"), loss=-0.0, rows=()),
    Event(5, 1, SetHyperparameter("nesterov", True)),
    Event(6, 1, SetHyperparameter("nesterov", 1.0)),
    Event(7, 1, Forward(), loss=math.inf, rows=(5,)),
)


def test_events_come_back_as_they_went_in():
    log = new_log()
    for event in EVENTS:
        assert append(log, event) == event.index
    assert list(log.view()) == list(EVENTS)
    assert repr(log.event(5).operation) == repr(EVENTS[4].operation)
    assert repr(log.event(6).operation) == repr(EVENTS[5].operation)
    assert math.copysign(1.0, log.event(4).loss) == -1.0


def test_a_nan_loss_is_not_none():
    log = new_log()
    log.append(0, Forward(), loss=math.nan)
    log.append(0, Step())
    assert math.isnan(log.event(1).loss)
    assert log.event(2).loss is None


def test_the_view_is_a_sequence():
    log = new_log()
    for event in EVENTS:
        append(log, event)
    view = log.view()
    assert len(view) == 7
    assert view[0] == EVENTS[0]
    assert view[-1] == EVENTS[-1]
    assert view[1:4] == list(EVENTS[1:4])
    with pytest.raises(IndexError):
        view[7]
    with pytest.raises(GradStepError, match="no Event 0"):
        log.event(0)


def test_many_events_take_about_forty_bytes_each():
    log = new_log()
    for _ in range(3 * CHUNK):
        log.append(0, Step(), reads=("x", "x.grad"), writes=("x",), checksum=1)
    assert sum(block.nbytes for block in log._chunks) + len(log._tail) == 3 * CHUNK * 40
    assert len(log.vocabulary.operations) == 1
    assert len(log.vocabulary.all_reads_writes) == 2


def test_a_fork_shares_the_events_before_it_and_none_after():
    log = new_log()
    for index in range(2 * CHUNK):
        log.append(index, ZeroGrad())
    for at in (CHUNK, CHUNK + 10, 2 * CHUNK, 0):
        fork = log.fork(at)
        fork.append(-1, Step())
        assert [event.iteration for event in fork.view()[-2:]] == ([at - 1, -1] if at else [-1])
        assert log.event(at + 1).iteration == at if at < 2 * CHUNK else len(log) == 2 * CHUNK


def test_what_was_written_between_two_events():
    log = new_log()
    log.append(0, ZeroGrad(), writes=("x.grad",))
    log.append(0, Forward(), writes=("loss", "loss.graph"))
    log.append(0, Step(), writes=("x",))
    assert log.written_between(0, 2) == {"x.grad", "loss", "loss.graph"}
    assert log.written_between(2, 3) == {"x"}
    assert log.written_between(3, 3) == frozenset()


def test_the_loss_computed_last_is_that_of_a_forward_or_of_a_step_that_computes_one():
    log = EventLog(Vocabulary(("a", "b")))
    for operation, writes in ((Forward("a"), ("a", "a.graph")), (Step(), ("x",))):
        log.append(0, operation, writes=writes)
    log.append(0, Forward("b"), outcome=Outcome(ok=False))
    log.append(0, Step(), writes=("x.grad", "b", "b.graph", "x"))
    assert [log.last_loss(index) for index in range(5)] == ["", "a", "a", "a", "b"]


def test_a_step_that_computes_its_loss_counts_as_a_backward():
    log = EventLog(Vocabulary(("a",)))
    log.append(0, Forward("a"), writes=("a", "a.graph"))
    log.append(0, Backward("a"), writes=("x.grad",))
    log.append(0, Step(), writes=("x.grad", "a", "a.graph", "x"))
    log.append(0, Backward("a"), writes=("x.grad",))
    assert [log.passes("a", index) for index in range(5)] == [0, 0, 1, 1, 2]


def test_rows_are_stored_once_while_they_repeat():
    words = Vocabulary(())
    first = words.rows_id(row_bytes((1, 2, 3)))
    assert words.rows_id(row_bytes(np.array([1, 2, 3]))) == first
    assert words.rows_id(None) == 0
    assert words.rows(0) is None
    assert words.rows(words.rows_id(row_bytes(()))) == ()


def test_many_events_can_be_read_in_columns():
    log = EventLog(Vocabulary(losses=("loss",)))
    for iteration in range(CHUNK):
        log.append(iteration, Forward(), loss=0.5)
        log.append(iteration, Step(), outcome=Outcome(ok=iteration != 1))
    found = log.view().columns(1, 4)
    assert [found.known[number] for number in found.operations] == [Step(), Forward(), Step()]
    assert found.iterations.tolist() == [0, 1, 1]
    assert found.failed.tolist() == [False, False, True]
    assert len(log.columns(0, 10**9).operations) == 2 * CHUNK
    assert log.columns(0, 1).log == log.serial != log.fork(4).serial


def test_events_repeat_when_their_iterations_are_alike():
    log = EventLog(Vocabulary(losses=("loss",)))
    for iteration in range(6):
        log.append(iteration, Forward(), loss=float(iteration), reads=("x", f"d{iteration}.graph"))
        log.append(iteration, Step(), reads=("x.grad",), writes=("x",))
    assert log.period(0, 12) == log.period(1, 11) == 2
    assert log.period(0, 6) == 0
    log.append(6, Step(), reads=("x.grad",), writes=("x",))
    assert log.period(0, 13) == 0


def run_of(events):
    """Return the log of a run with batches, two kinds of Operations and a failure now and then."""
    log, rng = new_log(), np.random.default_rng(0)
    for iteration in range(events // 2):
        rows = rng.integers(0, 70_000 if iteration % 5000 == 4999 else 300, 4).tolist()
        log.append(iteration, Forward(), loss=rng.random(), rows=rows, checksum=iteration)
        failed = iteration % 777 == 0
        log.append(iteration, Step(), outcome=Outcome(ok=not failed, error="E" * failed))
    return log


def test_events_in_the_temporary_file_are_read_bit_for_bit(monkeypatch):
    expected = run_of(5 * CHUNK)
    monkeypatch.setattr(module, "IN_MEMORY", 1)
    log = run_of(5 * CHUNK)
    assert [block.nbytes for block in log._chunks] == [0, 0, 0, CHUNK * 40]
    assert list(log.view()) == list(expected.view())
    for start, stop in [(0, 5 * CHUNK), (CHUNK - 3, CHUNK + 3), (17, 18)]:
        ours, theirs = log.columns(start, stop), expected.columns(start, stop)
        assert ours.operations.tolist() == theirs.operations.tolist()
        assert ours.iterations.tolist() == theirs.iterations.tolist()
        assert ours.failed.tolist() == theirs.failed.tolist()
    fork = log.fork(CHUNK + 7)
    fork.append(-1, Step())
    assert list(fork.view())[:-1] == list(expected.view())[: CHUNK + 7]


def test_a_long_run_keeps_a_bounded_number_of_events_and_batches_in_memory():
    log = run_of(40 * CHUNK)
    in_memory = sum(block.nbytes for block in log._chunks)
    assert in_memory == module.IN_MEMORY * CHUNK * 40
    pages = log.vocabulary._pages
    assert [sum(block.nbytes for block in page) for page in pages[:-1]] == [0] * (len(pages) - 1)


def test_events_stay_in_memory_where_no_file_can_be_written(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "IN_MEMORY", 1)
    expected = list(run_of(4 * CHUNK).view())
    monkeypatch.setattr(Vocabulary, "__init__", _without_a_folder(tmp_path / "missing"))
    log = run_of(4 * CHUNK)
    assert log.vocabulary.file.problem == "No such file or directory"
    assert list(log.view()) == expected


def _without_a_folder(folder):
    plain = Vocabulary.__init__

    def init(words, losses):
        plain(words, losses)
        words.file = SpillFile(folder)

    return init
