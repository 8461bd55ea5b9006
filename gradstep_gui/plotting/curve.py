"""The points of one curve, with a pyramid of minima and maxima that keeps drawing fast.

Level 0 is the points themselves. Each level above holds the smallest and the largest finite value
of every eight blocks below, and the x where they begin. It has only complete blocks, so that an
append touches each level once in eight points, and truncating only shortens them. Of a long curve,
all but the end of each level is in a temporary file; what is drawn is a small part of one level.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gradstep.spill import BLOCK, GrowingArray, SpillFile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Curve"]

_FANOUT = 8


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

    Attributes:
        version: A number that is another one when points have come or gone.
    """

    __slots__ = (
        *("_file", "_first_infinite", "_first_known", "_highs", "_known", "_known_rows"),
        *("_lows", "_pairs", "_values", "_x", "_xs", "_y", "version"),
    )

    def __init__(self) -> None:
        self._file = SpillFile()
        self._x = self._array()
        self._y = self._array()
        self._xs: list[GrowingArray] = []
        self._lows: list[GrowingArray] = []
        self._highs: list[GrowingArray] = []
        self._first_infinite: int | None = None
        self._first_known: int | None = None
        self._known: Curve | None = None
        self._known_rows = 0
        self._values = 0
        self._pairs = 0
        self.version = 0

    def __len__(self) -> int:
        return self._x.size

    @property
    def x(self) -> NDArray[np.float64]:
        """The x of every point; of a long curve it is read from a file."""
        return self._x.read(0, len(self))

    @property
    def y(self) -> NDArray[np.float64]:
        """The y of every point; of a long curve it is read from a file."""
        return self._y.read(0, len(self))

    def point(self, row: int) -> tuple[float, float]:
        """Return the x and the y of a row; a negative one counts from the end."""
        return self._x[row], self._y[row]

    def points(
        self, start: int, stop: int, step: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the x and the y of the rows from `start` to before `stop`, or of some of them."""
        return self._x.read(start, stop, step), self._y.read(start, stop, step)

    @property
    def first_infinite(self) -> float | None:
        """The x of the first infinite y; None when there is none.

        Example:
            >>> curve = Curve()
            >>> curve.extend([0, 1, 2], [1.0, float("inf"), float("nan")])
            >>> curve.first_infinite
            1.0
        """
        return None if self._first_infinite is None else self._x[self._first_infinite]

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
        first = self._first_known
        if first is None or not (1 < self._values < len(self) and self.is_sparse):
            return False
        return self._last_known() - first >= self._values

    def extend(self, x: ArrayLike, y: ArrayLike) -> None:
        """Append points; x must not decrease."""
        self.version += 1
        self._x.extend(np.asarray(x, dtype=np.float64))
        values = np.asarray(y, dtype=np.float64)
        if self._first_infinite is None and (infinite := np.isinf(values)).any():
            self._first_infinite = self._y.size + int(infinite.argmax())
        if self._first_known is None and (known := ~np.isnan(values)).any():
            self._first_known = self._y.size + int(known.argmax())
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
        self.version += 1
        self._count(size, -1)
        self._x.truncate(size)
        self._y.truncate(size)
        if self._first_infinite is not None and self._first_infinite >= size:
            self._first_infinite = None
        if self._first_known is not None and self._first_known >= size:
            self._first_known = None
        if self._known is not None and self._known_rows > size:
            self._known.truncate(self._values)
            self._known_rows = size
        for level in zip(self._xs, self._lows, self._highs, strict=True):
            size //= _FANOUT
            for array in level:
                array.truncate(size)

    def patch(self, start: int, x: ArrayLike, y: ArrayLike) -> None:
        """Replace the points from row `start` on."""
        self.truncate(start)
        self.extend(x, y)

    def ends_with(self, start: int, x: ArrayLike, y: ArrayLike) -> bool:
        """Return whether the points from row `start` on are exactly these.

        Example:
            >>> curve = Curve()
            >>> curve.extend([0, 1, 2], [5, 6, float("nan")])
            >>> curve.ends_with(1, [1, 2], [6, float("nan")]), curve.ends_with(2, [], [])
            (True, False)
        """
        xs, ys = self.points(start, len(self))
        return np.array_equal(xs, x) and np.array_equal(ys, y, equal_nan=True)

    def nearest(self, x: float) -> int | None:
        """Return the row whose x is closest, or None when there is no point."""
        if not len(self):
            return None
        right = self._x.lower_bound(x)
        left = max(right - 1, 0)
        right = min(right, len(self) - 1)
        return left if x - self._x[left] <= self._x[right] - x else right

    def last_finite(self, x: float) -> float | None:
        """Return the last finite value up to x, or None when there is none.

        Example:
            >>> curve = Curve()
            >>> curve.extend([0, 1, 2, 3], [np.nan, 5.0, np.nan, 7.0])
            >>> curve.last_finite(2.5), curve.last_finite(0.5)
            (5.0, None)
        """
        stop = self._x.upper_bound(x)
        while stop > 0:
            values = self._y.read(stop - BLOCK, stop)
            if math.isfinite(values[-1]):
                return float(values[-1])
            finite = np.flatnonzero(np.isfinite(values))
            if len(finite):
                return float(values[finite[-1]])
            stop -= len(values)
        return None

    def rows(self, low: float, high: float) -> tuple[int, int]:
        """Return the rows from `low` to `high`, with one more at each side."""
        first = max(self._x.upper_bound(low) - 1, 0)
        last = min(self._x.lower_bound(high) + 1, len(self))
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
            x, points = self.points(first, last)
            points = _finite(points)
            return x, np.where(points > 0, points, np.nan) if positive else points
        start, stop = first // width, last // width
        lows, highs = self._reduced(start, stop, width)
        centres = self._sampled_x(start * width, stop * width, width)
        halves = self._sampled_x(start * width + width // 2, stop * width, width)
        rest = _finite(self._y.read(stop * width, last))
        if len(rest):
            lows = np.append(lows, np.fmin.reduce(rest))
            highs = np.append(highs, np.fmax.reduce(rest))
            centres = np.append(centres, self._x[stop * width])
            halves = np.append(halves, self._x[last - 1])
        if positive:
            highs = np.where(highs > 0, highs, np.nan)
            lows = np.where(lows > 0, lows, highs)
        return _interleaved(centres, halves), _zigzag(lows, highs)

    def _array(self) -> GrowingArray:
        return GrowingArray(np.float64, self._file)

    def _without_missing(self) -> Curve:
        """Return the curve without its missing values."""
        if self._known is None:
            self._known, self._known_rows = Curve(), 0
        x, y = self.points(self._known_rows, len(self))
        measured = ~np.isnan(y)
        self._known.extend(x[measured], y[measured])
        self._known_rows = len(self)
        return self._known

    def _last_known(self) -> int:
        """Return the last row with a value; -1 when there is none."""
        stop = len(self)
        while stop > 0:
            values = self._y.read(stop - BLOCK, stop)
            known = np.flatnonzero(~np.isnan(values))
            stop -= len(values)
            if len(known):
                return stop + int(known[-1])
        return -1

    def _count(self, start: int, sign: int) -> None:
        """Count the values from row `start` on, and those whose row before has one too."""
        there = ~np.isnan(self._y.read(max(start - 1, 0), len(self)))
        self._pairs += sign * int(np.count_nonzero(there[1:] & there[:-1]))
        self._values += sign * int(np.count_nonzero(there[1:] if start else there))

    def _sampled_x(self, start: int, stop: int, step: int) -> NDArray[np.float64]:
        """Return the x of every `step`-th row, from the highest level that has these rows."""
        level, span, common = 0, 1, math.gcd(start, step)
        while span * _FANOUT <= common and common % (span * _FANOUT) == 0:
            level, span = level + 1, span * _FANOUT
        array = self._xs[level - 1] if level else self._x
        return array.read(start // span, -(-stop // span), step // span)

    def _reduced(
        self, start: int, stop: int, width: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        level, span = 0, 1
        while span * _FANOUT <= width:
            level, span = level + 1, span * _FANOUT
        ratio = width // span
        rows = slice(start * ratio, stop * ratio)
        if level == 0:
            points = _finite(self._y.read(rows.start, rows.stop))
            return _blocks(points, ratio, highest=False), _blocks(points, ratio, highest=True)
        return (
            _blocks(self._lows[level - 1].read(rows.start, rows.stop), ratio, highest=False),
            _blocks(self._highs[level - 1].read(rows.start, rows.stop), ratio, highest=True),
        )

    def _grow(self) -> None:
        below, level = len(self) // _FANOUT, 0
        while below:
            if level == len(self._lows):
                for levels in (self._xs, self._lows, self._highs):
                    levels.append(self._array())
            low, high = self._lows[level], self._highs[level]
            start, stop = low.size * _FANOUT, below * _FANOUT
            if level == 0:
                xs = self._x
                lower = upper = _finite(self._y.read(start, stop))
            else:
                xs = self._xs[level - 1]
                lower = self._lows[level - 1].read(start, stop)
                upper = self._highs[level - 1].read(start, stop)
            self._xs[level].extend(xs.read(start, stop, _FANOUT))
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
