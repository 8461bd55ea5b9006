"""Normal numbers from uniform ones (Box & Muller 1958), rounded as torch's vector code rounds.

In float32 torch computes logarithm, sine and cosine by the polynomials of the Cephes library
(Moshier), with fused multiply-adds. The same sums in the same order give the same bits on any
machine. In float64 it calls the system's functions, as is done here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Singles = NDArray[np.float32]

__all__ = ["BLOCK", "normals"]

BLOCK: Final = 16
"""Of each sixteen uniforms the first half gives the radii, the second the angles."""
_CHUNK: Final = 1 << 14  # elements at once, so that the intermediate arrays stay in the cache

_LOG: Final = (
    *(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
    *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)
_SIN: Final = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS: Final = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_QUARTERS: Final = (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)  # -pi/4
_LN2: Final = (-2.12194440e-4, 0.693359375)


def normals(uniform: NDArray[Any], mean: float = 0.0, std: float = 1.0) -> NDArray[Any]:
    """Return normal numbers, as many as there are uniform ones.

    Args:
        uniform: A multiple of sixteen numbers in [0, 1), float32 or float64.
        mean: The centre.
        std: The standard deviation.

    Example:
        >>> float(normals(np.full(16, 0.5))[0])
        -1.1774100225154747
    """
    out = np.empty_like(uniform)
    for start in range(0, uniform.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        pairs = uniform[part].reshape(-1, 2, BLOCK // 2)
        made = (_in_single if uniform.dtype == np.float32 else _in_double)(pairs)
        if (mean, std) != (0.0, 1.0):
            made = _fused(made, std, mean) if made.dtype == np.float32 else made * std + mean
        out[part] = made.reshape(-1)
    return out


def _in_double(pairs: NDArray[Any]) -> NDArray[Any]:
    radius = np.sqrt(-2 * np.log(1 - pairs[:, 0]))
    angle = 2 * np.pi * pairs[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)


def _in_single(pairs: Singles) -> Singles:
    radius = np.sqrt(np.float32(-2) * _log(np.float32(1) - pairs[:, 0]))
    sine, cosine = _sine_and_cosine(np.float32(2 * np.pi) * pairs[:, 1])
    return np.stack([radius * cosine, radius * sine], 1)


def _fused(left: Singles, right: Singles | float, addend: Singles | float) -> Singles:
    """Return left * right + addend, rounded once: doubles hold a product of floats exactly."""
    if not isinstance(right, np.ndarray):
        right = float(np.float32(right))
    if not isinstance(addend, np.ndarray):
        addend = float(np.float32(addend))
    product = np.multiply(left, right, dtype=np.float64)
    return np.add(product, addend, dtype=np.float64).astype(np.float32)


def _polynomial(x: Singles, coefficients: Sequence[float]) -> Singles:
    value = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value = _fused(value, x, coefficient)
    return value


def _log(x: Singles) -> Singles:
    """Return the logarithm: of the fraction in [sqrt(1/2), sqrt(2)) and of the power of two."""
    fraction, exponent = np.frexp(x)
    small = fraction < np.float32(np.sqrt(0.5))
    power = (exponent - small).astype(np.float32)
    rest = (fraction - np.float32(1)) + np.where(small, fraction, np.float32(0))
    square = rest * rest
    value = _polynomial(rest, _LOG) * rest
    value = _fused(value, square, power * np.float32(_LN2[0]))
    value = rest + _fused(square, -0.5, value)
    return _fused(power, _LN2[1], value)


def _sine_and_cosine(x: Singles) -> tuple[Singles, Singles]:
    """Return both for angles in [0, 2 pi), by polynomials around the nearest quarter turn."""
    octant = ((x * np.float32(4 / np.pi)).astype(np.int32) + 1) & ~1
    turns = octant.astype(np.float32)
    for part in _QUARTERS:
        x = _fused(turns, part, x)
    square = x * x
    cosine = _polynomial(square, _COS) * square
    cosine = _fused(cosine, square, square * np.float32(-0.5)) + np.float32(1)
    sine = _fused(_polynomial(square, _SIN) * square, x, x)
    swapped = (octant & 2) != 0
    first, second = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    return np.where(octant & 4, -first, first), np.where((octant - 2) & 4, second, -second)
