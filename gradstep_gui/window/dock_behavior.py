"""What docks do beyond Qt: titles on their tabs, and widths that come back with the room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenu,
    QTabBar,
    QWidget,
)

from gradstep_gui.action_ids import ViewId
from gradstep_gui.resources import icon
from gradstep_gui.theme import theme_of
from gradstep_gui.translation import QT_TRANSLATE_NOOP
from gradstep_gui.widgets.bars import style_tabs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QPoint

    from gradstep.history.records.ranks import RankRecord
    from gradstep_gui.controller import Controller
    from gradstep_gui.messages import Messages
    from gradstep_gui.theme import Theme
    from gradstep_gui.window.layouts import Layouts

__all__ = ["DockTitles", "DockWidths", "LessonDock", "RanksDock"]

_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_TITLE_BUTTONS = {
    "qt_dockwidget_floatbutton": ("float", QT_TRANSLATE_NOOP("DockTitles", "Float")),
    "qt_dockwidget_closebutton": ("close", QT_TRANSLATE_NOOP("DockTitles", "Close")),
}
"""The icons and names of Qt's own buttons in the title bar of a dock."""

_SIDES = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


class DockTitles(QObject):
    """Hides the title bars of docks that share a place as tabs.

    Their tabs can be dragged, and their context menu floats, closes and moves them, so that nothing
    is lost.

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
            if tabs.contextMenuPolicy() != Qt.ContextMenuPolicy.CustomContextMenu:
                tabs.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                tabs.customContextMenuRequested.connect(
                    lambda place, tabs=tabs: self._pop_up(tabs, place)
                )
        for dock in self._docks:
            self._draw_buttons(dock, theme)
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

    def _draw_buttons(self, dock: QDockWidget, theme: Theme) -> None:
        """Give the buttons of a title bar icons that can be seen in the theme."""
        for button in dock.findChildren(QAbstractButton, options=_DIRECT):
            name, title = _TITLE_BUTTONS.get(button.objectName(), ("", ""))
            if name:
                button.setIcon(icon(name, theme.muted, theme.border))
                button.setToolTip(self.tr(title))
                button.setAccessibleName(
                    self.tr("{button} {dock}").format(
                        button=self.tr(title), dock=dock.windowTitle()
                    )
                )

    def menu_of(self, dock: QDockWidget) -> QMenu:
        """Return the context menu of a dock's tab."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("&Float")).triggered.connect(lambda: dock.setFloating(True))
        for title, area in (
            (self.tr("Move to the &Left"), Qt.DockWidgetArea.LeftDockWidgetArea),
            (self.tr("Move to the &Right"), Qt.DockWidgetArea.RightDockWidgetArea),
            (self.tr("Move to the &Top"), Qt.DockWidgetArea.TopDockWidgetArea),
            (self.tr("Move to the &Bottom"), Qt.DockWidgetArea.BottomDockWidgetArea),
        ):
            menu.addAction(title).triggered.connect(
                lambda _checked=False, area=area: self._window.addDockWidget(area, dock)
            )
        menu.addSeparator()
        menu.addAction(self.tr("&Close")).triggered.connect(dock.close)
        return menu

    def _pop_up(self, tabs: QTabBar, place: QPoint) -> None:
        title = tabs.tabText(tabs.tabAt(place)).replace("&", "")
        for dock in self._docks:  # Qt does not say which dock a tab is for
            if dock.windowTitle() == title and not dock.isHidden():
                self.menu_of(dock).popup(tabs.mapToGlobal(place))
                return


