"""Creation of ranges and identity matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.creation import finish, kind_or_default
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike, Number
    from gradstep.autograd.tensor import Tensor

__all__ = ["arange", "eye", "linspace", "logspace"]


def arange(
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return start, start + step, ... up to but excluding end.

    Example:
        >>> arange(3)
        tensor([0, 1, 2])
    """
    first, last = (0, start) if end is None else (start, end)
    if not all(map(math.isfinite, (first, last, step))):
        raise TensorError(f"unsupported range: {first} -> {last}")
    if step == 0:
        raise TensorError("step must be nonzero")
    if (last - first) / step < 0:
        raise TensorError(f"arange({first}, {last}, {step}) would never end", "check step's sign")
    whole = all(isinstance(bound, (int, np.integer)) for bound in (first, last, step))
    kind = np.dtype(np.int64) if whole and dtype is None else kind_or_default(dtype)
    count = int(np.ceil((last - first) / step))
    made: NDArray[Any] = np.arange(count, dtype=np.int64 if whole else np.float64)
    made = made * step + first
    return finish(made.astype(kind), requires_grad, device)


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


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a matrix with ones on the diagonal."""
    for name, size in (("n", n), ("m", m)):
        if size is not None and size < 0:
            raise TensorError(f"{name} must be greater or equal to 0, got {size}")
    return finish(np.eye(n, m, dtype=kind_or_default(dtype)), requires_grad, device)
