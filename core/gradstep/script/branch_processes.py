"""BranchProcesses: the branches of a running script, each with its tape, most with a process.

Copies of the script's process sleep at earlier Events. A branch is begun by waking the nearest one
before: it does again what the tape says, which is compared bit for bit, and is then held there. The
process of the other branch stays where it is.
"""

from __future__ import annotations

import os
import select
import socket
import sys
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast
from weakref import finalize

from gradstep.errors import DivergedError, OperationError
from gradstep.pluralize import clause
from gradstep.program.operation import Forward
from gradstep.script.described_objects import are_equal
from gradstep.script.process import ScriptProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.script.frames import Checkpoint
    from gradstep.script.process import Copies
    from gradstep.script.tape import Feed, Tape, TapeRow
    from gradstep.script.tape_writer import TapeWriter

__all__ = ["BranchProcesses", "SleepingProcess", "WokenProcess"]

MAX_KEPT: Final = 16
"""Copies that are kept: each holds the memory that the script has changed since."""
BUDGET_BYTES: Final = 2 << 30
"""Memory of the copies that nothing else uses."""
_MEASURE_S = 2.0
"""Least time between two looks at their memory, which take a while for large processes."""
_END_S = 5.0
_TOGETHER = (
    "The script does this event together with the next one: it can be changed one event later."
)
_ENDED = "The script ends after this event."
_REMOVED = "the process of this branch was ended when the branch was removed"


