"""Ranks: the processes that torchrun starts, each with an agent of its own."""

from __future__ import annotations

import os
import secrets
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import finalize

import msgspec

from gradstep.errors import ScriptError
from gradstep.pluralize import pluralize
from gradstep.script.channel import end_process, run_launcher, unix_socket
from gradstep.script.process import ScriptProcess
from gradstep.script.rank_group import Rank, RankGroup
from gradstep.script.tape import RECORDING_BYTES
from gradstep.stopping import ShouldStop, never

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence

    from gradstep.script.channel import Channel
    from gradstep.script.command import ScriptCommand
    from gradstep.script.process import KeepFrame
    from gradstep.script.tape import Tape

    KeepRank = Callable[[str, ScriptCommand], KeepFrame]

__all__ = ["joined_ranks", "record_joined", "record_ranks", "start_ranks"]

_POLL_S = 0.1
_TOKEN_S = 10.0
_LARGEST_TOKEN = 1024
_START_S = 120.0
_END_S = 5.0
_LEAST_BUDGET = 1 << 28
"""Memory for the values of each process, however many there are."""


class _Token(msgspec.Struct, tag_field="type", tag="token"):
    """The first frame of each process.

    Attributes:
        token: The token that it was given when it was started.
        rank: Its rank.
        size: How many processes torchrun starts on this machine.
    """

    token: str
    rank: int
    size: int = 1


