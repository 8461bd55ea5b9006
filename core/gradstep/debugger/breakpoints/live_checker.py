"""LiveChecker: evaluates breakpoints during a run, each only around its kinds of Operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.breakpoints.breakpoint import LastCheck
from gradstep.debugger.breakpoints.evaluation_points import KINDS
from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.records.breakpoints import LogLine
    from gradstep.program.operation import Operation

__all__ = ["LiveChecker", "holds", "is_hit"]


class LiveChecker:
    """Evaluates the armed breakpoints during one run.

    Args:
        points: The breakpoints.
        context: Where they get their values; it follows the run.
        log: The serial number of the log that the run's Events are appended to.
        note: Takes the lines that they log instead of stopping.
    """

    __slots__ = ("_after", "_applied", "_before", "_context", "_log", "_note", "_remembering")

    def __init__(
        self,
        points: Sequence[Breakpoint],
        context: EvaluationContext,
        log: int,
        note: Callable[[LogLine], None],
    ) -> None:
        self._context = context
        self._log = log
        self._note = note
        self._before = _by_kind(points, before=True)
        self._after = _by_kind(points, before=False)
        self._remembering = [
            point for point in points if point.condition is not None and point.condition.remembers
        ]
        self._applied: AppliedEvent | None = None

    def before(self, operation: Operation) -> Breakpoint | None:
        """Evaluate those before an Operation, and return one that stops the run."""
        due = self._before[type(operation)]
        return self._evaluate(point for point in due if point.is_at(operation)) if due else None

    def begin(self) -> Breakpoint | None:
        """Remember the values before the next Event, for `changed(...)`.

        Returns:
            A breakpoint whose value cannot be computed.
        """
        applied, self._applied = self._applied, None
        for point in self._remembering:
            condition = point.condition
            if condition is None or point.error is not None:
                continue
            if applied is None or condition.touched_by(applied.operation, applied.reads_writes):
                try:
                    condition.remember()
                except ExpressionError as error:
                    point.error = error
                    return point
        return None

    def after(self, applied: AppliedEvent) -> Breakpoint | None:
        """Evaluate those after an Event, and return one that stops the run."""
        self._applied = applied
        self._context.advance(applied)
        operation, reads_writes, ok = applied.operation, applied.reads_writes, applied.outcome.ok
        due = [
            point
            for point in self._after[type(operation)]
            if point.concerns(operation, reads_writes) and (ok or _is_about_the_event(point))
        ]
        return self._evaluate(due) if due else None

    def _evaluate(self, points: Iterable[Breakpoint]) -> Breakpoint | None:
        context, stopping = self._context, None
        for point in points:
            if is_hit(point, context, self._log) and point.record_hit(context.event, self._note):
                stopping = stopping or point
        return stopping


def is_hit(point: Breakpoint, context: EvaluationContext, log: int) -> bool:
    """Evaluate a breakpoint, and return whether it is hit: its condition holds, or becomes true.

    Args:
        point: The breakpoint; its `last_check` is that of its last evaluation before this one.
        context: Where it gets its values.
        log: The serial number of the Event log.
    """
    found = holds(point, context)
    if not point.is_edge_triggered:
        return found
    before, point.last_check = point.last_check, LastCheck(log, context.event, found)
    return found and (before is None or not before.held or point.error is not None)


def holds(point: Breakpoint, context: EvaluationContext) -> bool:
    """Evaluate a breakpoint; one that cannot be computed gets an `error`, and counts as a hit."""
    condition = point.condition
    if condition is None or point.error is not None:
        return False
    try:
        return condition(context)
    except ExpressionError as error:
        point.error = error
        return True


def _is_about_the_event(point: Breakpoint) -> bool:
    return point.condition is not None and point.condition.is_about_the_event


def _by_kind(
    points: Sequence[Breakpoint], *, before: bool
) -> Mapping[type, tuple[Breakpoint, ...]]:
    return {
        kind: tuple(point for point in points if point.is_evaluated(name, before=before))
        for name, kind in KINDS.items()
    }
