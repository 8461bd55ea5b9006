"""RankGroup: the processes of a distributed script, let go together and held together.

Processes that communicate wait for one another inside Operations: a Backward of
DistributedDataParallel ends in no process before it has begun in all of them. So each command lets
all of them go. Where one comes to other Operations than the rest, such as an evaluation on one rank
alone, those that wait for it are left where they are, and join the rest when they come out.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from gradstep.errors import OperationError, ScriptError
from gradstep.pluralize import pluralize
from gradstep.script.run_ahead import RunAhead
from gradstep.stopping import ShouldStop, never

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.program.operation import Operation
    from gradstep.script.channel import Channel
    from gradstep.script.frames import Held, Variables
    from gradstep.script.process import ScriptProcess

__all__ = ["Rank", "RankGroup"]

_POLL_S = 0.05
_NO_BATCH: Final = 1 << 30
_MOST_APART: Final = 32
"""Operations by which processes may be apart that are joined."""

WAITS_S: Final = 0.4
"""A process that has slept for so long, inside an Operation, waits for another one."""
STILL_WAITS_S: Final = 0.1
"""The same for one that has waited before: what it waits for may have happened now."""
HELP_S: Final = 0.8
"""So long the one that is looked at may wait before others, which are held, are let go on."""
HELP_AGAIN_S: Final = 0.2
"""The same for the Operations that they do after that one."""
GIVE_UP_S: Final = 10.0
"""So long it may wait when all others wait too, or have ended."""
LIMIT_S: Final = 30.0
"""So long the others may compute when the one that is looked at is held already."""
PATIENCE_S: Final = 8.0
"""So long a process may be under way before it counts as waiting though it takes a processor, as
one that waits for a GPU does, or though nothing is known of that, as on another machine."""
_AWAKE_SHARE: Final = 0.05
"""The share of a processor that a process takes at most while it only waits."""


@runtime_checkable
class WatchedChannel(Protocol):
    """A connection to a process whose end the system reports."""

    @property
    def handle(self) -> int | None:
        """A descriptor that can be read when the process has ended; None where there is none."""


@dataclass(slots=True, eq=False)
class Rank:
    """One process.

    Attributes:
        number: Its rank.
        process: The connection to it.
        channel: What is known of its process.
        pid: The number of its process; None if it runs on another machine.
        is_under_way: Whether it was let go, and is not held again.
        waits: Whether it is under way, and only waits: for others, as far as can be seen.
        left_before: The Operation that it was let go to do.
        left: Where it was held then.
        ahead: How many Operations it has done more, because others waited for it.
        has_waited: Whether it was found to wait, since it was let go.
        was_helped: Whether others were let go on, because it waited for them.
    """

    number: int
    process: ScriptProcess
    channel: Channel
    pid: int | None = None
    is_under_way: bool = False
    waits: bool = False
    left_before: Operation | None = None
    left: Held | None = None
    ahead: int = 0
    has_waited: bool = False
    was_helped: bool = False
    _rows: int = -1
    _iteration: int = 0
    _batch: int = 1
    _began: float = 0.0
    _busy_at: float = 0.0
    _measured_at: float = 0.0
    _seconds: float | None = None

    @property
    def held(self) -> Held | None:
        """Where it is held; None while it runs, and after its end."""
        writer = self.process.writer
        return None if self.has_ended or self.is_under_way or writer.waits else writer.held

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes from it."""
        return self.process.tape.has_ended

    @property
    def is_past(self) -> bool:
        """Whether it has done the Operation that it was let go to do, and is on its way."""
        return self.is_under_way and len(self.process.tape.rows) > self._rows >= 0

    def begin(self, command: str) -> None:
        """Let it go until it is held for the first time.

        Args:
            command: "step", or "hold" for one that runs already: where that is held before it reads
                the command, at a `pause()`, it stays there.
        """
        self._rows = -1
        self._start()
        self.process.let_go(command)

    def go(self, command: str = "step", iteration: int = 0, batch: int = 1) -> bool:
        """Let it do its next Operation, or some; return whether it may be more than one."""
        process = self.process
        self.left_before, self.left = process.coming, process.writer.held
        self._rows, self._iteration, self._batch = len(process.tape.rows), iteration, batch
        self._start()
        return process.let_go(command, iteration, batch)

    def settle(self) -> bool:
        """Return whether it is held again, or has ended.

        Raises:
            OperationError: It has rejected the command.
        """
        if not self.is_under_way:
            return True
        try:
            if not self.process.has_arrived():
                return False
        except OperationError:
            self.is_under_way = False
            raise
        if len(self.process.tape.rows) == self._rows and not self.has_ended:
            self.process.let_go("step", self._iteration, self._batch)  # it was no Event
            return False
        self.is_under_way = self.waits = False
        return True

    def enter(self) -> None:
        """Note that it goes on inside the Operation before which it is held."""
        if self.process.tape.entered is None:
            self.left_before, self.left = self.process.coming, self.process.writer.held
        self.restart_timer()
        self.is_under_way = True

    def restart_timer(self) -> None:
        """Count from now on how long it waits."""
        self._began = self._busy_at = self._measured_at = monotonic()
        self._seconds = _processor_seconds(self.pid)

    @property
    def waited_seconds(self) -> float:
        """For how long it has been under way."""
        return monotonic() - self._began

    def idle_seconds(self) -> float:
        """Return for how long it has taken no part of a processor worth mentioning."""
        now, seconds, before = monotonic(), _processor_seconds(self.pid), self._seconds
        if seconds is None or before is None:
            return now - self._began - PATIENCE_S
        share = (seconds - before) / max(now - self._measured_at, _POLL_S)
        if share > _AWAKE_SHARE or _is_awake(self.pid):
            self._busy_at = self._measured_at = now
            self._seconds = seconds
        return now - self._busy_at

    def _start(self) -> None:
        self.is_under_way = True
        self.waits = self.has_waited = self.was_helped = False
        self.restart_timer()


