"""Creation of random tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd import dtypes
from gradstep.autograd.creation import finish, shape_of
from gradstep.errors import TensorError
from gradstep.random import Generator, default_generator

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["rand", "rand_like", "randn", "randn_like"]


def _floating(dtype: DTypeLike | None) -> np.dtype[np.generic]:
    kind = dtypes.default if dtype is None else dtypes.numpy_dtype(dtype)
    if kind.kind != "f":
        raise TensorError(
            f"rand() and randn() need a floating-point dtype, not {kind}", "use randint() instead"
        )
    return kind


def rand(
    *size: int | Sequence[int],
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return numbers drawn uniformly from [0, 1)."""
    array = (generator or default_generator).uniform(shape_of(size), _floating(dtype))
    return finish(array, requires_grad, device)


def randn(
    *size: int | Sequence[int],
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return numbers drawn from the standard normal distribution.

    Example:
        >>> from gradstep.random import manual_seed
        >>> _ = manual_seed(0)
        >>> randn(3)
        tensor([ 1.5410, -0.2934, -2.1788])
    """
    array = (generator or default_generator).normal(shape_of(size), _floating(dtype))
    return finish(array, requires_grad, device)


def rand_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return uniform numbers in the shape and type of `input`."""
    kind = input._array.dtype if dtype is None else dtype
    return rand(input._array.shape, dtype=kind, device=device, requires_grad=requires_grad)


def randn_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return normal numbers in the shape and type of `input`."""
    kind = input._array.dtype if dtype is None else dtype
    return randn(input._array.shape, dtype=kind, device=device, requires_grad=requires_grad)
