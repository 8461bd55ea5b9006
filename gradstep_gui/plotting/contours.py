"""Filled contours of a surface, as one item of a plot."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from contourpy import FillType, LineType, contour_generator
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem

from gradstep_gui.plotting.levels import refined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    from gradstep_gui.plotting.levels import Levels

__all__ = ["Contours", "band_colors", "filled_path"]

_BELOW_GRID = -20
_LINE_STRENGTH = 0.28


class Contours(QGraphicsItem):
    """A surface as coloured bands between its levels, with a line at each level.

    Each band is painted with all above it, so that no seams show between two of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rect = QRectF()
        self._bands: list[QPainterPath] = []
        self._lines = QPainterPath()
        self._colors: tuple[QColor, ...] = ()
        self._pen = QPen()
        self.setZValue(_BELOW_GRID)
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    @property
    def count(self) -> int:
        """The number of bands."""
        return len(self._bands)

    def clear(self) -> None:
        """Draw nothing."""
        self.prepareGeometryChange()
        self._rect, self._bands, self._lines = QRectF(), [], QPainterPath()

    def set_surface(
        self,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        values: NDArray[np.float64],
        levels: Levels,
    ) -> None:
        """Draw a surface.

        Args:
            x: The columns of `values`.
            y: Its rows.
            values: The values; those that are not finite leave a hole.
            levels: Its levels.
        """
        self.prepareGeometryChange()
        self._rect = QRectF(QPointF(x[0], y[0]), QPointF(x[-1], y[-1])).normalized()
        scaled = levels.scaled(values)
        if np.isfinite(scaled).all():  # a hole has no value to interpolate with
            (x, across), (y, up) = refined(x), refined(y)
            scaled = up @ scaled @ across.T
        scaled = np.ma.masked_invalid(scaled)
        generator = contour_generator(
            x, y, scaled, fill_type=FillType.OuterOffset, line_type=LineType.Separate
        )
        places = levels.scaled(levels.values).tolist()
        bands: Any = [generator.filled(low, np.inf) for low in (-np.inf, *places)]
        self._bands = [filled_path(*band) for band in bands]
        self._lines = QPainterPath()
        for place in places:
            lines: Any = generator.lines(place)
            for line in lines:
                self._lines.addPolygon(_polygon(line))
        self.update()

    def set_colors(self, colors: Sequence[str], line: str) -> None:
        """Set the colours of the bands, and that of the lines between them."""
        self._colors = tuple(QColor(color) for color in colors)
        color = QColor(line)
        color.setAlphaF(_LINE_STRENGTH)
        self._pen = QPen(color, 1)
        self._pen.setCosmetic(True)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the surface."""
        return self._rect

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Paint the bands, the lowest first, and then the lines."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for band, color in zip(self._bands, self._colors, strict=False):
            painter.fillPath(band, color)
        painter.strokePath(self._lines, self._pen)


def band_colors(ramp: Sequence[str], count: int) -> tuple[str, ...]:
    """Return one colour for each band, spread evenly over a ramp.

    Example:
        >>> band_colors(("#000000", "#808080", "#ffffff"), 3)
        ('#000000', '#808080', '#ffffff')
        >>> band_colors(("#000000", "#ffffff"), 1)
        ('#808080',)
    """
    colors = [QColor(color) for color in ramp]
    places = np.linspace(0, len(colors) - 1, count) if count > 1 else [(len(colors) - 1) / 2]
    found = []
    for place in places:
        at = min(int(place), len(colors) - 2)
        one, two, share = colors[at], colors[at + 1], place - at
        mixed = [
            round(a + share * (b - a) + 1e-9)
            for a, b in zip(one.getRgb()[:3], two.getRgb()[:3], strict=True)  # type: ignore[index]
        ]
        found.append(QColor(*mixed).name())
    return tuple(found)


def filled_path(
    points: Sequence[NDArray[np.float64]], offsets: Sequence[NDArray[Any]]
) -> QPainterPath:
    """Return polygons with holes as a path.

    Args:
        points: The corners of each polygon, those of its outline first, then of each hole.
        offsets: Where the outline and the holes of each begin, and the end.
    """
    path = QPainterPath()
    for corners, starts in zip(points, offsets, strict=True):
        for start, stop in pairwise(starts):
            path.addPolygon(_polygon(corners[start:stop]))
    return path


def _polygon(corners: NDArray[np.float64]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in corners.tolist()])
