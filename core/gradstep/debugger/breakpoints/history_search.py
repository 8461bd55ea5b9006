"""Retrospect: where in the recorded past a breakpoint was hit, with as little replay as will do.

What the Event log knows is asked of the log. Else the program is brought to the moments in question
alone: those after (or before) the right kind of Operation, and for a data breakpoint those whose
Event wrote the value. Going back, each stretch from a Checkpoint on is replayed once, forwards, and
its last hit is what counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.debugger.breakpoints.breakpoint import KINDS
from gradstep.debugger.breakpoints.live_checker import holds
from gradstep.debugger.conditions.moment import MISSING, Moment
from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.debugger.conditions.condition import Condition
    from gradstep.history.history import History
    from gradstep.program.operation import Operation
    from gradstep.program.program import Program

__all__ = ["Hit", "RecordedMoment", "Retrospect", "tells_losses"]

_Asked: TypeAlias = "list[tuple[Breakpoint, Operation | None]]"
_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Hit:
    """A moment of the past at which a breakpoint holds.

    Attributes:
        event: The index of the last Event.
        point: The breakpoint.
        before: The Operation that comes next, when the breakpoint is asked before that.
        holder: The parameter for which it holds; empty when it asks about none in particular.
    """

    event: int
    point: Breakpoint
    before: Operation | None
    holder: str


def tells_losses(history: History) -> bool:
    """Whether the Event log has each loss: of a Step that evaluates several it has only the sum."""
    return all(len(known.written_losses) <= 1 for known in history.log.vocabulary.all_reads_writes)


class RecordedMoment(Moment):
    """A moment of the past as the Event log alone knows it.

    Args:
        program: For the names of its losses.
        history: The branch.
        noticed: Tells whether a finding was noticed first at an Event.
    """

    __slots__ = ("_forwards", "_history")

    def __init__(self, program: Program, history: History, noticed: Callable[[int], bool]) -> None:
        super().__init__(program, noticed=noticed)
        self._history = history
        self._forwards: dict[str, NDArray[np.int64]] = {}

    def stand(self, index: int) -> None:
        """Be the moment after an Event."""
        self.event = index
        self.done = self._history.applied_event(index) if index else None

    @property
    def iteration(self) -> int:
        """How many whole passes of the loop were complete."""
        done = self.done
        return 0 if done is None else done.iteration + done.completes

    def loss(self, name: str) -> Any:  # noqa: ANN401 - a number, or none
        """Return the last value of a loss, or of any with an empty name."""
        if name not in self._forwards:
            log = self._history.log
            self._forwards[name] = log.find(
                0,
                len(log),
                reads_writes=lambda found: bool(
                    name in found.written_losses if name else found.written_losses
                ),
                outcome=lambda found: found.ok,
            )
        past = self._forwards[name]
        place = int(np.searchsorted(past, self.event, side="right"))
        return self._history.log.brief(int(past[place - 1]))[4] if place else MISSING


class Retrospect:
    """Looks for hits on one branch.

    Args:
        program: The live program.
        history: The branch.
        points: The breakpoints.
        noticed: Tells whether a finding was noticed first at an Event.
        seek: Brings the program to the moment after an Event, and returns where breakpoints look.
    """

    def __init__(
        self,
        program: Program,
        history: History,
        points: Sequence[Breakpoint],
        noticed: Callable[[int], bool],
        seek: Callable[[int], Moment],
    ) -> None:
        self._history = history
        self._points = points
        self._seek = seek
        self._recorded = RecordedMoment(program, history, noticed)
        self._tells_losses = tells_losses(history)

    def back(self, position: int, should_stop: Callable[[], bool]) -> Hit | None:
        """Return the last hit before a moment; None when there is none.

        Args:
            position: The moment.
            should_stop: Asked on the way; True ends the search.
        """
        recorded = [point for point in self._points if self._is_recorded(point)]
        found: Hit | None = None
        for index, asked in reversed(self._questions(recorded, -1, position - 1)):
            hits = self._ask(index, asked)
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
            points: What is asked.
            after: The moment before the first.
            up_to: The last moment.
        """
        for index, asked in self._questions(points, after, up_to):
            yield self._ask(index, asked)

    def _ask(self, index: int, asked: _Asked) -> tuple[Hit, ...]:
        moment: Moment
        if all(self._is_recorded(point) for point, _ in asked):
            moment = self._recorded
            self._recorded.stand(index)
        else:
            remembering = [point for point, _ in asked if _condition(point).remembers]
            if remembering and index:
                self._seek(index - 1)
                for point in remembering:
                    _remember(point)
            moment = self._seek(index)
        return tuple(
            Hit(index, point, before, point.holder)
            for point, before in asked
            if holds(point, moment)
        )

    def _is_recorded(self, point: Breakpoint) -> bool:
        """Whether the Event log alone answers it; a line to note may need the state."""
        return self._tells_losses and _condition(point).is_in_the_log and point.template is None

    def _stretches(self, low: int, position: int) -> Iterator[tuple[int, int]]:
        """Give the moments `low + 1` to `position - 1` in stretches between Checkpoints."""
        stop = position - 1
        while stop > low:
            start = max(low, self._history.nearest(stop - 1).index) if stop else -1
            yield start, stop
            stop = start

    def _questions(
        self, points: Sequence[Breakpoint], after: int, up_to: int
    ) -> list[tuple[int, _Asked]]:
        asked: dict[int, _Asked] = {}
        log = self._history.log
        for point in points:
            for index in self._before(point, after, up_to):
                asked.setdefault(index, []).append((point, log.operation(index + 1)))
            for index in self._after(point, after, up_to):
                asked.setdefault(index, []).append((point, None))
        return sorted(asked.items())

    def _before(self, point: Breakpoint, after: int, up_to: int) -> list[int]:
        """Return the moments after which an Operation comes that the breakpoint is asked before."""
        if not point.before:
            return []
        log = self._history.log
        found = log.find(
            after + 1, min(up_to + 1, len(log)), operation=lambda item: _asked(point, item, True)
        )
        return [index - 1 for index in found.tolist()]

    def _after(self, point: Breakpoint, after: int, up_to: int) -> list[int]:
        condition, log = _condition(point), self._history.log
        found: list[int] = log.find(
            max(after, 0),
            up_to,
            operation=lambda item: _asked(point, item, False),
            outcome=None if condition.is_about_the_event else lambda outcome: outcome.ok,
        ).tolist()
        if condition.only_changed:
            return [
                index
                for index in found
                if condition.touched_by(log.operation(index), log.reads_writes(index))
            ]
        return found


def _asked(point: Breakpoint, operation: Operation, before: bool) -> bool:
    return point.is_asked(_NAMES[type(operation)], before=before)


def _condition(point: Breakpoint) -> Condition:
    condition = point.condition
    if condition is None:
        raise RuntimeError(f"{point} is searched for, but cannot be asked")
    return condition


def _remember(point: Breakpoint) -> None:
    try:
        _condition(point).remember()
    except ExpressionError as error:
        point.error = error
