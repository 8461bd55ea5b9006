"""The legend of a graph: a small box for each status, with its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import small_font
from gradstep_gui.widgets.graph.items import Box
from gradstep_gui.widgets.graph.painter import GraphPainter

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

__all__ = ["GraphLegend"]

_WIDTH, _HEIGHT, _AIR = 20.0, 12.0, 5.0
_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter)


class GraphLegend(QWidget):
    """One line of small boxes and names; the last ones are hidden when there is no room.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> GraphLegend().accessibleDescription()
        'leaf, not run yet, visited, freed, changed, current'
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples = (
            (self.tr("leaf"), Box(1, "", look="leaf")),
            (self.tr("not run yet"), Box(2, "", status="planned")),
            (self.tr("visited"), Box(3, "", visited=True)),
            (self.tr("freed"), Box(4, "", status="freed")),
            (self.tr("changed"), Box(5, "", status="changed")),
            (self.tr("current"), Box(6, "", visited=True, lit="backward")),
        )
        self.setFont(small_font(self.font()))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Graph legend"))
        self.setAccessibleDescription(", ".join(word for word, _ in self._samples))
        self.setToolTip(self.accessibleDescription())

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()

    def sizeHint(self) -> QSize:
        """Return the height of one line of text."""
        return QSize(300, self.fontMetrics().height() + 10)

    def minimumSizeHint(self) -> QSize:
        """Return a size that is usable in a narrow dock."""
        return QSize(60, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, metrics = theme_of(self.palette()), self.fontMetrics()
        boxes = GraphPainter(self.font(), theme)
        x = _AIR + 4
        for word, box in self._samples:
            words = metrics.horizontalAdvance(word)
            if x + _WIDTH + _AIR + words > self.width():
                return
            rect = QRectF(x, (self.height() - _HEIGHT) / 2, _WIDTH, _HEIGHT)
            boxes.draw_box(painter, box, rect, selected=False)
            x += _WIDTH + _AIR
            painter.setPen(theme.muted)
            painter.setFont(self.font())
            painter.drawText(QRectF(x, 0, words + 2, self.height()), _MIDDLE, word)
            x += words + 3 * _AIR
