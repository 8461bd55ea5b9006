"""HistorySearch: where in the recorded past breakpoints hit, with as little replay as possible.

Conditions that the Event log can answer are evaluated on the log. For the others the program is
moved only to the moments that matter: those after (or before) the right kind of Operation, whose
Event wrote what the condition reads. Going back, each stretch between Checkpoints is replayed once,
forwards, and its last hit counts. Before a stretch, a breakpoint that stops where its condition
becomes true is evaluated where that was last due.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gradstep.debugger.breakpoints.breakpoint import LastCheck
from gradstep.debugger.breakpoints.evaluation_points import KINDS
from gradstep.debugger.breakpoints.live_checker import holds, is_hit
from gradstep.debugger.conditions.condition import REPLACING
from gradstep.debugger.conditions.evaluation_context import RecordedContext, logs_every_loss
from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.debugger.conditions.condition import Condition
    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.records.event import Outcome
    from gradstep.program.operation import Operation

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
        program: Debuggee,
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
        found: Hit | None = None
        for point in filter(self._is_recorded, self._points):
            low = -1 if found is None else found.event
            found = self._last_recorded(point, low, position, should_stop) or found
            if should_stop():
                return None
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
            points: The breakpoints to evaluate.
            after: The context before the first.
            up_to: The last context.
        """
        self.update_last_checks(points, after)
        for index, due in self._evaluations(points, after, up_to):
            yield self._evaluate(index, due)

    def update_last_checks(self, points: Sequence[Breakpoint], position: int) -> None:
        """Evaluate breakpoints that wait for a change where they were last due before a moment.

        Args:
            points: The breakpoints.
            position: The Event of that moment.
        """
        serial = self._history.log.serial
        for point in points:
            if not point.is_edge_triggered:
                continue
            known = point.last_check
            if known is None or known.log != serial or known.event > position:
                known = LastCheck(serial, 0, held=False)
            due = self._after(point, known.event, position)
            held = self._held(point, due[-1], position) if due else known.held
            point.last_check = LastCheck(serial, max(position, 0), held)

    def _held(self, point: Breakpoint, index: int, position: int) -> bool:
        """Whether a condition held at an Event; False when it could not be computed."""
        context: EvaluationContext
        if self._is_recorded(point):
            context = self._recorded
            self._recorded.move_to(index)
        else:
            context = self._seek(position if self._is_unchanged(point, index, position) else index)
        try:
            return _condition(point)(context)
        except ExpressionError:
            return False

    def _is_unchanged(self, point: Breakpoint, after: int, up_to: int) -> bool:
        """Whether no Event has written what a condition reads, so that it needs no replay."""
        log = self._history.log
        return (
            point.written is not None
            and point.written.isdisjoint(log.written_between(after, up_to))
            and not len(log.find(after, up_to, operation=_is_replacing))
        )

    def _last_recorded(
        self, point: Breakpoint, low: int, position: int, should_stop: Callable[[], bool]
    ) -> Hit | None:
        """Return the last hit between two moments of a breakpoint that the log can answer."""
        candidate: Hit | None = None  # it holds there; a hit if it did not when last evaluated
        for index, due in reversed(self._evaluations([point], -1, position - 1)):
            if should_stop() or (index <= low and candidate is None):
                return None
            self._recorded.move_to(index)
            holding = [before for _, before in due if holds(point, self._recorded)]
            if not holding:
                if candidate is not None:
                    return candidate
            elif index <= low:
                return None
            else:
                candidate = Hit(index, point, holding[0], point.holder)
                if point.error is not None or not point.is_edge_triggered:
                    return candidate
        return candidate

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
            if is_hit(point, context, self._history.log.serial)
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
        """Return the moments right before Operations before which it is evaluated."""
        if not point.before:
            return []
        log = self._history.log
        found = log.find(
            after + 1, min(up_to + 1, len(log)), operation=lambda item: _is_due(point, item, True)
        )
        return [index - 1 for index in found.tolist()]

    def _after(self, point: Breakpoint, after: int, up_to: int) -> list[int]:
        condition, log, written = _condition(point), self._history.log, point.written
        start = max(after, 0)
        outcome = None if condition.is_about_the_event else _is_ok
        found: list[int]
        if written is None:
            found = log.find(
                start, up_to, operation=lambda item: _is_due(point, item, False), outcome=outcome
            ).tolist()
            if condition.only_changed:
                return [
                    index
                    for index in found
                    if condition.touched_by(log.operation(index), log.reads_writes(index))
                ]
            return found
        writing = log.find(
            start,
            up_to,
            operation=lambda item: _is_due(point, item, False),
            reads_writes=lambda item: not written.isdisjoint(item.writes),
            outcome=outcome,
        )
        replacing = log.find(
            start,
            up_to,
            operation=lambda item: _is_replacing(item) and _is_due(point, item, False),
            outcome=outcome,
        )
        found = np.union1d(writing, replacing).tolist()
        return found


def _is_ok(outcome: Outcome) -> bool:
    return outcome.ok


def _is_replacing(operation: Operation) -> bool:
    return isinstance(operation, REPLACING)


def _is_due(point: Breakpoint, operation: Operation, before: bool) -> bool:
    is_at = not before or point.is_at(operation)
    return is_at and point.is_evaluated(_NAMES[type(operation)], before=before)


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
