"""What-ifs without a Debugger: a cursor alone."""

import pytest

from gradstep.debugger.what_if import WhatIf
from gradstep.errors import ArgumentError, OperationError
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
    branch = WhatIf(trained).run(skip=(4,), progress=lambda *both: done.append(both))
    assert (branch.forked_at, branch.name) == (3, "without Step #4")
    assert [branch.history.log.operation(event) for event in (4, 5)] == [Skip(Step()), ZeroGrad()]
    assert done == [(count, 5) for count in range(1, 6)]
    assert (trained.branches.current.id, trained.position) == (0, 6)
    assert frozen(trained.program.capture()) == state


def test_a_value_that_cannot_be_set_makes_no_branch(trained):
    with pytest.raises(OperationError, match=r"nothing to set at 'other\.lr'"):
        WhatIf(trained).run(3, set={"optimizer.lr": 1, "other.lr": 2})
    with pytest.raises(ArgumentError, match="lr must be 0 or more"):
        WhatIf(trained).run(3, set={"optimizer.lr": -1.0})
    assert (len(trained.branches), trained.position) == (1, 8)
