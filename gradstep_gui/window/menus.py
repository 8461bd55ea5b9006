"""Menus made at run time: other Operations, and the context menus of tensors and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMenu

from gradstep.program.operation import ClipGradNorm, ClipGradValue, SetBatchSize
from gradstep_gui.action_ids import ActionId, ViewId
from gradstep_gui.actions.breakpoints import TENSOR_ACTIONS
from gradstep_gui.actions.enabled_when import past, paused
from gradstep_gui.views.labels import operation_target, operation_title

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QWidget

    from gradstep.program.listing import Listing
    from gradstep.program.operation import Operation
    from gradstep_gui.controller import Controller
    from gradstep_gui.records import State

__all__ = ["OtherOperationsMenu", "PlaceMenu"]


class PlaceMenu(QObject):
    """Makes context menus.

    Args:
        window: Their owner.
        controller: Runs what is chosen.
        actions: The QActions by id.
        show_view: Brings a dock to the front.
    """

    def __init__(
        self,
        window: QWidget,
        controller: Controller,
        actions: Mapping[str, QAction],
        show_view: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._actions = actions
        self._show_view = show_view

    def pop_up_tensor(self, place: QPoint) -> None:
        """Show the menu of the selected tensor."""
        if self._controller.selected:
            self.of_tensor().popup(place)

    def pop_up(self, address: str, index: tuple[int, ...], place: QPoint) -> None:
        """Show the menu of an address, and with an index of one element there."""
        if address:
            self.of_place(address, index).popup(place)

    def of_tensor(self) -> QMenu:
        """Return the menu of the selected tensor."""
        menu = self._titled(self._controller.selected)
        menu.addAction(self._actions[ActionId.SHOW_EXPLAIN])
        menu.addSeparator()
        menu.addActions([self._actions[action.id] for action in TENSOR_ACTIONS])
        return menu

    def of_place(self, address: str, index: tuple[int, ...] = ()) -> QMenu:
        """Return the menu of an address, and with an index of one element there."""
        if not index:
            menu = self._titled(address)
            self._offer(menu, address)
            return menu
        element = f"{address}[{', '.join(map(str, index))}]"
        menu = self._titled(element)
        self._offer(menu, element)
        menu.addSeparator()
        menu.addAction(address).setEnabled(False)
        menu.addSeparator()
        self._offer(menu, address)
        return menu

    def _titled(self, title: str) -> QMenu:
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(title).setEnabled(False)
        menu.addSeparator()
        return menu

    def _offer(self, menu: QMenu, place: str) -> None:
        breaks, state = self._controller.breakpoints, self._controller.state
        entries = (
            (self.tr("Watch"), breaks.watch_place, ViewId.WATCHES, paused),
            (self.tr("Break When It Changes"), breaks.break_on_change, ViewId.BREAKPOINTS, paused),
            (self.tr("Who Changed It?"), breaks.who_changed, "", past),
        )
        for title, do, view, possible in entries:
            entry = menu.addAction(title)
            entry.setEnabled(possible(state))
            entry.triggered.connect(
                lambda _checked=False, do=do, view=view: self._do(do, place, view)
            )

    def _do(self, do: Callable[[str], None], place: str, view: str) -> None:
        do(place)
        if view:
            self._show_view(view)


class OtherOperationsMenu(QMenu):
    """Offers clipping, freezing, modes and the like, each kind in a submenu.

    Args:
        controller: Applies them.
        parent: Its owner.
    """

    value_requested = Signal(object)
    """The user wants to type the value of an Operation, which proposes one."""

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Other Operatio&ns"))
        self.setObjectName("menu.other_operations")
        self._controller = controller
        self.setEnabled(False)
        controller.listing_changed.connect(self._follow)
        controller.state_changed.connect(self._enable)

    def _follow(self, listing: Listing) -> None:
        for entry in self.actions():
            self.removeAction(entry)
            entry.menu().deleteLater()
        kinds: dict[str, list[Operation]] = {}
        for operation in listing.others:
            kinds.setdefault(operation_title(operation), []).append(operation)
        for title, operations in kinds.items():
            self._add_kind(title, operations)
        self._enable(self._controller.state)

    def _add_kind(self, title: str, operations: Sequence[Operation]) -> None:
        menu = self.addMenu(title)
        for operation in operations:
            entry = menu.addAction(operation_target(operation))
            entry.triggered.connect(
                lambda _checked=False, chosen=operation: self._controller.apply(chosen)
            )
        proposed: dict[str, Operation] = {}
        for operation in operations:
            if isinstance(operation, (ClipGradNorm, ClipGradValue)):
                proposed.setdefault(self.tr("{0} to…").format(operation.optimizer), operation)
            elif isinstance(operation, SetBatchSize):
                proposed.setdefault(self.tr("{0}: Other…").format(operation.data), operation)
        if proposed:
            menu.addSeparator()
        for name, operation in proposed.items():
            menu.addAction(name).triggered.connect(
                lambda _checked=False, chosen=operation: self.value_requested.emit(chosen)
            )

    def _enable(self, state: State) -> None:
        why_not = state.abilities.edit
        self.setEnabled(state.work == "paused" and not self.isEmpty() and not why_not)
        self.menuAction().setToolTip(why_not or self.title().replace("&", ""))
