"""A confusion matrix: how many examples of each class are taken for which class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import digits_font, emphasis_font, small_font
from gradstep_gui.widgets.number_format import count_text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from gradstep_gui.theme import Theme

__all__ = ["ConfusionMatrix", "Counts"]

_PADDING = 8
_LEAST_CELL = 14
_MOST_CELL = 96
_LABEL_SHARE = 0.3
_ROOM_FOR_BATCH = 2.2
"""The height of a cell in lines of text from which the count of the batch has room in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """What is drawn.

    Attributes:
        names: The names of the classes.
        counts: The number of examples by true class (rows) and predicted class (columns).
        in_batch: How many of them the current batch holds; None without a batch.
    """

    names: tuple[str, ...]
    counts: NDArray[Any]
    in_batch: NDArray[Any] | None = None


class ConfusionMatrix(QWidget):
    """Cells as dark as their share of the true class; right ones in another colour than wrong ones.

    The mouse and the arrow keys point at a cell.
    """

    pointed = Signal(int)
    """The cell that is pointed at, counted row by row; -1 for none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Counts | None = None
        self._current = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFont(digits_font(self.font()))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def current(self) -> int:
        """The cell that is pointed at; -1 for none."""
        return self._current

    def draw(self, counts: Counts) -> None:
        """Draw counts."""
        if self._shown is None or len(counts.names) != len(self._shown.names):
            self._current = -1
        self._shown = counts
        self.update()

    def point_at(self, index: int) -> None:
        """Point at a cell; -1 for none."""
        if index != self._current:
            self._current = index
            self.update()
            self.pointed.emit(index)

    def cell(self, index: int) -> QRect:
        """Return the place of a cell."""
        row, column = divmod(index, max(1, self._count()))
        area, side = self._area()
        return QRect(area + QPoint(column * side, row * side), QSize(side, side))

    def sizeHint(self) -> QSize:
        """Return about a square."""
        return QSize(360, 360)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the cells, the names of the classes and the titles of both sides."""
        painter = QPainter(self)
        theme = theme_of(self.palette())
        painter.fillRect(self.rect(), QColor(theme.base))
        if self._shown is not None:
            for index in range(self._count() ** 2):
                self._paint(painter, index, self._shown, theme)
            self._paint_names(painter, self._shown, theme)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the cell under the mouse."""
        area, side = self._area()
        place = event.position().toPoint() - area
        column, row = place.x() // side, place.y() // side
        count = self._count()
        inside = 0 <= column < count and 0 <= row < count
        self.point_at(row * count + column if inside else -1)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        self.point_at(-1)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus at the first cell."""
        super().focusInEvent(event)
        by_key = {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}
        if self._current < 0 and self._count() and event.reason() in by_key:
            self.point_at(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Point at another cell: the arrow keys; Escape at none."""
        key, count = Qt.Key(event.key()), self._count()
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        if count and key in steps:
            row, column = divmod(max(self._current, 0), count)
            down, across = steps[key] if self._current >= 0 else (0, 0)
            row = min(max(row + down, 0), count - 1)
            column = min(max(column + across, 0), count - 1)
            self.point_at(row * count + column)
        elif key == Qt.Key.Key_Escape and self._current >= 0:
            self.point_at(-1)
        else:
            super().keyPressEvent(event)

    def _count(self) -> int:
        return 0 if self._shown is None else len(self._shown.names)

    def _label_width(self) -> int:
        names = () if self._shown is None else self._shown.names
        metrics = self.fontMetrics()
        longest = max((metrics.horizontalAdvance(name) for name in names), default=0)
        return min(longest, round(_LABEL_SHARE * self.width())) + _PADDING

    def _area(self) -> tuple[QPoint, int]:
        """Return the upper left corner of the cells, and the side of one."""
        line = self.fontMetrics().height()
        left = line + _PADDING + self._label_width()
        top = 2 * line + 2 * _PADDING
        count = max(1, self._count())
        room = min(self.width() - left - _PADDING, self.height() - top - _PADDING)
        side = min(max(room // count, _LEAST_CELL), _MOST_CELL)
        across = max(0, (self.width() - left - _PADDING - count * side) // 2)
        down = max(0, (self.height() - top - _PADDING - count * side) // 2)
        return QPoint(left + across, top + down), side

    def _paint(self, painter: QPainter, index: int, shown: Counts, theme: Theme) -> None:
        row, column = divmod(index, self._count())
        number, total = int(shown.counts[row, column]), int(shown.counts[row].sum())
        place = self.cell(index).adjusted(0, 0, -1, -1)
        share = number / total if total else 0.0
        color = QColor(theme.kind("step").strong if row == column else theme.error)
        color.setAlphaF(0.0 if not number else 0.15 + 0.85 * share)
        painter.fillRect(place, QColor(theme.alternate))
        painter.fillRect(place, color)
        is_dark = share > 0.5  # noqa: PLR2004 - more than half of its row
        painter.setPen(QColor(theme.base if is_dark else theme.text if number else theme.muted))
        batch = 0 if shown.in_batch is None else int(shown.in_batch[row, column])
        self._paint_numbers(painter, place, count_text(number), batch)
        if index == self._current:
            painter.setPen(QPen(QColor(theme.accent), 3))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(place.adjusted(1, 1, -1, -1))

    def _paint_numbers(self, painter: QPainter, place: QRect, text: str, batch: int) -> None:
        """Draw a count, and below it how much of it is in the batch, where there is room."""
        metrics = self.fontMetrics()
        painter.setFont(self.font())
        if metrics.horizontalAdvance(text) > place.width() or metrics.height() > place.height():
            return
        has_room = place.height() > _ROOM_FOR_BATCH * metrics.height()
        if not (batch and has_room):
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
            return
        upper, lower = QRect(place), QRect(place)
        upper.setBottom(place.center().y() + 2)
        lower.setTop(place.center().y() + 2)
        centre = Qt.AlignmentFlag.AlignHCenter
        painter.drawText(upper, centre | Qt.AlignmentFlag.AlignBottom, text)
        painter.setFont(small_font(self.font()))
        painter.drawText(lower, centre | Qt.AlignmentFlag.AlignTop, f"◎ {count_text(batch)}")

    def _paint_names(self, painter: QPainter, shown: Counts, theme: Theme) -> None:
        area, side = self._area()
        metrics, count = self.fontMetrics(), len(shown.names)
        line, extent = metrics.height(), side * count
        row_width = self._label_width()
        painter.setFont(self.font())
        painter.setPen(QColor(theme.text))
        if side >= line:
            middle, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignRight
            elide = Qt.TextElideMode.ElideRight
            for place, name in enumerate(shown.names):
                left = QRect(area.x() - row_width, area.y() + place * side, row_width - 4, side)
                text = metrics.elidedText(name, elide, left.width())
                painter.drawText(left, right | middle, text)
                top = QRect(area.x() + place * side, area.y() - line - 2, side - 1, line)
                text = metrics.elidedText(name, elide, top.width())
                painter.drawText(top, Qt.AlignmentFlag.AlignHCenter | middle, text)
        painter.setFont(emphasis_font(self.font()))
        painter.setPen(QColor(theme.muted))
        above = QRect(area.x(), area.y() - 2 * line - _PADDING, extent, line)
        painter.drawText(above, Qt.AlignmentFlag.AlignCenter, self.tr("predicted"))
        painter.save()
        painter.translate(area.x() - row_width - line, area.y() + extent)
        painter.rotate(-90)
        painter.drawText(QRect(0, 0, extent, line), Qt.AlignmentFlag.AlignCenter, self.tr("true"))
        painter.restore()
