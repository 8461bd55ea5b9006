"""OtherOperations: the menu of Operations besides the four buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from gradstep_gui.views.labels import operation_target, operation_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from gradstep.program.listing import Listing
    from gradstep.program.operation import Operation
    from gradstep_gui.controller import Controller
    from gradstep_gui.records import State

__all__ = ["OtherOperations"]


class OtherOperations(QMenu):
    """Offers clipping, freezing, modes and the like, each kind in a submenu.

    Args:
        controller: Applies them.
        parent: Its owner.
    """

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

    def _enable(self, state: State) -> None:
        self.setEnabled(state.work == "paused" and not self.isEmpty())
