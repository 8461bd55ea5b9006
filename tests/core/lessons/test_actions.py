"""What a step asks for, as an Operation."""

import pytest

from gradstep.errors import ArgumentError
from gradstep.lessons.actions import parse_actions
from gradstep.program.operation import ClipGradNorm


def test_an_operation_that_needs_more_than_its_name_is_that_of_the_loop():
    (action,) = parse_actions(["clip_grad_norm"], "$")
    line = ClipGradNorm(max_norm=2.0)
    assert action.operation(None, [line]) == line
    with pytest.raises(ArgumentError, match="clip_grad_norm needs max_norm; write"):
        action.operation(None, [])
