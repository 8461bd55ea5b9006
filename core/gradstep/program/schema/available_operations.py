"""The Operations that the user can apply besides Zero Grad, Forward, Backward and Step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.program.operation import (
    AddLoss,
    ClipGradNorm,
    Freeze,
    RebuildModule,
    SchedulerStep,
    SetMode,
)

if TYPE_CHECKING:
    from gradstep.program.operation import Operation
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["additional_operations"]

SUGGESTED_MAX_NORM = 1.0
"""The suggested maximum norm for gradient clipping."""


def additional_operations(spec: ProgramSpec) -> tuple[Operation, ...]:
    """Return the Operations that apply to a program besides the four of every loop, by kind.

    Args:
        spec: The program's document.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> additional_operations(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": 1, "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "x * x"}}}'''))[:2]
        (Freeze(pattern='x', frozen=True), Freeze(pattern='x', frozen=False))
    """
    patterns = [*(f"{name}.*" for name in spec.modules), *spec.tensors]
    training = [name for name, loss in spec.losses.items() if loss.rows == "training"]
    return (
        *(ClipGradNorm(SUGGESTED_MAX_NORM, name) for name in spec.optimizers),
        *(
            SchedulerStep(name, training[0] if item.kind == "ReduceLROnPlateau" else None)
            for name, item in spec.schedulers.items()
            if name not in spec.scheduler_members and (training or item.kind != "ReduceLROnPlateau")
        ),
        *(Freeze(pattern, frozen) for frozen in (True, False) for pattern in patterns),
        *(SetMode(mode, name) for mode in (True, False) for name in spec.modules),
        *(RebuildModule(name) for name in spec.modules),
        *(
            AddLoss(loss, tensor, item=item)
            for tensor in _running_totals(spec)
            for loss in spec.losses
            for item in (False, True)
        ),
    )


def _running_totals(spec: ProgramSpec) -> tuple[str, ...]:
    """Return the tensors to which a line of the loop adds a loss."""
    lines = spec.loop or ()
    added = [line.operation.tensor for line in lines if isinstance(line.operation, AddLoss)]
    return tuple(dict.fromkeys(added))
