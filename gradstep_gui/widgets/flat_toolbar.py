"""A toolbar that stays where it is, on the plain ground of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QToolBar

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

__all__ = ["FlatToolBar"]


class FlatToolBar(QToolBar):
    """Fusion paints a gradient and a bright edge; this one has one line below.

    Args:
        name: Its objectName, by which its place is remembered.
        title: What it is called.
        parent: The window.
    """

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setObjectName(name)
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground and the line."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.window))
        painter.setPen(QColor(theme.border))
        painter.drawLine(self.rect().bottomLeft(), self.rect().bottomRight())
