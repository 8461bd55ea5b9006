"""Smoothed curves: an exponential moving average of each curve, computed as the curve grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep_gui.plotting.curve import Curve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from gradstep_gui.plotting.curve_set import CurveSet

__all__ = ["MAX_SMOOTHING", "MovingAverage", "SmoothedCurves"]

MAX_SMOOTHING = 0.999
"""The largest weight: an average over about a thousand values."""

_SMALLEST_DECAY = 1e-9
"""Down to this product of weights the values of a block are summed at once."""


class MovingAverage:
    """An exponential moving average without a bias towards 0 at its start.

    The average after t values is (1 - w) * sum_i w^(t - i) x_i, divided by 1 - w^t as in Adam
    (Kingma and Ba 2015). Values that are not finite are skipped.

    Args:
        weight: w, the weight of the average so far, from 0 to below 1.

    Example:
        >>> MovingAverage(0.5).extend(np.array([1.0, np.nan, 3.0, 3.0])).tolist()
        [1.0, nan, 2.3333333333333335, 2.7142857142857144]
    """

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self._sum = 0.0
        self._weights = 0.0

    def extend(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Take more values, and return the average after each; NaN where one is not finite."""
        averages = np.full(len(values), np.nan)
        finite = np.isfinite(values)
        averages[finite] = self._extend(values[finite])
        return averages

    def copy(self) -> MovingAverage:
        """Return an independent copy, which continues from here."""
        other = MovingAverage(self.weight)
        other._sum, other._weights = self._sum, self._weights
        return other

    def _extend(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        if not self.weight or not len(values):
            return values
        block = max(1, int(np.log(_SMALLEST_DECAY) / np.log(self.weight)))
        decay = self.weight ** np.arange(1, min(block, len(values)) + 1)
        averages = np.empty(len(values))
        for start in range(0, len(values), block):
            part = values[start : start + block]
            fading = decay[: len(part)]
            shares = (1 - self.weight) / fading
            sums = fading * (self._sum + np.cumsum(shares * part))
            weights = fading * (self._weights + np.cumsum(shares))
            averages[start : start + block] = sums / weights
            self._sum, self._weights = float(sums[-1]), float(weights[-1])
        return averages


class SmoothedCurves:
    """The moving averages of some curves, which follow them row by row.

    Example:
        >>> from gradstep_gui.plotting.curve_set import CurveSet
        >>> curves = CurveSet(["loss/loss"])
        >>> curves.set_tail({"loss/loss": ([0, 1], [8.0, 2.0])})
        >>> smoothed = SmoothedCurves()
        >>> smoothed.set_weight(0.5)
        >>> smoothed.follow(curves, ["loss/loss"])
        >>> smoothed["loss/loss"].y.tolist()
        [8.0, 4.0]
    """

    def __init__(self) -> None:
        self.weight = 0.0
        self._curves: dict[str, _Follower] = {}

    def __getitem__(self, column: str) -> Curve:
        return self._curves[column].curve

    def set_weight(self, weight: float) -> None:
        """Set the weight of the average so far; 0 does not smooth."""
        self.weight = min(max(weight, 0.0), MAX_SMOOTHING)

    def follow(self, curves: CurveSet, columns: Iterable[str]) -> None:
        """Bring the averages of exactly these columns up to date."""
        self._curves = {name: self._curves.get(name) or _Follower() for name in columns}
        for name, follower in self._curves.items():
            follower.follow(curves, name, self.weight)


class _Follower:
    """The average of one curve: of its recorded rows once, of its tail each time."""

    def __init__(self) -> None:
        self.curve = Curve()
        self._average = MovingAverage(0.0)
        self._rows = 0
        self._seen: tuple[float, int] | None = None

    def follow(self, curves: CurveSet, name: str, weight: float) -> None:
        raw, recorded = curves[name], curves.recorded(name)
        seen = weight, curves.revision(name)
        if seen != self._seen or self._rows > recorded:
            self._seen, self._rows, self._average = seen, 0, MovingAverage(weight)
        self.curve.truncate(self._rows)
        self._extend(raw, self._rows, recorded, self._average)
        self._rows = recorded
        self._extend(raw, recorded, len(raw), self._average.copy())

    def _extend(self, raw: Curve, start: int, stop: int, average: MovingAverage) -> None:
        if stop > start:
            x, y = raw.points(start, stop)
            self.curve.extend(x, average.extend(y))
