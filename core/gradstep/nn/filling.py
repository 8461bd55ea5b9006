"""Tensors filled in place: with one value, or with what the seeded generator draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import TensorError
from gradstep.random import Generator, default_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor

__all__ = ["constant_", "fused", "normal_", "ones_", "uniform_", "write", "zeros_"]


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill a tensor from the uniform distribution on [a, b).

    Args:
        tensor: What to fill, in place.
        a: The lower bound.
        b: The upper bound.
        generator: Where to draw from; the default one if None.

    Returns:
        The tensor itself.

    Example:
        >>> import gradstep
        >>> _ = gradstep.manual_seed(0)
        >>> uniform_(gradstep.empty(2), -1, 1)
        tensor([-0.0075,  0.5364])
    """
    if b < a:
        raise TensorError(f"uniform_ expects a <= b, but got a={a} and b={b}")
    array = tensor._array
    kind = array.dtype.type
    drawn = (generator or default_generator).uniform(array.shape, array.dtype)
    return write(tensor, fused(drawn, float(kind(b) - kind(a)), float(kind(a))))


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill a tensor from the normal distribution.

    Args:
        tensor: What to fill, in place.
        mean: The centre.
        std: The standard deviation.
        generator: Where to draw from; the default one if None.

    Returns:
        The tensor itself.
    """
    if std < 0:
        raise TensorError(f"normal_ expects std >= 0.0, but found std {std}")
    array, source = tensor._array, generator or default_generator
    return write(tensor, source.normal(array.shape, array.dtype, mean, std))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill a tensor, in place, with one value, and return it."""
    return write(tensor, val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill a tensor, in place, with ones, and return it."""
    return write(tensor, 1)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill a tensor, in place, with zeros, and return it."""
    return write(tensor, 0)


def write(tensor: Tensor, values: NDArray[Any] | float) -> Tensor:
    """Set the elements of a tensor, unknown to autograd, and return it."""
    tensor._array[...] = values
    tensor._version_counter[0] += 1
    return tensor


def fused(x: NDArray[Any], factor: float, offset: float) -> NDArray[Any]:
    """Return x * factor + offset, rounded once, as torch's fused multiply-add gives it.

    The product is split into what float64 holds and its error (Dekker 1971), and both are added.
    """
    wide = x.astype(np.float64)
    product = wide * factor
    if x.dtype != np.float64:  # the product of two narrower numbers is exact
        return product + offset
    high, low = _halves(wide)
    factor_high, factor_low = _halves(np.float64(factor))
    error = (high * factor_high - product) + high * factor_low + low * factor_high
    error = error + low * factor_low
    total: NDArray[Any] = product + offset
    back = total - product
    total += (product - (total - back)) + (offset - back) + error
    return total


def _halves(x: Any) -> tuple[Any, Any]:
    scaled = x * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - x)
    return high, x - high
