"""A focus ring for tables, texts, plots and other areas that show no focus themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QTabBar,
    QWidget,
)

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

__all__ = ["FocusRings"]

_MARKED = (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QTabBar,
)
"""Widgets that show the focus themselves."""

_WIDTH = 2.0


class FocusRings(QObject):
    """Draws a ring around the focused widget, after the keyboard was used.

    Args:
        parent: The window; the rings appear in all windows of the application.

    Example:
        >>> from PySide6.QtWidgets import QTextEdit
        >>> app = QApplication.instance() or QApplication([])
        >>> text = QTextEdit()
        >>> rings = FocusRings(text)
        >>> len(rings.on(text))
        0
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow)

    def on(self, area: QWidget) -> list[QWidget]:
        """Return the rings on an area."""
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        return list(area.findChildren(_Ring, options=direct))

    def _follow(self, before: QWidget | None, now: QWidget | None) -> None:
        for ring in [] if before is None else self.on(before):
            ring.hide()
            ring.deleteLater()
        if now is None or _shows_focus(now):
            return
        if now.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            _Ring(now).show()


def _shows_focus(widget: QWidget) -> bool:
    if type(widget) is QPushButton and widget.isFlat():  # Fusion draws nothing around these
        return False
    return isinstance(widget, _MARKED)


class _Ring(QWidget):
    """A frame on top of its parent."""

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(area.size())
        self.raise_()
        area.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Resize with the area."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.resize(watched.size())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame in the accent colour."""
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().accent().color(), _WIDTH))
        half = _WIDTH / 2
        painter.drawRect(QRectF(self.rect()).adjusted(half, half, -half, -half))
