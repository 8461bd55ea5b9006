"""The points of one curve, with a pyramid of minima and maxima that keeps drawing fast.

Level 0 is the points themselves. Each level above holds the smallest and the largest finite value
of every eight blocks below, and only of complete blocks, so that an append touches each level
once in eight points, and truncating only shortens them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Curve"]

_FANOUT = 8
_FIRST_CAPACITY = 256


class _GrowingArray:
    """A float64 array that grows by doubling."""

    __slots__ = ("_data", "size")

    def __init__(self) -> None:
        self._data = np.empty(_FIRST_CAPACITY)
        self.size = 0

    @property
    def values(self) -> NDArray[np.float64]:
        return self._data[: self.size]

    def extend(self, values: NDArray[np.float64]) -> None:
        needed = self.size + len(values)
        if needed > len(self._data):
            grown = np.empty(max(needed, 2 * len(self._data)))
            grown[: self.size] = self.values
            self._data = grown
        self._data[self.size : needed] = values
        self.size = needed


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values with +-Inf as NaN: an infinite point has no place on an axis."""
    infinite = np.isinf(values)
    return np.where(infinite, np.nan, values) if infinite.any() else values


def _blocks(values: NDArray[np.float64], width: int, *, highest: bool) -> NDArray[np.float64]:
    """Return the smallest or largest value of each block of `width`, NaN where all are NaN."""
    if width == 1:
        return values
    pick = np.fmax if highest else np.fmin
    reduced: NDArray[np.float64] = pick.reduce(values.reshape(-1, width), axis=1)
    return reduced


