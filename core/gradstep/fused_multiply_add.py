"""Fused multiply-add: a product and a sum rounded once, as processors compute it for torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fused_multiply_add"]


def fused_multiply_add(
    array: NDArray[Any], factor: float, offset: NDArray[Any] | float
) -> NDArray[np.float64]:
    """Return array * factor + offset in float64, rounded once where the array is float64.

    The product is split into what float64 holds and its error, and both are added.

    Args:
        array: The first factor, of a floating-point type.
        factor: The second factor, a number of that type.
        offset: What is added; of the same type, and of a shape that broadcasts.

    Example:
        >>> third = np.array([1 / 3])
        >>> (third * 3.0 - 1.0).tolist(), fused_multiply_add(third, 3.0, -1.0).tolist()
        ([0.0], [-5.551115123125783e-17])

    References:
        Dekker, A floating-point technique for extending the available precision, 1971.
    """
    wide = array.astype(np.float64)
    product = wide * factor
    if array.dtype != np.float64:  # the product of two narrower numbers is exact
        return product + offset
    high, low = _halves(wide)
    factor_high, factor_low = _halves(np.float64(factor))
    error = (high * factor_high - product) + high * factor_low + low * factor_high
    error = error + low * factor_low
    total: NDArray[np.float64] = product + offset
    back = total - product
    exact = total + ((product - (total - back)) + (offset - back) + error)
    return np.where(np.isfinite(exact), exact, total)


def _halves(value: Any) -> tuple[Any, Any]:  # noqa: ANN401 - an array or a number
    """Return two numbers of 26 bits that add up to one of 53."""
    scaled = value * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - value)
    return high, value - high
