"""Watch: an expression whose value is told at the present moment, and at any past one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from gradstep.debugger.conditions.condition import Query
from gradstep.debugger.conditions.moment import MISSING
from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from gradstep.debugger.conditions.moment import Moment
    from gradstep.history.history import History

__all__ = ["Travel", "Value", "Watch"]

Value: TypeAlias = "float | bool | NDArray[Any] | None"

SMALL = 64
"""Elements up to which an array is remembered too."""

REMEMBERED = 4096
"""Values of past moments that are kept; they never change."""


class Travel(Protocol):
    """What a watch asks of the Debugger that it belongs to."""

    @property
    def history(self) -> History:
        """The branch that is looked at."""

    @property
    def is_inside(self) -> bool:
        """Whether the present moment lies inside an Operation."""

    @property
    def tells_losses(self) -> bool:
        """Whether the Event log has each loss."""

    def moment(self) -> Moment:
        """Return the present moment."""

    def visit(
        self, indices: Sequence[int], look: Callable[[Moment], None], *, recorded: bool = False
    ) -> None:
        """Look at each of these moments in order; `recorded` tells that the Event log will do."""


class Watch:
    """A watched expression of a Debugger; `Debugger.watch` makes it.

    Args:
        number: Its number, for ever.
        expression: What is watched.
        travel: The way to moments.
        gone: Called with it when it is to go.

    Attributes:
        id: Its number.
        expression: What is watched.
        error: Why it cannot be computed at all; None when it can.
    """

    __slots__ = ("_branch", "_gone", "_known", "_query", "_travel", "error", "expression", "id")

    def __init__(
        self,
        number: int,
        expression: str,
        travel: Travel,
        gone: Callable[[Watch], None],
    ) -> None:
        self.id = number
        self._travel = travel
        self._gone = gone
        self._branch: History | None = None
        self._known: dict[int, Value] = {}
        self.become(expression)

    def __repr__(self) -> str:
        return f"Watch({self.id}, {self.expression!r})"

    def become(self, expression: str) -> None:
        """Watch something else from now on."""
        self.expression = expression
        self.error: ExpressionError | None = None
        self._known.clear()
        self._query: Query | None = None
        try:
            self._query = Query(expression, self._travel.moment())
        except ExpressionError as error:
            self.error = error

    def remove(self) -> None:
        """Watch it no more."""
        self._gone(self)

    @property
    def value(self) -> Value:
        """The value at the present moment: a number, a truth value, an array of its own, or None.

        Raises:
            ExpressionError: It cannot be computed.
        """
        return self._look(self._travel.moment())

    @property
    def before(self) -> Value:
        """The value before the last Event, or before the Operation that was entered.

        At the very start it is the present one.

        Raises:
            ExpressionError: It cannot be computed.
            ReplayError: A replay did not give what was recorded.
        """
        index = self.index_before
        return self.value if index is None else self.at(index)

    @property
    def index_before(self) -> int | None:
        """The moment at which the value was what it was before; None where that is this one."""
        moment, query = self._travel.moment(), self._query
        if self._travel.is_inside:
            return moment.event
        done = moment.done
        if done is None or query is None:
            return None
        touched = query.touched_by(done.operation, done.reads_writes)
        return moment.event - 1 if touched else None

    def is_known(self, event_index: int) -> bool:
        """Whether the value after an Event is remembered, or the Event log has it."""
        self._follow_branch()
        return event_index in self._known or self._is_in_the_log

    def at(self, event_index: int) -> Value:
        """Return the value after an Event; the debugger stays where it is.

        Args:
            event_index: The Event; 0 is the very start.

        Raises:
            ExpressionError: It cannot be computed there.
            OperationError: There is no such Event on this branch.
        """
        [(_, value)] = self.history((event_index,))
        return value

    def history(self, event_indices: Iterable[int]) -> list[tuple[int, Value]]:
        """Return the values after several Events, in one sweep; the debugger stays where it is.

        Args:
            event_indices: The Events, in any order.

        Returns:
            Pairs of an Event and the value after it, by Event. Values that were asked for before
            are remembered.

        Raises:
            ExpressionError: It cannot be computed at one of them.
            OperationError: There is no such Event on this branch.
        """
        wanted = sorted(set(event_indices))
        self._follow_branch()
        missing = [index for index in wanted if index not in self._known]
        found: dict[int, Value] = {}

        def look(moment: Moment) -> None:
            found[moment.event] = self._look(moment)

        self._travel.visit(missing, look, recorded=self._is_in_the_log)
        known = {**{index: self._known[index] for index in wanted if index in self._known}, **found}
        return [(index, known[index]) for index in wanted]

    @property
    def _is_in_the_log(self) -> bool:
        query = self._query
        return query is not None and query.is_in_the_log and self._travel.tells_losses

    def _look(self, moment: Moment) -> Value:
        if self.error is not None or self._query is None:
            raise self.error or ExpressionError(f"{self.expression!r} cannot be computed")
        value = _plain(self._query.value(moment))
        self._follow_branch()
        small = not isinstance(value, np.ndarray) or value.size <= SMALL
        keep = small and not self._travel.is_inside
        if keep and len(self._known) < REMEMBERED:
            self._known[moment.event] = value
        return value

    def _follow_branch(self) -> None:
        """Forget the values of another branch."""
        if self._branch is not self._travel.history:
            self._branch = self._travel.history
            self._known.clear()


def _plain(value: Any) -> Value:  # noqa: ANN401 - what a query gives
    if value is MISSING:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, np.ndarray) and value.ndim:
        return value.copy()
    return float(value)
