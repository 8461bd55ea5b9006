"""Rings around points that just changed, and triangles where curves became infinite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

__all__ = ["Marks"]

_RING_RADIUS = 5.5
_TRIANGLE = 5.0


class Marks(QGraphicsItem):
    """Rings and triangles of a fixed size on the screen.

    Example:
        >>> marks = Marks()
        >>> marks.place(QRectF(0, 0, 10, 4), (0.1, 0.1), [(1.0, 2.0)], [])
        >>> marks.rings, marks.triangles
        ((PySide6.QtCore.QPointF(1.000000, 2.000000),), ())
    """

    def __init__(self) -> None:
        super().__init__()
        self._rect = QRectF()
        self._pixel = (1.0, 1.0)
        self._pen = QPen()
        self.rings: tuple[QPointF, ...] = ()
        self.triangles: tuple[tuple[QPointF, QColor], ...] = ()

    def set_color(self, color: QColor) -> None:
        """Draw the rings in this colour."""
        self._pen = QPen(color, 2)
        self._pen.setCosmetic(True)
        self.update()

    def place(
        self,
        rect: QRectF,
        pixel: tuple[float, float],
        rings: Sequence[tuple[float, float]],
        triangles: Sequence[tuple[float, float, QColor]],
    ) -> None:
        """Draw them at these places.

        Args:
            rect: What is visible.
            pixel: Width and height of a pixel.
            rings: The points to draw a ring around.
            triangles: The points to draw a triangle at, and its colour.
        """
        self.prepareGeometryChange()
        self._rect, self._pixel = rect, pixel
        self.rings = tuple(QPointF(x, y) for x, y in rings)
        self.triangles = tuple((QPointF(x, y), color) for x, y, color in triangles)

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the axes."""
        return self._rect

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draw them all."""
        across, up = self._pixel
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._pen)
        for point in self.rings:
            painter.drawEllipse(point, _RING_RADIUS * across, _RING_RADIUS * up)
        painter.setPen(Qt.PenStyle.NoPen)
        for point, color in self.triangles:
            painter.setBrush(color)
            half, tall = _TRIANGLE * across, _TRIANGLE * up
            corners = [QPointF(-half, -tall), QPointF(0, tall), QPointF(half, -tall)]
            painter.drawPolygon(QPolygonF([point + corner for corner in corners]))