class RankGroup:
    """Lets the processes of a script go together, and waits until they are held again.

    Args:
        ranks: The processes, none of them begun.
        is_stopped: Returns whether the user has asked to pause.

    Attributes:
        ranks: The processes by rank, in order.
        shown: The one that is looked at.
        were_joined: Whether they ran before.
    """

    def __init__(self, ranks: Iterable[Rank], is_stopped: ShouldStop = never) -> None:
        self.ranks: Mapping[int, Rank] = {rank.number: rank for rank in ranks}
        self.were_joined = False
        self._ended: list[int] = []
        self._is_stopped = is_stopped
        self._ahead = RunAhead()
        for rank in self.ranks.values():
            rank.process.tape.feed = RankFeed(self, rank)
        self.show(min(self.ranks))
        threading.Thread(target=self._note_ends, name="gradstep-ranks", daemon=True).start()

    def show(self, number: int) -> None:
        """Look at one of the processes from now on."""
        self.shown = self.ranks[number]
        for rank in self.ranks.values():
            rank.process.companions = self if rank is self.shown else None

    def begin(self) -> None:
        """Let all begin, and hold each before its first Operation.

        Raises:
            OperationError: The one that is looked at does not come to one.
            ScriptError: It broke the protocol.
        """
        for rank in self.ranks.values():
            rank.begin("hold" if self.were_joined else "step")
        self._await_shown()
        self._await_others()

    def bring_together(self) -> None:
        """Let those go on that are not at the line of the shown one, for an iteration at most.

        Processes that ran before they were joined are held where each of them just was.

        Raises:
            ScriptError: One of them broke the protocol.
        """
        for rank in self.ranks.values():
            if rank.held is not None and rank.held.kind == "pause":  # others may be past theirs
                rank.go()
        self._await_shown()
        self._await_others()
        here = self.shown.held
        first = {rank: rank.held.iteration for rank in self.others if rank.held is not None}
        for _ in range(_MOST_APART):
            apart = [
                rank
                for rank in first
                if here is not None
                and (there := rank.held) is not None
                and _line_of(there) != _line_of(here)
                and there.iteration <= first[rank] + 1
            ]
            if not apart:
                return
            for rank in apart:
                rank.go()
            self._await_others()

    def end(self) -> None:
        """End all processes; any thread may call this."""
        for rank in self.ranks.values():
            rank.process.end()

    # -- letting go ----------------------------------------------------------------------------

    def advance(self, iteration: int) -> None:
        """Let each process do one Operation, or in a run as many as take some milliseconds.

        Args:
            iteration: They may do more than one, up to this iteration.

        Raises:
            OperationError: The one that is looked at waits for others, and none of them comes.
            ScriptError: It broke the protocol.
        """
        began, shown = time.perf_counter(), self.shown
        is_inside = shown.process.tape.entered is not None  # then the others have been let go
        if not is_inside:
            self._let_others_go("step", iteration)
        runs_ahead = False
        if shown.is_under_way:  # it has waited before
            shown.restart_timer()
        else:
            runs_ahead = shown.go("step", iteration, self._ahead.count)
        self._await_shown()
        if not runs_ahead:
            self._look_again()
        self._await_others()
        if runs_ahead:
            self._ahead.note(time.perf_counter() - began)

    def skip(self) -> None:
        """Let each process leave out its next Operation; those that are elsewhere do theirs.

        Raises:
            OperationError: The one that is looked at cannot leave it out.
            ScriptError: It broke the protocol.
        """
        self._let_others_go("skip", 0)
        self.shown.go("skip")
        self._await_shown()
        self._await_others()

    def change(self, operation: Operation, command: dict[str, Any], message: str) -> None:
        """Let each process carry out an Operation that does not come next.

        Raises:
            OperationError: One of them is not held, or cannot do it.
            ScriptError: Its process broke the protocol.
        """
        running = [rank for rank in self.ranks.values() if rank.is_under_way]
        if running:
            raise OperationError(
                f"rank {running[0].number} is not held: a change is made in all ranks",
                "step on until all of them are held",
            )
        for rank in (self.shown, *self.others):
            if not rank.has_ended:
                rank.process.change(operation, command, message)

    def go_inside(self) -> None:
        """Let the process that is looked at go on inside its Operation; the others do theirs.

        Raises:
            ScriptError: It broke the protocol.
        """
        shown, tape = self.shown, self.shown.process.tape
        if tape.entered is None:
            self._let_others_go("step", 0)
        shown.enter()
        try:
            shown.process.go_inside()
        finally:
            shown.is_under_way = False
        if tape.entered is None:
            self._await_others()

    @property
    def others(self) -> Sequence[Rank]:
        """All but the one that is looked at."""
        return [rank for rank in self.ranks.values() if rank is not self.shown]

    def _let_others_go(self, command: str, iteration: int) -> None:
        here = self.shown.held or self.shown.left
        for rank in self.others:
            there = rank.held
            if there is None or here is None:
                continue
            is_level = _place_of(there) == _place_of(here)
            if is_level:
                rank.ahead = 0
                rank.go(command, iteration, self._ahead.count)
            elif there.iteration > here.iteration:
                continue  # it is ahead, until the others come there
            elif rank.ahead:
                rank.ahead -= 1
            elif there.iteration < here.iteration:
                rank.go("step", here.iteration, _NO_BATCH)
            else:
                rank.go("step", iteration, self._ahead.count)

    # -- waiting -------------------------------------------------------------------------------

    def _await_shown(self) -> None:
        shown = self.shown
        while not shown.settle():
            shown.process.read()  # which reads what the others send, too

    def _look_again(self) -> None:
        """Look whether those that have waited still do."""
        for rank in self.others:
            if rank.waits:
                rank.restart_timer()
                rank.waits, rank.has_waited = False, True

    def _await_others(self) -> None:
        """Wait for the others, but not for those that only wait themselves."""
        began = monotonic()
        while True:
            awaited = [rank for rank in self.others if rank.is_under_way and not rank.waits]
            if not awaited or self._is_stopped() or monotonic() - began > LIMIT_S:
                return
            self._read_others(_POLL_S)
            for rank in awaited:
                limit = STILL_WAITS_S if rank.has_waited else WAITS_S
                rank.waits = rank.is_under_way and rank.idle_seconds() > limit

    def poll(self) -> bool:
        """Read what the ranks have sent meanwhile; it takes no time.

        Returns:
            Whether the one that is looked at has come to an Operation, or has ended.
        """
        shown = self.shown
        before = shown.is_under_way, shown.has_ended
        is_ready = self._read_others(0.0, shown.process)
        if not shown.has_ended and (is_ready or shown.channel.has_ended):
            shown.process.read()
            shown.settle()
        return before != (shown.is_under_way, shown.has_ended)

    def read_until(self, process: ScriptProcess, timeout_s: float) -> bool:
        """Read what others send, until a process has sent something too; see `Companions`.

        Raises:
            OperationError: It waits for others, and none of them comes.
        """
        deadline = monotonic() + timeout_s
        while True:
            if self._read_others(max(0.0, deadline - monotonic()), process):
                return True
            if monotonic() >= deadline:
                break
        if self.shown.is_under_way:
            self._help()
        return False

    def _help(self) -> None:
        """Let others go on when the process that is looked at waits for them.

        Raises:
            OperationError: None of them can, and it has waited for long.
        """
        shown = self.shown
        idle, waited = shown.idle_seconds(), shown.waited_seconds
        if idle < (HELP_AGAIN_S if shown.was_helped else HELP_S) and waited < PATIENCE_S:
            return
        held = [rank for rank in self.others if rank.held is not None]
        for rank in held:
            rank.ahead += 1
            rank.go()
        if held:
            shown.restart_timer()
            shown.was_helped = True
            return
        if any(rank.is_under_way and rank.idle_seconds() < HELP_S for rank in self.others):
            return
        if idle > GIVE_UP_S or (self._is_stopped() and waited > PATIENCE_S):
            raise OperationError(self._deadlock(), "step again to keep waiting, or end the script")

    def _deadlock(self) -> str:
        """Return who waits where."""
        shown = self.shown
        texts = [
            f"rank {rank.number} {'has ended' if rank.has_ended else self._place(rank)}"
            for rank in self.ranks.values()
        ]
        waited = pluralize(round(shown.waited_seconds), "second")
        return f"no rank has made progress for {waited}: {'; '.join(texts)}"

    @staticmethod
    def _place(rank: Rank) -> str:
        """Return in which Operation a process waits, or after which, and at which line."""
        operation, held = rank.left_before, rank.left
        if operation is None or held is None:
            return "waits before its first Operation"
        target = f" {held.target}" if held.target else ""
        return f"waits {'after' if rank.is_past else 'in'} {held.kind}{target} ({operation.at})"

    def _read_others(self, timeout_s: float, process: ScriptProcess | None = None) -> bool:
        """Read what the others have sent; return whether `process` has sent something."""
        alive = [rank for rank in self.others if not rank.has_ended]
        sockets = {rank.channel.socket: rank for rank in alive}
        own = None if process is None else self.shown.channel.socket
        wanted = [*sockets, *([] if own is None else [own])]
        try:
            ready = select.select(wanted, [], [], timeout_s)[0] if wanted else []
        except (OSError, ValueError):  # one was closed: reading it says so
            ready = wanted
        for rank in alive:
            if rank.channel.socket in ready or rank.channel.has_ended:
                with suppress(ScriptError):  # the end of its recording says why
                    rank.process.read()
        for rank in alive:
            with suppress(OperationError):  # it does not skip what the others do
                rank.settle()
        return own is not None and own in ready

    @property
    def failed(self) -> Sequence[int]:
        """The ranks that ended with an error, or without a last message, in the order of that."""
        found = []
        for number, rank in self.ranks.items():
            run = rank.process.tape.run
            if rank.has_ended and (run.status or run.lost):
                found.append(number)
        order = tuple(self._ended)
        return sorted(found, key=lambda n: order.index(n) if n in order else len(order))

    def _note_ends(self) -> None:
        """Note in which order processes end, on a thread of its own.

        When one has failed, torchrun ends the others so soon that it could not be seen later.
        """
        handles = {
            rank.channel.handle: number
            for number, rank in self.ranks.items()
            if isinstance(rank.channel, WatchedChannel) and rank.channel.handle is not None
        }
        while handles:
            for handle in select.select(list(handles), [], [])[0]:
                self._ended.append(handles.pop(handle))


