"""Faint grid lines, drawn in one call.

pyqtgraph's own grid belongs to its axes and is drawn line by line through a recorded picture,
which takes 8 ms per axis and frame; this one takes a tenth of a millisecond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QGraphicsItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

__all__ = ["Grid"]

_BELOW_CURVES = -10


class Grid(QGraphicsItem):
    """The grid lines of a pair of axes.

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
