"""The legend of a picture of data: what its marks mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradstep_gui.plotting.style import SYMBOLS
from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.arrays.matrix_image import VIRIDIS
from gradstep_gui.widgets.fonts import small_font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from gradstep_gui.theme import Theme

__all__ = ["FitLegend", "Mark", "MarkKind"]

MarkKind: TypeAlias = Literal[
    "point", "hollow", "rim", "ring", "curve", "exact", "wrong", "corner", "scale"
]
"""A filled point, a hollow one, one with a red rim, one with a ring; a curve; the diagonal; a red
frame; a corner; the colours of a scale."""

_MARK = 16
_POINT = 8
_GAP = 6
_BETWEEN = 14
_PADDING = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """An entry: a mark and its meaning; `color` is the number of a class."""

    kind: MarkKind
    text: str
    color: int = 0


class FitLegend(QWidget):
    """Marks with their meanings, in as many rows as they need."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks: tuple[Mark, ...] = ()
        self._places: list[QPointF] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Legend"))

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The entries."""
        return self._marks

    def show_marks(self, marks: Sequence[Mark]) -> None:
        """Show these entries."""
        if tuple(marks) != self._marks:
            self._marks = tuple(marks)
            self.setAccessibleDescription(", ".join(mark.text for mark in marks))
            self._arrange()

    def sizeHint(self) -> QSize:
        """Return the height of the rows."""
        lowest = self._places[-1].y() if self._places else 0.0
        return QSize(200, round(lowest) + (self._line() if self._places else 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the entries for the new width."""
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the marks and the texts."""
        painter = QPainter(self)
        painter.setFont(small_font(self.font()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, metrics = theme_of(self.palette()), self._metrics()
        for mark, place in zip(self._marks, self._places, strict=True):
            middle = place + QPointF(_MARK / 2, self._line() / 2)
            _draw_mark(painter, mark, middle, theme)
            painter.setPen(QColor(theme.muted))
            baseline = place.y() + (self._line() + metrics.ascent() - metrics.descent()) / 2
            painter.drawText(QPointF(place.x() + _MARK + _GAP, baseline), mark.text)
        painter.end()

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(small_font(self.font()))

    def _line(self) -> int:
        return self._metrics().height() + _PADDING

    def _arrange(self) -> None:
        before, metrics = self.sizeHint(), self._metrics()
        self._places = []
        left, top = 0, 0
        for mark in self._marks:
            width = _MARK + _GAP + metrics.horizontalAdvance(mark.text)
            if left and left + width > self.width():
                left, top = 0, top + self._line()
            self._places.append(QPointF(left, top))
            left += width + _BETWEEN
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()


def _draw_mark(painter: QPainter, mark: Mark, middle: QPointF, theme: Theme) -> None:
    color = QColor(theme.curves[mark.color % len(theme.curves)])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    across = QPointF(_MARK / 2, 0)
    square = QRectF(middle - QPointF(5, 5), middle + QPointF(5, 5))
    match mark.kind:
        case "point":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            scale = QTransform.fromTranslate(middle.x(), middle.y()).scale(_POINT, _POINT)
            painter.drawPath(scale.map(Symbols[SYMBOLS[mark.color % len(SYMBOLS)]]))
        case "hollow":
            painter.setPen(QPen(color, 2))
            painter.drawEllipse(middle, 3.5, 3.5)
        case "rim":
            painter.setPen(QPen(QColor(theme.error), 2))
            painter.drawEllipse(middle, 4, 4)
        case "scale":
            bar = QRectF(middle - across - QPointF(0, 5), middle + across + QPointF(0, 5))
            image = QImage(VIRIDIS.tobytes(), len(VIRIDIS), 1, QImage.Format.Format_RGB32)
            painter.drawImage(bar, image)
        case "ring":
            painter.setPen(QPen(QColor(theme.text), 1.5))
            painter.drawEllipse(middle, 6, 6)
        case "curve":
            painter.setPen(QPen(QColor(theme.curves[1]), 3))
            painter.drawLine(middle - across, middle + across)
        case "exact":
            painter.setPen(QPen(QColor(theme.muted), 1, Qt.PenStyle.DashLine))
            painter.drawLine(middle - across, middle + across)
        case "wrong":
            painter.setPen(QPen(QColor(theme.error), 2))
            painter.drawRect(square)
        case "corner":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent))
            corner = square.topLeft()
            painter.drawPolygon(
                QPolygonF([corner, corner + QPointF(10, 0), corner + QPointF(0, 10)])
            )
