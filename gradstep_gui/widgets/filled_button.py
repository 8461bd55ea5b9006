"""A button that stands out: filled with the colour of an Operation, or the accent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from gradstep_gui.theme import blend, theme_of
from gradstep_gui.widgets.fonts import emphasis_font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

__all__ = ["FilledButton"]

_RADIUS = 6.0


class FilledButton(QPushButton):
    """The one thing to press.

    Args:
        text: The label.
        kind: The kind of Operation, for its colour; empty for the accent.
        parent: The parent widget.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> FilledButton("Backward", "backward").sizeHint().height() > 20
        True
    """

    def __init__(self, text: str, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._kind = kind
        self.setFont(emphasis_font(self.font()))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        """Return the size of the label with room around it."""
        metrics = self.fontMetrics()
        height = metrics.height()
        return QSize(metrics.horizontalAdvance(self._label()) + 2 * height, round(2.1 * height))

    def minimumSizeHint(self) -> QSize:
        """Return the same: a label is never cut."""
        return QSize(1, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground, the label and the focus ring."""
        theme = theme_of(self.palette())
        strong = theme.kind(self._kind).strong if self._kind else theme.accent
        ground = strong
        if not self.isEnabled():
            ground = theme.border
        elif self.isDown():
            ground = blend(strong, theme.text, 0.8)
        elif self.underMouse():
            ground = blend(strong, theme.base, 0.88)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)
        painter.setPen(QColor(theme.base if self.isEnabled() else theme.muted))
        label = painter.fontMetrics().elidedText(
            self._label(), Qt.TextElideMode.ElideRight, round(area.width()) - 8
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, label)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.text), 1.5))
            painter.drawRoundedRect(area.adjusted(2, 2, -2, -2), _RADIUS - 2, _RADIUS - 2)

    def _label(self) -> str:
        return self.text().replace("&", "")
