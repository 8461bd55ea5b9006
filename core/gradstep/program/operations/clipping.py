"""Operations that clip gradients, by their norm or element by element."""

from __future__ import annotations

from math import isinf, isnan
from typing import TYPE_CHECKING

from gradstep.errors import OperationError
from gradstep.nn.clip_grad import clip_grad_norm_, clip_grad_value_
from gradstep.program.operation import ClipGradValue
from gradstep.program.operation_effect import OperationEffect

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation import ClipGradNorm
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["check_limits", "clip_grad_norm", "clip_grad_value", "clipping_targets"]

_NOTHING = "nothing to clip: every .grad is None"


def clip_grad_norm(live: LiveObjects, operation: ClipGradNorm) -> OperationEffect:
    """Scale an optimizer's gradients so that their total norm is at most `max_norm`."""
    held, addresses = clipping_targets(live, operation)
    if not held:
        return OperationEffect(message=_NOTHING)
    total = float(clip_grad_norm_(held, operation.max_norm, operation.norm_type).item())
    if isnan(total):
        outcome = "so every gradient is now NaN"
    elif isinf(total):
        outcome = "so every gradient is now 0 or NaN"
    elif total > operation.max_norm:
        outcome = f"now {operation.max_norm:.6g}"
    else:
        outcome = "nothing to clip"
    return OperationEffect(
        addresses, addresses, message=f"the total norm was {total:.6g}, {outcome}"
    )


def clip_grad_value(live: LiveObjects, operation: ClipGradValue) -> OperationEffect:
    """Clamp an optimizer's gradients element by element."""
    held, addresses = clipping_targets(live, operation)
    clip_grad_value_(held, operation.clip_value)
    return OperationEffect(addresses, addresses, message="" if held else _NOTHING)


def clipping_targets(
    live: LiveObjects, operation: ClipGradNorm | ClipGradValue
) -> tuple[list[Tensor], tuple[str, ...]]:
    """Return the tensors whose gradients an Operation clips, and the gradients' addresses.

    Raises:
        OperationError: If a number of the Operation is invalid.
    """
    live.optimizer(operation.optimizer)
    present = [
        t for t in dict.fromkeys(live.held_tensors[operation.optimizer]) if t.grad is not None
    ]
    check_limits(operation)
    return present, tuple(f"{live.addresses[tensor]}.grad" for tensor in present)


def check_limits(operation: ClipGradNorm | ClipGradValue) -> None:
    """Check the numbers of a clipping.

    Raises:
        OperationError: If one of them is invalid.
    """
    if isinstance(operation, ClipGradValue):
        if not operation.clip_value >= 0:
            raise OperationError(f"clip_value is {operation.clip_value}", "use 0 or more")
    elif not operation.max_norm >= 0:
        raise OperationError(f"max_norm is {operation.max_norm}", "use 0 or more")
    elif not operation.norm_type > 0:
        raise OperationError(f"norm_type is {operation.norm_type}", "use 2.0, 1.0 or infinity")