class RankFeed:
    """One process of a group, as its Mirror sees it.

    Args:
        group: All of them.
        rank: This one, which is looked at.
    """

    def __init__(self, group: RankGroup, rank: Rank) -> None:
        self._group = group
        self._rank = rank

    @property
    def coming(self) -> Operation | None:
        """The Operation before which it is held, or in which it waits for other processes."""
        return self._rank.left_before if self._rank.is_under_way else self._rank.process.coming

    def advance(self, iteration: int = 0) -> None:
        """Let each process perform its next Operation; see `RankGroup.advance`."""
        self._group.advance(iteration)

    def skip(self) -> None:
        """Let each process leave out its next Operation; see `RankGroup.skip`."""
        self._group.skip()

    def change(self, operation: Operation, command: dict[str, Any], message: str) -> None:
        """Let each process carry out an Operation out of turn; see `RankGroup.change`."""
        self._group.change(operation, command, message)

    def arrays(self, addresses: Sequence[str], most: int = 0) -> dict[str, NDArray[Any]]:
        """Return tensors of the process, which is held; see `ScriptProcess.arrays`."""
        return {} if self._rank.is_under_way else self._rank.process.arrays(addresses, most)

    def variables(self, frame: int, opened: Sequence[str] = ()) -> Variables | None:
        """Return the variables of a frame; None while the process is under way."""
        return None if self._rank.is_under_way else self._rank.process.variables(frame, opened)

    def go_inside(self) -> None:
        """Let the process go on inside its Operation; see `RankGroup.go_inside`."""
        self._group.go_inside()


def _line_of(held: Held) -> tuple[object, ...]:
    return held.kind, held.target, held.file, held.line


def _place_of(held: Held) -> tuple[object, ...]:
    return *_line_of(held), held.iteration, held.epoch


def _processor_seconds(pid: int | None) -> float | None:
    """Return the processor time of a process; None where it cannot be seen."""
    fields = _stat(pid)
    if sys.platform == "win32":
        return None
    return (
        None if fields is None else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    )


def _is_awake(pid: int | None) -> bool:
    """Return whether the main thread of a process computes, or would if there were a processor."""
    fields = _stat(pid)
    return fields is not None and fields[0] in "RD"


def _stat(pid: int | None) -> list[str] | None:
    """Return what the system tells of a process from its state on; None where it does not."""
    if pid is None:
        return None
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()