class WokenProcess:
    """The connection to a copy of a script's process that was woken.

    Args:
        sock: The connection.
        lifeline: A socket; the copy is killed when it is closed.
        pid: Its process, to wait for its end.
    """

    def __init__(self, sock: socket.socket, lifeline: _Descriptor, pid: int) -> None:
        self.socket = sock
        self._lifeline = lifeline
        self._process: _Descriptor | None = None
        if sys.platform != "linux":  # processes are copied there alone
            raise OSError("this needs Linux")
        with suppress(OSError):  # it has ended already
            self._process = _Descriptor(os.pidfd_open(pid))

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended; what it sent can still be read."""
        return self._has_ended(0.0)

    def _has_ended(self, within: float) -> bool:
        if self._process is None:
            return True
        return bool(select.select([self._process.number], [], [], within)[0])

    def wait(self) -> int:
        """Wait for the end of the process; its status is in its last message."""
        while not self._has_ended(_END_S):
            pass
        return 0

    def end(self) -> None:
        """End the process."""
        self._lifeline.close()
        self._has_ended(_END_S)

    def lost(self) -> str:
        """Return how the process has ended, if it has sent no last message."""
        return "the process of this branch has ended without a last message"


@dataclass(slots=True, eq=False)
class SleepingProcess:
    """A copy of a script's process that sleeps.

    Attributes:
        branch: The number of the branch on which it was made.
        position: The Event after which it was made.
        pid: Its process.
        writer: What has written the tape up to there, as it was then.
        channel: The descriptor of its connection.
        lifeline: The descriptor that keeps it alive.
    """

    branch: int
    position: int
    pid: int
    writer: TapeWriter
    channel: _Descriptor
    lifeline: _Descriptor

    @property
    def nbytes(self) -> int:
        """Memory that ends with it."""
        with suppress(OSError, ValueError):
            for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Private_Dirty:"):
                    return int(line.split()[1]) << 10
        return 0

    def wake(self, tape: Tape, copies: Copies) -> ScriptProcess:
        """Return it as the process that writes a tape."""
        sock = socket.socket(fileno=self.channel.release())
        writer = _copied(self.writer)
        writer.tape, writer.objects.run = tape, tape.run
        return ScriptProcess.woken(WokenProcess(sock, self.lifeline, self.pid), writer, copies)

    def close(self) -> None:
        """End it, before it can notice that nobody is connected any more."""
        self.lifeline.close()
        self.channel.close()


@dataclass(slots=True)
class BranchProcesses:
    """The branches of a script that is debugged.

    Args:
        first: The tape of the first branch.

    Attributes:
        tapes: The tapes by the number of the branch.
        sleeping: The copies of processes, in the order in which they were made.
        max_kept: How many are kept at most.
        budget_bytes: How much memory of their own they may have together.
    """

    tapes: dict[int, Tape]
    sleeping: list[SleepingProcess] = field(default_factory=list)
    max_kept: int = MAX_KEPT
    budget_bytes: int = BUDGET_BYTES
    _forks: dict[int, tuple[int, int]] = field(default_factory=dict)
    _processes: dict[int, ScriptProcess] = field(default_factory=dict)
    _obstacle: str = ""
    _measured: float = 0.0

    @classmethod
    def of(cls, process: Any) -> BranchProcesses:  # noqa: ANN401 - what holds a script
        """Return the branches of a script that has not begun yet: one."""
        timelines = cls({0: process.tape})
        process.tape.timelines = process.copies = timelines
        return timelines

    @classmethod
    def alone(cls, process: Any, obstacle: str) -> BranchProcesses:  # noqa: ANN401 - as in `of`
        """Return the branch of a script of which no copies are made.

        Args:
            process: What holds it.
            obstacle: Why not.
        """
        timelines = cls({0: process.tape}, _obstacle=obstacle)
        process.tape.timelines = timelines
        return timelines

    def note_obstacle(self, reason: str) -> None:
        """Note why the script's process could not be copied."""
        self._obstacle = reason

    def keep(self, writer: TapeWriter, frame: Checkpoint, descriptors: tuple[int, int]) -> None:
        """Keep a copy of a process, as it is now, with what writes its tape."""
        tape = writer.tape
        branch, position = tape.branch, len(tape.rows)
        while branch in self._forks and position <= self._forks[branch][1]:
            branch = self._forks[branch][0]  # it was made before the branch left the other one
        channel, lifeline = map(_Descriptor, descriptors)
        kept = _copied(writer)
        kept.tape = cast("Tape", None)  # it gets that of the branch that it is woken for
        self.sleeping.append(SleepingProcess(branch, position, frame.pid, kept, channel, lifeline))
        self._obstacle = ""
        self._thin()

    def obstacle(self, tape: Tape, position: int) -> str:
        """Return why a branch cannot be begun after an Event; empty if it can be."""
        if self._nearest(tape, position) is None:
            reason = f", because {self._obstacle}" if self._obstacle else ""
            if tape.has_ended:
                return f"The script has ended, and cannot be run again from here{reason}."
            return (
                f"A running script can be changed only at its latest event{reason}: go there first."
            )
        if tape.moments.event_at(position) is None:
            return _ENDED if position == len(tape.rows) else _TOGETHER
        return ""

    def begin(self, tape: Tape, position: int, branch: int, differs: Callable[[Feed], str]) -> None:
        """Begin a branch, whose process is held after an Event.

        Args:
            tape: The tape of the branch that it leaves.
            position: The Event.
            branch: The number of the new branch.
            differs: Returns the first value of a held process that is not as recorded.

        Raises:
            OperationError: A branch cannot be begun there.
            DivergedError: A copy of the process does not do again what the tape says.
            ScriptError: The process broke the protocol.
        """
        reason, found = self.obstacle(tape, position), self._nearest(tape, position)
        event = tape.moments.event_at(position)
        if reason or found is None or event is None:
            raise OperationError(clause(reason), "change the script at its latest event")
        self.sleeping.remove(found)
        if branch in self._processes:  # a branch that was not completed
            self._processes.pop(branch).stop()
        begun = tape.fork(found.position, branch)
        begun.forked_at = position
        begun.moments = tape.moments.fork(position)
        begun.edits = [at for at in tape.edits if at <= position]
        self._forks[branch] = tape.branch, position
        process = found.wake(begun, self)
        replay = _Replay(tape.rows[:position], begun)
        try:
            process.replay(event, replay.check)
            replay.finish(differs(process))
        except BaseException:
            process.stop()
            del self._forks[branch]
            raise
        begun.rows[:position] = tape.rows[:position]  # what is equal is kept once
        begun.nbytes, begun.recorded = 0, position
        self._processes[branch] = process
        self.tapes[branch] = begun

    def has_process(self, branch: int) -> bool:
        """Return whether the process of a branch is held at its end."""
        tape = self.tapes.get(branch)
        return tape is not None and tape.feed is not None and not tape.has_ended

    def end(self, branch: int) -> None:
        """End the process of a branch that was removed, and the copies of it that were kept.

        If the branch is restored, it is a recording.
        """
        for item in [item for item in self.sleeping if item.branch == branch]:
            self.sleeping.remove(item)
            item.close()
        process = self._processes.pop(branch, None)
        if process is not None:
            process.stop()
            tape = self.tapes[branch]
            tape.has_ended = True
            tape.run.lost = tape.run.lost or _REMOVED

    def close(self) -> None:
        """End all processes but the first."""
        for sleeping in self.sleeping:
            sleeping.close()
        self.sleeping.clear()
        for process in list(self._processes.values()):
            process.stop()

    def _nearest(self, tape: Tape, position: int) -> SleepingProcess | None:
        """Return the last copy from which an Event of a branch can be reached."""
        limits, branch, limit = {tape.branch: position}, tape.branch, position
        while branch in self._forks:
            branch, forked_at = self._forks[branch]
            limit = limits[branch] = min(limit, forked_at)
        edited = max((at for at in tape.edits if at <= position), default=0)
        found = [
            item for item in self.sleeping if edited <= item.position <= limits.get(item.branch, -1)
        ]
        return max(found, key=lambda item: item.position, default=None)

    def _thin(self) -> None:
        """Drop copies beyond the number and the memory that are allowed: recent ones stay dense."""
        while len(self.sleeping) > self.max_kept:
            self._drop()
        now = monotonic()
        if now - self._measured < _MEASURE_S:
            return
        self._measured = now
        while len(self.sleeping) > 1 and (
            sum(item.nbytes for item in self.sleeping) > self.budget_bytes
        ):
            self._drop()

    def _drop(self) -> None:
        """Drop the copy that leaves the smallest gap for its age, but not the first or the last.

        Where no branch has one between two others, that of the oldest other branch is dropped: the
        first branch can be reached from its first copy alone.
        """
        items = sorted(self.sleeping, key=lambda item: (item.branch, item.position))
        newest = max(item.position for item in items)
        between = [
            (
                (after.position - before.position) / (newest - item.position + 1),
                item,
            )
            for before, item, after in zip(items, items[1:], items[2:], strict=False)
            if before.branch == item.branch == after.branch
        ]
        other = next((item for item in items[1:] if item.branch != items[0].branch), items[0])
        chosen = min(between, key=lambda pair: pair[0])[1] if between else other
        self.sleeping.remove(chosen)
        chosen.close()


