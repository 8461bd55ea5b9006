"""ActivationReader: the outputs of modules and layers at any moment of the current branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.debugger.conditions.condition import REPLACING
from gradstep.debugger.shadow_program import ShadowProgram
from gradstep.errors import ExpressionError, ReplayError
from gradstep.names import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from gradstep.debugger.cursor import Cursor
    from gradstep.history.history import History
    from gradstep.history.log.event_log import EventLog

__all__ = ["ActivationReader"]

MAX_KEPT_EVENTS = 2
"""Events whose activations are kept: those before and after a change."""


class ActivationReader:
    """Gives the outputs of layers, as the last Forward before a moment computed them.

    Nothing is recorded for it. While nothing that the Forward used has changed, the live program
    computes it again without side effects; otherwise a second program replays it.

    Args:
        cursor: The live program's place in time.
    """

    __slots__ = ("_cursor", "_kept", "_shadow")

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._kept: list[tuple[History, int, Mapping[str, NDArray[Any]]]] = []
        self._shadow: ShadowProgram | None = None

    def __call__(self, event: int, name: str, losses: Collection[str]) -> NDArray[Any] | None:
        """Return the output of a layer after an Event; None before the first Forward.

        Args:
            event: The Event, on the current branch.
            name: The full name of a module or layer.
            losses: The losses whose Forwards count.

        Raises:
            ExpressionError: One Step computed several losses with the layer, and the last of them
                is not in `losses`; or a replay did not reproduce what was recorded.
        """
        history = self._cursor.history
        forward = history.log.last(
            event, lambda _, found: not set(losses).isdisjoint(found.written_losses)
        )
        if forward is None:
            return None
        written = history.log.reads_writes(forward).written_losses
        users = self._cursor.program.activation_losses().get(name, ())
        last = [loss for loss in written if loss in users][-1]
        if last not in losses:
            raise ExpressionError(
                f"Event #{forward} computed {' and '.join(written)}, and {last} ran {name} last",
                f"write activation({quoted(name)}, {quoted(last)})",
            )
        return self._activations(history, event, forward, last).get(name)

    def _activations(
        self, history: History, event: int, forward: int, loss: str
    ) -> Mapping[str, NDArray[Any]]:
        for kept, index, found in self._kept:
            if kept is history and index == forward:
                return found
        computed = None
        if self._is_live(event) and _is_unchanged(history.log, forward, event):
            computed = self._cursor.program.last_activations(loss)
        found = self._replayed(history, forward) if computed is None else computed
        self._kept = [*self._kept, (history, forward, found)][-MAX_KEPT_EVENTS:]
        return found

    def _is_live(self, event: int) -> bool:
        """Whether the live program is at the moment after an Event."""
        return self._cursor.walk is None and self._cursor.position == event

    def _replayed(self, history: History, forward: int) -> Mapping[str, NDArray[Any]]:
        """Replay the Event that computed a loss, on a second program."""
        if self._shadow is None:
            self._shadow = ShadowProgram(self._cursor.program)
        shadow = self._shadow
        try:
            shadow.go(history, forward - 1)
        except ReplayError as error:
            raise ExpressionError(error.message, error.remedy) from None
        with (
            shadow.moved_by_caller(history, forward),
            shadow.program.capture_activations() as found,
        ):
            shadow.program.run(history.log.operation(forward))
        return found


def _is_unchanged(log: EventLog, forward: int, event: int) -> bool:
    """Whether no Event after a Forward wrote what it had read, not even through `.data`."""
    read = frozenset(log.reads_writes(forward).reads)
    if not read.isdisjoint(log.written_between(forward, event)):
        return False
    return not log.find(
        forward, event, operation=lambda operation: isinstance(operation, REPLACING)
    ).size
