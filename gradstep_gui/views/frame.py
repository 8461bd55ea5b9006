"""What all docks have in common: they follow the controller, and rest while nobody sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Collection

    from PySide6.QtGui import QHideEvent, QShowEvent

    from gradstep.history.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["View"]


class View(QWidget):
    """A dock's widget: takes each Snapshot, and shows it when it can be seen.

    A hidden view (a tab behind another) asks for no arrays and renders nothing; it catches up
    when it is shown.

    Args:
        controller: Where Snapshots come from and wishes go to.
        key: Its name towards the controller.
    """

    def __init__(self, controller: ViewModel, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self._key = key
        self._wanted: tuple[str, ...] = ()
        self._rendered: Snapshot | None = None
        controller.snapshot_changed.connect(self._take)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a moment. Each view has its own."""
        raise NotImplementedError(type(self).__name__)

    def want(self, addresses: Collection[str]) -> None:
        """Ask for whole arrays by address, from the next Snapshot on."""
        self._wanted = tuple(addresses)
        if self.isVisible():
            self.controller.set_wanted(self._key, self._wanted)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened meanwhile."""
        super().showEvent(event)
        self.controller.set_wanted(self._key, self._wanted)
        snapshot = self.controller.snapshot
        if snapshot is not None and snapshot is not self._rendered:
            self._take(snapshot)

    def hideEvent(self, event: QHideEvent) -> None:
        """Let go of the arrays."""
        self.controller.set_wanted(self._key, ())
        super().hideEvent(event)

    @Slot(object)
    def _take(self, snapshot: Snapshot) -> None:
        if self.isVisible():
            self._rendered = snapshot
            self.render(snapshot)
