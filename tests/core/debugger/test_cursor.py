"""The cursor without a Debugger: it moves, and stays where it is when a move is rejected."""

import pytest

from gradstep.debugger.operation_walk import OperationWalk
from gradstep.errors import OperationError, SessionError
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from tests.core.debugger.conftest import frozen


@pytest.fixture
def trained(cursor):
    """The cursor after one iteration."""
    for operation in (ZeroGrad(), Forward(), Backward(), Step()):
        cursor.apply(operation)
    return cursor


def walk_into(cursor, operation):
    cursor.walk = walk = OperationWalk(cursor.program, operation)
    cursor.move_inside(walk.advance)
    return walk


def test_operations_are_applied_at_the_end_and_in_the_past_on_a_new_branch(trained):
    assert (trained.position, trained.is_at_end, trained.event.operation) == (4, True, Step())
    trained.seek(2)
    assert (trained.is_at_end, trained.event.operation) == (False, Forward())
    trained.apply(Step())
    assert [(branch.forked_at, len(branch.history)) for branch in trained.branches] == [
        (0, 4),
        (2, 3),
    ]


def test_applying_one_by_one_gives_what_apply_gives(trained, cursor):
    apply = trained.start_applying()
    applied = [apply(operation) for operation in (ZeroGrad(), Forward())]
    trained.settle()
    assert [item.index for item in applied] == [5, 6]
    assert trained.event == trained.history.log.event(6)


def test_every_move_leaves_the_operation_that_was_entered(trained):
    before = frozen(trained.program.capture())
    touched = []
    trained.touched = touched.append
    walk_into(trained, Step())
    assert frozen(trained.program.capture()) == before
    walk_into(trained, ZeroGrad())
    assert frozen(trained.program.capture()) != before
    trained.fork()
    assert trained.walk is None
    assert frozen(trained.program.capture()) == before
    assert "model.0.weight.grad" in touched[-1]


def test_a_rejected_move_stays_inside(trained):
    walk = walk_into(trained, Step())
    with pytest.raises(OperationError, match="there is no Event 9; the Events of this branch are"):
        trained.seek(9)
    with pytest.raises(OperationError, match="there is no branch 4"):
        trained.checkout(4)
    assert (trained.walk, walk.index, trained.position) == (walk, 1, 4)


def test_outside_comes_back_inside(trained):
    walk = walk_into(trained, ZeroGrad())
    state = frozen(trained.program.capture())
    with trained.outside():
        assert trained.walk is None
    assert (trained.walk, frozen(trained.program.capture())) == (walk, state)


def test_a_recording_that_fails_is_dropped(trained):
    class Full:
        def branches(self, *_):
            raise SessionError("the disk is full")

    trained.history.recorder = Full()
    with pytest.raises(SessionError, match="the disk is full"):
        trained.branches.rename(0, "first")
    assert trained.history.recorder is None


def test_the_findings_of_a_removed_branch_are_forgotten_with_it(trained):
    trained.seek(2)
    fork = trained.fork()
    trained.apply(Step())
    trained.checkout(0)
    findings = trained.findings
    removed = trained.branches.remove(fork)
    trained.branches.restore(removed)
    assert trained.findings == findings
    trained.checkout(fork)
    assert trained.monitor is not None
    assert trained.position == 3


def test_a_failed_operation_that_was_left_again_starts_no_branch(line):
    line.iterate(1)
    assert not line.backward().outcome.ok
    line.back()
    assert line.position == (4, None)
    line.iterate(1)
    assert [branch.name for branch in line.branches] == ["main"]
    assert [event.outcome.ok for event in line.events] == [True] * 4 + [False] + [True] * 4
    assert line.branches.forks == ()


def test_before_a_failed_operation_that_others_follow_a_branch_starts(line):
    line.iterate(1)
    line.backward()
    line.zero_grad()
    line.seek(4)
    line.iterate(1)
    assert [branch.name for branch in line.branches] == ["main", "without Backward #5"]
