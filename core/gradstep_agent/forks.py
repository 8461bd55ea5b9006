"""Checkpoints of the whole process: copies by fork, asleep until the user goes back there.

A checkpoint is a child process that waits for one command: `wake`. It then does what the script
did after that moment once more, unseen, up to an Event, and from there on something else. Before
it continues it leaves another copy asleep, so that one can go back there again.

Each copy has a connection of its own to the debugger, and a second socket, its lifeline: when the
debugger closes that, or ends however it ends, the system kills the copy, whatever it is doing.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Any

from gradstep_agent import fork_safety, progress_bars
from gradstep_agent.files import Mute, flush_output, open_files, reopen
from gradstep_agent.wire import Disconnected

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from gradstep_agent.files import OpenFile
    from gradstep_agent.wire import Wire

_TIMES_ITS_COST = 40
"""Running time between two checkpoints, in multiples of what one costs: 2.5 %."""
_SECONDS_BETWEEN_ATTEMPTS = 1.0
"""How long after a checkpoint that could not be made the next one is tried."""


class Forks:
    """Makes checkpoints of this process.

    Args:
        wire: The connection; in a copy that is woken, its own one.

    Attributes:
        torch: The script's own torch, once it has imported it.
        is_automatic: Whether checkpoints are made without being asked for.
        is_forking: Whether a copy is being made: what is registered to be done in forked processes
            is for the script's own.
        obstacle: Why the last checkpoint could not be made; "" if it was.
        mute: Discards output while a woken copy repeats what was printed before.
    """

    def __init__(self, wire: Wire) -> None:
        self.torch: Any = None
        self.is_automatic = False
        self.is_forking = False
        self.obstacle = ""
        self.mute = Mute()
        self._wire = wire
        self._children: set[int] = set()
        self._lifeline: socket.socket | None = None
        self._told = ""
        self._is_tried = False
        self._size_of_ring = 0
        self._due = 0.0
        self._last_event = -1

    def is_due(self, event: int) -> bool:
        """Return whether a checkpoint is to be made now, after so many Events."""
        return (
            self.is_automatic
            and event > self._last_event
            and time.perf_counter() > self._due
            and not self.mute.is_on
        )

    def is_wanted(self, event: int) -> bool:
        """Return whether a checkpoint is worth having, while the script is held anyway."""
        return self.is_automatic and event > self._last_event and not self.obstacle

    def take(self, event: int) -> dict[str, Any] | None:
        """Leave a copy of this process asleep.

        Args:
            event: How many Events there have been.

        Returns:
            None in this process; in the copy, once it is woken, the command that woke it.

        Raises:
            Disconnected: Nobody reads any more.
        """
        command = self._take(event)
        if command is None:
            return None
        while True:  # the next one who goes back here finds another copy
            later = self._take(event)
            if later is None:
                break
            command = later
        self.mute.begin()
        return command

    def _take(self, event: int) -> dict[str, Any] | None:
        monitors = progress_bars.rest()
        try:
            return self._take_at_rest(event, monitors)
        finally:
            progress_bars.resume(monitors)

    def _take_at_rest(self, event: int, monitors: list[Any]) -> dict[str, Any] | None:
        started = time.perf_counter()
        self._wire.flush()
        self.obstacle = self._why_not()
        if not self.obstacle:
            command = self._fork(event, monitors)
            if command is not None:
                return command
        ended = time.perf_counter()
        wait = _SECONDS_BETWEEN_ATTEMPTS if self.obstacle else _TIMES_ITS_COST * (ended - started)
        self._due = ended + wait
        if not self.obstacle:
            self._last_event = event
        if self.obstacle not in {"", self._told}:
            self._wire.send({"type": "no_checkpoint", "reason": self.obstacle})
        self._told = self.obstacle
        return None

    def _why_not(self) -> str:
        self._reap()
        own = {self._wire.socket.fileno()}
        if self._lifeline is not None:
            own.add(self._lifeline.fileno())
        if self._wire.socket.family != getattr(socket, "AF_UNIX", None):
            return "the debugger is connected over the network"
        obstacle = fork_safety.obstacle(self.torch, own, self._children)
        if obstacle:
            return obstacle
        fork_safety.rest_openmp()
        if self._is_tried or self.torch is None:
            return ""
        self.is_forking = True
        try:
            obstacle = fork_safety.fails_in_a_copy(self.torch)
        finally:
            self.is_forking = False
        self._is_tried = not obstacle
        return obstacle

    def _fork(self, event: int, monitors: list[Any]) -> dict[str, Any] | None:
        if sys.platform != "linux":  # fork_safety has found no obstacle
            raise OSError("this needs Linux")
        started = time.perf_counter()
        flush_output()
        files = open_files()
        random = sys.modules.get("random")
        drawn = None if random is None else random.getstate()
        channel, their_channel = socket.socketpair()
        lifeline, their_lifeline = socket.socketpair()
        theirs = [their_channel, their_lifeline]
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        self.is_forking = True
        pid = os.fork()
        self.is_forking = False
        if not pid:
            if random is not None:  # Python has just seeded it again
                random.setstate(drawn)
            for sock in theirs:
                sock.close()
            self._sleep_with(channel, lifeline)
            progress_bars.take_own_locks(monitors)
            command = self._sleep(files)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            return command
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        channel.close()
        lifeline.close()
        self._children.add(pid)
        try:
            self.obstacle = fork_safety.other_threads()
            if not self.obstacle:  # else the copy ends with its lifeline
                seconds = time.perf_counter() - started
                header = {"type": "checkpoint", "event": event, "pid": pid, "seconds": seconds}
                self._wire.send_descriptors(header, [sock.fileno() for sock in theirs])
        finally:
            for sock in theirs:
                sock.close()
        return None

    def _reap(self) -> None:
        """Forget the copies that have ended."""
        for pid in list(self._children):
            if sys.platform == "win32":  # it has copies
                raise OSError("this needs Linux or macOS")
            try:
                ended = os.waitpid(pid, os.WNOHANG)[0]
            except ChildProcessError:  # the script has waited for all its children
                ended = pid
            if ended:
                self._children.discard(pid)

    # --- in the copy ----------------------------------------------------------------------

    def _sleep_with(self, channel: socket.socket, lifeline: socket.socket) -> None:
        """Take connections of its own, and let go of those of the process it is a copy of."""
        ring = self._wire.ring
        self._size_of_ring = 0 if ring is None else ring.size
        self._wire.move_to(channel)
        if self._lifeline is not None:
            self._lifeline.close()
        self._lifeline = lifeline
        self._children = set()
        _die_with(lifeline)

    def _sleep(self, files: list[OpenFile]) -> dict[str, Any]:
        """Wait for `wake`; return it."""
        try:
            command = self._wire.receive()
            if command.get("command") != "wake":
                os._exit(0)
            self._wire.greet()
            if self._size_of_ring:
                self._wire.open_ring(self._size_of_ring)
            try:
                reopen(files)
            except OSError as error:
                message = f"a file of the script cannot be opened again: {error}"
                self._wire.send({"type": "refused", "action": "wake", "message": message})
                os._exit(0)
        except Disconnected:
            os._exit(0)
        self._due = 0.0
        return command


def _die_with(lifeline: socket.socket) -> None:
    """Have the system kill this process when the other end of a socket is closed."""
    if sys.platform != "linux":  # this is a copy
        raise OSError("this needs Linux")
    descriptor = lifeline.fileno()
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)
