"""The layouts: which docks and tabs each one shows; others appear when they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

from gradstep_gui.action_ids import ActionId, LayoutId, ViewId
from gradstep_gui.settings import CHOSEN_LAYOUT, folded_setting, layout_setting
from gradstep_gui.window.docks import DOCKS, layout_version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep_gui.settings import Settings
    from gradstep_gui.window.centre import Centre

__all__ = ["LAYOUTS", "Layout", "Layouts", "Side", "arrange"]


SETTLING_MS = 1500
"""For how long after it was shown a layout follows the size that the window gets."""

TALL = 1100
"""The window height in pixels from which a layout's `tall_sides` are used."""

_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_TOP = Qt.DockWidgetArea.TopDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class Side:
    """The docks on one side of the centre.

    Attributes:
        area: The side.
        share: Its share of the window's width, or height for the top and the bottom.
        groups: The docks in groups one above the other, at the top and the bottom side by side;
            those of a group share their place as tabs, the first one in front.
        weights: How the groups share the side; alike when empty.
    """

    area: Qt.DockWidgetArea
    share: float
    groups: tuple[tuple[ViewId, ...], ...]
    weights: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """What one layout shows. Views that it does not list are hidden until they are needed.

    Attributes:
        id: Its stable id, remembered in the settings.
        sides: Its docks.
        tabs: The tabs of the centre that it shows, the front one first.
        buttons: The movements and switches in the toolbar, beside the four Operations.
        folded: The panels of the plots of which only the header is visible.
        has_plot_tools: Whether the plots have their toolbar, and a landscape without a choice of
            axes has; its menu is a right click away.
        shows_keys: Whether the last Action and its key are shown, for those who watch.
        type_scale: The size of its text, relative to that of the others.
        tall_sides: The same as `sides` for a tall window, where they differ.
    """

    id: LayoutId
    sides: tuple[Side, ...]
    tabs: tuple[ViewId, ...]
    buttons: tuple[ActionId, ...]
    folded: tuple[str, ...] = ()
    has_plot_tools: bool = True
    shows_keys: bool = False
    type_scale: float = 1.0
    tall_sides: tuple[Side, ...] = ()

    def sides_in(self, height: int) -> tuple[Side, ...]:
        """Return the sides in a window of a height."""
        return self.tall_sides if self.tall_sides and height >= TALL else self.sides

    @property
    def docks(self) -> frozenset[ViewId]:
        """The docks that it shows."""
        return frozenset(view for side in self.sides for group in side.groups for view in group)


_DOT = "● "
"""The mark of a view that appeared unasked."""

_LEARN_SIDES = (
    Side(_LEFT, 0.27, ((ViewId.LESSON,),)),
    Side(_TOP, 0.4, ((ViewId.PROGRAM,),)),
    Side(_RIGHT, 0.27, ((ViewId.TENSORS,),)),
)
_PRESENT_SIDES = (
    Side(_LEFT, 0.27, ((ViewId.LESSON,),)),
    Side(_TOP, 0.34, ((ViewId.PROGRAM,),)),
    Side(_RIGHT, 0.285, ((ViewId.TENSORS,),)),
)
"""The bars above take more of the height, so that the script leaves the plot more of the rest; the
tensors have room for a name such as momentum_buffer beside its value."""

_LEARN_FOLDED = ("outputs", "grad", "parameters")
_LEARN_BUTTONS = (ActionId.STEP_BACK, ActionId.ITERATE, ActionId.RUN)
_MORE_BUTTONS = (
    ActionId.STEP_INTO,
    ActionId.STEP_OVER,
    ActionId.STEP_OUT,
    ActionId.HOLD_BATCH,
)

_LOWER_DOCKS = (
    ViewId.EVENT_LOG,
    ViewId.OUTPUT,
    ViewId.FINDINGS,
    ViewId.INSIDE,
    ViewId.BREAKPOINTS,
    ViewId.WATCHES,
    ViewId.BRANCHES,
    ViewId.COMPARE,
    ViewId.RANKS,
)
_BELOW = Side(_BOTTOM, 0.22, (_LOWER_DOCKS,))
"""Its share leaves room for three plots."""

