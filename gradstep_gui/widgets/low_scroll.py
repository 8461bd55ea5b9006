"""LowScroll: content that is scrolled where there is less height than it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

__all__ = ["LowScroll"]

_LINES = 6
"""The lines of text for which there is always room."""


class LowScroll(QScrollArea):
    """Shows content in all of its room, with a scroll bar only where that is too low.

    Without it a dock in large type would need more height than the window has, and reach over the
    status bar. Qt's own resizable area scrolls as soon as content gets less than it would like.

    Args:
        content: The content.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> tall = QWidget()
        >>> tall.setMinimumSize(200, 5000)
        >>> area = LowScroll(tall)
        >>> area.minimumSizeHint().width() >= 200, area.minimumSizeHint().height() < 500
        (True, True)
    """

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = content
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus
        self.setWidget(content)
        # Qt takes a widget for hidden where opaque children cover all of it.
        content.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        content.installEventFilter(self)

    def minimumSizeHint(self) -> QSize:
        """Return the width that the content needs, and the height of a few lines."""
        needed = self._content.minimumSizeHint().expandedTo(self._content.minimumSize())
        return QSize(needed.width(), min(needed.height(), _LINES * self.fontMetrics().height()))

    def sizeHint(self) -> QSize:
        """Return the size that the content wants."""
        return self._content.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the content its size."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Give the content another size when it needs one."""
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        room = self.maximumViewportSize()
        bar = self.verticalScrollBar().sizeHint().width()
        is_low = self._least(room.width()) > room.height()
        width = room.width() - bar if is_low else room.width()
        self._content.resize(width, max(room.height(), self._least(width)))

    def _least(self, width: int) -> int:
        """Return the height that the content needs at least in a width."""
        layout = self._content.layout()
        wrapped = layout.minimumHeightForWidth(width) if layout is not None else 0
        plain = self._content.minimumSizeHint().expandedTo(self._content.minimumSize()).height()
        return wrapped if wrapped > 0 else plain
