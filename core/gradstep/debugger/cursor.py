"""Cursor: the position of a Program in its recording, and the moves to other positions.

A cursor is after an Event, or inside the Operation that follows it. Micro-steps
inside are provisional: the History does not record them. Every other move (seek, apply, fork,
checkout) first restores the state in which the Operation was entered; if the move is rejected,
the Operation is entered again.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gradstep.debugger.change_names import change_name
from gradstep.diagnostics import Monitor, Observation
from gradstep.errors import (
    DivergedError,
    GradStepError,
    OperationError,
    SessionError,
    UnsupportedError,
)
from gradstep.history.records.finding import BranchFindings
from gradstep.program.operation import Skip, loop_key
from gradstep.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gradstep.debugger.branches import Branches
    from gradstep.debugger.operation_walk import OperationWalk
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import Branch, History, HistoryObserver
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import Finding, FindingOccurrences
    from gradstep.program.operation import Operation

__all__ = ["Cursor", "quiet"]

_Moved = TypeVar("_Moved")

quiet = np.errstate(all="ignore")
"""Decorates entry points: a program that diverges shows its infinities, without NumPy warnings."""


class Cursor:
    """The one owner of the live program's place in time.

    Args:
        program: The program or script, standing at `position`.
        branches: Its branches.
        position: The index of the last Event, on the current branch.
        stored: The findings of a session's branches.

    Attributes:
        program: The live program.
        branches: Its branches.
        position: The index of the last Event; 0 is the start.
        walk: The walk through the Operation that was entered; None outside of Operations.
        finished_walk: The walk that the last Event finished, until the cursor moves on.
        touched: Called with the addresses that a walk may have changed, None for all.
    """

    __slots__ = (
        "_monitors",
        "_stored",
        "branches",
        "finished_walk",
        "position",
        "program",
        "touched",
        "walk",
    )

    def __init__(
        self,
        program: Debuggee,
        branches: Branches,
        position: int = 0,
        stored: Sequence[BranchFindings] = (),
    ) -> None:
        self.program = program
        self.branches = branches
        self.position = position
        self.walk: OperationWalk | None = None
        self.finished_walk: OperationWalk | None = None
        self.touched: Callable[[frozenset[str] | None], None] = _ignore
        self._stored = {item.branch: item for item in stored}
        shared = branches.shared_events(branches.current)
        for branch in branches:
            self._stored.setdefault(branch.id, self._inherited(branch, shared[branch.id]))
        self._monitors: dict[int, Monitor] = {}
        branches.changed = self._branches_changed

    # -- the position --------------------------------------------------------------------------

    @property
    def document_program(self) -> Program:
        """The program, for code that edits or exports its document.

        Raises:
            UnsupportedError: It is a script, which has no document.
        """
        if not isinstance(self.program, Program):
            raise UnsupportedError(
                "a script has no document that can be edited, replayed with changes or exported",
                "change the script itself, and record it again",
            )
        return self.program

    @property
    def history(self) -> History:
        """The History of the current branch."""
        return self.branches.current.history

    @property
    def next_operation(self) -> Operation | None:
        """The next Operation: in the past of a script the recorded one; None if there is none."""
        if self.program.abilities.diverge and not self.is_at_end:
            return self.history.log.event(self.position + 1).operation
        return self.program.next_operation

    @property
    def is_at_end(self) -> bool:
        """Whether nothing was recorded after the current moment."""
        return self.position == len(self.history.log)

    @property
    def event(self) -> Event | None:
        """The last Event; None at the start."""
        return self.history.log.event(self.position) if self.position else None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the diagnostics report up to the current moment."""
        return self.monitor.findings(self.position)

    @property
    def occurrences(self) -> tuple[FindingOccurrences, ...]:
        """Where on the current branch each finding occurred, also later than the current moment."""
        return self.monitor.occurrences()

    @property
    def monitor(self) -> Monitor:
        """The diagnostics of the current branch."""
        branch = self.branches.current
        monitor = self._monitors.get(branch.id)
        if monitor is None:
            stored = self._stored.get(branch.id)
            monitor = self._monitors[branch.id] = Monitor(self.program, branch.history, stored)
            monitor.catch_up()
        return monitor

    @property
    def stored_findings(self) -> tuple[BranchFindings, ...]:
        """The findings of each branch, for a session."""
        found = []
        _ = self.monitor  # which exists from now on
        for branch in self.branches:
            monitor, stored = self._monitors.get(branch.id), self._stored.get(branch.id)
            if monitor is not None:
                found.append(monitor.stored(branch.id))
            elif stored is not None:
                found.append(stored)
        return tuple(found)

    # -- moving --------------------------------------------------------------------------------

    @quiet
    def seek(self, event_index: int, should_stop: Callable[[], bool] | None = None) -> None:
        """Go to the moment after an Event.

        Args:
            event_index: The Event; 0 for the start.
            should_stop: Called from time to time on a long way; True ends it at an earlier moment.

        Raises:
            OperationError: There is no such Event on this branch.
            ReplayError: A replay did not reproduce what was recorded. The cursor is then at the
                last Checkpoint before, and a finding reports it.
        """
        with self.leaving():
            self.monitor.settle()
            self.check_event(event_index)
            history = self.history
            try:
                self.position = history.goto(self.program, event_index, self.position, should_stop)
            except DivergedError as error:
                self.position = history.nearest(event_index).index
                self._report_divergence(error)
                raise
            except BaseException:
                self._return_to_position()
                raise

    def check_event(self, index: int) -> None:
        """Check the index of an Event of the current branch; 0 is the start.

        Raises:
            OperationError: There is no such Event.
        """
        last = len(self.history)
        if not 0 <= index <= last:
            raise OperationError(
                f"there is no Event {index:,}",
                f"the Events of this branch are 1 to {last:,}, and 0 is the start",
            )

    @quiet
    def fork(self, name: str = "", number: int | None = None) -> Branch:
        """Start a branch at the current moment, and make it the current one.

        Args:
            name: Its name; a numbered one when empty.
            number: Its number; the next one when None.

        Raises:
            OperationError: It is a script whose process cannot go back there; nothing is forked.
            ReplayError: The moment cannot be reproduced; nothing is forked.
        """
        with self.leaving():
            monitor, parent = self.monitor, self.branches.current
            monitor.settle()
            number = self.branches.next_number if number is None else number
            try:
                self._begin_branch(number)
                history = parent.history.fork(self.program, self.position, number)
            except BaseException:
                self._return_to_position()
                raise
            history.recorder, parent.history.recorder = parent.history.recorder, None
            branch = self.branches.add(parent, self.position, name, history, number)
            self._monitors[branch.id] = monitor.fork(history, self.position)
            return branch

    def _begin_branch(self, number: int) -> None:
        """Prepare the program to do something else here; report a replay that diverged."""
        try:
            self.program.begin_branch(self.position, number)
        except DivergedError as error:
            self._report_divergence(error)
            raise

    def _report_divergence(self, error: DivergedError) -> None:
        self.monitor.report(Observation("replay-diverged", (), (error.event,), error.reason))

    @quiet
    def discard_future(self) -> bool:
        """Forget the Events after the current moment, as if they had not been applied.

        Only a program can, where no other branch forks from this one and the moment is not on an
        earlier branch; otherwise everything stays as it is.

        Returns:
            Whether nothing is recorded after the current moment now.

        Raises:
            ReplayError: The moment cannot be reproduced; nothing is forgotten.
        """
        old = self.branches.current
        is_shared = any(branch.parent == old.id for branch in self.branches)
        if self.is_at_end:
            return True
        if self.program.abilities.diverge or is_shared or self.position < old.forked_at:
            return False
        with self.leaving():
            monitor, number = self.monitor, self.branches.next_number
            monitor.settle()
            try:
                history = old.history.fork(self.program, self.position, number)
            except BaseException:
                self._return_to_position()
                raise
            history.recorder, old.history.recorder = old.history.recorder, None
            branch = self.branches.replace(old, history, number)
            self._monitors[branch.id] = monitor.fork(history, self.position)
            self._branches_changed()
            return True

    @quiet
    def checkout(self, branch: Branch | int, position: int | None = None) -> Branch:
        """Make another branch the current one.

        Args:
            branch: The branch, or its number.
            position: The Event to go to; the last one when None.

        Raises:
            OperationError: There is no such branch.
            ReplayError: The moment cannot be reproduced; the cursor stays where it is.
        """
        with self.leaving():
            self.monitor.settle()
            found = self.branches.find(branch)
            position = len(found.history) if position is None else position
            try:
                found.history.ensure_resumed(self.program)
                found.history.goto(self.program, position)
            except BaseException:
                self._return_to_position()
                raise
            if found is not self.branches.current:
                found.history.recorder, self.history.recorder = self.history.recorder, None
            self.branches.select(found)
            self.position = position
            return found

    # -- applying ------------------------------------------------------------------------------

    @quiet
    def apply(self, operation: Operation) -> Event:
        """Apply one Operation; in the past, on a new branch that leaves the old one unchanged.

        Returns:
            Its Event. A failed Operation leaves the state unchanged, and its Event says why.

        Raises:
            OperationError: It cannot be applied, and is not recorded: the script does something
                else, or no loop has such lines.
        """
        if not self.program.abilities.diverge:
            self.program.prepare(operation)  # before a branch begins for an invalid Operation
        applied = self.start_applying()(operation)
        self.settle()
        return self.history.log.event(applied.index)

    def start_applying(self) -> Callable[[Operation], AppliedEvent]:
        """Return a function that applies Operations one by one, at the end of a branch.

        In the past of a program the first Operation starts a branch, which is named after what it
        changes. In the past of a script it follows the recording, until an Operation differs. If
        only failed Operations follow, the moment is not in the past: they changed nothing. The
        caller calls `settle` after the last Operation.
        """
        self.leave()
        if self.is_at_end:
            return self._applying_at_end()
        if self.program.abilities.diverge:
            return self._follow_recording
        log = self.history.log
        if all(log.failed(event) for event in range(self.position + 1, len(log) + 1)):
            self.seek(len(log))
            return self._applying_at_end()
        return self._applying_on_branch()

    def _applying_on_branch(self) -> Callable[[Operation], AppliedEvent]:
        """Return a function that starts a branch with the first Operation that it applies."""
        applying: Callable[[Operation], AppliedEvent] | None = None

        def apply(operation: Operation) -> AppliedEvent:
            nonlocal applying
            if applying is None:
                self.fork(change_name(operation, self.history.log, self.position + 1))
                applying = self._applying_at_end()
            return applying(operation)

        return apply

    def _follow_recording(self, operation: Operation) -> AppliedEvent:
        if self.is_at_end:
            return self._applying_at_end()(operation)
        following = self.next_operation
        is_skip = isinstance(operation, Skip) and not isinstance(following, Skip)
        if following is None or is_skip or loop_key(following) != loop_key(operation):
            if not self.program.abilities.change(operation):
                return self._change_past(operation)
            self.program.prepare(operation)
        self.seek(self.position + 1)
        return self.history.applied_event(self.position)

    def _change_past(self, operation: Operation) -> AppliedEvent:
        """Apply another Operation than the script's next one, on a new branch."""
        parent, here = self.branches.current, self.position
        branch = self.fork(change_name(operation, self.history.log, here + 1))
        try:
            return self._applying_at_end()(operation)
        except OperationError:  # it cannot be done
            self.checkout(parent, here)
            self.branches.remove(branch)
            raise

    def _applying_at_end(self) -> Callable[[Operation], AppliedEvent]:
        program, history, monitor = self.program, self.history, self.monitor
        record, before, observe = history.record, monitor.before, monitor.observe

        prepare = program.prepare

        def apply(operation: Operation) -> AppliedEvent:
            operation = prepare(operation)
            before(operation)
            try:
                applied = record(program, operation)
            except BaseException:
                # An interruption may have left the program between two moments; the log knows
                # which one is sound.
                self.position = len(history)
                self._return_to_position()
                raise
            self.position = applied.index
            observe(applied)
            return applied

        return apply

    def settle(self) -> None:
        """Write the applied Events to the log and to the recording.

        The diagnostics follow when findings are read or the cursor moves.
        """
        history = self.history
        history.write()
        if history.recorder is not None:
            history.recorder.settled(history)

    # -- inside an Operation -------------------------------------------------------------------

    def move_inside(self, move: Callable[[], _Moved]) -> _Moved:
        """Move along the walk; an interruption leaves the Operation."""
        try:
            step = move()
        except BaseException:
            self.leave()
            raise
        if self.walk is not None:
            self.touched(self.walk.moved)
        return step

    def leave(self) -> None:
        """Leave the Operation that was entered, if any, as if it had not been entered."""
        walk, self.walk, self.finished_walk = self.walk, None, None
        if walk is not None:
            walk.leave()
            self.touched(walk.moved)

    def reenter(self, walk: OperationWalk) -> None:
        """Enter an Operation again that was left, up to the same micro-step."""
        self.walk = walk
        self.move_inside(lambda: walk.rewind(walk.index))

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """Leave the Operation that was entered, and enter it again if the move is rejected."""
        walk, here = self.walk, (self.branches.current, self.position)
        self.leave()
        try:
            yield
        except GradStepError:
            if walk is not None and (self.branches.current, self.position) == here:
                self.reenter(walk)
            raise

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Leave the Operation that was entered, and enter it again afterwards."""
        walk = self.walk
        with self.leaving():
            yield
        if walk is not None:
            self.reenter(walk)

    # -- recording -----------------------------------------------------------------------------

    def record(self, write: Callable[[HistoryObserver], None]) -> None:
        """Write something to the recording, if there is one; a recording that fails is dropped.

        Raises:
            SessionError: It cannot be written.
        """
        recorder = self.history.recorder
        if recorder is not None:
            try:
                write(recorder)
            except SessionError:
                self.history.recorder = None
                raise

    def _inherited(self, branch: Branch, shared: int) -> BranchFindings:
        """Return the known findings of a branch for which a session stores none.

        A recording that was cut short lacks branches that were made after it began, and GradStep
        0.2 stored only what it found on the current branch.

        Args:
            branch: The branch.
            shared: The last Event that it shares with the current branch.
        """
        current = self._stored.get(self.branches.current.id)
        known = () if current is None else current.known
        parent = None if branch.parent is None else self._stored.get(branch.parent)
        return BranchFindings(
            branch.id,
            0 if parent is None else min(parent.up_to, branch.forked_at),
            () if parent is None else parent.records,
            tuple(item for item in known if max(item.events, default=0) <= shared),
        )

    def _branches_changed(self) -> None:
        branches = self.branches
        for number in self._monitors.keys() - {branch.id for branch in branches}:
            del self._monitors[number]
        self.record(
            lambda recorder: recorder.branches(tuple(branches), branches.current.id, self.position)
        )

    def _return_to_position(self) -> None:
        """Bring the program back to the cursor, after a move that did not reach its end.

        Raises:
            ReplayError: That moment cannot be reproduced; the cursor is then at the Checkpoint
                before it.
        """
        try:
            self.history.goto(self.program, self.position)
        except DivergedError:
            self.position = self.history.nearest(self.position).index
            raise


def _ignore(_: object) -> None:
    """Ignore what a walk touched."""
