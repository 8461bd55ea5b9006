"""The Operations that the user can apply besides Zero Grad, Forward, Backward and Step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.program.operation import (
    AddLoss,
    ClipGradNorm,
    ClipGradValue,
    Freeze,
    RebuildModule,
    ReplaceOptimizer,
    SchedulerStep,
    SetBatchSize,
    SetMode,
)
from gradstep.program.schema.optimizers import OPTIMIZERS

if TYPE_CHECKING:
    from gradstep.program.operation import Operation
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["additional_operations"]

SUGGESTED_MAX_NORM = 1.0
"""The suggested maximum norm for gradient clipping."""

SUGGESTED_CLIP_VALUE = 1.0
"""The suggested maximum of a gradient's elements for clipping."""

_USUAL_OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop")
_OPTIMIZERS = (*_USUAL_OPTIMIZERS, *(kind for kind in OPTIMIZERS if kind not in _USUAL_OPTIMIZERS))
"""All kinds of optimizers, the usual ones first."""


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
        *_clips(spec),
        *(
            SchedulerStep(name, training[0] if item.kind == "ReduceLROnPlateau" else None)
            for name, item in spec.schedulers.items()
            if name not in spec.scheduler_members and (training or item.kind != "ReduceLROnPlateau")
        ),
        *(
            SetBatchSize(name, size)
            for name, data in spec.data.items()
            for size in _other_sizes(data.batch_size)
        ),
        *(ReplaceOptimizer(kind, name) for name in spec.optimizers for kind in _OPTIMIZERS),
        *(Freeze(pattern, frozen) for frozen in (True, False) for pattern in patterns),
        *(SetMode(mode, name) for mode in (True, False) for name in spec.modules),
        *(RebuildModule(name) for name in spec.modules),
        *(ReplaceOptimizer(item.kind, name, rebind=True) for name, item in spec.optimizers.items()),
        *(
            AddLoss(loss, tensor, item=item)
            for tensor in _running_totals(spec)
            for loss in spec.losses
            for item in (False, True)
        ),
    )


def _clips(spec: ProgramSpec) -> tuple[Operation, ...]:
    """Return clippings of each optimizer's gradients: to the loop's limits, a tenth and tenfold.

    Where the loop does not clip, they are to a norm of 1 and to values of 1.
    """
    lines = [line.operation for line in spec.loop or ()]
    norms, values = [], []
    for name in spec.optimizers:
        clips = [
            line
            for line in lines
            if isinstance(line, (ClipGradNorm, ClipGradValue)) and line.optimizer == name
        ]
        norms += [ClipGradNorm(SUGGESTED_MAX_NORM, name)] if not clips else []
        values += [ClipGradValue(SUGGESTED_CLIP_VALUE, name)] if not clips else []
        for clip in clips:
            if isinstance(clip, ClipGradNorm):
                norms += [
                    ClipGradNorm(limit, name, clip.norm_type) for limit in _around(clip.max_norm)
                ]
            else:
                values += [ClipGradValue(limit, name) for limit in _around(clip.clip_value)]
    return *dict.fromkeys(norms), *dict.fromkeys(values)


def _around(limit: float) -> tuple[float, float, float]:
    return limit, limit / 10, limit * 10


def _other_sizes(size: int | None) -> tuple[int | None, ...]:
    """Return batch sizes to choose from: one row, half, double, and all rows."""
    if size is None:
        return 1, 16, 64
    sizes = dict.fromkeys((1, max(size // 2, 1), 2 * size))
    return *(other for other in sizes if other != size), None


def _running_totals(spec: ProgramSpec) -> tuple[str, ...]:
    """Return the tensors to which a line of the loop adds a loss."""
    lines = spec.loop or ()
    added = [line.operation.tensor for line in lines if isinstance(line.operation, AddLoss)]
    return tuple(dict.fromkeys(added))
