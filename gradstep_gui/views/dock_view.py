"""What all docks have in common: they follow the controller, and rest while nobody sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Collection

    from PySide6.QtGui import QHideEvent, QShowEvent

    from gradstep.history.records.breakpoints import Breaks
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["BreaksDockView", "DockView"]

_PAUSE_MS = 100


class DockView(QWidget):
    """A dock's widget: takes each Snapshot, and shows it when it can be seen.

    A hidden view (a tab behind another) asks for no arrays and renders nothing; it catches up
    when it is shown. While a program runs freely, or a person drags the time line, a view shows ten
    moments a second, as nobody reads numbers that change faster, and each view has its turn of the
    event loop; the last moment is shown as soon as that ends.

    Args:
        controller: Where Snapshots come from and wishes go to.
        key: Its name towards the controller.
    """

    place_pointed = Signal(str, tuple, QPoint)
    """The person asks what can be done with a value: its address, the index of one element of it or
    an empty one for the whole, and where on the screen."""

    def __init__(self, controller: ViewModel, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self._key = key
        self._wanted: tuple[str, ...] = ()
        self._rendered: Snapshot | None = None
        self._in_front = True
        self._pause = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._take)
        controller.snapshot_changed.connect(self._take)
        controller.state_changed.connect(self._state_changed)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a moment. Each view has its own."""
        raise NotImplementedError(type(self).__name__)

    @property
    def is_seen(self) -> bool:
        """Whether it is shown, and not as a tab behind another."""
        return self.isVisible() and self._in_front

    @Slot(bool)
    def come_to_front(self, in_front: bool) -> None:
        """Take note that its dock has come before the others of its place, or gone behind one.

        Qt leaves a tab that is behind another visible, and moves it out of sight.
        """
        self._in_front = in_front
        self._look()

    def want(self, addresses: Collection[str]) -> None:
        """Ask for whole arrays by address, from the next Snapshot on."""
        self._wanted = tuple(addresses)
        if self.is_seen:
            self.controller.set_wanted(self._key, self._wanted)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened meanwhile."""
        super().showEvent(event)
        self._look()

    def hideEvent(self, event: QHideEvent) -> None:
        """Let go of the arrays."""
        self.controller.set_wanted(self._key, ())
        super().hideEvent(event)

    def _look(self) -> None:
        """Ask for the arrays, or let go of them, and catch up."""
        self.controller.set_wanted(self._key, self._wanted if self.is_seen else ())
        self._catch_up()

    @Slot()
    def _take(self) -> None:
        """Show what is new at once, or in a hurry when the pause is over."""
        if not self.controller.state.hurried:
            self._catch_up()
        elif not self._pause.isActive() and self._has_news:
            self._pause.start()
            self.controller.in_turn(self._catch_up)

    @Slot()
    def _state_changed(self) -> None:
        if self._pause.isActive() and not self.controller.state.hurried:
            self._pause.stop()
            self.controller.in_turn(self._catch_up)

    @property
    def _has_news(self) -> bool:
        """Whether it is seen, and there is another moment than the one it shows."""
        snapshot = self.controller.snapshot
        return self.is_seen and snapshot is not None and snapshot is not self._rendered

    @Slot()
    def _catch_up(self) -> None:
        snapshot = self.controller.snapshot
        if self._has_news and snapshot is not None:
            self._rendered = snapshot
            self.render(snapshot)


class BreaksDockView(DockView):
    """A view of breakpoints or watches, which change without another moment too.

    Args:
        controller: Where they come from and wishes go to.
        key: Its name towards the controller.
    """

    def __init__(self, controller: ViewModel, key: str, parent: QWidget | None = None) -> None:
        super().__init__(controller, key, parent)
        self._stood: Breaks | None = None
        controller.breakpoints.changed.connect(self._take)

    def show_breaks(self, breaks: Breaks) -> None:
        """Show how breakpoints and watches stand. Each view has its own."""
        raise NotImplementedError(type(self).__name__)

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show what goes with another moment."""
        self._stood = self.controller.breakpoints.current
        self.show_breaks(self._stood)

    @property
    def _has_news(self) -> bool:
        stands = self.controller.breakpoints.current
        return super()._has_news or (self.is_seen and stands is not self._stood)

    @Slot()
    def _catch_up(self) -> None:
        super()._catch_up()
        if self._has_news:
            self._stood = self.controller.breakpoints.current
            self.show_breaks(self._stood)
