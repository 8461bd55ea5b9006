"""LandscapeController: asks for landscapes slice by slice, and receives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.worker import commands
from gradstep_gui.worker.updates import (
    LandscapeArrowsUpdate,
    LandscapeMomentUpdate,
    LandscapePlanUpdate,
    LandscapeUpdate,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gradstep.history.records.landscape import LandscapeMoment, LandscapeRequest
    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.worker.debugger_host import DebuggerHost
    from gradstep_gui.worker.updates import Update
    from gradstep_gui.worker.worker_thread import Task

__all__ = ["LandscapeController"]


class LandscapeController(QObject):
    """The controller's part for landscapes; its commands return at once.

    Each slice is a task of its own, so that whatever else is asked is done between two of them.

    Args:
        queue: Runs the commands.
        host: Posts the place of each moment, and the progress of replays.
        parent: Its owner.

    Attributes:
        moment: Where the present moment is in the landscape; None where there is none.
        handlers: What to do with each kind of update about the place of moments.
        answers: The same for what was asked, which comes after the moment itself.
    """

    computed = Signal(object)
    """A slice was computed: a `Landscape`."""

    planned = Signal(object)
    """What a landscape would take: a `LandscapePlan`."""

    arrows_found = Signal(object)
    """The last gradient and the last Step: `LandscapeArrows`."""

    moved = Signal()
    """The place of the present moment has come, before the moment itself."""

    def __init__(self, queue: CommandQueue, host: DebuggerHost, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self._host = host
        self._turn = 0
        self._slice: Task | None = None
        self._arrows: Task | None = None
        self.moment: LandscapeMoment | None = None
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {
            LandscapeMomentUpdate: self._take_moment
        }
        self.answers: Mapping[type[Update], Callable[[Any], None]] = {
            LandscapeUpdate: self._take_slice,
            LandscapePlanUpdate: lambda update: self.planned.emit(update.plan),
            LandscapeArrowsUpdate: lambda update: self.arrows_found.emit(update.arrows),
        }

    def set_wanted(self, wanted: bool) -> None:
        """Set whether the place of each moment is wanted."""
        self._queue.want(
            self.tr("find the moment in the landscape"),
            lambda: self._host.want_landscape(wanted=wanted),
        )

    def plan(self, request: LandscapeRequest) -> None:
        """Ask what a landscape would take."""
        self._queue.query(
            self.tr("plan the landscape"),
            lambda debugger, stop: commands.plan_landscape(debugger, request, stop),
        )

    def compute(self, request: LandscapeRequest) -> None:
        """Compute a landscape around the present moment; drops the one before."""
        self.cancel()
        turn = self._turn
        self._slice = self._queue.query(
            self.tr("compute the landscape"),
            lambda debugger, stop: commands.begin_landscape(debugger, request, turn, stop),
        )

    def cancel(self) -> None:
        """Compute no more of the landscape."""
        self._turn += 1
        if self._slice is not None:
            self._slice.stop.set()
            self._slice = None

    def find_arrows(self) -> None:
        """Ask for the last gradient and the last Step; drops the request before."""
        if self._arrows is not None:
            self._arrows.stop.set()
        self._arrows = self._queue.query(
            self.tr("find the last step in the landscape"), commands.find_arrows
        )

    def start_elsewhere(self, point: tuple[float, float], *, now: bool = False) -> None:
        """Ask what if the run had begun at a point, or moved there after the present event."""
        self._queue.begin(
            self.tr("replay the what-if"),
            "replaying",
            lambda debugger, stop: commands.start_elsewhere(
                debugger, point, self._host.progress, stop, now=now
            ),
        )

    def _take_moment(self, update: LandscapeMomentUpdate) -> None:
        self.moment = update.moment
        self.moved.emit()

    def _take_slice(self, update: LandscapeUpdate) -> None:
        if update.turn != self._turn:
            return
        found, turn = update.landscape, self._turn
        self._slice = None
        if not found.is_complete and not found.obstacle:
            self._slice = self._queue.query(
                self.tr("compute the landscape"),
                lambda debugger, stop: commands.advance_landscape(
                    debugger, found.request, turn, stop
                ),
            )
        self.computed.emit(found)
