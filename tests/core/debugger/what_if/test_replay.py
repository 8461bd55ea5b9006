"""What-ifs without a Debugger: a cursor alone."""

import pytest

from gradstep.debugger.what_if import replay_with_edits
from gradstep.errors import ArgumentError, OperationError
from gradstep.history.records.what_if import Edits
from gradstep.program.operation import Backward, Forward, Skip, Step, ZeroGrad
from tests.core.debugger.conftest import frozen


@pytest.fixture
def trained(cursor):
    for operation in (ZeroGrad(), Forward(), Backward(), Step()) * 2:
        cursor.apply(operation)
    return cursor


def test_the_branch_has_the_edits_and_the_cursor_returns(trained):
    trained.seek(6)
    state, done = frozen(trained.program.capture()), []
    branch = replay_with_edits(trained, Edits(skip=(4,)), lambda *both: done.append(both))
    assert (branch.forked_at, branch.name) == (3, "without Step #4")
    assert [branch.history.log.operation(event) for event in (4, 5)] == [Skip(Step()), ZeroGrad()]
    assert done == [(count, 5) for count in range(1, 6)]
    assert (trained.branches.current.id, trained.position) == (0, 6)
    assert frozen(trained.program.capture()) == state


def test_a_value_that_cannot_be_set_makes_no_branch(trained):
    with pytest.raises(OperationError, match=r"nothing to set at 'other\.lr'"):
        replay_with_edits(trained, Edits(3, set={"optimizer.lr": 1, "other.lr": 2}))
    with pytest.raises(ArgumentError, match="lr must be 0 or more"):
        replay_with_edits(trained, Edits(3, set={"optimizer.lr": -1.0}))
    assert (len(trained.branches), trained.position) == (1, 8)
