"""Ranks: the processes that torchrun starts, each with an agent of its own."""

from __future__ import annotations

import secrets
import shutil
import socket
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.errors import ScriptError
from gradstep.script.channel import StartedScript, run_launcher
from gradstep.script.process import BUDGET_BYTES, ScriptProcess

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from gradstep.script.command import ScriptCommand
    from gradstep.script.tape import Tape

__all__ = ["record_ranks", "start_rank"]

_POLL_S = 0.1
_TOKEN_S = 10.0
_LARGEST_TOKEN = 1024


class _Token(msgspec.Struct, tag_field="type", tag="token"):
    """The first frame of each process."""

    token: str
    rank: int


class RankListener:
    """Starts torchrun, and waits for its processes.

    Args:
        command: What to run: torchrun, and what follows it.
        settings: The options of the launcher for each process.

    Attributes:
        process: torchrun.
    """

    def __init__(self, command: ScriptCommand, settings: dict[str, Any]) -> None:
        self._folder = tempfile.mkdtemp(prefix="gradstep-")  # nobody else can look into it
        self._token = secrets.token_hex(16)
        self._socket = socket.socket(socket.AF_UNIX)
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

    def accept(self) -> tuple[int, socket.socket] | None:
        """Return the rank of a process, and the connection; None when none comes at once."""
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
        return said.rank, connected

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


def start_rank(command: ScriptCommand, settings: dict[str, Any], rank: int = 0) -> StartedScript:
    """Start torchrun, and return the connection to one of its processes; the others run alone.

    Args:
        command: What to run.
        settings: The options of the launcher for that process.
        rank: Which process.

    Raises:
        ScriptError: torchrun cannot be started, or ends before that process begins.
    """
    listener = RankListener(command, {**settings, "only_rank": rank, "ring": 0})
    try:
        while (found := listener.accept()) is None:
            if listener.process.poll() is not None:
                raise ScriptError(
                    f"torchrun ended with status {listener.process.returncode} before any process "
                    "began",
                    "see its message in the terminal",
                )
    finally:
        listener.close()
    return StartedScript(found[1], listener.process)


def record_ranks(
    command: ScriptCommand, should_stop: Callable[[], bool], *, budget_bytes: int = BUDGET_BYTES
) -> tuple[int, dict[str, tuple[Tape, str]]]:
    """Run torchrun to its end, and record each of its processes.

    Args:
        command: What to run.
        should_stop: Called now and then; True ends it.
        budget_bytes: Memory for the values of each process.

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
                rank, sock = found
                again = sum(thread.rank == rank for thread in threads)
                name = f"rank{rank}.{again + 1}" if again else f"rank{rank}"
                thread = _RankThread(rank, name, sock, listener.process, command, budget_bytes)
                threads.append(thread)
                thread.start()
            if should_stop():
                listener.process.terminate()
                break
        status = listener.process.wait()
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
        sock: socket.socket,
        process: subprocess.Popen[bytes],
        command: ScriptCommand,
        budget_bytes: int,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.rank = rank
        self.lost = ""
        self._process = ScriptProcess(
            command, budget_bytes=budget_bytes, channel=StartedScript(sock, process)
        )
        self.tape = self._process.tape

    def run(self) -> None:
        """Read until the process ends."""
        try:
            self._process.run()
        except ScriptError as error:
            self.lost = error.message
        else:
            self.lost = self.tape.run.lost