class RankChannel:
    """The connection to a process that torchrun has started.

    Args:
        rank: Its rank.
        sock: The connection.
        torchrun: The process of torchrun.

    Attributes:
        socket: The connection.
        pid: The number of the process; None where the system does not tell it.
        handle: A descriptor of the process, which can be read when it has ended; None likewise.
    """

    def __init__(self, rank: int, sock: socket.socket, torchrun: subprocess.Popen[bytes]) -> None:
        self.socket = sock
        self.pid = _pid_behind(sock)
        self._rank = rank
        self._torchrun = torchrun
        self.handle: int | None = None
        if self.pid is not None and sys.platform == "linux":
            with suppress(OSError):  # it has ended already
                self.handle = os.pidfd_open(self.pid)
                finalize(self, os.close, self.handle)

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended; what it sent can still be read."""
        if self.handle is None:
            return self._torchrun.poll() is not None
        return bool(select.select([self.handle], [], [], 0)[0])

    def wait(self) -> int:
        """Return the status of torchrun; wait for its end."""
        return self._torchrun.wait()

    def end(self) -> None:
        """End torchrun, which ends its processes; and this one, if it still runs then."""
        end_process(self._torchrun)
        if self.handle is not None and sys.platform == "linux":
            with suppress(OSError):  # it has ended
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            select.select([self.handle], [], [], _END_S)

    def lost(self) -> str:
        """Return that the process has ended without a last message."""
        pid = "" if self.pid is None else f" (process {self.pid})"
        return f"rank {self._rank}{pid} was ended without a last message: torchrun says how"


def _pid_behind(sock: socket.socket) -> int | None:
    """Return the process at the other end of a Unix socket; None where the system cannot tell."""
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return None
    found = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", found)[0])


class _Arrived(msgspec.Struct):
    """A process that has connected itself: its rank, how many there are, and its connection."""

    rank: int
    size: int
    channel: Any


class RankListener:
    """Starts torchrun, and waits for its processes.

    Args:
        command: What to run: torchrun, and what follows it.
        settings: The options of the launcher for each process.

    Attributes:
        process: torchrun.
    """

    def __init__(self, command: ScriptCommand, settings: dict[str, Any]) -> None:
        self._socket = unix_socket()
        self._folder = tempfile.mkdtemp(prefix="gradstep-")  # nobody else can look into it
        self._token = secrets.token_hex(16)
        address = str(Path(self._folder) / "ranks")
        try:
            self._socket.bind(address)
            self._socket.listen()
            self._socket.settimeout(_POLL_S)
            options = {**settings, "torchrun": True, "address": address, "token": self._token}
            self.process = run_launcher(command, options)
        except BaseException:
            self.close()
            raise

    def accept(self) -> _Arrived | None:
        """Return a process that has connected itself; None when none comes at once."""
        try:
            connected, _ = self._socket.accept()
        except TimeoutError:
            return None
        connected.settimeout(_TOKEN_S)
        try:
            said = msgspec.json.decode(_first_header(connected), type=_Token)
        except (OSError, msgspec.MsgspecError):
            connected.close()
            return None
        if not secrets.compare_digest(said.token.encode(), self._token.encode()):
            connected.close()
            return None
        connected.settimeout(None)
        channel = RankChannel(said.rank, connected, self.process)
        return _Arrived(said.rank, max(1, said.size), channel)

    def close(self) -> None:
        """Accept no more processes."""
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _first_header(sock: socket.socket) -> bytes:
    found = b""
    while len(found) < 8 or len(found) < 8 + int.from_bytes(found[:4], "little"):  # noqa: PLR2004
        wanted = 8 if len(found) < 8 else 8 + int.from_bytes(found[:4], "little")  # noqa: PLR2004
        if wanted > _LARGEST_TOKEN:
            raise OSError("too long")
        received = sock.recv(wanted - len(found))
        if not received:
            raise OSError("closed")
        found += received
    return found[8:]


def start_ranks(command: ScriptCommand, is_stopped: ShouldStop = never) -> RankGroup:
    """Start torchrun, and return its processes, none of which has begun.

    Args:
        command: What to run.
        is_stopped: Returns whether the user has asked to stop, or later to pause.

    Raises:
        ScriptError: torchrun cannot be started, or ends before all processes have connected, or
            the user has asked to stop before.
    """
    listener = RankListener(command, {"level": "full", "share": 0, "goes_on": False})
    found: dict[int, _Arrived] = {}
    try:
        _await_all(listener, found, is_stopped)
    except BaseException:
        end_process(listener.process)
        for arrived in found.values():
            arrived.channel.socket.close()
        raise
    finally:
        listener.close()
    return _group(
        [(rank, found[rank].channel, command) for rank in sorted(found)], is_stopped, goes_on=False
    )


def _await_all(
    listener: RankListener, found: dict[int, _Arrived], is_stopped: Callable[[], bool]
) -> None:
    """Wait until all processes have connected themselves.

    Args:
        listener: Waits for them.
        found: Where they are added, by their ranks.
        is_stopped: Returns whether the user has asked to stop.

    Raises:
        ScriptError: torchrun has ended before, it takes too long, or the user has asked to stop.
    """
    deadline = monotonic() + _START_S
    while not found or len(found) < next(iter(found.values())).size:
        if (arrived := listener.accept()) is not None:
            found[arrived.rank] = arrived
        elif listener.process.poll() is not None:
            raise ScriptError(
                f"torchrun ended with status {listener.process.returncode} before its "
                "processes began",
                "see its message in the terminal",
            )
        elif monotonic() > deadline:
            raise ScriptError(
                f"after {_START_S:.0f} s only {pluralize(len(found), 'rank')} had begun",
                "see its messages in the terminal",
            )
        elif is_stopped():
            raise ScriptError("torchrun was stopped before its processes began", "run it again")


def joined_ranks(
    found: Sequence[tuple[ScriptCommand, Channel]], is_stopped: ShouldStop = never
) -> RankGroup:
    """Return processes that run already as the ranks of one job; they go on when they are left.

    Args:
        found: What each of them is called, and the connection to it, in the order of their ranks.
        is_stopped: Returns whether the user has asked to pause.
    """
    ranks = [(rank, channel, command) for rank, (command, channel) in enumerate(found)]
    group = _group(ranks, is_stopped, goes_on=True)
    group.were_joined = True
    return group


def record_joined(
    found: Sequence[tuple[ScriptCommand, Channel]],
    should_stop: Callable[[], bool],
    keep: KeepRank | None = None,
) -> dict[str, tuple[Tape, str]]:
    """Record processes that run already, as the ranks of one job, until they end.

    Args:
        found: As in `joined_ranks`.
        should_stop: Called now and then; True leaves them.
        keep: As in `record_ranks`.

    Returns:
        Of each, by a name such as "rank0", its tape, and why its recording has ended.
    """
    budget = max(RECORDING_BYTES // len(found), _LEAST_BUDGET)
    threads = [
        _RankThread(rank, f"rank{rank}", channel, command, budget, should_stop)
        for rank, (command, channel) in enumerate(found)
    ]
    for thread, (command, _) in zip(threads, found, strict=True):
        thread.process.keep_frame = keep and keep(thread.name, command)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {thread.name: (thread.tape, thread.lost) for thread in threads}


def _group(
    found: Sequence[tuple[int, Any, ScriptCommand]],
    is_stopped: Callable[[], bool],
    *,
    goes_on: bool,
) -> RankGroup:
    budget = max(RECORDING_BYTES // len(found), _LEAST_BUDGET)
    return RankGroup(
        [
            Rank(
                rank,
                ScriptProcess(
                    command, share=0, goes_on=goes_on, channel=channel, budget_bytes=budget
                ),
                channel,
                getattr(channel, "pid", None),
            )
            for rank, channel, command in found
        ],
        is_stopped,
    )


def record_ranks(
    command: ScriptCommand,
    should_stop: Callable[[], bool],
    keep: KeepRank | None = None,
) -> tuple[int, dict[str, tuple[Tape, str]]]:
    """Run torchrun to its end, and record each of its processes.

    Args:
        command: What to run.
        should_stop: Called now and then; True ends it.
        keep: Called with the name of a process and its command before it begins; returns what is
            called with each of its frames.

    Returns:
        The status of torchrun, and of each process, by a name such as "rank0", its tape and why
        its recording has ended, empty where it was whole.

    Raises:
        ScriptError: torchrun cannot be started.
    """
    settings = {"level": "full", "share": 0, "goes_on": True}
    listener = RankListener(command, settings)
    threads: list[_RankThread] = []
    try:
        while listener.process.poll() is None:
            if (found := listener.accept()) is not None:
                rank, again = found.rank, sum(thread.rank == found.rank for thread in threads)
                name = f"rank{rank}.{again + 1}" if again else f"rank{rank}"
                thread = _RankThread(rank, name, found.channel, command, RECORDING_BYTES)
                thread.process.keep_frame = keep and keep(name, command)
                threads.append(thread)
                thread.start()
            if should_stop():
                end_process(listener.process)
        status = listener.process.wait()
    except BaseException:
        end_process(listener.process)
        raise
    finally:
        listener.close()
    for thread in threads:
        thread.join()
    threads.sort(key=lambda thread: thread.rank)
    return status, {thread.name: (thread.tape, thread.lost) for thread in threads}


class _RankThread(threading.Thread):
    """Reads what one process sends, while the others are read too."""

    def __init__(
        self,
        rank: int,
        name: str,
        channel: Channel,
        command: ScriptCommand,
        budget_bytes: int,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.rank = rank
        self.lost = ""
        self._should_stop = should_stop
        self.process = ScriptProcess(command, budget_bytes=budget_bytes, channel=channel)
        self.tape = self.process.tape

    def run(self) -> None:
        """Read until the process ends."""
        try:
            self.process.run(self._should_stop)
        except ScriptError as error:
            self.lost = error.message
        else:
            self.lost = self.tape.run.lost
