"""Watch: an expression, with its values at the current moment and at past ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.debugger.conditions.condition import Query
from gradstep.debugger.conditions.evaluation_context import MISSING
from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.debugger.state_reader import StateReader
    from gradstep.history.history import History

__all__ = ["Value", "Watch"]

Value: TypeAlias = "float | bool | NDArray[Any] | None"

MAX_CACHED_SIZE = 64
"""Elements up to which an array is cached too."""

MAX_CACHED_VALUES = 4096
"""Values of past moments in the cache; they never change."""


class Watch:
    """A watched expression of a Debugger; `Watches.add` makes it.

    Args:
        number: Its number, which never changes.
        expression: What is watched.
        reader: Gives the context at any moment.
        removed: Called with it to remove it.

    Attributes:
        id: Its number.
        expression: What is watched.
        error: Why its expression is wrong; None when it is not.
    """

    __slots__ = ("_branch", "_cached", "_query", "_reader", "_removed", "error", "expression", "id")

    def __init__(
        self,
        number: int,
        expression: str,
        reader: StateReader,
        removed: Callable[[Watch], None],
    ) -> None:
        self.id = number
        self._reader = reader
        self._removed = removed
        self._branch: History | None = None
        self._cached: dict[int, Value] = {}
        self.redefine(expression)

    def __repr__(self) -> str:
        return f"Watch({self.id}, {self.expression!r})"

    def redefine(self, expression: str) -> None:
        """Watch another expression from now on."""
        self.expression = expression
        self.error: ExpressionError | None = None
        self._cached.clear()
        self._query: Query | None = None
        try:
            self._query = Query(expression, self._reader.present())
        except ExpressionError as error:
            self.error = error

    def remove(self) -> None:
        """Remove it.

        Raises:
            OperationError: It was removed before.
        """
        self._removed(self)

    @property
    def value(self) -> Value:
        """The value at the current moment: a number, a truth value, an array of its own, or None.

        Raises:
            ExpressionError: It cannot be computed.
        """
        return self._look(self._reader.present())

    @property
    def before(self) -> Value:
        """The value before the last Event or, inside an Operation, before that Operation.

        At the start it is the current value.

        Raises:
            ExpressionError: It cannot be computed.
            ReplayError: A replay did not reproduce what was recorded.
        """
        index = self.index_before
        return self.value if index is None else self.at(index)

    @property
    def index_before(self) -> int | None:
        """The Event after which the value was `before`; None when it cannot have changed."""
        context, query = self._reader.present(), self._query
        if self._reader.is_inside:
            return context.event
        applied = context.applied
        if applied is None or query is None:
            return None
        touched = query.touched_by(applied.operation, applied.reads_writes)
        return context.event - 1 if touched else None

    def is_cached(self, event_index: int) -> bool:
        """Whether the value after an Event is cached, or the Event log has it."""
        self._follow_branch()
        return event_index in self._cached or self._is_in_the_log

    def at(self, event_index: int) -> Value:
        """Return the value after an Event; the debugger stays where it is.

        Args:
            event_index: The Event; 0 is the start.

        Raises:
            ExpressionError: It cannot be computed there.
            OperationError: There is no such Event on this branch.
        """
        [(_, value)] = self.history((event_index,))
        return value

    def history(self, event_indices: Iterable[int]) -> list[tuple[int, Value]]:
        """Return the values after several Events, in one pass; the debugger stays where it is.

        Args:
            event_indices: The Events, in any order.

        Returns:
            Pairs of an Event and the value after it, by Event. They are cached.

        Raises:
            ExpressionError: It cannot be computed at one of them.
            OperationError: There is no such Event on this branch.
        """
        wanted = sorted(set(event_indices))
        self._follow_branch()
        missing = [index for index in wanted if index not in self._cached]
        found: dict[int, Value] = {}

        def look(context: EvaluationContext) -> None:
            found[context.event] = self._look(context)

        self._reader.visit(missing, look, recorded=self._is_in_the_log)
        known = {
            **{index: self._cached[index] for index in wanted if index in self._cached},
            **found,
        }
        return [(index, known[index]) for index in wanted]

    @property
    def _is_in_the_log(self) -> bool:
        query = self._query
        return query is not None and query.is_in_the_log and self._reader.logs_every_loss

    def _look(self, context: EvaluationContext) -> Value:
        if self.error is not None or self._query is None:
            raise self.error or ExpressionError(f"{self.expression!r} cannot be computed")
        value = _plain(self._query.value(context))
        self._follow_branch()
        small = not isinstance(value, np.ndarray) or value.size <= MAX_CACHED_SIZE
        keep = small and not self._reader.is_inside
        if keep and len(self._cached) < MAX_CACHED_VALUES:
            self._cached[context.event] = value
        return value

    def _follow_branch(self) -> None:
        """Drop the values of another branch from the cache."""
        if self._branch is not self._reader.history:
            self._branch = self._reader.history
            self._cached.clear()


def _plain(value: Any) -> Value:  # noqa: ANN401 - the value of a query
    if value is MISSING:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, np.ndarray) and value.ndim:
        return value.copy()
    return float(value)
