"""The base of all docks: they follow the controller, and pause while hidden."""

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
    """The widget of a dock, which renders each Snapshot while it is visible.

    A hidden view (a tab behind another) requests no arrays and renders nothing; it catches up
    when it is shown. While a program runs, or the user drags the timeline, a view renders ten
    Snapshots a second, because people cannot read faster, and each view draws in its own turn of
    the event loop; the last Snapshot is rendered as soon as that ends.

    Args:
        controller: The controller.
        key: The name under which it requests arrays.
    """

    value_menu_requested = Signal(str, tuple, QPoint)
    """The context menu of a value is wanted: its address, the index of an element or an empty tuple
    for the whole, and the place on the screen."""

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
        """Render a Snapshot; each view implements it."""
        raise NotImplementedError(type(self).__name__)

    @property
    def is_seen(self) -> bool:
        """Whether it is visible, and not a tab behind another."""
        return self.isVisible() and self._in_front

    @Slot(bool)
    def come_to_front(self, in_front: bool) -> None:
        """Note that its dock came to the front of its tabs, or went behind another.

        Qt keeps a tab behind another visible, and moves it out of the window.
        """
        self._in_front = in_front
        self._look()

    def want(self, addresses: Collection[str]) -> None:
        """Request whole arrays by address, from the next Snapshot on."""
        self._wanted = tuple(addresses)
        if self.is_seen:
            self.controller.set_wanted(self._key, self._wanted)

    def showEvent(self, event: QShowEvent) -> None:
        """Render the current Snapshot."""
        super().showEvent(event)
        self._look()

    def hideEvent(self, event: QHideEvent) -> None:
        """Release the requested arrays."""
        self.controller.set_wanted(self._key, ())
        super().hideEvent(event)

    def _look(self) -> None:
        """Request or release the arrays, and catch up."""
        self.controller.set_wanted(self._key, self._wanted if self.is_seen else ())
        self._catch_up()

    @Slot()
    def _take(self) -> None:
        """Render a new Snapshot at once, or during a run after the pause."""
        if not self.controller.state.changes_rapidly:
            self._catch_up()
        elif not self._pause.isActive() and self._has_news:
            self._pause.start()
            self.controller.in_turn(self._catch_up)

    @Slot()
    def _state_changed(self) -> None:
        if self._pause.isActive() and not self.controller.state.changes_rapidly:
            self._pause.stop()
            self.controller.in_turn(self._catch_up)

    @property
    def _has_news(self) -> bool:
        """Whether it is visible and its Snapshot is outdated."""
        snapshot = self.controller.snapshot
        return self.is_seen and snapshot is not None and snapshot is not self._rendered

    @Slot()
    def _catch_up(self) -> None:
        snapshot = self.controller.snapshot
        if self._has_news and snapshot is not None:
            self._rendered = snapshot
            self.render(snapshot)


class BreaksDockView(DockView):
    """A view of breakpoints or watches, which also change without a new Snapshot.

    Args:
        controller: The controller.
        key: The name under which it requests arrays.
    """

    def __init__(self, controller: ViewModel, key: str, parent: QWidget | None = None) -> None:
        super().__init__(controller, key, parent)
        self._shown_breaks: Breaks | None = None
        controller.breakpoints.changed.connect(self._take)

    def show_breaks(self, breaks: Breaks) -> None:
        """Render breakpoints and watches; each view implements it."""
        raise NotImplementedError(type(self).__name__)

    def render(self, _snapshot: Snapshot) -> None:  # type: ignore[override]
        """Render breakpoints and watches for a new Snapshot."""
        self._shown_breaks = self.controller.breakpoints.current
        self.show_breaks(self._shown_breaks)

    @property
    def _has_news(self) -> bool:
        current = self.controller.breakpoints.current
        return super()._has_news or (self.is_seen and current is not self._shown_breaks)

    @Slot()
    def _catch_up(self) -> None:
        super()._catch_up()
        if self._has_news:
            self._shown_breaks = self.controller.breakpoints.current
            self.show_breaks(self._shown_breaks)
