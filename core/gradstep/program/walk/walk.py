"""Walk an Operation: apply it one micro-step at a time.

A walk is provisional. It uses the same arithmetic as `Program.run`, so it shows the numbers that a
run computes. Since a walk may be abandoned at any step, the caller restores the previous state
afterwards, and runs the Operation to keep its effect.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.program import operation as ops
from gradstep.program.walk.backward import walk_backward
from gradstep.program.walk.forward import walk_forward
from gradstep.program.walk.gradients import walk_clip_norm, walk_clip_value, walk_zero_grad
from gradstep.program.walk.scheduler import walk_scheduler
from gradstep.program.walk.step import walk_step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.program.micro_step import Walk
    from gradstep.program.operation import Operation
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk"]


def walk(live: LiveObjects, operation: Operation) -> Walk:
    """Apply an Operation micro-step by micro-step; some kinds have no micro-steps.

    Raises:
        GradStepError: Where a run would raise it; earlier micro-steps are not undone.
    """
    walk_kind = _WALKS.get(type(operation))
    if walk_kind is not None:
        yield from walk_kind(live, operation)


_WALKS: Mapping[type[Operation], Callable[[LiveObjects, Any], Walk]] = MappingProxyType(
    {
        ops.ZeroGrad: walk_zero_grad,
        ops.Forward: walk_forward,
        ops.Backward: walk_backward,
        ops.Step: walk_step,
        ops.SchedulerStep: walk_scheduler,
        ops.ClipGradNorm: walk_clip_norm,
        ops.ClipGradValue: walk_clip_value,
    }
)
