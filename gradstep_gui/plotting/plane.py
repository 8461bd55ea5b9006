"""A plot of two curves against each other: the path of a pair of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradstep_gui.plotting.axis import EDGE, Grid, ValueAxis, grid_places, style_plot, tick_width
from gradstep_gui.plotting.style import ghost_of
from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtCore import QEvent

    from gradstep_gui.plotting.curve import Curve

__all__ = ["PlanePlot"]

_MOST_POINTS = 4000
_MOST_READ = 2**16
"""Of longer curves every second point is read, or every fourth, and so on."""

_DOTS_UP_TO = 200
_MARGIN = 0.08


class PlanePlot(QWidget):
    """The path of a pair of values: its start, the current point, and the part ahead."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._axes = (ValueAxis("bottom"), ValueAxis("left"))
        self._widget: Any = pg.PlotWidget(
            self, axisItems={"bottom": self._axes[0], "left": self._axes[1]}
        )
        self._plot = self._widget.getPlotItem()
        self._box = self._plot.getViewBox()
        self._grid = Grid()
        self._ghosts: list[Any] = []
        self._ahead = pg.PlotCurveItem(antialias=True)
        self._path = pg.PlotCurveItem(antialias=True)
        self._dots = pg.ScatterPlotItem(size=4, pen=None)
        self._begin = pg.ScatterPlotItem(size=9, symbol="s", brush=None)
        self._here = pg.ScatterPlotItem(size=12, symbol="o")
        self._assemble()
        self._restyle()

    @property
    def here(self) -> tuple[float, float] | None:
        """The current pair; None when there is none."""
        x, y = self._here.getData()
        return (float(x[0]), float(y[0])) if len(x) else None

    def sizeHint(self) -> QSize:
        """Return about a square."""
        return QSize(320, 320)

    def set_names(self, x: str, y: str) -> None:
        """Name the axes."""
        for axis, name in zip(self._axes, (x, y), strict=True):
            axis.setLabel(name)

    def draw(
        self, x: Curve, y: Curve, now: float | None, ghosts: Sequence[tuple[int, Curve, Curve]] = ()
    ) -> None:
        """Draw y over x.

        Args:
            x: The curve of the first value over iterations.
            y: The curve of the second, with the same rows.
            now: The current iteration; None when it is the last.
            ghosts: The ids of other branches, each with the same two curves.
        """
        self._draw_ghosts(ghosts)
        times, across, up = _sampled(x, y, now)
        if not len(times):
            for item in (self._ahead, self._path, self._dots, self._begin, self._here):
                item.setData([], [])
            return
        here = len(times) - 1 if now is None else int(np.abs(times - now).argmin())
        rows = np.arange(len(times))
        step = -(-len(rows) // _MOST_POINTS)
        past, ahead = rows[: here + 1 : step], rows[here::step]
        past = np.append(past, here)
        self._path.setData(across[past], up[past])
        self._ahead.setData(across[ahead], up[ahead])
        dots = past if len(past) <= _DOTS_UP_TO else past[:0]
        self._dots.setData(across[dots], up[dots])
        self._begin.setData(across[:1], up[:1])
        self._here.setData(across[[here]], up[[here]])
        self._fit(across, up)

    def _draw_ghosts(self, ghosts: Sequence[tuple[int, Curve, Curve]]) -> None:
        for item in self._ghosts:
            self._plot.removeItem(item)
        self._ghosts = []
        theme = theme_of(self.palette())
        for branch, x, y in ghosts:
            style = ghost_of(branch, 0, theme)
            size = min(len(x), len(y))
            step = -(-size // _MOST_POINTS) or 1
            path = x.points(0, size, step)[1], y.points(0, size, step)[1]
            pen = pg.mkPen(style.color, width=1, style=style.dashes)
            item = pg.PlotCurveItem(*path, pen=pen, connect="finite", antialias=True)
            item.setZValue(-1)
            self._plot.addItem(item)
            self._ghosts.append(item)

    def _fit(self, x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> None:
        bounds = []
        for values in (x, y):
            low, high = float(values.min()), float(values.max())
            margin = _MARGIN * (high - low) or _MARGIN * (abs(low) or 1.0)
            bounds.append((low - margin, high + margin))
        self._plot.setRange(xRange=bounds[0], yRange=bounds[1], padding=0)
        (left, right), (low, high) = bounds
        self._grid.set_lines(
            QRectF(left, low, right - left, high - low),
            grid_places(self._axes[0], left, right, self._box.width()),
            grid_places(self._axes[1], low, high, self._box.height()),
        )

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme, and the size of another font."""
        if event.type() in {event.Type.PaletteChange, event.Type.FontChange}:
            self._restyle()
        super().changeEvent(event)

    def _restyle(self) -> None:
        theme = theme_of(self.palette())
        style_plot(self._widget, self._axes, self._grid, theme, self.font())
        self._axes[1].setWidth(tick_width(self.fontMetrics()) + self.fontMetrics().height() + 12)
        color = QColor(theme.curves[0])
        self._path.setPen(pg.mkPen(color, width=2))
        self._dots.setBrush(pg.mkBrush(color))
        self._begin.setPen(pg.mkPen(theme.muted, width=2))
        self._here.setPen(pg.mkPen(theme.base, width=2))
        self._here.setBrush(pg.mkBrush(theme.curves[1]))
        faint = QColor(color)
        faint.setAlpha(80)
        self._ahead.setPen(pg.mkPen(faint, width=2))

    def _assemble(self) -> None:
        self.setAccessibleName(self.tr("Path of two parameters"))
        self.setToolTip(self.tr("The square marks the start, the filled circle the current point."))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._widget)
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.disableAutoRange()
        self._box.addItem(self._grid, ignoreBounds=True)
        self._plot.setContentsMargins(0, 8, EDGE, 0)
        self._box.setMouseEnabled(x=False, y=False)
        self._widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for item in (self._ahead, self._path, self._dots, self._begin, self._here):
            self._plot.addItem(item)


def _sampled(
    x: Curve, y: Curve, now: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return iterations and both values where both are known; of long curves, of some rows.

    The last row and that of the current iteration are among them.
    """
    size, step = min(len(x), len(y)), 1
    while size > _MOST_READ * step:
        step *= 2
    times, across = x.points(0, size, step)
    up = y.points(0, size, step)[1]
    if step > 1:
        rows = np.arange(0, size, step)
        present = size - 1 if now is None else min(x.nearest(now) or 0, size - 1)
        added = sorted({present, size - 1}.difference(rows[np.isin(rows, (present, size - 1))]))
        places = np.searchsorted(rows, added)
        times = np.insert(times, places, [x.point(row)[0] for row in added])
        across = np.insert(across, places, [x.point(row)[1] for row in added])
        up = np.insert(up, places, [y.point(row)[1] for row in added])
    both = np.isfinite(across) & np.isfinite(up)
    return times[both], across[both], up[both]
