"""HistorySearch: where in the recorded past breakpoints hit, with as little replay as possible.

Conditions that the Event log can answer are evaluated on the log. For the others the program is
brought to the moments that matter only: those after (or before) the right kind of Operation, and
for data breakpoints those whose Event wrote the value. Going back, each stretch between Checkpoints
is replayed once, forwards, and its last hit counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from gradstep.debugger.breakpoints.evaluation_points import KINDS
from gradstep.debugger.breakpoints.live_checker import holds
from gradstep.debugger.conditions.evaluation_context import RecordedContext, logs_every_loss
from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.debugger.conditions.condition import Condition
    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.history.history import History
    from gradstep.program.operation import Operation
    from gradstep.program.program import Program

__all__ = ["HistorySearch", "Hit"]

_Due: TypeAlias = "list[tuple[Breakpoint, Operation | None]]"
_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Hit:
    """A past moment at which the condition of a breakpoint holds.

    Attributes:
        event: The index of the last Event.
        point: The breakpoint.
        before: The next Operation, when the breakpoint is evaluated before that one.
        holder: The parameter for which it holds; empty when it names no `data`, `grad` or `buf`.
    """

    event: int
    point: Breakpoint
    before: Operation | None
    holder: str


class HistorySearch:
    """Finds the hits of breakpoints on one branch.

    Args:
        program: The live program.
        history: The branch.
        points: The breakpoints.
        is_finding_new: Returns whether a finding was first reported at an Event.
        seek: Moves the program to the moment after an Event, and returns the context there.
    """

    def __init__(
        self,
        program: Program,
        history: History,
        points: Sequence[Breakpoint],
        is_finding_new: Callable[[int], bool],
        seek: Callable[[int], EvaluationContext],
    ) -> None:
        self._history = history
        self._points = points
        self._seek = seek
        self._recorded = RecordedContext(program, history, is_finding_new)
        self._logs_every_loss = logs_every_loss(history)

    def back(self, position: int, should_stop: Callable[[], bool]) -> Hit | None:
        """Return the last hit before a moment; None when there is none.

        Args:
            position: The Event of that moment.
            should_stop: Called from time to time; True ends the search.
        """
        recorded = [point for point in self._points if self._is_recorded(point)]
        found: Hit | None = None
        for index, due in reversed(self._evaluations(recorded, -1, position - 1)):
            hits = self._evaluate(index, due)
            if hits or should_stop():
                found = hits[0] if hits else None
                break
        live = [point for point in self._points if not self._is_recorded(point)]
        for start, stop in self._stretches(-1 if found is None else found.event, position):
            last: tuple[Hit, ...] = ()
            for hits in self.hits(live, start, stop):
                last = hits or last
                if should_stop():
                    return None
            if last:
                return last[0]
        return found

    def hits(
        self, points: Sequence[Breakpoint], after: int, up_to: int
    ) -> Iterator[tuple[Hit, ...]]:
        """Go through the moments `after + 1` to `up_to` that matter, and give the hits of each.

        Args:
            points: What is due.
            after: The context before the first.
            up_to: The last context.
        """
        for index, due in self._evaluations(points, after, up_to):
            yield self._evaluate(index, due)

    def _evaluate(self, index: int, due: _Due) -> tuple[Hit, ...]:
        context: EvaluationContext
        if all(self._is_recorded(point) for point, _ in due):
            context = self._recorded
            self._recorded.move_to(index)
        else:
            remembering = [point for point, _ in due if _condition(point).remembers]
            if remembering and index:
                self._seek(index - 1)
                for point in remembering:
                    _remember(point)
            context = self._seek(index)
        return tuple(
            Hit(index, point, before, point.holder)
            for point, before in due
            if holds(point, context)
        )

    def _is_recorded(self, point: Breakpoint) -> bool:
        """Whether the Event log alone answers it; a log line may need the state."""
        return self._logs_every_loss and _condition(point).is_in_the_log and point.template is None

    def _stretches(self, low: int, position: int) -> Iterator[tuple[int, int]]:
        """Give the moments `low + 1` to `position - 1` in stretches between Checkpoints."""
        stop = position - 1
        while stop > low:
            start = max(low, self._history.nearest(stop - 1).index) if stop else -1
            yield start, stop
            stop = start

    def _evaluations(
        self, points: Sequence[Breakpoint], after: int, up_to: int
    ) -> list[tuple[int, _Due]]:
        due: dict[int, _Due] = {}
        log = self._history.log
        for point in points:
            for index in self._before(point, after, up_to):
                due.setdefault(index, []).append((point, log.operation(index + 1)))
            for index in self._after(point, after, up_to):
                due.setdefault(index, []).append((point, None))
        return sorted(due.items())

    def _before(self, point: Breakpoint, after: int, up_to: int) -> list[int]:
        """Return the moments after which an Operation comes that the breakpoint is due before."""
        if not point.before:
            return []
        log = self._history.log
        found = log.find(
            after + 1, min(up_to + 1, len(log)), operation=lambda item: _is_due(point, item, True)
        )
        return [index - 1 for index in found.tolist()]

    def _after(self, point: Breakpoint, after: int, up_to: int) -> list[int]:
        condition, log = _condition(point), self._history.log
        found: list[int] = log.find(
            max(after, 0),
            up_to,
            operation=lambda item: _is_due(point, item, False),
            outcome=None if condition.is_about_the_event else lambda outcome: outcome.ok,
        ).tolist()
        if condition.only_changed:
            return [
                index
                for index in found
                if condition.touched_by(log.operation(index), log.reads_writes(index))
            ]
        return found


def _is_due(point: Breakpoint, operation: Operation, before: bool) -> bool:
    return point.is_evaluated(_NAMES[type(operation)], before=before)


def _condition(point: Breakpoint) -> Condition:
    condition = point.condition
    if condition is None:
        raise RuntimeError(f"{point} is searched for, but cannot be evaluated")
    return condition


def _remember(point: Breakpoint) -> None:
    try:
        _condition(point).remember()
    except ExpressionError as error:
        point.error = error
