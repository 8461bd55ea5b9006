"""A heat map: a cell for each element while they fit, else a pixel for each block."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradstep_gui.theme import contrast, theme_of
from gradstep_gui.widgets.arrays.matrix_image import block_mean, colourise
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.number_format import full_text, number_text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QPaintEvent, QResizeEvent

__all__ = ["HeatMap", "cell_text", "ink_on"]

_MOST_CELL_WIDTH, _MOST_CELL_HEIGHT = 96.0, 30.0
_LONGEST_CELL = 4.0
_INKS = "#000000", "#ffffff"
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


@cache
def ink_on(colour: int) -> QColor:
    """Return black or white, whichever has more contrast with a colour.

    Args:
        colour: As Qt writes it in 32 bits; those of the map are 256.

    Example:
        >>> ink_on(0xFFFDE725).name(), ink_on(0xFF440154).name()
        ('#000000', '#ffffff')
    """
    ground = QColor.fromRgb(colour).name()
    return QColor(max(_INKS, key=lambda ink: contrast(ink, ground)))


def cell_text(value: float, width: float, metrics: QFontMetricsF) -> str:
    """Return a number with as many digits as a cell has room for; empty if it has none.

    Args:
        value: The number.
        width: The width of the cell in pixels.
        metrics: Those of its font.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> metrics = QFontMetricsF(app.font())
        >>> cell_text(0.00032768, 1000.0, metrics), cell_text(0.00032768, 1.0, metrics)
        ('0.000328', '')
    """
    texts = (number_text(value, digits=digits) for digits in (3, 2, 1))
    return next((text for text in texts if metrics.horizontalAdvance(text) + 2 <= width), "")


class HeatMap(QWidget):
    """Draws a matrix in viridis, with NaN and the infinities in colours of their own.

    A cell that is large enough shows its number. The mouse or the arrow keys point at one
    element; `hovered(row, column)` reports it, with `(-1, -1)` for none.

    Example:
        >>> import numpy as np
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> heat_map = HeatMap()
        >>> heat_map.show_matrix(np.eye(2), 0.0, 1.0)
        >>> heat_map.matrix_shape
        (2, 2)
    """

    hovered = Signal(int, int)
    picked = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._matrix: NDArray[Any] = np.zeros((0, 0))
        self._low = self._high = 0.0
        self._image: QImage | None = None
        self._pointer = (-1, -1)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Heat map"))

    @property
    def matrix_shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix; (0, 0) when there is none."""
        rows, columns = self._matrix.shape
        return rows, columns

    @property
    def pointer(self) -> tuple[int, int]:
        """Row and column under the mouse, or (-1, -1)."""
        return self._pointer

    def show_matrix(self, matrix: NDArray[Any], low: float, high: float) -> None:
        """Show a matrix; an empty one clears the picture.

        Args:
            matrix: Of shape (rows, columns).
            low: The value at the dark end of the colours.
            high: The value at their bright end.
        """
        if matrix.shape != self._matrix.shape:
            self._pointer = (-1, -1)
        self._matrix, self._low, self._high = matrix, low, high
        self._image = None
        self.updateGeometry()
        self.update()

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return the rectangle of an element, in the widget's coordinates."""
        area = self._area()
        rows, columns = self.matrix_shape
        width, height = area.width() / columns, area.height() / rows
        return QRectF(area.x() + column * width, area.y() + row * height, width, height)

    def cell_at(self, point: QPointF) -> tuple[int, int]:
        """Return row and column under a point, or (-1, -1)."""
        area = self._area()
        if area.isEmpty() or not area.contains(point):
            return -1, -1
        rows, columns = self.matrix_shape
        row = int((point.y() - area.y()) / area.height() * rows)
        column = int((point.x() - area.x()) / area.width() * columns)
        return min(row, rows - 1), min(column, columns - 1)

    def sizeHint(self) -> QSize:
        """Return a size with a cell for each element, up to a moderate one."""
        rows, columns = self.matrix_shape
        return QSize(min(360, max(120, columns * 48)), min(200, max(36, rows * 24)))

    def minimumSizeHint(self) -> QSize:
        """Return a size that is usable in a narrow dock."""
        return QSize(80, 32)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the cells, their numbers where they fit, and the pointer."""
        area = self._area()
        if area.isEmpty():
            return
        painter = QPainter(self)
        if self._image is None:
            self._image = self._picture(area)
        painter.drawImage(area, self._image)
        if self._shows_cells(area):
            self._paint_cells(painter)
        painter.setPen(QColor(theme_of(self.palette()).border))
        painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))
        if self._pointer != (-1, -1):
            self._paint_pointer(painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rebuild the image for the new size."""
        self._image = None
        super().resizeEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the element under the mouse."""
        self._point(*self.cell_at(event.position()))

    def event(self, event: QEvent) -> bool:
        """Show the value under the mouse as a tooltip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            row, column = self.cell_at(QPointF(event.pos()))
            text = self._words(row, column) if row >= 0 else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the element under the mouse."""
        row, column = self.cell_at(event.position())
        if row >= 0:
            self._point(row, column)
            self.picked.emit(row, column)

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the pointer when the mouse leaves, unless the keyboard moves it."""
        if not self.hasFocus():
            self._point(-1, -1)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the pointer with the arrow keys; Enter picks."""
        rows, columns = self.matrix_shape
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None and rows and columns:
            row, column = self._pointer
            inside = (min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))
            if self._pointer != (-1, -1):
                inside = (
                    min(max(row + step[0], 0), rows - 1),
                    min(max(column + step[1], 0), columns - 1),
                )
            self._point(*inside)
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self._pointer != (-1, -1):
            self.picked.emit(*self._pointer)
        else:
            super().keyPressEvent(event)

    def _words(self, row: int, column: int) -> str:
        text = f"[{row}, {column}]  {full_text(self._matrix[row, column])}"
        rows, columns = self.matrix_shape
        if self._image is None or (self._image.height(), self._image.width()) == (rows, columns):
            return text
        block = f"{rows / self._image.height():.3g} × {columns / self._image.width():.3g}"
        return f"{text}\n" + self.tr("Each pixel is the mean of {0} elements").format(block)

    def _point(self, row: int, column: int) -> None:
        if (row, column) != self._pointer:
            self._pointer = (row, column)
            self.hovered.emit(row, column)
            self.update()

    def _area(self) -> QRectF:
        rows, columns = self.matrix_shape
        if not rows or not columns:
            return QRectF()
        room = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        width = min(room.width() / columns, _MOST_CELL_WIDTH)
        height = min(room.height() / rows, _MOST_CELL_HEIGHT)
        width = min(width, height * _LONGEST_CELL)
        if rows > 1:
            height = min(height, width * _LONGEST_CELL)
        return QRectF(room.x(), room.y(), max(1.0, width * columns), max(1.0, height * rows))

    def _picture(self, area: QRectF) -> QImage:
        scale = self.devicePixelRatioF()
        most_rows = max(1, int(area.height() * scale))
        most_columns = max(1, int(area.width() * scale))
        colours = colourise(
            block_mean(self._matrix, most_rows, most_columns), self._low, self._high
        )
        rows, columns = colours.shape
        image = QImage(colours.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)
        return image.copy()  # a copy, because QImage does not own NumPy's memory

    def _shows_cells(self, area: QRectF) -> bool:
        rows, columns = self.matrix_shape
        metrics = QFontMetricsF(digits_font(self.font()))
        return (
            area.height() / rows >= metrics.height()
            and area.width() / columns >= metrics.horizontalAdvance("-0.0000") + 4
        )

    def _paint_cells(self, painter: QPainter) -> None:
        painter.setFont(digits_font(self.font()))
        metrics = QFontMetricsF(painter.font())
        rows, columns = self.matrix_shape
        colours = colourise(self._matrix, self._low, self._high)
        for row in range(rows):
            for column in range(columns):
                value = float(self._matrix[row, column])
                painter.setPen(QPen(ink_on(int(colours[row, column]))))
                cell = self.cell_rect(row, column)
                text = cell_text(value, cell.width(), metrics)
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_pointer(self, painter: QPainter) -> None:
        cell = self.cell_rect(*self._pointer)
        painter.setPen(QPen(Qt.GlobalColor.black, 3))
        painter.drawRect(cell)
        painter.setPen(QPen(Qt.GlobalColor.white, 1))
        painter.drawRect(cell)
