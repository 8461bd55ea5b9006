"""A flat toolbar, and small tabs that choose what is shown below them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QProxyStyle, QStyle, QTabBar, QToolBar, QWidget

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QStyleOption

__all__ = ["CompactTabBar", "FlatToolBar", "TabStyle"]


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


class TabStyle(QProxyStyle):
    """Fusion, but with the text of unselected tabs where that of the selected one is.

    Fusion shifts it down, and cuts off descenders and the underscore of a name such as `exp_avg`.

    Args:
        parent: Its owner, which must outlive the tab bars that use it.
        sides: The room at both sides of the text together, in pixels; None for Fusion's.
    """

    def __init__(self, parent: QObject, sides: int | None = None) -> None:
        super().__init__("Fusion")
        self.setParent(parent)
        self._sides = sides

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        """Return a measure in pixels."""
        if metric == QStyle.PixelMetric.PM_TabBarTabShiftVertical:
            return 0
        if metric == QStyle.PixelMetric.PM_TabBarTabHSpace and self._sides is not None:
            return self._sides
        return super().pixelMetric(metric, option, widget)


_HIGHER = 4
_SIDES = 12
"""Half of Fusion's, so that five tabs fit into a dock."""


class CompactTabBar(QTabBar):
    """Narrow tabs without a base line.

    Args:
        name: What the tabs choose, for screen readers.
        parent: The parent widget.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setStyle(TabStyle(self, _SIDES))
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
        return super().tabSizeHint(index) + QSize(0, _HIGHER)
