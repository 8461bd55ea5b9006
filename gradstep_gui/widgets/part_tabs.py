"""Small tabs that choose what is shown below them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QTabBar, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

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
