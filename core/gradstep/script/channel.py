"""Channels: how a script's process is reached, whether it was started here or elsewhere."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from gradstep.errors import ScriptError
from gradstep.script.frames import HEADER_BYTES, Refused, decode_header, encode_command

if TYPE_CHECKING:
    from gradstep.script.command import ScriptCommand
    from gradstep.script.frames import Frame
    from gradstep.script.output_reader import OutputReader, Streams

__all__ = [
    "AttachedScript",
    "Channel",
    "StartedScript",
    "attach",
    "check_script",
    "find_python",
    "start",
    "unix_socket",
]

AGENT_FOLDER = Path(__file__).parents[2] / "gradstep_agent"
_LAUNCHER = AGENT_FOLDER / "launcher.py"
_END_S = 5.0
_CONNECT_S = 10.0
_PEEK_S = 0.01
_FIRST_BYTES = 4096


class Channel(Protocol):
    """The connection to a script's agent, and what is known of its process.

    Attributes:
        socket: The connection.
    """

    socket: socket.socket

    @property
    def has_ended(self) -> bool:
        """Whether the process is known to have ended; what it sent can still be read."""

    def wait(self) -> int:
        """Return the status of the process; wait for its end."""

    def end(self) -> None:
        """End the process, or let go of one that was not started here."""

    def lost(self) -> str:
        """Return why the connection has ended without a last message."""


class StartedScript:
    """A script that was started here.

    Args:
        sock: Our end of the connection.
        process: Its process.
    """

    def __init__(self, sock: socket.socket, process: subprocess.Popen[bytes]) -> None:
        self.socket = sock
        self._process = process

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended; what it sent can still be read."""
        return self._process.poll() is not None

    def wait(self) -> int:
        """Return the status of the process; wait for its end."""
        return self._process.wait()

    def end(self) -> None:
        """End the process, if it still runs."""
        end_process(self._process)

    def lost(self) -> str:
        """Return how the process has ended, if it has sent no last message."""
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return "the script has closed the connection, and runs on"
        if status < 0:
            return f"the script's process was ended by signal {-status}"
        return f"the script's process ended with status {status} without a last message"


def end_process(process: subprocess.Popen[bytes]) -> None:
    """End a process, if it still runs: it is asked first, and killed if it does not obey."""
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def start(
    command: ScriptCommand, settings: dict[str, Any], output: OutputReader | None = None
) -> StartedScript:
    """Start a script under the agent, in its own Python.

    Args:
        command: What to run; its Python is the one that `find_python` finds when it names none.
        settings: The options of the launcher, without its socket.
        output: Reads what it prints; None to leave it this process's own streams.

    Raises:
        ScriptError: The script or the Python does not exist, or cannot be started.
    """
    if sys.platform == "win32":
        raise _only_elsewhere()
    check_script(command)
    ours, theirs = socket.socketpair()
    options = {**settings, "socket": theirs.fileno()}
    with theirs:
        try:
            streams = None if output is None else output.streams
            process = run_launcher(command, options, (theirs.fileno(),), streams)
        except ScriptError:
            ours.close()
            raise
    if output is not None:
        output.begin(process)
    return StartedScript(ours, process)


def unix_socket() -> socket.socket:
    """Return a new socket for processes on this machine.

    Raises:
        ScriptError: This system has none.
    """
    if sys.platform == "win32":
        raise _only_elsewhere()
    return socket.socket(socket.AF_UNIX)


def _only_elsewhere() -> ScriptError:
    return ScriptError(
        "scripts can be recorded on Linux and macOS only", "record there, and open it here"
    )


class _Language(msgspec.Struct):
    name: str = "python"


class _Metadata(msgspec.Struct):
    language_info: _Language = msgspec.field(default_factory=_Language)


class _Notebook(msgspec.Struct):
    """What is checked of a notebook before its Python is started."""

    cells: list[dict[str, Any]]
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class AttachedScript:
    """A process that was not started here, and goes on when we leave it.

    Args:
        sock: The connection to its agent.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock

    @property
    def has_ended(self) -> bool:
        """Whether the process is known to have ended: the end of the connection shows that."""
        return False

    def wait(self) -> int:
        """Return 0: the status of the process is for the one that has started it."""
        return 0

    def end(self) -> None:
        """Let go of the process."""
        with contextlib.suppress(OSError):  # it has ended meanwhile
            self.socket.shutdown(socket.SHUT_RDWR)

    def lost(self) -> str:
        """Return that the process was left, or has ended without a last message."""
        return "the connection to the process has ended"


def attach(address: str, token: str) -> AttachedScript:
    """Connect to a process that has called `gradstep_agent.listen()`.

    Args:
        address: HOST:PORT.
        token: What `listen` has printed.

    Raises:
        ScriptError: Nobody listens there, the token is wrong, or another debugger has it.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit():
        raise ScriptError(f"{address!r} is not HOST:PORT", "copy what listen() has printed")
    try:
        sock = socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S)
    except (OSError, OverflowError) as error:
        raise ScriptError(
            f"no process listens at {address}: {error}",
            "call gradstep_agent.listen() in it; on another machine, check the SSH tunnel",
        ) from None
    try:
        sock.sendall(encode_command("token", token=token))
        answer = _first_frame(sock)
    except (OSError, ScriptError) as error:
        sock.close()
        raise ScriptError(
            f"what listens at {address} is not GradStep's agent: {error}", "check the port"
        ) from None
    if isinstance(answer, Refused):
        sock.close()
        remedy = "copy it from what listen() has printed" if "token" in answer.message else ""
        raise ScriptError(f"{address}: {answer.message}", remedy or "close the other debugger")
    return AttachedScript(sock)