class _Replay:
    """Compares what a copy of the process does with what is on the tape.

    Args:
        rows: The Events up to where it is to be held.
        tape: What the copy does, up to now.
    """

    def __init__(self, rows: Sequence[TapeRow], tape: Tape) -> None:
        self._rows = rows
        self._tape = tape
        self._compared = len(tape.rows)

    def check(self) -> None:
        """Compare the new rows.

        Raises:
            DivergedError: One is different.
        """
        rows = self._tape.rows
        for at in range(self._compared, len(rows)):
            if at >= len(self._rows) or not _is_same(self._rows[at], rows[at]):
                raise DivergedError(at + 1, "the script did something else than the first time")
        self._compared = len(rows)

    def finish(self, different: str) -> None:
        """Check that all rows came, and led to the same values.

        Args:
            different: A value that is another one; empty for none.

        Raises:
            DivergedError: The script has ended before, or there is such a value.
        """
        self.check()
        if different:
            raise DivergedError(max(self._compared, 1), f"{different} has other values")
        if self._compared < len(self._rows) or self._tape.has_ended:
            raise DivergedError(self._compared + 1, "the script did not come to it again")


def _is_same(one: TapeRow, other: TapeRow) -> bool:
    """Return whether two rows are the same Event, bit for bit.

    Of a Forward, more is known where the script was held: a graph that no other pass had, so that
    what was read is compared where the graphs are the same; and its value before a Zero Grad.
    """
    is_forward = isinstance(one.operation, Forward)
    has_other_graph = is_forward and one.graph != other.graph
    is_unread = is_forward and None in (one.loss, other.loss)
    return (
        (one.operation, one.writes, one.message, one.failed)
        == (other.operation, other.writes, other.message, other.failed)
        and (has_other_graph or (one.reads, one.graph) == (other.reads, other.graph))
        and (one.iteration, one.epoch) == (other.iteration, other.epoch)
        and repr(one.options) == repr(other.options)  # NaN is NaN
        and (is_unread or repr(one.loss) == repr(other.loss))
        and one.values.keys() == other.values.keys()
        and all(are_equal(value, other.values[key]) for key, value in one.values.items())
    )


class _Descriptor:
    """A file descriptor that is closed with its owner at the latest."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._close = finalize(self, os.close, number)

    def close(self) -> None:
        """Close it, if that has not been done."""
        self._close()

    def release(self) -> int:
        """Return the number; the caller closes it."""
        self._close.detach()
        return self.number


_SHARED = frozenset(("tape", "run", "objects", "order"))
"""What is not copied with what a writer remembers: objects and order are by themselves."""


def _copied(writer: TapeWriter) -> TapeWriter:
    """Return a writer that stays as it is while the other one writes on; arrays are shared."""
    copied = copy(writer)
    copied.objects, copied.order = copy(writer.objects), copy(writer.order)
    for one in (copied, copied.objects, copied.order):
        for name, value in vars(one).items():
            if name not in _SHARED:
                setattr(one, name, _copied_value(value))
    return copied


def _copied_value(value: Any) -> Any:  # noqa: ANN401 - what a writer remembers
    if isinstance(value, dict):
        return {key: _copied_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied_value(item) for item in value]
    return set(value) if isinstance(value, set) else value
