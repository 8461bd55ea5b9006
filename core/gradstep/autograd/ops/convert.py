"""Conversion of dtype and device, and copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.devices import device, require_cpu
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike

__all__ = ["clone", "contiguous", "to", "to_dtype"]


class ToCopyBackward0(Node):
    """input converted to another dtype."""

    __slots__ = ()
    rule = "input: grad, in the element type of the input"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Convert the gradient to the dtype of the input."""
        return (generic.cast(grad, self.context),)


def to_dtype(input: Tensor, kind: np.dtype[Any]) -> Tensor:
    """Return `input` converted to dtype `kind`; `input` itself if it already has it."""
    array = input._array
    if array.dtype == kind:
        return input
    out = wrap(array.astype(kind))
    if grad_mode.current.enabled and input._requires_grad and kind.kind == "f":
        record(ToCopyBackward0, out, (input._grad_fn or input,), context=array.dtype)
    return out


def to(
    input: Tensor,
    *target: DTypeLike | DeviceLike | Tensor | bool,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    non_blocking: bool = False,  # noqa: ARG001 - the CPU is the only device
    copy: bool = False,
    memory_format: object = None,  # noqa: ARG001 - row-major is the only layout
) -> Tensor:
    """Return the tensor converted to a dtype or device; the CPU is the only device.

    Args:
        input: The tensor to convert; returned as is if nothing changes.
        *target: A device, a dtype or a tensor to match; then `non_blocking` and `copy`.
        dtype: Target dtype.
        device: Only the CPU.
        non_blocking: Ignored.
        copy: Copy even if nothing changes.
        memory_format: Ignored.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([1, 2]).to(gradstep.float64)
        tensor([1., 2.], dtype=gradstep.float64)
    """
    require_cpu(device)
    flags = [wanted for wanted in target if isinstance(wanted, bool)]
    for wanted in target:
        if isinstance(wanted, Tensor):
            dtype = wanted._array.dtype
        elif _names_device(wanted):
            require_cpu(wanted)  # type: ignore[arg-type]
        elif wanted is not None and not isinstance(wanted, bool):
            dtype = wanted  # type: ignore[assignment]
    out = input if dtype is None else to_dtype(input, dtypes.numpy_dtype(dtype))
    return clone(out) if (copy or flags[1:] == [True]) and out is input else out


def _names_device(target: object) -> bool:
    if isinstance(target, str):
        return target not in dtypes.NAMES
    return isinstance(target, (device, int)) and not isinstance(target, bool)


class CloneBackward0(Node):
    """A copy of the input."""

    __slots__ = ()
    rule = "input: grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient passes."""
        return (grad,)


def clone(input: Tensor, *, memory_format: object = None) -> Tensor:  # noqa: ARG001 - torch's name
    """Return a differentiable copy."""
    out = wrap(input._array.copy())
    if grad_mode.current.enabled and input._requires_grad:
        record(CloneBackward0, out, (input._grad_fn or input,))
    return out


def contiguous(input: Tensor, memory_format: object = None) -> Tensor:  # noqa: ARG001 - one layout
    """Return a contiguous tensor: `input` itself if it is one, else a copy."""
    if input._array.flags.c_contiguous:
        return input
    out = wrap(np.ascontiguousarray(input._array))
    if grad_mode.current.enabled and input._requires_grad:
        record(CloneBackward0, out, (input._grad_fn or input,))
    return out
