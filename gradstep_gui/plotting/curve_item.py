"""One Curve on a plot, drawn with no more points than the screen can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsItem

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

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

_DOT_RADIUS = 2.5


class CurveItem(QGraphicsItem):
    """One Curve on a plot: a line, and dots where points are few or isolated.

    Where only every k-th value is known, the dots are the values, and the line is thin and dotted.
    Both are painted with one call each: pyqtgraph's items take a millisecond each to be changed.

    Args:
        curve: The points.
        style: Colour and dashes.
    """

    def __init__(self, curve: Curve, style: CurveStyle) -> None:
        super().__init__()
        self.curve = curve
        self.style = style
        self.drawn = 0
        self.dots = 0
        self.pen = QPen()
        self._rect = QRectF()
        self._line, self._dots = QPainterPath(), QPolygonF()
        self._emphasis = self._is_smooth = False
        self.setZValue(self._depth)

    def emphasize(self, emphasis: bool) -> None:
        """Draw the line bold, or as usual."""
        self._emphasis = emphasis
        self.setZValue(1 if emphasis else self._depth)

    @property
    def look(self) -> object:
        """What differs when it has to be drawn again in the same place."""
        return self.curve, self.curve.version, self.style, self._emphasis

    @property
    def _depth(self) -> int:
        return -1 if self.style.is_ghost or self.style.is_faint else 0

    def refresh(
        self, low: float, high: float, pixels: int, *, log: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take the points from `low` to `high`; `place` then draws them.

        Returns:
            Their x and y, which are exponents of ten when `log`.
        """
        x, y = self.curve.visible(low, high, pixels, positive=log)
        return x, np.log10(y) if log else y

    def place(
        self,
        rect: QRectF,
        points: tuple[NDArray[np.float64], NDArray[np.float64]],
        share: float = 1.0,
    ) -> None:
        """Draw these points.

        Args:
            rect: What is visible.
            points: Their x and y.
            share: The share of the usual time that there is for it; less among many curves.
        """
        x, y = points
        finite = np.isfinite(y)
        self.prepareGeometryChange()
        self._rect = rect
        whole = bool(finite.all())
        self._line = pg.arrayToQPath(x, y, "all" if whole else "finite", finiteCheck=not whole)
        self.drawn = len(x)
        self.pen = self._pen(len(x))
        self._is_smooth = len(x) <= share * _SMOOTH_UP_TO
        most = share * (_MEASURED_UP_TO if self.curve.is_interpolated else _DOTS_UP_TO)
        dotted = len(x) <= most and not self.style.is_ghost
        alone = finite if dotted else _standing_alone(finite)
        self.dots = int(alone.sum())
        places = zip(x[alone].tolist(), y[alone].tolist(), strict=True)
        self._dots = QPolygonF([QPointF(*place) for place in places])

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the axes."""
        return self._rect

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draw the line, and the dots in front of it."""
        hint = QPainter.RenderHint.Antialiasing
        painter.setRenderHint(hint, self._is_smooth)
        painter.setPen(self.pen)
        painter.drawPath(self._line)
        if self.dots:
            painter.setRenderHint(hint)
            self._paint_dots(painter)

    def _paint_dots(self, painter: QPainter) -> None:
        """Draw the dots as points of a thick pen: to fill 60 circles takes ten times as long."""
        to_pixels = painter.worldTransform()
        painter.setWorldTransform(QTransform())  # Qt makes points as long as 1/63 of its unit
        width = 2 * _DOT_RADIUS
        painter.setPen(QPen(self.style.drawn_color, width, c=Qt.PenCapStyle.RoundCap))
        painter.drawPoints(to_pixels.map(self._dots))
        painter.setWorldTransform(to_pixels)

    def _pen(self, points: int) -> QPen:
        """Return the pen; with many points, a wide one is slow and dashes blur."""
        dense = points > _DENSE_FROM
        is_thin = self.style.is_ghost or self.style.is_faint or self.curve.is_interpolated
        width = (1 if dense or is_thin else 2) + self._emphasis
        dashes = Qt.PenStyle.DotLine if self.curve.is_interpolated else self.style.dashes
        pen = QPen(self.style.drawn_color, width, dashes)
        pen.setCosmetic(True)
        return pen


def _standing_alone(finite: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which points have a gap on both sides, and so no line."""
    padded = np.concatenate(([False], finite, [False]))
    alone: NDArray[np.bool_] = finite & ~padded[:-2] & ~padded[2:]
    return alone
