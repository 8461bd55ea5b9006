"""Softmax and its kin as functions that may be called without a dimension, with a warning."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from gradstep.autograd.ops import activation, formulas

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["log_softmax", "softmax", "softmin"]


def softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return exp(input) divided by its sum along a dimension.

    Args:
        input: Of any shape.
        dim: The dimension along which the results add up to 1.
        dtype: Convert to this type first.

    Example:
        >>> import gradstep
        >>> softmax(gradstep.zeros(2), dim=0)
        tensor([0.5000, 0.5000])
    """
    along = _guessed_dim("softmax", input) if dim is None else dim
    return activation.softmax(input, along, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return the softmax of -input along a dimension; arguments as for `softmax`."""
    along = _guessed_dim("softmin", input) if dim is None else dim
    return formulas.softmin(input, along, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return the logarithm of softmax, computed without its overflow.

    Args:
        input: Of any shape.
        dim: The dimension along which the exponentials add up to 1.
        dtype: Convert to this type first.
    """
    along = _guessed_dim("log_softmax", input) if dim is None else dim
    return activation.log_softmax(input, along, dtype=dtype)


def _guessed_dim(name: str, input: Tensor) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Say dim=... in the call.",
        stacklevel=4,
    )
    return 0 if input.ndim in (0, 1, 3) else 1