class Curve:
    """The points of one curve; x never decreases, y may be NaN or infinite.

    Both are gaps, unless most values are missing; see `is_sparse`.

    Example:
        >>> curve = Curve()
        >>> curve.extend(np.arange(100_000), np.sin(np.arange(100_000)))
        >>> x, y = curve.visible(0, 100_000, pixels=500)
        >>> len(x) <= 4 * 500 + 2, bool(np.nanmax(y) > 0.9999)
        (True, True)
    """

    __slots__ = ("_first_infinite", "_highs", "_lows", "_pairs", "_values", "_x", "_y")

    def __init__(self) -> None:
        self._x = _GrowingArray()
        self._y = _GrowingArray()
        self._lows: list[_GrowingArray] = []
        self._highs: list[_GrowingArray] = []
        self._first_infinite: int | None = None
        self._values = 0
        self._pairs = 0

    def __len__(self) -> int:
        return self._x.size

    @property
    def x(self) -> NDArray[np.float64]:
        """The x of every point, as a view."""
        return self._x.values

    @property
    def y(self) -> NDArray[np.float64]:
        """The y of every point, as a view."""
        return self._y.values

    @property
    def first_infinite(self) -> float | None:
        """The x of the first infinite y; None when there is none.

        Example:
            >>> curve = Curve()
            >>> curve.extend([0, 1, 2], [1.0, float("inf"), float("nan")])
            >>> curve.first_infinite
            1.0
        """
        return None if self._first_infinite is None else float(self.x[self._first_infinite])

    @property
    def is_sparse(self) -> bool:
        """Whether most values are neighbours of none: measured in every k-th iteration.

        The missing values of a sparse curve are not gaps.

        Example:
            >>> curve = Curve()
            >>> curve.extend([0, 1, 2, 3, 4], [1.0, float("nan"), 2.0, float("nan"), 3.0])
            >>> curve.is_sparse
            True
        """
        return 2 * self._pairs <= self._values

    @property
    def is_interpolated(self) -> bool:
        """Whether its line leads through iterations whose values are not known.

        Example:
            >>> curve = Curve()
            >>> curve.extend([0, 1, 2], [1.0, float("nan"), 2.0])
            >>> curve.is_interpolated
            True
        """
        if not (1 < self._values < len(self) and self.is_sparse):
            return False
        known = np.flatnonzero(~np.isnan(self.y))
        return bool(known[-1] - known[0] >= len(known))

    def extend(self, x: ArrayLike, y: ArrayLike) -> None:
        """Append points; x must not decrease."""
        self._x.extend(np.asarray(x, dtype=np.float64))
        values = np.asarray(y, dtype=np.float64)
        if self._first_infinite is None and (infinite := np.isinf(values)).any():
            self._first_infinite = self._y.size + int(infinite.argmax())
        self._y.extend(values)
        self._count(len(self) - len(values), 1)
        self._grow()

    def truncate(self, size: int) -> None:
        """Drop every point from row `size` on.

        Example:
            >>> curve = Curve()
            >>> curve.extend([0, 1, 2], [5, 6, 7])
            >>> curve.truncate(1)
            >>> curve.y.tolist()
            [5.0]
        """
        size = min(size, len(self))
        self._count(size, -1)
        self._x.size = self._y.size = size
        if self._first_infinite is not None and self._first_infinite >= size:
            self._first_infinite = None
        for low, high in zip(self._lows, self._highs, strict=True):
            size //= _FANOUT
            low.size = high.size = size

    def patch(self, start: int, x: ArrayLike, y: ArrayLike) -> None:
        """Replace the points from row `start` on."""
        self.truncate(start)
        self.extend(x, y)

    def nearest(self, x: float) -> int | None:
        """Return the row whose x is closest, or None when there is no point."""
        if not len(self):
            return None
        right = int(np.searchsorted(self.x, x))
        left = max(right - 1, 0)
        right = min(right, len(self) - 1)
        return left if x - self.x[left] <= self.x[right] - x else right

    def last_finite(self, x: float) -> float | None:
        """Return the last finite value up to x, or None when there is none.

        Example:
            >>> curve = Curve()
            >>> curve.extend([0, 1, 2, 3], [np.nan, 5.0, np.nan, 7.0])
            >>> curve.last_finite(2.5), curve.last_finite(0.5)
            (5.0, None)
        """
        values = self.y[: int(np.searchsorted(self.x, x, side="right"))]
        if len(values) and math.isfinite(values[-1]):
            return float(values[-1])
        finite = np.flatnonzero(np.isfinite(values))
        return float(values[finite[-1]]) if len(finite) else None

    def rows(self, low: float, high: float) -> tuple[int, int]:
        """Return the rows from `low` to `high`, with one more at each side."""
        first = max(int(np.searchsorted(self.x, low, side="right")) - 1, 0)
        last = min(int(np.searchsorted(self.x, high, side="left")) + 1, len(self))
        return first, max(first, last)

    def visible(
        self, low: float, high: float, pixels: int, *, positive: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the points to draw from `low` to `high` on a number of pixels.

        At most two blocks a pixel are returned, each as its smallest and its largest value, so no
        spike is ever lost. Blocks begin at multiples of their width, so that a curve does not
        shimmer while it scrolls.

        Args:
            low: The left edge, in units of x.
            high: The right edge.
            pixels: The number of device pixels between them.
            positive: Skip values of 0 and below, for a logarithmic axis.

        Returns:
            x and y, where y is NaN in gaps and never infinite.
        """
        if self.is_sparse and self._values < len(self):
            return self._without_missing().visible(low, high, pixels, positive=positive)
        first, last = self.rows(low, high)
        width = 1
        while last - first > 2 * max(pixels, 1) * width:
            width *= 2
        if width == 1:
            points = _finite(self.y[first:last])
            return self.x[first:last], np.where(points > 0, points, np.nan) if positive else points
        start, stop = first // width, last // width
        lows, highs = self._reduced(start, stop, width)
        centres = self.x[start * width : stop * width : width]
        halves = self.x[start * width + width // 2 : stop * width : width]
        rest = _finite(self.y[stop * width : last])
        if len(rest):
            lows = np.append(lows, np.fmin.reduce(rest))
            highs = np.append(highs, np.fmax.reduce(rest))
            centres = np.append(centres, self.x[stop * width])
            halves = np.append(halves, self.x[last - 1])
        if positive:
            highs = np.where(highs > 0, highs, np.nan)
            lows = np.where(lows > 0, lows, highs)
        return _interleaved(centres, halves), _zigzag(lows, highs)

    def _without_missing(self) -> Curve:
        """Return the curve without its missing values."""
        measured = ~np.isnan(self.y)
        curve = Curve()
        curve.extend(self.x[measured], self.y[measured])
        return curve

    def _count(self, start: int, sign: int) -> None:
        """Count the values from row `start` on, and those whose row before has one too."""
        there = ~np.isnan(self.y[max(start - 1, 0) :])
        self._pairs += sign * int(np.count_nonzero(there[1:] & there[:-1]))
        self._values += sign * int(np.count_nonzero(there[1:] if start else there))

    def _reduced(
        self, start: int, stop: int, width: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        level, span = 0, 1
        while span * _FANOUT <= width:
            level, span = level + 1, span * _FANOUT
        ratio = width // span
        rows = slice(start * ratio, stop * ratio)
        if level == 0:
            points = _finite(self.y[rows])
            return _blocks(points, ratio, highest=False), _blocks(points, ratio, highest=True)
        return (
            _blocks(self._lows[level - 1].values[rows], ratio, highest=False),
            _blocks(self._highs[level - 1].values[rows], ratio, highest=True),
        )

    def _grow(self) -> None:
        below, level = len(self) // _FANOUT, 0
        while below:
            if level == len(self._lows):
                self._lows.append(_GrowingArray())
                self._highs.append(_GrowingArray())
            low, high = self._lows[level], self._highs[level]
            rows = slice(low.size * _FANOUT, below * _FANOUT)
            if level == 0:
                lower = upper = _finite(self.y[rows])
            else:
                lower, upper = (
                    self._lows[level - 1].values[rows],
                    self._highs[level - 1].values[rows],
                )
            low.extend(_blocks(lower, _FANOUT, highest=False))
            high.extend(_blocks(upper, _FANOUT, highest=True))
            below, level = below // _FANOUT, level + 1


def _interleaved(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([first, second], axis=1).ravel()


def _zigzag(lows: NDArray[np.float64], highs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Order the two values of each block along the curve, so that it stays smooth."""
    rising = np.ones(len(lows), dtype=bool)
    middle = lows + highs
    rising[:-1] = ~(middle[1:] < middle[:-1])
    if len(lows) > 1:
        rising[-1] = rising[-2]
    return _interleaved(np.where(rising, lows, highs), np.where(rising, highs, lows))
