"""Logical operations, element by element."""

from __future__ import annotations

import numpy as np

from gradstep.autograd.tensor import Tensor, wrap

__all__ = ["logical_and", "logical_not", "logical_or", "logical_xor"]


def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Return where both elements are non-zero."""
    return wrap(np.logical_and(input._array, other._array))


def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Return where at least one element is non-zero."""
    return wrap(np.logical_or(input._array, other._array))


def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Return where exactly one element is non-zero."""
    return wrap(np.logical_xor(input._array, other._array))


def logical_not(input: Tensor) -> Tensor:
    """Return where the elements are 0."""
    return wrap(np.logical_not(input._array))