LAYOUTS: tuple[Layout, ...] = (
    Layout(
        LayoutId.LEARN,
        _LEARN_SIDES,
        (ViewId.PLOTS,),
        _LEARN_BUTTONS,
        folded=_LEARN_FOLDED,
        has_plot_tools=False,
    ),
    Layout(
        LayoutId.DEBUG,
        (
            Side(_LEFT, 0.31, ((ViewId.PROGRAM, ViewId.LESSON, ViewId.PARAMETERS),)),
            Side(_RIGHT, 0.27, ((ViewId.OPTIMIZER, ViewId.EXPLAIN, ViewId.VARIABLES),)),
            _BELOW,
        ),
        (ViewId.PLOTS, ViewId.GRAPH, ViewId.LANDSCAPE, ViewId.DATA),
        (*_LEARN_BUTTONS, *_MORE_BUTTONS),
        tall_sides=(
            Side(_LEFT, 0.31, ((ViewId.PROGRAM, ViewId.LESSON), (ViewId.PARAMETERS,))),
            Side(_RIGHT, 0.27, ((ViewId.OPTIMIZER, ViewId.VARIABLES), (ViewId.EXPLAIN,))),
            _BELOW,
        ),
    ),
    Layout(
        LayoutId.PRESENT,
        _PRESENT_SIDES,
        (ViewId.PLOTS,),
        _LEARN_BUTTONS,
        folded=_LEARN_FOLDED,
        has_plot_tools=False,
        shows_keys=True,
        type_scale=1.4,
    ),
)


class Layouts(QObject):
    """Arranges the docks and tabs as the chosen layout wants, and remembers what the user changed.

    Args:
        window: The window.
        docks: All docks, by id.
        centre: The tabs in the middle.
        settings: Remembers the chosen layout, and the state of each.
    """

    arranging = Signal()
    """The docks are about to be arranged as the current layout wants: its type must have its size,
    or they would get their shares of the room that the type before left."""

    changed = Signal()
    """Another layout was chosen, or the layout was restored."""

    def __init__(
        self,
        window: QMainWindow,
        docks: Mapping[str, QDockWidget],
        centre: Centre,
        settings: Settings,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._centre = centre
        self._settings = settings
        self._shown: Layout | None = None
        self._proposed = LayoutId.LEARN
        self._marks = _Marks(docks, centre, self)
        # The desktop gives a window its size some time after it is shown: sizes of docks that were
        # set before are shares of another size then.
        self._settling = QTimer(self, interval=SETTLING_MS, singleShot=True)
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._place_again)
        self._brought: list[str] = []
        # What the centre needs at least settles with its first pictures: until then a side may get
        # less than its share.
        self._shares: tuple[_Filled, ...] = ()
        self._least = 0
        self._sharing = QTimer(self, interval=0, singleShot=True)
        self._sharing.timeout.connect(self._share_again)
        window.installEventFilter(self)

    @property
    def current(self) -> Layout:
        """The layout that is shown, or will be when something is opened."""
        chosen = self._settings.get(CHOSEN_LAYOUT) or self._proposed
        return next(layout for layout in LAYOUTS if layout.id == chosen)

    def choose(self, name: LayoutId) -> None:
        """Change to another layout, as the user left it, and remember the choice."""
        self.remember()
        self._settings.set(CHOSEN_LAYOUT, name)
        if self._shown is not None:
            self.show()
        else:
            self.changed.emit()

    def open(self, *, is_script: bool) -> None:
        """Show the layout for what was opened: until the user chooses one, Debug for scripts."""
        self._proposed = LayoutId.DEBUG if is_script else LayoutId.LEARN
        if self._shown is not self.current:
            self.remember()
            self.show()

    def show(self) -> None:
        """Arrange the window as the chosen layout was left, or by default."""
        self._marks.clear()
        self._brought.clear()
        self.arranging.emit()
        self._place()
        self._settling.start()
        self.changed.emit()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Place the docks again in a window that gets its size, or its content, only now."""
        if self._settling.isActive():
            if event.type() == QEvent.Type.Resize:
                self._soon.start()
            elif event.type() == QEvent.Type.LayoutRequest:
                self._sharing.start()
        return False

    def _share_again(self) -> None:
        least = self._centre.minimumSizeHint().height()
        if least == self._least:
            return
        self._least = least
        if not self._shares:  # it is as the user left it
            self._place_again()
        for side in self._shares:
            side.share_out(self._window, self._docks)

    def _place_again(self) -> None:
        self._place()
        for name in self._brought:
            self._bring(name)
        self.changed.emit()

    def _place(self) -> None:
        stored = self._settings.get(layout_setting(self.current.id))
        folded = self._settings.get(folded_setting(self.current.id))
        # First what the centre shows: docks are given only what it does not need.
        self._show_tabs()
        self._centre.plots.stack.fold(self.current.folded if folded is None else folded)
        _settle(self._window)
        if self._window.restoreState(stored, layout_version(self._window)):
            self._shares = ()
        else:
            self._arrange()

    def restore(self) -> None:
        """Put everything back in its default place."""
        self._marks.clear()
        self._settling.start()
        self._arrange()
        self.changed.emit()

    def raise_fronts(self) -> None:
        """Bring to the front what the layout has in front, where the user has not hidden it."""
        for side in self.current.sides_in(self._window.height()):
            for group in side.groups:
                shown = [self._docks[name] for name in group if name in self._docks]
                front = next((dock for dock in shown if not dock.isHidden()), None)
                if front is not None:
                    front.raise_()
        self._centre.show_view(self.current.tabs[0])

    def remember(self) -> None:
        """Store the arrangement of the layout that is shown."""
        if self._shown is not None:
            state = self._window.saveState(layout_version(self._window))
            self._settings.set(layout_setting(self._shown.id), state)
            folded = self._centre.plots.stack.folded
            self._settings.set(folded_setting(self._shown.id), folded)

    def lists(self, name: str) -> bool:
        """Return whether the current layout shows a dock by default."""
        return name in self.current.docks

    def bring_up(self, name: str, *, marked: bool = False) -> bool:
        """Show a dock or a tab of the centre in front, also one that the layout hides.

        Args:
            name: The id of the view.
            marked: Whether to mark what appears by this, until the user clicks on it: for views
                that come unasked.

        Returns:
            Whether it was hidden.
        """
        dock = self._docks.get(name)
        was_hidden = not self._centre.has_tab(name) if dock is None else dock.isHidden()
        self._bring(name)
        if self._settling.isActive():
            self._brought.append(name)
        if marked and was_hidden:
            self._marks.add(name)
        return was_hidden

    def put_away(self, name: str) -> None:
        """Hide a dock or a tab that `bring_up` has shown, unless it is one of the layout."""
        if self.lists(name) or name in self.current.tabs:
            return
        if name in self._docks:
            self._docks[name].hide()
        else:
            self._centre.hide_view(name)

    def add(self, name: str) -> None:
        """Show a dock that has come to be needed, in front of no other one.

        Args:
            name: Its id.
        """
        dock = self._docks[name]
        others = self._window.tabifiedDockWidgets(dock)
        front = next((one for one in others if not one.visibleRegion().isEmpty()), None)
        self._show_dock(name, dock)
        if front is not None:
            front.raise_()

    def _bring(self, name: str) -> None:
        if name in self._docks:
            self._show_dock(name, self._docks[name])
        else:
            self._centre.show_view(name)

    def _show_dock(self, name: str, dock: QDockWidget) -> None:
        """Bring a dock to the front; one that opens a side gets that side's share."""
        area = self._window.dockWidgetArea(dock)
        is_first = not dock.isFloating() and not any(
            not other.isHidden() and self._window.dockWidgetArea(other) == area
            for other in self._docks.values()
        )
        dock.setVisible(True)
        dock.raise_()
        if is_first:
            share = next(found.share for found in DOCKS if found.id == name)
            _give_share(self._window, [dock], area, share)

    def _arrange(self) -> None:
        self._centre.plots.stack.fold(self.current.folded)  # the docks take the room that it gives
        self._shares = arrange(self._window, self._docks, self.current)
        self._show_tabs()

    def _show_tabs(self) -> None:
        self._shown = self.current
        self._centre.show_tabs(self.current.tabs)
        self._centre.plots.toolbar.setVisible(self.current.has_plot_tools)
        self._centre.landscape.show_tools(always=self.current.has_plot_tools)


