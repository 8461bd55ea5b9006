"""DockTitles: a dock among tabs has its title on the tab, and no title bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QTabBar, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.bars import style_tabs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QDockWidget

__all__ = ["DockTitles"]

_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


class DockTitles(QObject):
    """Hides the title bars of docks that share a place as tabs.

    Their tabs can be dragged, and the View menu closes them, so that nothing is lost.

    Args:
        window: The window that the docks belong to.
        docks: All of them.
    """

    def __init__(self, window: QMainWindow, docks: Sequence[QDockWidget]) -> None:
        super().__init__(window)
        self._window = window
        self._docks = tuple(docks)
        # Qt signals a move before it is done; follow() runs after it.
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self.follow)
        for dock in self._docks:
            dock.dockLocationChanged.connect(self._soon.start)
            dock.topLevelChanged.connect(self._soon.start)
            dock.visibilityChanged.connect(self._soon.start)

    def follow(self) -> None:
        """Update every title bar, and the style and accessible names of Qt's tab bars."""
        theme = theme_of(self._window.palette())
        for tabs in self._window.findChildren(QTabBar, options=_DIRECT):
            style_tabs(tabs, theme)
            titles = ", ".join(tabs.tabText(at).replace("&", "") for at in range(tabs.count()))
            tabs.setAccessibleName(self.tr("Docks: {titles}").format(titles=titles))
        for dock in self._docks:
            others = self._window.tabifiedDockWidgets(dock)
            tabbed = not dock.isFloating() and any(
                not (other.isHidden() or other.isFloating()) for other in others
            )
            bare = dock.titleBarWidget()
            if tabbed and bare is None:
                dock.setTitleBarWidget(QWidget(dock))
            elif not tabbed and bare is not None:
                dock.setTitleBarWidget(None)  # type: ignore[arg-type] # Qt takes none for its own
                bare.deleteLater()
