"""Breakpoints and watches as the window has them, and the commands that change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep.debugger.conditions.indexed_address import expression_of
from gradstep.history.records.breakpoints import BreakpointSpec, Breaks
from gradstep_gui.worker.engine_worker import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.worker.engine import Engine
    from gradstep_gui.worker.engine_host import EngineHost

__all__ = ["BreakpointController"]


class BreakpointController(QObject):
    """The controller's part for breakpoints and watches; commands return at once.

    Args:
        host: The worker's side.
        submit: Puts a short task in the worker's queue.
        begin_long: Puts one there that can be stopped.
        parent: The controller.
    """

    changed = Signal(object)
    """Breakpoints or watches stand otherwise: a `Breaks`."""

    breakpoint_wanted = Signal()
    """The person wants to write a breakpoint."""

    watch_wanted = Signal()
    """The person wants to write a watch."""

    def __init__(
        self,
        host: EngineHost,
        submit: Callable[[str, Callable[[], None]], None],
        begin_long: Callable[[Task], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._host = host
        self._submit = submit
        self._begin_long = begin_long
        self._breaks = Breaks()

    @property
    def current(self) -> Breaks:
        """The breakpoints and watches, and why the last run stopped."""
        return self._breaks

    def take(self, breaks: Breaks | None) -> None:
        """Take over what the worker has told; None when nothing is new."""
        if breaks is not None:
            self._breaks = breaks
            self.changed.emit(breaks)

    def set_breakpoint(self, spec: BreakpointSpec, number: int | None = None) -> None:
        """Set a breakpoint, or let one do something else."""
        self._edit(self.tr("set a breakpoint"), lambda dbg: dbg.set_breakpoint(spec, number))

    def remove_breakpoint(self, number: int) -> None:
        """Take a breakpoint away."""
        self._edit(self.tr("remove a breakpoint"), lambda dbg: dbg.remove_breakpoint(number))

    def set_watch(self, expression: str, number: int | None = None) -> None:
        """Watch an expression, or let a watch look at another."""
        self._edit(self.tr("watch an expression"), lambda dbg: dbg.set_watch(expression, number))

    def remove_watch(self, number: int) -> None:
        """Watch something no more."""
        self._edit(self.tr("remove a watch"), lambda dbg: dbg.remove_watch(number))

    def watch_place(self, place: str) -> None:
        """Watch what stands at an address, such as "optimizer/x/exp_avg", or at one element."""
        self.set_watch(expression_of(place))

    def break_on_change(self, place: str) -> None:
        """Let runs stop where what stands at an address, or at one element, changes."""
        self.set_breakpoint(BreakpointSpec(f'changed("{place}")'))

    def run_back(self) -> None:
        """Go back to the last moment at which a breakpoint is hit."""
        self._begin_long(Task(self.tr("run back"), self._host.run_back, kind="replaying"))

    def who_changed(self, address: str) -> None:
        """Go to the Event that wrote a value last."""
        title = self.tr("find who changed {0}").format(address)
        self._begin_long(
            Task(title, lambda stop: self._host.who_changed(address, stop), kind="replaying")
        )

    def _edit(self, title: str, edit: Callable[[Engine], object]) -> None:
        self._submit(title, lambda: self._host.edit_breaks(edit))
