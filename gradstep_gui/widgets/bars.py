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
    """A toolbar with a flat background and a line below, instead of Fusion's gradient.

    Args:
        name: Its objectName, under which its place is saved.
        title: The title.
        parent: The window.
    """

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setObjectName(name)
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the background and the line."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.window))
        painter.setPen(QColor(theme.border))
        painter.drawLine(self.rect().bottomLeft(), self.rect().bottomRight())


_AIR = 6
"""Fusion shifts the text of unselected tabs down and cuts it off at the bottom, where a
name such as `exp_avg` has its underscore."""


class CompactTabBar(QTabBar):
    """Tabs without a base line, high enough for a descender or an underscore.

    Args:
        name: What the tabs choose, for screen readers.
        parent: The parent widget.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)

    def set_titles(self, titles: Sequence[str], hints: Sequence[str] = ()) -> None:
        """Set the tabs, each with a tooltip; the selected one stays selected if possible.

        It emits no signal, because the user did not select anything.
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
        """Return the size of a tab."""
        return super().tabSizeHint(index) + QSize(0, _AIR)
