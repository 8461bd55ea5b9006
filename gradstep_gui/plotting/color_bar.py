"""The key of a surface's colours: its bands, and the levels between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradstep_gui.plotting.levels import level_text
from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

__all__ = ["ColorBar"]

_WIDTH, _GAP, _EDGE = 14, 5, 6
_LEADING = 1.25


class ColorBar(QWidget):
    """The bands of a surface one above the other, and the values between them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colors: tuple[str, ...] = ()
        self._texts: tuple[str, ...] = ()
        self._title = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Key of the colours"))
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)

    @property
    def texts(self) -> tuple[str, ...]:
        """The levels, from below."""
        return self._texts

    def show_bands(self, colors: Sequence[str], levels: Sequence[float], title: str) -> None:
        """Show bands, from the lowest.

        Args:
            colors: Their colours.
            levels: The values between them, one fewer.
            title: What the values are.
        """
        self._colors = tuple(colors)
        self._texts = tuple(level_text(level) for level in levels)
        self._title = title
        self.setAccessibleDescription(", ".join((title, *self._texts)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the width of the bands and of the widest value."""
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(text) for text in self._texts), default=0)
        title = metrics.horizontalAdvance(self._title)
        return QSize(max(_WIDTH + _GAP + widest, title) + 2 * _EDGE, 120)

    def minimumSizeHint(self) -> QSize:
        """Return the same width."""
        return QSize(self.sizeHint().width(), 60)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the bands, and as many values as have room."""
        if not self._colors:
            return
        theme, metrics = theme_of(self.palette()), self.fontMetrics()
        painter = QPainter(self)
        painter.setPen(QColor(theme.muted))
        top = metrics.height() + 2 * _GAP
        painter.drawText(QPointF(_EDGE, metrics.ascent() + _GAP), self._title)
        height = self.height() - top - metrics.height()
        each = height / len(self._colors)
        for at, color in enumerate(self._colors):
            bottom = top + height - at * each
            painter.fillRect(QRectF(_EDGE, bottom - each, _WIDTH, each + 0.5), QColor(color))
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(_EDGE, top, _WIDTH, height))
        painter.setPen(QColor(theme.muted))
        last = self.height() + metrics.height() * 2.0
        for at, text in enumerate(self._texts, 1):
            place = top + height - at * each
            if last - place < _LEADING * metrics.height():
                continue
            last = place
            middle = place + (metrics.ascent() - metrics.descent()) / 2
            painter.drawText(QPointF(_EDGE + _WIDTH + _GAP, middle), text)
        painter.end()
