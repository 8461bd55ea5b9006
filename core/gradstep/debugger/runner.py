"""Runner: runs the program's loop until a breakpoint is hit, forwards and backwards."""

from __future__ import annotations

import sys
from bisect import bisect_left
from typing import TYPE_CHECKING, TypeGuard

from gradstep.debugger.breakpoints.history_search import HistorySearch
from gradstep.debugger.breakpoints.live_checker import LiveChecker
from gradstep.debugger.breakpoints.stop_reason import StopReason
from gradstep.debugger.conditions.condition import Condition
from gradstep.debugger.cursor import quiet
from gradstep.errors import OperationError
from gradstep.pluralize import pluralize
from gradstep.program.operation import ScriptCall
from gradstep.stopping import never

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.debugger.breakpoints.breakpoints import Breakpoints
    from gradstep.debugger.breakpoints.history_search import Hit
    from gradstep.debugger.cursor import Cursor
    from gradstep.debugger.state_reader import StateReader
    from gradstep.history.records.event import Event
    from gradstep.program.operation import Operation

__all__ = ["Runner"]

_EVENTS_PER_CHECK = 512
"""Recorded Events that a run passes between two calls of `should_stop`."""

_FAR = 2**30
"""An iteration that no script comes to."""

_NO_LOOP = "the program has no loop to run", "give it losses and an optimizer, or a loop"


