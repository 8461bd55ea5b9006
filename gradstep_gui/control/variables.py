"""VariableRequests: asks for the variables of a script that is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.worker.updates import ValuesUpdate, VariablesUpdate

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.worker.updates import Update

__all__ = ["VariableRequests"]


class VariableRequests(QObject):
    """Sends requests for variables, and receives the answers.

    Args:
        queue: Runs the requests.
        parent: Its owner.

    Attributes:
        handlers: What to do with answers.
    """

    answered = Signal(object)
    """The answer to the last request for variables: `HeldVariables`."""

    values_answered = Signal(object)
    """The answer to the last request for a tensor: `TensorValues`."""

    def __init__(self, queue: CommandQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {
            VariablesUpdate: lambda update: self.answered.emit(update.variables),
            ValuesUpdate: lambda update: self.values_answered.emit(update.values),
        }

    def ask(self, frame: int, opened: Collection[str] = ()) -> None:
        """Ask for the variables of a frame, 0 for the innermost, and for what some hold."""
        self._queue.query(
            self.tr("read variables"),
            lambda debugger, _: VariablesUpdate(debugger.variables.read(frame, opened)),
        )

    def ask_values(self, address: str, shape: tuple[int, ...]) -> None:
        """Ask for the values of a tensor of a shape, at most the first of them."""
        self._queue.query(
            self.tr("read {0}").format(address),
            lambda debugger, _: ValuesUpdate(debugger.variables.values(address, shape)),
        )