class RanksDock(QObject):
    """Has the dock of ranks there only while a script of several processes is open.

    It comes to the front when such a script is opened.

    Args:
        dock: The dock.
        controller: Has the ranks.
        messages: Takes what is wrong with them.
    """

    def __init__(self, dock: QDockWidget, controller: Controller, messages: Messages) -> None:
        super().__init__(dock)
        self._dock = dock
        self._ranks = ranks = controller.ranks
        self._messages = messages
        self._is_there = False
        ranks.changed.connect(self._follow)
        ranks.diverged.connect(self._tell_divergence)
        ranks.failed.connect(self._tell_failure)
        self.follow_layout()

    def follow_layout(self) -> None:
        """Show the dock while there are ranks and hide it otherwise, whatever a layout says."""
        self._dock.setVisible(self._is_there)
        self._dock.toggleViewAction().setVisible(self._is_there)

    def _follow(self) -> None:
        is_there = bool(self._ranks.records)
        if is_there == self._is_there:
            return
        self._is_there = is_there
        self.follow_layout()
        if is_there:
            self._dock.raise_()

    def _tell_divergence(self, record: RankRecord) -> None:
        if record.divergence is not None and not self._is_seen:
            self._messages.warning(
                record.divergence.sentence, self.tr("the Ranks dock has the values")
            )

    def _tell_failure(self, record: RankRecord) -> None:
        if not self._is_seen:
            text = self.tr("Rank {0} has failed: {1}").format(record.number, record.error)
            self._messages.warning(text, self.tr("the Ranks dock has more"))

    @property
    def _is_seen(self) -> bool:
        return not self._dock.visibleRegion().isEmpty()


class LessonDock(QObject):
    """Has the lesson dock there only while what is open has a lesson, or says what it is about.

    An empty dock would take a quarter of the window from the script and the plots.

    Args:
        dock: The dock.
        controller: Has the lesson and the program.
        layouts: The layouts, not all of which have a place for it.
    """

    def __init__(self, dock: QDockWidget, controller: Controller, layouts: Layouts) -> None:
        super().__init__(dock)
        self._dock = dock
        self._controller = controller
        self._layouts = layouts
        self._is_needed: bool | None = None
        controller.lessons.changed.connect(self._follow)
        controller.listing_changed.connect(self._follow)

    def follow_layout(self) -> None:
        """Show or hide the dock in another layout, however that was left with another program."""
        if self._is_needed is None:
            return
        if not self._is_needed:
            self._dock.hide()
        elif self._dock.isHidden() and self._layouts.lists(ViewId.LESSON):
            self._layouts.add(ViewId.LESSON)

    def _follow(self) -> None:
        listing = self._controller.listing
        if listing is None:
            return
        describes_itself = not listing.files and bool(listing.description.strip())
        is_needed = describes_itself or self._controller.lessons.record is not None
        if is_needed != self._is_needed:
            self._is_needed = is_needed
            self.follow_layout()


class DockWidths(QObject):
    """Keeps the widths that the user wants for side docks.

    A narrower window shrinks them, and Qt gives the room to the centre when the window grows again.
    A width counts as wanted unless it comes from that, or from content that settles in a window
    that is still narrow.

    Args:
        window: The window.
        docks: Its docks.
    """

    def __init__(self, window: QMainWindow, docks: Sequence[QDockWidget]) -> None:
        super().__init__(window)
        self._window = window
        self._docks = tuple(docks)
        self._wanted: dict[QDockWidget, int] = {}
        self._room: dict[QDockWidget, int] = {}
        self._size = window.size()
        self._settled = QTimer(self, interval=0, singleShot=True)
        self._settled.timeout.connect(self._give_back)
        window.installEventFilter(self)
        for dock in self._docks:
            dock.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note the widths of docks while the window keeps its size."""
        if event.type() == QEvent.Type.Resize:
            if watched is self._window:
                self._settled.start()
            elif isinstance(watched, QDockWidget) and self._window.size() == self._size:
                self._note(watched)
        return False

    def _note(self, dock: QDockWidget) -> None:
        """Note a width as wanted, unless a narrow window caused it and no mouse button is down."""
        lost = dock.width() < self._wanted.get(dock, 0)
        squeezed = lost and self._window.width() < self._room.get(dock, 0)
        if not squeezed or QApplication.mouseButtons():
            self._wanted[dock] = dock.width()
            self._room[dock] = self._window.width()

    def _give_back(self) -> None:
        """Restore the wanted widths of shrunken docks, as far as there is room."""
        beside = [
            dock
            for dock in self._docks
            if dock.isVisible()
            and not dock.isFloating()
            and self._window.dockWidgetArea(dock) in _SIDES
        ]
        squeezed = [dock for dock in beside if dock.width() < self._wanted.get(dock, 0)]
        if squeezed:
            widths = [self._wanted[dock] for dock in squeezed]
            self._window.resizeDocks(squeezed, widths, Qt.Orientation.Horizontal)
        for dock in beside:
            if dock not in self._wanted:
                self._note(dock)
        QTimer.singleShot(0, self, self._rest)

    def _rest(self) -> None:
        self._size = self._window.size()
