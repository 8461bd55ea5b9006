"""ExplainRequests: asks why a tensor has its value, one request at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.worker import commands
from gradstep_gui.worker.updates import ExplainUpdate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.worker.updates import Update

__all__ = ["ExplainRequests"]


class ExplainRequests(QObject):
    """Sends explain requests, which any later command drops, and receives the answers.

    Args:
        queue: Runs the requests.
        select: Selects a tensor in all views.
        parent: Its owner.

    Attributes:
        handlers: What to do with answers.
    """

    answered = Signal(object)
    """The answer to the last request: an `ExplainAnswer`."""

    wanted = Signal()
    """The user wants to read the explanation of the selected tensor."""

    def __init__(self, queue: CommandQueue, select: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self._select = select
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {
            ExplainUpdate: lambda update: self.answered.emit(update.answer)
        }

    def ask(self, tensor: str) -> None:
        """Ask why a tensor has its current value; drops the request before."""
        self._queue.request(
            self.tr("explain {0}").format(tensor),
            lambda debugger, stop: commands.explain(debugger, tensor, stop),
        )

    def raise_for(self, tensor: str) -> None:
        """Select a tensor, and bring its explanation to the front."""
        self._select(tensor)
        self.wanted.emit()