class _Marks(QObject):
    """Dots before the titles of views that appeared unasked, until the user clicks on them."""

    def __init__(self, docks: Mapping[str, QDockWidget], centre: Centre, parent: QObject) -> None:
        super().__init__(parent)
        self._docks = docks
        self._centre = centre
        self._places: dict[str, QWidget] = {**docks, **centre.views}
        self._marked: set[str] = set()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)

    def add(self, name: str) -> None:
        """Mark a view."""
        if name in self._marked:
            return
        self._marked.add(name)
        self._places[name].installEventFilter(self)
        self._title(name, marked=True)

    def clear(self) -> None:
        """Remove every mark."""
        for name in tuple(self._marked):
            self._remove(name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Remove the mark of a view that is clicked on."""
        if event.type() == QEvent.Type.MouseButtonPress:
            for name in tuple(self._marked):
                if self._places[name] is watched:
                    self._remove(name)
        return False

    @Slot(QWidget, QWidget)
    def _follow_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Remove the mark of a view that the user goes to: not every click reaches its dock."""
        for name in tuple(self._marked):
            if now is not None and self._places[name].isAncestorOf(now):
                self._remove(name)

    def _remove(self, name: str) -> None:
        self._marked.discard(name)
        self._places[name].removeEventFilter(self)
        self._title(name, marked=False)

    def _title(self, name: str, *, marked: bool) -> None:
        dock = self._docks.get(name)
        title = (self._centre.title_of(name) if dock is None else dock.windowTitle()).removeprefix(
            _DOT
        )
        title = _DOT + title if marked else title
        if dock is None:
            self._centre.set_title(name, title)
        else:
            dock.setWindowTitle(title)


def arrange(
    window: QMainWindow, docks: Mapping[str, QDockWidget], layout: Layout
) -> tuple[_Filled, ...]:
    """Put every dock in its default place in a layout, in shares of the window's present size.

    Docks that the layout does not list get a place as well, but are hidden there.

    Args:
        window: The window.
        docks: Its docks, by id.
        layout: The layout.

    Returns:
        What can give each side its share again.
    """
    for widget in docks.values():
        widget.setFloating(False)
        window.removeDockWidget(widget)
    sides = [_Filled.of(side, docks) for side in layout.sides_in(window.height())]
    for side in sides:  # before the tabs: a dock split off a tab would become a tab again
        side.place(window, docks)
    inner = window.layout()
    for area, group in _groups(sides, docks):
        front = docks[group[0]]
        if window.dockWidgetArea(front) == Qt.DockWidgetArea.NoDockWidgetArea:
            window.addDockWidget(area, front)
        front.setVisible(True)
        for name in group[1:]:
            docks[name].setVisible(True)
            window.tabifyDockWidget(front, docks[name])
            if inner is not None:
                inner.activate()  # else the bar of two tabs stays when a third joins
    for name, widget in docks.items():
        widget.setVisible(name in layout.docks)
    _settle(window)
    for side in sides:
        side.raise_fronts(docks)
        side.share_out(window, docks)
    return tuple(sides)


def _settle(window: QMainWindow) -> None:
    """Have the centre compute anew what it needs at least, before docks get their sizes.

    It has kept that of panels that are folded now.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    centre = window.centralWidget()
    if centre is None:
        return
    for page in centre.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        page.updateGeometry()
    centre.updateGeometry()


@dataclass(frozen=True, slots=True)
class _Filled:
    """The groups of a side that have a dock."""

    area: Qt.DockWidgetArea
    share: float
    groups: tuple[tuple[str, ...], ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, side: Side, docks: Mapping[str, QDockWidget]) -> _Filled:
        """Leave out the views that there are not."""
        weights = side.weights or (1,) * len(side.groups)
        kept = [
            (group, weight)
            for views, weight in zip(side.groups, weights, strict=True)
            if (group := tuple(str(view) for view in views if view in docks))
        ]
        return cls(
            side.area,
            side.share,
            tuple(group for group, _ in kept),
            tuple(weight for _, weight in kept),
        )

    @property
    def along(self) -> Qt.Orientation:
        """How its groups follow each other."""
        return (
            Qt.Orientation.Vertical if self.area in {_LEFT, _RIGHT} else Qt.Orientation.Horizontal
        )

    def place(self, window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
        """Add the first dock of each group to the window."""
        fronts = [docks[group[0]] for group in self.groups]
        for front in fronts[:1]:
            window.addDockWidget(self.area, front)
        for before, after in pairwise(fronts):
            window.splitDockWidget(before, after, self.along)

    def raise_fronts(self, docks: Mapping[str, QDockWidget]) -> None:
        """Bring the first dock of each group before the others."""
        for group in self.groups:
            docks[group[0]].raise_()

    def share_out(self, window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
        """Give the side its share of the window, and each group its share of the side."""
        fronts = [docks[group[0]] for group in self.groups]
        _give_share(window, fronts, self.area, self.share)
        window.resizeDocks(fronts, list(self.weights), self.along)


def _groups(
    sides: Sequence[_Filled], docks: Mapping[str, QDockWidget]
) -> list[tuple[Qt.DockWidgetArea, list[str]]]:
    """Return the tabs of each place: the listed docks, then the others that belong there."""
    groups = [(side.area, list(group)) for side in sides for group in side.groups]
    placed = {name: group for _, group in groups for name in group}
    for dock in DOCKS:
        if dock.id not in docks or dock.id in placed:
            continue
        beside = placed.get(dock.tabbed_with or "")
        if beside is None:
            beside = next((group for area, group in groups if area == dock.area), None)
        if beside is None:
            beside = []
            groups.append((dock.area, beside))
        beside.append(dock.id)
        placed[dock.id] = beside
    return groups


def _give_share(
    window: QMainWindow, fronts: Sequence[QDockWidget], area: Qt.DockWidgetArea, share: float
) -> None:
    """Give a side its share of the window."""
    sideways = area in {_LEFT, _RIGHT}
    extent = window.width() if sideways else window.height()
    across = Qt.Orientation.Horizontal if sideways else Qt.Orientation.Vertical
    window.resizeDocks(list(fronts), [round(share * extent)] * len(fronts), across)
