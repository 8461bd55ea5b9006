"""Moments: where a Debugger stands in time, what there is to see, and how to get elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.snapshot_builder import Camera
from gradstep.diagnostics import Monitor, Observation
from gradstep.errors import ArgumentError, OperationError, SessionError
from gradstep.history.history import Branch, DivergedError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from gradstep.debugger.timeline import Timeline
    from gradstep.history.history import History, HistoryObserver
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.log.event_log import EventView
    from gradstep.history.records.branch import Fork
    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import Finding, FindingOccurrences
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.operation import Operation
    from gradstep.program.program import Program

__all__ = ["Moments", "quiet"]

LEAST_MEMORY = 2**20
"""Bytes that Checkpoints may take at least."""

quiet = np.errstate(all="ignore")
"""A program that diverges shows its infinities as values; NumPy shall not warn of them as well."""


class Moments:
    """A program, its timeline, and the one who watches it.

    Args:
        program: The live program.
        timeline: Its branches, and the cursor.
        known: Findings of an earlier watch over the same branches.
    """

    def __init__(self, program: Program, timeline: Timeline, known: Sequence[Finding] = ()) -> None:
        self._program = program
        self._timeline = timeline
        self._camera = Camera(program)
        self._known = tuple(known)
        self._monitors: dict[int, Monitor] = {}

    # -- time ----------------------------------------------------------------------------------

    @quiet
    def seek(self, event_index: int, *, should_stop: Callable[[], bool] | None = None) -> None:
        """Go to the moment after an Event; 0 is the very start.

        Args:
            event_index: The Event.
            should_stop: Asked now and then on a long way; True ends it at a moment before.

        Raises:
            OperationError: There is no such Event on this branch.
            ReplayError: A replay did not give what was recorded. The debugger then stands at the
                last Checkpoint before, and a finding tells of it.
        """
        self._monitor.settle()
        try:
            self._timeline.seek(event_index, should_stop)
        except DivergedError as error:
            self._monitor.report(Observation("replay-diverged", (), (error.event,), error.reason))
            raise

    def back(self) -> None:
        """Go one Event back.

        Raises:
            OperationError: There is nothing before.
        """
        if not self._timeline.position:
            raise OperationError("this is the very start", "there is no Event to go back from")
        self.seek(self._timeline.position - 1)

    @quiet
    def fork(self, name: str = "") -> Branch:
        """Begin a new branch at the present moment, and look at it; the old one stays."""
        parent = self._monitor
        parent.settle()
        branch = self._timeline.fork(name)
        self._monitors[branch.id] = parent.fork(branch.history, branch.forked_at)
        return branch

    @quiet
    def checkout(self, branch: Branch | int) -> Branch:
        """Look at the end of another branch.

        Raises:
            OperationError: There is no such branch.
        """
        self._monitor.settle()
        return self._timeline.checkout(_number(branch))

    def rename_branch(self, branch: Branch | int, name: str) -> Branch:
        """Call a branch otherwise.

        Args:
            branch: The branch, or its number.
            name: What to call it, in one line.

        Returns:
            The branch as it is called now.

        Raises:
            OperationError: There is no such branch, it cannot be called so, or another one is.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * x"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
            >>> _ = dbg.iterate(3)
            >>> branch = dbg.what_if(skip=(8,))
            >>> dbg.rename_branch(branch, "one step less").name
            'one step less'
            >>> removed = dbg.remove_branch(branch)
            >>> [item.name for item in dbg.branches]
            ['main']
            >>> dbg.restore_branch(removed)
            >>> [item.name for item in dbg.branches]
            ['main', 'one step less']
        """
        renamed = self._timeline.rename(_number(branch), name)
        self._record_branches()
        return renamed

    def remove_branch(self, branch: Branch | int) -> Branch:
        """Take a branch away that is not looked at, with the Events that it alone has.

        Args:
            branch: The branch, or its number.

        Returns:
            The branch; `restore_branch` puts it back.

        Raises:
            OperationError: There is no such branch, it is the one looked at, or others leave it.
        """
        removed = self._timeline.remove(_number(branch))
        self._monitors.pop(removed.id, None)
        self._record_branches()
        return removed

    def restore_branch(self, branch: Branch) -> None:
        """Put a branch back that `remove_branch` took away.

        Raises:
            OperationError: It is there, or the branch that it leaves is not.
        """
        self._timeline.restore(branch)
        self._record_branches()

    @quiet
    def apply(self, operation: Operation) -> Event:
        """Apply one Operation; in the past, on a new branch that leaves the old one as it was.

        Returns:
            Its Event. An Operation that fails leaves the state as it was, and its Event tells why.
        """
        seen = self._advancing()(operation)
        self._settle()
        return self.history.log.event(seen.index)

    # -- looking -------------------------------------------------------------------------------

    @property
    def program(self) -> Program:
        """The live program, standing at the present moment."""
        return self._program

    @property
    def position(self) -> tuple[int, int | None]:
        """The index of the present Event (0 at the start), and None: not inside an Operation."""
        return self._timeline.position, None

    @property
    def event(self) -> Event | None:
        """The Event just done at the present moment; None at the very start."""
        position = self._timeline.position
        return self.history.log.event(position) if position else None

    @property
    def events(self) -> EventView:
        """The Events of this branch, those after the present moment included; growing."""
        return self.history.events

    @property
    def history(self) -> History:
        """The History of this branch."""
        return self._timeline.history

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Every branch, in the order in which they came."""
        return tuple(self._timeline.branches)

    @property
    def memory_budget(self) -> int:
        """The most memory that Checkpoints take, in bytes.

        Where it is used up, Checkpoints of the past are given up, the older the more of them: a
        seek to long ago then replays more, and finds the same state.

        Raises:
            ArgumentError: On setting it to less than a megabyte.
        """
        return self._timeline.budget_bytes

    @memory_budget.setter
    def memory_budget(self, value: int) -> None:
        if value < LEAST_MEMORY:
            raise ArgumentError(
                f"{value} bytes are too few for Checkpoints", f"give {LEAST_MEMORY} or more"
            )
        self._timeline.budget_bytes = value

    @property
    def forks(self) -> tuple[Fork, ...]:
        """Where other branches leave the one that is looked at."""
        return self._timeline.forks()

    @property
    def branch(self) -> Branch:
        """The branch that is looked at."""
        return self._timeline.branch

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the diagnostics say up to the present moment."""
        return self._monitor.findings(self._timeline.position)

    @property
    def occurrences(self) -> tuple[FindingOccurrences, ...]:
        """Where on this branch each finding was noticed, those after the present moment too."""
        return self._monitor.occurrences()

    @property
    def snapshot(self) -> Snapshot:
        """The present moment, with every array."""
        return self.capture_snapshot(None)

    @quiet
    def capture_snapshot(self, wanted: Collection[str] | None) -> Snapshot:
        """Return the present moment.

        Args:
            wanted: Addresses whose whole arrays shall be in it, such as "model.0.weight" or
                "model.0.weight.grad"; None for all. Others are there in summary.
        """
        return self._camera.take(
            self.history, self._timeline.position, wanted, self.findings, self.occurrences
        )

    # -- inside ----------------------------------------------------------------------------------

    def _advancing(self) -> Callable[[Operation], AppliedEvent]:
        """Get ready at the end of a branch, and return what applies Operations one by one."""
        if not self._timeline.is_at_end:
            self.fork()
        apply, observe = self._timeline.apply, self._monitor.observe

        def advance(operation: Operation) -> AppliedEvent:
            seen = apply(operation)
            observe(seen)
            return seen

        return advance

    def _settle(self) -> None:
        """Let what was done be where it can be read, and in the recording.

        The rules wait for who asks what they find, or moves the program elsewhere in time.
        """
        history = self.history
        history.write()
        if history.recorder is not None:
            history.recorder.settled(history)

    def _record_branches(self) -> None:
        timeline = self._timeline
        self._record(
            lambda recorder: recorder.branches(
                timeline.branches, timeline.branch.id, timeline.position
            )
        )

    def _record(self, tell: Callable[[HistoryObserver], None]) -> None:
        """Let a recording know of something; one that fails is let go of."""
        recorder = self.history.recorder
        if recorder is not None:
            try:
                tell(recorder)
            except SessionError:
                self.history.recorder = None
                raise

    @property
    def _monitor(self) -> Monitor:
        branch = self._timeline.branch
        monitor = self._monitors.get(branch.id)
        if monitor is None:
            monitor = self._monitors[branch.id] = Monitor(
                self._program, branch.history, self._known
            )
            monitor.catch_up()
        return monitor


def _number(branch: Branch | int) -> int:
    return branch.id if isinstance(branch, Branch) else branch
