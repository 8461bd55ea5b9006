"""Channels: how a script's process is reached, whether it was started here or elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from gradstep.errors import ScriptError

if TYPE_CHECKING:
    from gradstep.script.command import ScriptCommand

__all__ = ["Channel", "StartedScript", "check_script", "find_python", "start"]

AGENT_FOLDER = Path(__file__).parents[2] / "gradstep_agent"
_LAUNCHER = AGENT_FOLDER / "launcher.py"
_END_S = 5.0


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
        self._process.terminate()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def lost(self) -> str:
        """Return how the process has ended, if it has sent no last message."""
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return "the script has closed the connection, and runs on"
        if status < 0:
            return f"the script's process was ended by signal {-status}"
        return f"the script's process ended with status {status} without a last message"


def start(command: ScriptCommand, settings: dict[str, Any]) -> StartedScript:
    """Start a script under the agent, in its own Python.

    Args:
        command: What to run; its Python is the one that `find_python` finds when it names none.
        settings: The options of the launcher, without its socket.

    Raises:
        ScriptError: The script or the Python does not exist, or cannot be started.
    """
    if os.name != "posix":
        raise ScriptError(
            "scripts can be recorded on Linux and macOS only", "record there, and open it here"
        )
    check_script(command)
    ours, theirs = socket.socketpair()
    options = {**settings, "socket": theirs.fileno()}
    with theirs:
        try:
            process = run_launcher(command, options, pass_fds=(theirs.fileno(),))
        except ScriptError:
            ours.close()
            raise
    return StartedScript(ours, process)


class _Language(msgspec.Struct):
    name: str = "python"


class _Metadata(msgspec.Struct):
    language_info: _Language = msgspec.field(default_factory=_Language)


class _Notebook(msgspec.Struct):
    """What is checked of a notebook before its Python is started."""

    cells: list[dict[str, Any]]
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


def check_script(command: ScriptCommand) -> None:
    """Check that there is something to run.

    Raises:
        ScriptError: The script does not exist.
    """
    script = Path(command.script)
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
    command: ScriptCommand, options: dict[str, Any], pass_fds: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    """Start the agent's launcher.

    Raises:
        ScriptError: The Python cannot be started.
    """
    python = command.python or (sys.executable if command.is_stand_in else find_python())
    options = {**options, "module": command.is_module, "stand_in": command.is_stand_in}
    words = [python, str(_LAUNCHER), json.dumps(options), command.script, *command.arguments]
    environment = {key: text for key, text in os.environ.items() if key not in command.unset}
    try:
        return subprocess.Popen(words, pass_fds=pass_fds, cwd=command.folder, env=environment)
    except OSError as error:
        raise ScriptError(
            f"{python} cannot be started: {error.strerror}",
            "name the script's own Python with --python PATH",
        ) from None


def find_python(folder: Path | None = None) -> str:
    """Return the Python that a user would run scripts with in a folder.

    It is that of the active virtual environment, of a `.venv` in the folder, or the first on PATH.

    Args:
        folder: The folder; the current one when None.

    Raises:
        ScriptError: There is none.
    """
    places = [
        Path(os.environ[name]) / "bin" / "python"
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX")
        if os.environ.get(name)
    ]
    places.append((folder or Path.cwd()) / ".venv" / "bin" / "python")
    found = next((str(place) for place in places if place.exists()), None)
    found = found or shutil.which("python3") or shutil.which("python")
    if found is None:
        raise ScriptError("no Python was found", "name the script's own with --python PATH")
    return found