def _first_frame(sock: socket.socket) -> Frame:
    """Return the first frame, which can be read again.

    Raises:
        OSError: There is none, or it does not come.
        ScriptError: It is none.
    """
    deadline = time.monotonic() + _CONNECT_S
    sock.settimeout(_CONNECT_S)
    while time.monotonic() < deadline:
        received = sock.recv(_FIRST_BYTES, socket.MSG_PEEK)
        if not received:
            raise ConnectionError("it has closed the connection")
        size = int.from_bytes(received[:4], "little")
        if len(received) >= HEADER_BYTES + size or len(received) == _FIRST_BYTES:
            return decode_header(received[HEADER_BYTES : HEADER_BYTES + size])
        time.sleep(_PEEK_S)
    raise TimeoutError("timed out")


def check_script(command: ScriptCommand) -> None:
    """Check that there is something to run.

    Raises:
        ScriptError: The script does not exist.
    """
    script = Path(command.script)
    if command.is_distributed:
        return
    if not command.is_module and not script.is_file():
        raise ScriptError(f"there is no file {script}", "check the path of the script")
    if command.is_notebook:
        try:
            notebook = msgspec.json.decode(script.read_bytes(), type=_Notebook)
        except (OSError, msgspec.MsgspecError):
            raise ScriptError(
                f"{script} is not a notebook of format 4", "open it in Jupyter, and save it there"
            ) from None
        language = notebook.metadata.language_info.name
        if language not in {"python", "ipython"}:
            raise ScriptError(f"{script} is a notebook of {language}", "choose one of Python")


def run_launcher(
    command: ScriptCommand,
    options: dict[str, Any],
    pass_fds: tuple[int, ...] = (),
    streams: Streams | None = None,
) -> subprocess.Popen[bytes]:
    """Start the agent's launcher.

    Args:
        command: What to run.
        options: The options of the launcher.
        pass_fds: Descriptors that it inherits.
        streams: Its standard streams; None for those of this process. With them it leaves the
            terminal of this process, so that it does not read there.

    Raises:
        ScriptError: The Python cannot be started.
    """
    python = command.python or _own_python(command)
    options = {**options, "module": command.is_module, "stand_in": command.is_stand_in}
    words = [python, str(_LAUNCHER), json.dumps(options), command.script, *command.arguments]
    environment = {key: text for key, text in os.environ.items() if key not in command.unset}
    try:
        if streams is None:
            return subprocess.Popen(words, pass_fds=pass_fds, cwd=command.folder, env=environment)
        return subprocess.Popen(
            words,
            pass_fds=pass_fds,
            cwd=command.folder,
            env={"TERM": "xterm", **environment},
            stdin=streams.stdin,
            stdout=streams.stdout,
            stderr=streams.stderr,
            start_new_session=True,
        )
    except OSError as error:
        raise ScriptError(
            f"{python} cannot be started: {error.strerror}",
            "name the script's own Python with --python PATH",
        ) from None


def _own_python(command: ScriptCommand) -> str:
    """Return the Python that runs a command which names none.

    Raises:
        ScriptError: There is none.
    """
    if command.is_stand_in:
        return sys.executable
    if command.is_distributed and not command.is_module:
        beside = Path(shutil.which(command.script) or command.script).parent / "python"
        if beside.exists():
            return str(beside)
    return find_python()


_PYTHONS = ("bin/python", "Scripts/python.exe", "python.exe")
"""Where an environment has its Python; the last two on Windows."""


def find_python(folder: Path | None = None) -> str:
    """Return the Python that a user would run scripts with in a folder.

    It is that of the active virtual environment, of a `.venv` in the folder, or the first on PATH.

    Args:
        folder: The folder; the current one when None.

    Raises:
        ScriptError: There is none.
    """
    active = [os.environ.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    environments = [*map(Path, filter(None, active)), (folder or Path.cwd()) / ".venv"]
    places = [environment / python for environment in environments for python in _PYTHONS]
    found = next((str(place) for place in places if place.exists()), None)
    found = found or shutil.which("python3") or shutil.which("python")
    if found is None:
        remedy = "name the script's own with --python PATH; without PyTorch, use --stand-in"
        raise ScriptError("no Python was found", remedy)
    return found
