"""Running: the program's loop until a breakpoint is hit, forwards and backwards."""

from __future__ import annotations

import sys
from bisect import bisect_left
from typing import TYPE_CHECKING

from gradstep.debugger.breakpoint_api import Breaking
from gradstep.debugger.breakpoints.live_checker import Patrol
from gradstep.debugger.breakpoints.stop import StopReason
from gradstep.debugger.conditions.condition import Condition
from gradstep.debugger.cursor import quiet
from gradstep.errors import OperationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.debugger.breakpoints.history_search import Hit
    from gradstep.history.records.event import Event
    from gradstep.program.operation import Operation

__all__ = ["Running"]

_STRETCH = 512
"""Events of the recorded past that a run goes through between two looks at `should_stop`."""


_NO_LOOP = "the program has no loop to run", "give it losses and an optimizer, or a loop"


class Running(Breaking):
    """A cursor that runs along the loop, and stops where a condition holds."""

    # -- running ---------------------------------------------------------------------------------

    @quiet
    def run(
        self,
        max_iterations: int | None = None,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
        choose: Callable[[Operation], Operation] | None = None,
    ) -> StopReason:
        """Run the program's loop until a breakpoint is hit.

        In the past it goes along what is recorded, up to its end, and only then applies Operations:
        a run makes no branch.

        Args:
            max_iterations: After how many to stop all the same; None for never. In the middle of an
                iteration its rest counts as one.
            should_stop: Asked before every Operation; True ends the run there.
            progress: Told after every iteration how many are done.
            choose: Makes of each Operation of the loop what is applied for it, such as a Forward on
                the held batch; what is recorded stays as it is.

        Returns:
            Why it stopped.

        Raises:
            OperationError: The program has no loop.
        """
        with self._leaving():
            if self._timeline.is_at_end and not self._program.loop_operations():
                raise OperationError(*_NO_LOOP)
        count = sys.maxsize if max_iterations is None else max_iterations
        first = self._program.iteration
        resting = self._timeline.is_at_end
        if not resting:
            reason = self._run_recorded(first, count, should_stop)
            if reason is not None:
                return reason
        done = self._program.iteration - first
        try:
            return self._run_live(count, done, should_stop, progress, choose, resting=resting)
        finally:
            self._settle()

    @quiet
    def run_back(self, *, should_stop: Callable[[], bool] | None = None) -> StopReason:
        """Go back to the last moment before this one at which a breakpoint is hit.

        Breakpoints that only note lines do not count, and a hit count counts forwards only. Where
        there is no hit it goes to the very start.

        Args:
            should_stop: Asked on the way; True ends the search, and nothing has moved.

        Returns:
            Why it stopped there.

        Raises:
            ReplayError: A replay did not give what was recorded.
        """
        self._leave()
        here = self._timeline.position
        points = [point for point in self._breakpoints.armed if point.template is None]
        asked = should_stop or _never
        try:
            found = self._retrospect(points).back(here, asked)
        except BaseException:  # an interruption
            self.seek(here)
            raise
        if asked():
            self.seek(here)
            return StopReason.asked(here)
        self.seek(0 if found is None else found.event)
        return StopReason.start() if found is None else _reason(found)

    @quiet
    def iterate(
        self,
        n: int = 1,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Event | None:
        """Run the program's loop, whatever breakpoints there are; in the past, on a new branch.

        Args:
            n: How many iterations; in the middle of one its rest counts as one.
            should_stop: Asked before every Operation; True ends the run there.
            progress: Told after every iteration how many are done.

        Returns:
            The last Event; its outcome tells when the run ended at an Operation that failed. None
            when there is no Event at all.
        """
        advance = None
        try:
            for operation in self._due(n, should_stop, progress):
                advance = advance or self._advancing()
                if not advance(operation).outcome.ok:
                    break
        finally:
            self._settle()
        return self.event

    @quiet
    def run_until(
        self,
        condition: str,
        max_iterations: int = 100_000,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> bool:
        """Run the loop until a condition holds; at once when it holds now.

        Args:
            condition: Such as `loss < 0.1`; see `gradstep.debugger.conditions.language`.
            max_iterations: After how many to give up.
            should_stop: Asked before every Operation; True ends the run there.
            progress: Told after every iteration how many are done.

        Returns:
            Whether the condition holds.

        Raises:
            ExpressionError: The condition cannot be read or computed.
        """
        with self._leaving():
            holds = Condition(condition, self._present())
        if holds():
            return True
        moment, advance = self._moment, None
        try:
            for operation in self._due(max_iterations, should_stop, progress):
                holds.remember()
                advance = advance or self._advancing()
                seen = advance(operation)
                moment.event, moment.done = seen.index, seen
                if seen.loss is not None:
                    moment.last_loss = seen.reads_writes.written_losses[-1]
                if holds():
                    return True
                if not seen.outcome.ok:
                    break
        finally:
            self._settle()
        return False

    # -- inside ----------------------------------------------------------------------------------

    def _run_live(
        self,
        count: int,
        done: int,
        should_stop: Callable[[], bool] | None,
        progress: Callable[[int], None] | None,
        choose: Callable[[Operation], Operation] | None,
        *,
        resting: bool,
    ) -> StopReason:
        """Run at the end of the branch; `resting`: nothing is asked before the first Operation."""
        armed = self._breakpoints.armed
        patrol = Patrol(armed, self._present(), self._breakpoints.lines.append) if armed else None
        asked, advance = StopReason.asked, self._advancing()
        tell = None if progress is None else (lambda more: progress(done + more))
        due = self._due(count - done, should_stop, tell)
        for operation in due if choose is None else map(choose, due):
            if patrol is not None:
                point = None if resting else patrol.before(operation)
                if point is not None:
                    return StopReason.hit(self._timeline.position, point, operation, point.holder)
                point = patrol.begin()
                if point is not None:
                    return StopReason.hit(self._timeline.position, point, None, "")
                resting = False
            seen = advance(operation)
            if patrol is not None:
                point = patrol.after(seen)
                if point is not None:
                    return StopReason.hit(seen.index, point, None, point.holder)
            if not seen.outcome.ok:
                return StopReason.failed(seen)
        position = self._timeline.position
        if should_stop is not None and should_stop():
            return asked(position)
        return StopReason.done(position, count)

    def _run_recorded(
        self, first: int, count: int, should_stop: Callable[[], bool] | None
    ) -> StopReason | None:
        """Go along what is recorded, until `count` iterations after the `first` are complete."""
        log, points = self.history.log, self._breakpoints.armed
        # So many are complete right before the first Event that comes after so many.
        limit = bisect_left(range(1, len(log) + 1), first + count, key=log.iteration)
        past, note = self._retrospect(points), self._breakpoints.lines.append
        position = self._timeline.position
        while position < limit:
            upper = min(position + _STRETCH, limit)
            for hits in past.hits(points, position, upper):
                met = [hit for hit in hits if hit.point.met(hit.event, note)]
                if met:
                    self.seek(met[0].event)
                    return _reason(met[0])
                if should_stop is not None and should_stop():
                    return StopReason.asked(self._timeline.position)
            position = upper
        self.seek(limit)
        if limit < len(log) or self._program.iteration >= first + count:
            return StopReason.done(limit, count)
        return None

    def _due(
        self,
        n: int,
        should_stop: Callable[[], bool] | None,
        progress: Callable[[int], None] | None,
    ) -> Iterator[Operation]:
        """Give the Operations of the loop, each to be applied before the next is asked for."""
        for done in range(1, n + 1):
            operations = self._program.loop_operations()
            if not operations:
                raise OperationError(*_NO_LOOP)
            for operation in operations:
                if should_stop is not None and should_stop():
                    return
                yield operation
            if progress is not None:
                progress(done)


def _reason(hit: Hit) -> StopReason:
    return StopReason.hit(hit.event, hit.point, hit.before, hit.holder)


def _never() -> bool:
    return False
