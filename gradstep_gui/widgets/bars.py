"""A flat toolbar, and small tabs that choose what is shown below them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QTabBar, QToolBar, QWidget

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

__all__ = ["CompactTabBar", "FlatToolBar"]


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


_AIR = 6
"""Fusion lowers the words of tabs that are not chosen and cuts them off at the bottom, where a
name such as `exp_avg` has its underscore."""


class CompactTabBar(QTabBar):
    """Tabs without a base line, high enough for a descender or an underscore.

    Args:
        name: What is chosen, for screen readers.
        parent: Its owner.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)

    def set_titles(self, titles: Sequence[str], hints: Sequence[str] = ()) -> None:
        """Have tabs of these titles, each with its hint; the chosen one stays if it is among them.

        Nobody is told of a change, since nobody has chosen anything.
        """
        chosen = self.tabText(self.currentIndex())
        blocked = self.blockSignals(True)
        while self.count():
            self.removeTab(0)
        for title, hint in zip_longest(titles, hints, fillvalue=""):
            self.setTabToolTip(self.addTab(title), hint)
        if chosen in titles:
            self.setCurrentIndex(titles.index(chosen))
        self.blockSignals(blocked)

    def tabSizeHint(self, index: int) -> QSize:
        """Return the size that a tab needs."""
        return super().tabSizeHint(index) + QSize(0, _AIR)
