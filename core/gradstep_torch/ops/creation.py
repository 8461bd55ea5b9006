"""Tensors of evenly spaced numbers, and of a single one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.creation import finish, kind_or_default
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike, Number
    from gradstep.autograd.tensor import Tensor

__all__ = ["linspace", "logspace", "scalar_tensor"]


def linspace(
    start: Number,
    end: Number,
    steps: int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return `steps` evenly spaced values from start to end, both included.

    Example:
        >>> linspace(0, 1, 3)
        tensor([0.0000, 0.5000, 1.0000])
    """
    _check_steps(start, end, steps)
    array = np.linspace(float(start), float(end), steps, dtype=np.float64).astype(
        kind_or_default(dtype)
    )
    return finish(array, requires_grad, device)


def _check_steps(start: object, end: object, steps: object) -> None:
    if any(getattr(bound, "ndim", 0) for bound in (start, end)):
        raise TensorError("only supports 0-dimensional start and end tensors", "give numbers")
    if not isinstance(steps, int | np.integer):
        raise ArgumentTypeError(f"argument 'steps' must be int, not {type(steps).__name__}")
    if steps < 0:
        raise TensorError(f"number of steps must be non-negative, got {steps}")


def logspace(
    start: Number,
    end: Number,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return `steps` values from base**start to base**end, evenly spaced in the exponent."""
    _check_steps(start, end, steps)
    array = np.logspace(float(start), float(end), steps, base=base, dtype=np.float64).astype(
        kind_or_default(dtype)
    )
    return finish(array, requires_grad, device)


def scalar_tensor(
    value: Number,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a 0-d tensor of the default type."""
    return finish(np.array(value, kind_or_default(dtype)), requires_grad, device)
