"""Patrol: asks the breakpoints as a run goes on, each only where its kind of Operation comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.breakpoints.breakpoint import KINDS
from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.debugger.conditions.moment import Moment
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.records.breakpoints import LogLine
    from gradstep.program.operation import Operation

__all__ = ["Patrol", "holds"]


class Patrol:
    """The armed breakpoints during one run.

    Args:
        points: The breakpoints.
        moment: Where they look; the patrol moves it along.
        note: Takes what one of them notes instead of stopping.
    """

    __slots__ = ("_after", "_before", "_moment", "_note", "_remembering", "_seen")

    def __init__(
        self,
        points: Sequence[Breakpoint],
        moment: Moment,
        note: Callable[[LogLine], None],
    ) -> None:
        self._moment = moment
        self._note = note
        self._before = _by_kind(points, before=True)
        self._after = _by_kind(points, before=False)
        self._remembering = [
            point for point in points if point.condition is not None and point.condition.remembers
        ]
        self._seen: AppliedEvent | None = None

    def before(self, operation: Operation) -> Breakpoint | None:
        """Ask those that are asked before an Operation, and return one that stops the run."""
        return self._ask(self._before[type(operation)])

    def begin(self) -> Breakpoint | None:
        """Take how things stand as how they stood before the next Event.

        Returns:
            A breakpoint for which that cannot be computed.
        """
        seen, self._seen = self._seen, None
        for point in self._remembering:
            condition = point.condition
            if condition is None or point.error is not None:
                continue
            if seen is None or condition.touched_by(seen.operation, seen.reads_writes):
                try:
                    condition.remember()
                except ExpressionError as error:
                    point.error = error
                    return point
        return None

    def after(self, seen: AppliedEvent) -> Breakpoint | None:
        """Ask those that are asked after an Event, and return one that stops the run."""
        self._seen = seen
        moment = self._moment
        moment.event, moment.done = seen.index, seen
        if seen.loss is not None:
            moment.last_loss = seen.reads_writes.written_losses[-1]
        asked = self._after[type(seen.operation)]
        if not seen.outcome.ok:  # it has done nothing; only those that ask about that are asked
            asked = tuple(point for point in asked if _is_about_the_event(point))
        return self._ask(asked)

    def _ask(self, points: Iterable[Breakpoint]) -> Breakpoint | None:
        moment, stopping = self._moment, None
        for point in points:
            if holds(point, moment) and point.met(moment.event, self._note):
                stopping = stopping or point
        return stopping


def holds(point: Breakpoint, moment: Moment) -> bool:
    """Ask a breakpoint; one that cannot be computed says so in its `error`, and counts as a hit."""
    condition = point.condition
    if condition is None or point.error is not None:
        return False
    try:
        return condition(moment)
    except ExpressionError as error:
        point.error = error
        return True


def _is_about_the_event(point: Breakpoint) -> bool:
    return point.condition is not None and point.condition.is_about_the_event


def _by_kind(
    points: Sequence[Breakpoint], *, before: bool
) -> Mapping[type, tuple[Breakpoint, ...]]:
    return {
        kind: tuple(point for point in points if point.is_asked(name, before=before))
        for name, kind in KINDS.items()
    }
