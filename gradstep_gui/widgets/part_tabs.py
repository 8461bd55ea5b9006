"""Small tabs that choose what is shown below them."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTabBar, QWidget

__all__ = ["PartTabs"]

_AIR = 6
"""Fusion lowers the words of tabs that are not chosen and cuts them off at the bottom, where a
name such as `exp_avg` has its underscore."""


class PartTabs(QTabBar):
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

    def tabSizeHint(self, index: int) -> QSize:
        """Return the size that a tab needs."""
        return super().tabSizeHint(index) + QSize(0, _AIR)
