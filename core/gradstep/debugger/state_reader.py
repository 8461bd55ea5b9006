"""StateReader: where breakpoints and watches get their values, now and at past Events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.activation_reader import ActivationReader
from gradstep.debugger.conditions.best_values import SinceBest
from gradstep.debugger.conditions.evaluation_context import (
    EvaluationContext,
    RecordedContext,
    logs_every_loss,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.debugger.cursor import Cursor
    from gradstep.history.history import History

__all__ = ["StateReader"]


class StateReader:
    """Gives the values of expressions at any moment of the current branch.

    Args:
        cursor: The live program's place in time; it always returns to where it was.
    """

    __slots__ = ("_context", "_cursor")

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._context = EvaluationContext(
            cursor.program,
            is_finding_new=self.is_finding_new,
            activations=ActivationReader(cursor),
            counts=SinceBest(lambda: cursor.history.log),
        )

    @property
    def history(self) -> History:
        """The History of the current branch."""
        return self._cursor.history

    @property
    def is_inside(self) -> bool:
        """Whether the program stands inside an Operation."""
        return self._cursor.walk is not None

    @property
    def logs_every_loss(self) -> bool:
        """Whether the Event log has the value of each loss."""
        return logs_every_loss(self.history)

    def is_finding_new(self, event: int) -> bool:
        """Whether a finding was first reported at an Event."""
        return event in self._cursor.monitor.first_events()

    def present(self) -> EvaluationContext:
        """Return the one live context, brought to the current moment."""
        return self._context_at(self._cursor.position)

    def seek(self, index: int) -> EvaluationContext:
        """Move the program to the moment after an Event, and return the context there."""
        self._cursor.seek(index)
        return self._context_at(index)

    def visit(
        self,
        indices: Sequence[int],
        look: Callable[[EvaluationContext], None],
        *,
        recorded: bool = False,
    ) -> None:
        """Look at moments of the current branch, and return to the present one.

        Args:
            indices: The Events after which to look, in this order.
            look: Called with the context at each of them.
            recorded: The Event log has all that is looked at; the program does not move.

        Raises:
            OperationError: There is no such Event on this branch.
        """
        if recorded:
            self._visit_log(indices, look)
            return
        if not indices:
            return
        cursor = self._cursor
        here, walk = cursor.position, cursor.walk
        try:
            for index in indices:
                look(self.seek(index))
        finally:
            cursor.seek(here)
            if walk is not None:
                cursor.reenter(walk)

    def _visit_log(self, indices: Sequence[int], look: Callable[[EvaluationContext], None]) -> None:
        context = RecordedContext(self._cursor.program, self.history, self.is_finding_new)
        for index in indices:
            self._cursor.check_event(index)
            context.move_to(index)
            look(context)

    def _context_at(self, position: int) -> EvaluationContext:
        context, history = self._context, self.history
        context.event = position
        context.applied = history.applied_event(position) if position else None
        metrics = context.program.spec.metrics
        context.last_loss = history.log.last_loss(position, metrics)
        return context