class Runner:
    """Runs the loop, and stops at breakpoints or where a condition holds.

    Args:
        cursor: The live program's place in time.
        breakpoints: Where runs stop.
        reader: Gives the values of their conditions.
    """

    __slots__ = ("_breakpoints", "_cursor", "_reader")

    def __init__(self, cursor: Cursor, breakpoints: Breakpoints, reader: StateReader) -> None:
        self._cursor = cursor
        self._breakpoints = breakpoints
        self._reader = reader

    @quiet
    def run(
        self,
        max_iterations: int | None = None,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
        adapt: Callable[[Operation], Operation] | None = None,
    ) -> StopReason:
        """Run the program's loop until a breakpoint is hit.

        In the past it first follows the recording to its end, and only then applies Operations, so
        a run makes no branch.

        Args:
            max_iterations: Stop after that many at the latest; None for no limit. The rest of an
                unfinished iteration counts as one.
            should_stop: Called before every Operation; True ends the run there.
            progress: Called after every iteration with the number done.
            adapt: Returns what to apply for each Operation of the loop, such as a Forward on the
                held batch; recorded Operations stay as they are.

        Returns:
            Why it stopped.

        Raises:
            OperationError: The program has no loop.
        """
        cursor = self._cursor
        program = cursor.program
        with cursor.leaving():
            if cursor.is_at_end and not program.loop_operations():
                raise self._no_loop()
        count = sys.maxsize if max_iterations is None else max_iterations
        first = program.iteration
        starts_at_end = cursor.is_at_end
        if not starts_at_end:
            reason = self._run_recorded(first, count, should_stop)
            if reason is not None:
                return reason
            if program.next_operation is None and program.abilities.go_on:
                return StopReason.end(cursor.position)
        done = program.iteration - first
        try:
            return self._run_live(
                count, done, should_stop, progress, adapt, starts_at_end=starts_at_end
            )
        finally:
            program.run_ahead(0)
            cursor.settle()

    def run_until_iteration(
        self,
        iteration: int,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
        adapt: Callable[[Operation], Operation] | None = None,
    ) -> StopReason:
        """Run the loop, as `run` does, until a total number of iterations is complete.

        Without breakpoints, a script performs all but the last of them without being held.

        Args:
            iteration: The number of complete iterations at which it stops.
            should_stop: As in `run`.
            progress: As in `run`: it is called with the iterations done by this run.
            adapt: As in `run`.

        Returns:
            Why it stopped.

        Raises:
            OperationError: That many are complete already, or the program has no loop.
        """
        with self._cursor.leaving():
            done = self._cursor.program.iteration
            if iteration <= done:
                raise OperationError(
                    f"{pluralize(done, 'iteration')} done already, and {iteration:,} asked for",
                    "name a later iteration, or go back first",
                )
        reason = self.run(iteration - done, should_stop=should_stop, progress=progress, adapt=adapt)
        if reason.kind == "iterations":
            return StopReason.reached(reason.event, iteration)
        return reason

    @quiet
    def run_back(self, *, should_stop: Callable[[], bool] | None = None) -> StopReason:
        """Go back to the last earlier moment at which a breakpoint hits.

        Breakpoints that only log do not count, and hit counts apply forwards only. Without a hit
        it goes to the start.

        Args:
            should_stop: Called from time to time; True ends the search, and nothing has moved.

        Returns:
            Why it stopped there.

        Raises:
            ReplayError: A replay did not reproduce what was recorded.
        """
        cursor = self._cursor
        cursor.leave()
        here = cursor.position
        points = [point for point in self._breakpoints.armed if point.template is None]
        is_stopped = should_stop or never
        try:
            found = self._search(points).back(here, is_stopped)
        except BaseException:  # an interruption
            cursor.seek(here)
            raise
        if is_stopped():
            cursor.seek(here)
            return StopReason.paused(here)
        cursor.seek(0 if found is None else found.event)
        return StopReason.start() if found is None else _reason(found)

    @quiet
    def iterate(
        self,
        n: int = 1,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Event | None:
        """Run the program's loop, ignoring breakpoints; in the past, on a new branch.

        Args:
            n: How many iterations; the rest of an unfinished one counts as one.
            should_stop: Called before every Operation; True ends the run there.
            progress: Called after every iteration with the number done.

        Returns:
            The last Event; when the run ended at a failed Operation, its outcome has the reason.
            None when there is no Event at all.

        Raises:
            OperationError: The program has no loop.
        """
        cursor = self._cursor
        apply = None
        cursor.program.run_ahead(cursor.program.iteration + n - 1)
        try:
            for operation in self._due(n, should_stop, progress):
                apply = apply or cursor.start_applying()
                if not apply(operation).outcome.ok:
                    break
        finally:
            cursor.program.run_ahead(0)
            cursor.settle()
        return cursor.event

    @quiet
    def follow(
        self, count: int | None = None, *, should_stop: Callable[[], bool] | None = None
    ) -> Event | None:
        """Apply what a script did after the recorded Events, to the end of its tape.

        Args:
            count: Stop when this many Events are recorded; None for all.
            should_stop: Called before every Operation; True ends it there.

        Returns:
            The last Event; None when there is none at all.
        """
        cursor = self._cursor
        cursor.seek(len(cursor.history))
        apply = cursor.start_applying()
        try:
            while (operation := cursor.program.next_operation) is not None:
                if count is not None and cursor.position >= count:
                    break
                if should_stop is not None and should_stop():
                    break
                apply(operation)
        finally:
            cursor.settle()
        return cursor.event

    @quiet
    def run_until(
        self,
        condition: str,
        max_iterations: int = 100_000,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> bool:
        """Run the loop until a condition holds; not at all if it holds now.

        Args:
            condition: Such as `loss < 0.1`; the whole language is in
                `gradstep.history.records.breakpoints.CONDITION_TERMS`.
            max_iterations: Give up after that many.
            should_stop: Called before every Operation; True ends the run there.
            progress: Called after every iteration with the number done.

        Returns:
            Whether the condition holds.

        Raises:
            ExpressionError: The condition is wrong, or cannot be computed.
            OperationError: The program has no loop.
        """
        cursor = self._cursor
        with cursor.leaving():
            context = self._reader.present()
            holds = Condition(condition, context)
        if holds():
            return True
        apply = None
        try:
            for operation in self._due(max_iterations, should_stop, progress):
                holds.remember()
                apply = apply or cursor.start_applying()
                applied = apply(operation)
                context.advance(applied)
                if holds():
                    return True
                if not applied.outcome.ok:
                    break
        finally:
            cursor.settle()
        return False

    def _run_live(
        self,
        count: int,
        done: int,
        should_stop: Callable[[], bool] | None,
        progress: Callable[[int], None] | None,
        adapt: Callable[[Operation], Operation] | None,
        *,
        starts_at_end: bool,
    ) -> StopReason:
        """Run at the end of the branch; `starts_at_end`: the first Operation is not stopped at."""
        cursor, breakpoints = self._cursor, self._breakpoints
        should_stop = self._or_paused(should_stop)
        armed, checker = breakpoints.armed, None
        if armed:
            here = cursor.position
            self._search(armed).update_last_checks(armed, here)
            cursor.seek(here)
            log = cursor.history.log.serial
            checker = LiveChecker(armed, self._reader.present(), log, breakpoints.note)
        else:  # the last iteration is taken step by step, so that it ends where it should
            cursor.program.run_ahead(min(cursor.program.iteration + count - done, _FAR) - 1)
        apply = cursor.start_applying()
        report = None if progress is None else (lambda more: progress(done + more))
        due = self._due(count - done, should_stop, report)
        for operation in due if adapt is None else map(adapt, due):
            if checker is not None:
                point = None if starts_at_end else checker.before(operation)
                if point is not None:
                    return StopReason.hit(cursor.position, point, operation, point.holder)
                point = checker.begin()
                if point is not None:
                    return StopReason.hit(cursor.position, point, None, "")
                starts_at_end = False
            applied = apply(operation)
            if checker is not None:
                point = checker.after(applied)
                if point is not None:
                    return StopReason.hit(applied.index, point, None, point.holder)
            if not applied.outcome.ok:
                return StopReason.failed(applied)
        is_stopped = should_stop is not None and should_stop()
        return self._stopped() if is_stopped else self._completed(count)

    def _or_paused(self, should_stop: Callable[[], bool] | None) -> Callable[[], bool] | None:
        """Return a function that is also True where a script calls `gradstep_agent.pause()`."""
        cursor = self._cursor
        program, start = cursor.program, cursor.position
        if not program.abilities.diverge:
            return should_stop

        def stops() -> bool:
            if should_stop is not None and should_stop():
                return True
            return _is_pause(program.next_operation) and cursor.position > start

        return stops

    def _stopped(self) -> StopReason:
        cursor = self._cursor
        coming = cursor.program.next_operation
        if _is_pause(coming):
            return StopReason.called_pause(cursor.position, coming.at)
        return StopReason.paused(cursor.position)

    def _completed(self, count: int) -> StopReason:
        cursor = self._cursor
        if cursor.program.abilities.diverge and cursor.program.next_operation is None:
            return StopReason.ended(cursor.position)
        return StopReason.done(cursor.position, count)

    def _run_recorded(
        self, first: int, count: int, should_stop: Callable[[], bool] | None
    ) -> StopReason | None:
        """Follow the recording until `count` iterations after the `first` are complete."""
        cursor, points = self._cursor, self._breakpoints.armed
        log, note = cursor.history.log, self._breakpoints.note
        # The first Event of the iteration after those; the run stops right before it.
        limit = bisect_left(range(1, len(log) + 1), first + count, key=log.iteration)
        search = self._search(points)
        position = cursor.position
        while position < limit:
            upper = min(position + _EVENTS_PER_CHECK, limit)
            for hits in search.hits(points, position, upper):
                met = [hit for hit in hits if hit.point.record_hit(hit.event, note)]
                if met:
                    cursor.seek(met[0].event)
                    return _reason(met[0])
                if should_stop is not None and should_stop():
                    return StopReason.paused(cursor.position)
            position = upper
        cursor.seek(limit)
        if limit < len(log) or cursor.program.iteration >= first + count:
            return StopReason.done(limit, count)
        return None

    def _search(self, points: Sequence[Breakpoint]) -> HistorySearch:
        cursor, reader = self._cursor, self._reader
        return HistorySearch(
            cursor.program, cursor.history, points, reader.is_finding_new, reader.seek
        )

    def _no_loop(self) -> OperationError:
        if self._cursor.program.abilities.diverge:
            return OperationError("the script has ended", "go back, or run it again")
        return OperationError(*_NO_LOOP)

    def _due(
        self,
        n: int,
        should_stop: Callable[[], bool] | None,
        progress: Callable[[int], None] | None,
    ) -> Iterator[Operation]:
        """Yield the Operations of the loop, each to be applied before the next is taken."""
        cursor, program = self._cursor, self._cursor.program
        is_script = bool(program.abilities.diverge)
        if n > 0 and program.next_operation is None:
            raise self._no_loop()
        for done in range(1, n + 1):
            iteration = program.iteration
            place: int | None = None
            # One at a time: the data decide whether lines that run by epochs are due.
            while program.iteration == iteration:
                before, place = place, cursor.position if is_script else program.next_line
                if place == before:  # the applied Operation did not advance the loop
                    break
                if should_stop is not None and should_stop() and not program.is_behind:
                    return
                operation = program.next_operation
                if operation is None:  # a script has ended
                    return
                yield operation
            if progress is not None:
                progress(done)


def _is_pause(operation: Operation | None) -> TypeGuard[ScriptCall]:
    return isinstance(operation, ScriptCall) and operation.call == "pause"


def _reason(hit: Hit) -> StopReason:
    return StopReason.hit(hit.event, hit.point, hit.before, hit.holder)
