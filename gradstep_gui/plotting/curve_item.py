"""One Curve on a plot, drawn with no more points than the screen can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep_gui.plotting.curve import Curve
    from gradstep_gui.plotting.style import CurveStyle

__all__ = ["CurveItem"]

_DOTS_UP_TO = 60
_MEASURED_UP_TO = 300
"""Of a curve whose line leads through unknown values, up to this many points are dots."""

_SMOOTH_UP_TO = 120
"""Antialiasing a noisy curve of 300 points takes 8 ms, six times as long as without."""

_DENSE_FROM = 400
"""From this many points on, lines are one pixel wide: wider ones take twice as long."""

_DOT_SIZE = 5


class CurveItem:
    """One Curve on a plot: a line, and dots where points are few or isolated.

    Where only every k-th value is known, the dots are the values, and the line is thin and dotted.

    Args:
        plot: The pyqtgraph plot to draw on.
        curve: The points.
        style: Colour and dashes.
    """

    def __init__(self, plot: Any, curve: Curve, style: CurveStyle) -> None:  # noqa: ANN401 - pyqtgraph has no types
        self.curve = curve
        self._plot = plot
        self._line = pg.PlotCurveItem()
        self._dots = pg.ScatterPlotItem(size=_DOT_SIZE, pxMode=True, pen=None)
        self._emphasis = False
        self.style = style
        self._line.setZValue(self._depth)
        plot.addItem(self._line)
        plot.addItem(self._dots)

    @property
    def drawn(self) -> int:
        """The number of points of the drawn line."""
        return 0 if self._line.xData is None else len(self._line.xData)

    def emphasize(self, emphasis: bool) -> None:
        """Draw the line bold, or as usual."""
        self._emphasis = emphasis
        self._line.setZValue(1 if emphasis else self._depth)

    @property
    def _depth(self) -> int:
        return -1 if self.style.is_ghost or self.style.is_faint else 0

    def remove(self) -> None:
        """Remove it from the plot."""
        self._plot.removeItem(self._line)
        self._plot.removeItem(self._dots)

    def refresh(
        self, low: float, high: float, pixels: int, *, log: bool
    ) -> tuple[float, float] | None:
        """Draw the part from `low` to `high`.

        Returns:
            The smallest and the largest y drawn, as exponents of ten when `log`; None for nothing.
        """
        x, y = self.curve.visible(low, high, pixels, positive=log)
        if log:
            y = np.log10(y)
        finite = np.isfinite(y)
        whole = bool(finite.all())
        self._line.setData(
            x,
            y,
            connect="all" if whole else "finite",
            skipFiniteCheck=whole,
            pen=self._pen(len(x)),
            antialias=len(x) <= _SMOOTH_UP_TO,
        )
        most = _MEASURED_UP_TO if self.curve.is_interpolated else _DOTS_UP_TO
        dotted = len(x) <= most and not self.style.is_ghost
        alone = finite if dotted else _standing_alone(finite)
        self._dots.setVisible(bool(alone.any()))
        if alone.any():
            self._dots.setData(x[alone], y[alone], brush=pg.mkBrush(self.style.drawn_color))
        if not finite.any():
            return None
        inside = y[finite & (x >= low) & (x <= high)]
        seen = inside if len(inside) else y[finite]
        return float(seen.min()), float(seen.max())

    def _pen(self, points: int) -> Any:  # noqa: ANN401 - pyqtgraph has no types
        """Return the pen; with many points, a wide one is slow and dashes blur."""
        dense = points > _DENSE_FROM
        is_thin = self.style.is_ghost or self.style.is_faint or self.curve.is_interpolated
        width = 1 if dense or is_thin else 2
        dashes = Qt.PenStyle.DotLine if self.curve.is_interpolated else self.style.dashes
        return pg.mkPen(self.style.drawn_color, width=width + self._emphasis, style=dashes)


def _standing_alone(finite: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which points have a gap on both sides, and so no line."""
    padded = np.concatenate(([False], finite, [False]))
    alone: NDArray[np.bool_] = finite & ~padded[:-2] & ~padded[2:]
    return alone
