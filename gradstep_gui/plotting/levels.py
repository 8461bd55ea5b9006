"""Levels of contours: round numbers, evenly spaced or as powers of ten."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Levels", "level_text", "levels_of", "refined", "suits_logarithm"]

_FEWEST, _MOST = 8, 18
_STEPS = (1.0, 2.0, 5.0)
_PER_DECADE: tuple[tuple[float, ...], ...] = (
    (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0),
    (1.0, 1.6, 2.5, 4.0, 6.3),
    (1.0, 2.0, 5.0),
    (1.0, 3.0),
    (1.0,),
)
"""Mantissas of logarithmic levels, from fine to coarse; the finest are preferred numbers, R10."""

_DEEPEST = 12
"""Decades below the highest value: smaller losses have one colour."""

_LOWEST = 0.012
"""A level below which fewer values are would be drawn as beads: the points are too far apart."""

_SMOOTH = 97
"""Points of an axis from which lines between them look smooth."""

_RATIO = 30.0
"""Losses that differ by such a factor are drawn on a logarithmic scale."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The levels of contours.

    Attributes:
        values: The levels, ascending, without the lowest and the highest value.
        offset: What is taken off a value before its logarithm; None for a linear scale.
    """

    values: NDArray[np.float64]
    offset: float | None = None

    def scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values as they are interpolated: their logarithms, on a logarithmic scale."""
        if self.offset is None:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            found: NDArray[np.float64] = np.log10(values - self.offset)
        floor = float(np.log10(self.values[0] - self.offset)) - 1 if len(self.values) else 0.0
        return np.where(found < floor, floor, found)


def suits_logarithm(values: NDArray[Any]) -> bool:
    """Return whether losses are positive and differ by orders of magnitude.

    Example:
        >>> suits_logarithm(np.array([0.01, 2500.0])), suits_logarithm(np.array([-1.0, 2500.0]))
        (True, False)
    """
    finite = values[np.isfinite(values)]
    return bool(len(finite) and finite.min() > 0 and finite.max() > _RATIO * finite.min())


def levels_of(values: NDArray[Any], *, log: bool) -> Levels:
    """Return about a dozen round levels between the lowest and the highest finite value.

    Args:
        values: The values.
        log: Space them evenly on a logarithmic scale; where values are not positive, on that of
            their distance from the lowest.

    Example:
        >>> levels_of(np.array([0.0, 41.0]), log=False).values.tolist()
        [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0]
        >>> levels_of(np.array([0.02, 300.0]), log=True).values.tolist()
        [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]
    """
    finite = np.asarray(values, np.float64)[np.isfinite(values)]
    if not len(finite) or not finite.max() > finite.min():
        return Levels(np.zeros(0))
    low, high = float(finite.min()), float(finite.max())
    if not log:
        return Levels(_linear(low, high))
    offset = low if low <= 0 else 0.0
    high -= offset
    low = max(low, float(np.quantile(finite, _LOWEST, method="lower"))) - offset
    if low <= 0:
        low = float(np.min(finite[finite > offset])) - offset
    found = _logarithmic(max(low, high * 10.0**-_DEEPEST), high)
    return Levels(found + offset, offset) if len(found) else Levels(_linear(low, high))


def level_text(value: float) -> str:
    """Return a level, which is a round number, as short as possible.

    Example:
        >>> level_text(2000.0), level_text(-0.05), level_text(3e6), level_text(0.30000000000000004)
        ('2000', '−0.05', '3e6', '0.3')
    """
    text = f"{value:.6g}"
    mantissa, _, exponent = text.partition("e")
    text = f"{mantissa}e{int(exponent)}" if exponent else text
    return text.replace("-", "\N{MINUS SIGN}")


def refined(axis: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a finer axis, and the weights with which values at its points are interpolated.

    The interpolation is that of Catmull and Rom (1974), cubic and through all values.

    Args:
        axis: Evenly spaced points.

    Returns:
        The finer axis, which has the given points too, and one row of weights for each point.

    Example:
        >>> fine, weights = refined(np.array([0.0, 1.0, 2.0]))
        >>> len(fine), weights.shape, (weights @ np.array([1.0, 2.0, 3.0]))[0::48].tolist()
        (97, (97, 3), [1.0, 2.0, 3.0])
    """
    count = len(axis)
    factor = -(-(_SMOOTH - 1) // (count - 1))
    fine = np.linspace(axis[0], axis[-1], factor * (count - 1) + 1)
    places = np.arange(len(fine)) / factor
    cells = np.minimum(places.astype(int), count - 2)
    t = places - cells
    parts = (
        (-t + 2 * t**2 - t**3) / 2,
        (2 - 5 * t**2 + 3 * t**3) / 2,
        (t + 4 * t**2 - 3 * t**3) / 2,
        (-(t**2) + t**3) / 2,
    )
    weights = np.zeros((len(fine), count + 2))
    for offset, part in enumerate(parts):
        weights[np.arange(len(fine)), cells + offset] += part
    # Beyond the ends, values go on as they end: 2 a - b.
    inner = weights[:, 1:-1].copy()
    inner[:, 0] += 2 * weights[:, 0]
    inner[:, 1] -= weights[:, 0]
    inner[:, -1] += 2 * weights[:, -1]
    inner[:, -2] -= weights[:, -1]
    return fine, inner


def _linear(low: float, high: float) -> NDArray[np.float64]:
    decade = math.floor(math.log10((high - low) / _MOST))
    for factor in (*_STEPS, *(10 * step for step in _STEPS)):
        step = factor * 10.0**decade
        first, last = math.floor(low / step) + 1, math.ceil(high / step) - 1
        if last - first + 1 <= _MOST:
            return np.arange(first, last + 1).astype(np.float64) * step
    return np.array([(low + high) / 2])


def _logarithmic(low: float, high: float) -> NDArray[np.float64]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = np.zeros(0)
    for mantissas in _PER_DECADE:
        every = np.array([float(f"{m}e{decade}") for decade in decades for m in mantissas])
        found = every[(every > low) & (every < high)]
        if len(found) <= _MOST:
            break
    return found
