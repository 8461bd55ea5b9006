"""Initial values under a restriction: within bounds, mostly zeros, or passing channels on."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from gradstep.errors import ArgumentError
from gradstep.nn.filling import fused, write
from gradstep.random import Generator, default_generator

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor

__all__ = ["dirac_", "sparse_", "trunc_normal_"]

_ENOUGH = 0.3
"""From which share of draws within the bounds on it is quicker to draw again what is outside."""


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill a tensor from the normal distribution, without what is outside of two bounds.

    Args:
        tensor: What to fill, in place.
        mean: The centre of the whole distribution.
        std: Its standard deviation.
        a: The lower bound; it is no multiple of `std`.
        b: The upper bound.
        generator: Where to draw from; the default one if None.

    Returns:
        The tensor itself.

    Example:
        >>> import gradstep
        >>> weight = trunc_normal_(gradstep.empty(100), std=3.0)
        >>> bool((weight.abs() <= 2).all())
        True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=2,
        )
    source = generator or default_generator
    shape, kind = tensor._array.shape, tensor._array.dtype
    if _below((b - mean) / std) - _below((a - mean) / std) > _ENOUGH:
        values = source.normal(shape, kind, mean, std)
        low, high = kind.type(a), kind.type(b)
        while (outside := (values < low) | (values > high)).any():
            values = np.where(outside, source.normal(shape, kind, mean, std), values)
        return write(tensor, values)
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def drawn() -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Draw evenly within the bounds, and tell what the distribution would rarely have."""
        span, low = float(kind.type(b) - kind.type(a)), float(kind.type(a))
        even = fused(source.uniform(shape, kind), span, low).astype(kind)
        density = ((even - kind.type(mean)) / kind.type(std)) ** 2 * kind.type(-0.5)
        return even, np.log(source.uniform(shape, kind)) > density - kind.type(peak)

    values, pending = drawn()
    while pending.any():
        others, again = drawn()
        values = np.where(pending, others, values)
        pending &= again
    return write(tensor, values)


def _below(x: float) -> float:
    """Return the probability of a standard normal number to be below x."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None
) -> Tensor:
    """Fill a matrix from the normal distribution, and set a share of each column to 0.

    Args:
        tensor: What to fill, in place.
        sparsity: The share of zeros, rounded up.
        std: The standard deviation of the rest.
        generator: Where to draw the values from; the zeros are drawn from the default one.

    Returns:
        The tensor itself.

    Raises:
        ArgumentError: It is no matrix.

    References:
        Martens, Deep learning via Hessian-free optimization, ICML 2010.
    """
    if tensor.ndim != 2:  # noqa: PLR2004 - a matrix
        raise ArgumentError("Only tensors with 2 dimensions are supported")
    array = tensor._array
    values = (generator or default_generator).normal(array.shape, array.dtype, 0, std)
    zeros = math.ceil(sparsity * len(array))
    for column in range(array.shape[1]):
        values[default_generator.permutation(len(array))[:zeros], column] = 0
    return write(tensor, values)


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Make the weight of a convolution pass its channels on as they are, as far as there are any.

    Args:
        tensor: What to fill, in place: of 3, 4 or 5 dimensions.
        groups: Of the convolution.

    Returns:
        The tensor itself.

    Raises:
        ArgumentError: It is no such weight, or its outputs make no such groups.

    Example:
        >>> import gradstep
        >>> dirac_(gradstep.empty(1, 1, 3))
        tensor([[[0., 1., 0.]]])
    """
    shape = tensor._array.shape
    if len(shape) not in {3, 4, 5}:
        raise ArgumentError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ArgumentError("dim 0 must be divisible by groups", f"got {shape[0]} and {groups}")
    each = shape[0] // groups
    values = np.zeros(shape, tensor._array.dtype)
    middle = tuple(size // 2 for size in shape[2:])
    for group in range(groups):
        for channel in range(min(each, shape[1])):
            values[(group * each + channel, channel, *middle)] = 1
    return write(tensor, values)
