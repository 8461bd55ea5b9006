"""Rings around what a lesson points at: buttons, and titles of the menu bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPaintEvent

__all__ = ["Spotlight"]

_WIDTH = 2.5
_MARGIN = 1
_RADIUS = 7.0


class Spotlight(QWidget):
    """A ring on top of a widget, or of a part of it; it takes no mouse and no keys.

    Args:
        target: The widget.
        part: Returns the rectangle of the part in the widget; None for the whole.

    Example:
        >>> from PySide6.QtWidgets import QApplication, QPushButton
        >>> app = QApplication.instance() or QApplication([])
        >>> button = QPushButton("Step")
        >>> Spotlight(button).size() == button.size()
        True
    """

    def __init__(self, target: QWidget, part: Callable[[], QRect] | None = None) -> None:
        super().__init__(target)
        self._target = target
        self._part = part
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        target.installEventFilter(self)
        self._place()
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the widget."""
        if watched is self._target and event.type() in {
            QEvent.Type.Resize,
            QEvent.Type.LayoutRequest,
        }:
            self._place()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ring, with a soft edge."""
        accent = QColor(theme_of(self.palette()).accent)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        half = _WIDTH / 2 + _MARGIN
        area = QRectF(self.rect()).adjusted(half, half, -half, -half)
        soft = QColor(accent)
        soft.setAlphaF(0.3)
        painter.setPen(QPen(soft, _WIDTH + 2))
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)
        painter.setPen(QPen(accent, _WIDTH))
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)

    def _place(self) -> None:
        area = self._target.rect() if self._part is None else self._part()
        self.setGeometry(area)
