"""FitRequests: asks what the model predicts for its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.worker import commands
from gradstep_gui.worker.updates import FitUpdate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.worker.debugger_host import DebuggerHost
    from gradstep_gui.worker.updates import Update

__all__ = ["FitRequests"]


class FitRequests(QObject):
    """Sends requests, which any later command drops, and receives the answers.

    Args:
        queue: Runs the requests.
        host: Answers during runs, unasked.
        parent: Its owner.

    Attributes:
        handlers: What to do with answers.
    """

    answered = Signal(object)
    """What the model predicts: a `Fit`."""

    def __init__(self, queue: CommandQueue, host: DebuggerHost, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self._host = host
        self._followed: str | None = None
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {
            FitUpdate: lambda update: self.answered.emit(update.fit)
        }

    def ask(self, loss: str) -> None:
        """Ask for the present moment; drops the request before.

        Args:
            loss: A loss among the `choices` of a Fit; empty for the first.
        """
        self._queue.request(
            self.tr("predict the data"),
            lambda debugger, stop: commands.read_fit(debugger, loss, stop),
            "fit",
        )

    def follow(self, loss: str | None) -> None:
        """Have it answered now and then during runs as well; None to stop that."""
        if loss != self._followed:
            self._followed = loss
            self._queue.want(self.tr("predict the data"), lambda: self._host.want_fit(loss))
