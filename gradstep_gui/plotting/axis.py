"""Axes with plain numbers as ticks, all equally wide so that panels line up, and their grid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QFontMetrics, QPen
from PySide6.QtWidgets import QApplication, QGraphicsItem

from gradstep_gui.plotting.log_ticks import log_ticks
from gradstep_gui.plotting.style import grid_color
from gradstep_gui.widgets.number_format import count_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QColor, QFont, QPainter
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    from gradstep_gui.theme import Theme

__all__ = [
    "EDGE",
    "Grid",
    "IterationAxis",
    "ValueAxis",
    "grid_places",
    "style_plot",
    "tick_text",
    "tick_width",
]

EDGE = 24
"""Pixels at both ends of a horizontal axis that stay free for the text of ticks."""

_PLAIN_BELOW = 1e5
_PLAIN_FROM = 1e-4
_MOST_LINES = 9
_LINES_APART = 1.5  # ticks of a logarithmic axis
_COARSER = (2, 5, 10)
"""Multiples of the coarsest spacing of ticks, for axes that are too low even for that."""

_LEVEL_DENSITY = 0.6
_BELOW_CURVES = -10
_MINUS = "\N{MINUS SIGN}"


def tick_text(value: float, spacing: float, largest: float = 0.0) -> str:
    """Return the text of a tick, with as many digits as its neighbours need.

    Args:
        value: The tick.
        spacing: The distance to the next tick.
        largest: The largest tick of the axis, which decides the notation of all.

    Example:
        >>> tick_text(0.30000000000000004, 0.1), tick_text(2e6, 1e5), tick_text(5e4, 5e4, 1e5)
        ('0.3', '2.0e6', '5e4')
    """
    if abs(value) < spacing * 1e-6:
        return "0"
    largest = max(abs(value), spacing, largest)
    if _PLAIN_FROM <= largest < _PLAIN_BELOW:
        digits = max(0, math.ceil(-math.log10(spacing) - 1e-9))
        return f"{value:.{digits}f}".replace("-", _MINUS)
    digits = max(0, _decade(abs(value)) - _decade(spacing))
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", _MINUS)


def _decade(value: float) -> int:
    return math.floor(math.log10(value) + 1e-9)


def tick_width(metrics: QFontMetrics) -> int:
    """Return the width of the widest tick text in pixels."""
    return metrics.horizontalAdvance(f"{_MINUS}0.00000")


def style_plot(
    plot: pg.PlotWidget, axes: Sequence[pg.AxisItem], grid: Grid, theme: Theme, font: QFont
) -> None:
    """Set the colours of a plot, and those and the font of its axes."""
    plot.setBackground(theme.base)
    grid.set_color(grid_color(theme))
    for axis in axes:
        axis.setPen(pg.mkPen(theme.border))
        axis.setTextPen(pg.mkPen(theme.muted))
        axis.setTickPen(pg.mkPen(theme.border))
        axis.setTickFont(font)
        axis.label.setFont(font)
        if axis.labelText:
            axis.setLabel(axis.labelText)  # it makes room for the new size


def grid_places(axis: pg.AxisItem, low: float, high: float, pixels: float) -> list[float]:
    """Return the places of grid lines: the major ticks, and minor ones while they are few."""
    levels = [list(values) for _, values in axis.tickValues(low, high, max(pixels, 1.0))[:2]]
    few = sum(map(len, levels)) <= _MOST_LINES
    return [float(value) for values in (levels if few else levels[:1]) for value in values]


class ValueAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis of values: plain numbers, or powers of ten when it is logarithmic."""

    def __init__(self, side: Literal["left", "bottom"] = "left") -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, maxTickLevel=1, tickTextOffset=6)
        if side == "bottom":
            self.setTickDensity(_LEVEL_DENSITY)

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Return the spacings of ticks, the coarsest first; only those whose text has room."""
        levels: list[tuple[float, float]] = super().tickSpacing(low, high, size)
        if self.orientation != "left":
            return levels
        font = self.style["tickFont"] or QApplication.font()
        most = size / QFontMetrics(font).height()
        roomy = [level for level in levels if (high - low) / level[0] <= most]
        if roomy or not levels:
            return roomy
        coarsest, offset = levels[0]
        fitting = (n for n in _COARSER if (high - low) / (n * coarsest) <= most)
        return [(next(fitting, _COARSER[-1]) * coarsest, offset)]

    def tickValues(
        self, low: float, high: float, size: float
    ) -> list[tuple[float | None, list[float]]]:
        """Return the ticks and their spacing; on a logarithmic axis they are exponents of ten."""
        if not self.logMode:
            found: list[tuple[float | None, list[float]]] = super().tickValues(low, high, size)
            return found
        font = self.style["tickFont"] or QApplication.font()
        gap = _LINES_APART * (high - low) * QFontMetrics(font).height() / max(size, 1.0)
        values, spacing = log_ticks(low, high, gap)
        return [(spacing, [math.log10(value) for value in values])]

    def tickStrings(
        self, values: Sequence[float], scale: float, spacing: float | None
    ) -> list[str]:
        """Return the texts of ticks, which are exponents of ten on a logarithmic axis."""
        if self.logMode:
            powers = [10.0**value for value in values]
            if spacing is None:
                return [tick_text(power, 10.0 ** _decade(power)) for power in powers]
            return [tick_text(power, spacing, max(powers)) for power in powers]
        largest = max(map(abs, values), default=0.0) * scale
        return [tick_text(v * scale, (spacing or 1.0) * scale, largest) for v in values]


class IterationAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """The bottom axis: whole iterations only."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, maxTickLevel=1, tickTextOffset=4, hideOverlappingLabels=False)

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        """Return the texts of ticks; those between two iterations have none."""
        return [
            count_text(round(value))
            if value >= 0 and abs(value - round(value)) < 1e-6  # noqa: PLR2004 - rounding of floats
            else ""
            for value in values
        ]


class Grid(QGraphicsItem):
    """The grid lines of a pair of axes, drawn in one call.

    pyqtgraph's own grid belongs to its axes and is drawn line by line through a recorded picture,
    which takes 8 ms per axis and frame; this one takes a tenth of a millisecond.

    Example:
        >>> grid = Grid()
        >>> grid.set_lines(QRectF(0, 0, 10, 4), [5.0], [1.0, 2.0])
        >>> grid.boundingRect().width(), grid.count
        (10.0, 3)
    """

    def __init__(self) -> None:
        super().__init__()
        self._rect = QRectF()
        self._lines: list[QLineF] = []
        self._pen = QPen()
        self.setZValue(_BELOW_CURVES)

    @property
    def count(self) -> int:
        """The number of lines."""
        return len(self._lines)

    def set_color(self, color: QColor) -> None:
        """Draw in this colour, one pixel wide at any scale."""
        self._pen = QPen(color, 1)
        self._pen.setCosmetic(True)
        self.update()

    def set_lines(self, rect: QRectF, at_x: Sequence[float], at_y: Sequence[float]) -> None:
        """Draw vertical and horizontal lines across `rect`."""
        self.prepareGeometryChange()
        self._rect = rect
        left, right, low, high = rect.left(), rect.right(), rect.top(), rect.bottom()
        self._lines = [QLineF(x, low, x, high) for x in at_x if left < x < right]
        self._lines += [QLineF(left, y, right, y) for y in at_y if low < y < high]

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the axes."""
        return self._rect

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draw all lines at once."""
        painter.setPen(self._pen)
        painter.drawLines(self._lines)
