"""Walk an Operation: apply it one micro-step at a time.

A walk is provisional. It uses the arithmetic of `Program.run`, so every number is the one that a
run gives. Since a walk may be abandoned anywhere, the caller restores the previous state afterwards
and runs the Operation to keep its effect.
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
    inside = _INSIDE.get(type(operation))
    if inside is not None:
        yield from inside(live, operation)


_INSIDE: Mapping[type[Operation], Callable[[LiveObjects, Any], Walk]] = MappingProxyType(
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
