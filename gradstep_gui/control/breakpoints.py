"""BreakpointController: breakpoints and watches, and the commands that change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep.history.records.breakpoints import BreakpointSpec, Breaks
from gradstep.names import quoted
from gradstep_gui.worker import commands
from gradstep_gui.worker.updates import BreaksUpdate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.worker.updates import Update

__all__ = ["BreakpointController"]


class BreakpointController(QObject):
    """The controller's part for breakpoints and watches; its commands return at once.

    Args:
        queue: Runs the commands.
        parent: Its owner.

    Attributes:
        current: The breakpoints and watches, and why the last run stopped.
        handlers: What to do with updates about them.
    """

    changed = Signal(object)
    """Breakpoints, watches or the reason of the last stop have changed: a `Breaks`."""

    breakpoint_requested = Signal()
    """The user wants to write a breakpoint."""

    watch_requested = Signal()
    """The user wants to write a watch."""

    def __init__(self, queue: CommandQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self.current = Breaks()
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {BreaksUpdate: self._take}

    def set_breakpoint(self, spec: BreakpointSpec, number: int | None = None) -> None:
        """Add a breakpoint, or change breakpoint `number`."""
        self._queue.submit(
            self.tr("set a breakpoint"), lambda debugger: debugger.breakpoints.put(spec, number)
        )

    def remove_breakpoint(self, number: int) -> None:
        """Remove a breakpoint."""
        self._queue.submit(
            self.tr("remove a breakpoint"), lambda debugger: debugger.breakpoints.remove(number)
        )

    def break_on_change(self, place: str) -> None:
        """Break where the value at an address, or one element of it, changes."""
        self.set_breakpoint(BreakpointSpec(f"changed({quoted(place)})"))

    def set_watch(self, expression: str, number: int | None = None) -> None:
        """Add a watch, or change the expression of watch `number`."""
        self._queue.submit(
            self.tr("set a watch"), lambda debugger: debugger.watches.put(expression, number)
        )

    def watch_place(self, place: str) -> None:
        """Watch the value at an address, such as "optimizer/x/exp_avg", or one element of it."""
        self._queue.submit(
            self.tr("set a watch"), lambda debugger: commands.watch_place(debugger, place)
        )

    def remove_watch(self, number: int) -> None:
        """Remove a watch."""
        self._queue.submit(
            self.tr("remove a watch"), lambda debugger: debugger.watches.remove(number)
        )

    def run_back(self) -> None:
        """Go back to the last moment at which a breakpoint is hit."""
        self._queue.begin(
            self.tr("run back"),
            "replaying",
            lambda debugger, stop: debugger.run_back(should_stop=stop),
        )

    def who_changed(self, address: str) -> None:
        """Go to the Event that last wrote a value."""
        self._queue.begin(
            self.tr("find who changed {0}").format(address),
            "replaying",
            lambda debugger, stop: commands.go_to_last_writer(debugger, address, stop),
        )

    def _take(self, update: BreaksUpdate) -> None:
        self.current = update.breaks
        self.changed.emit(update.breaks)
