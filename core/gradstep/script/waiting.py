"""WaitingDebugger: waits for a process that calls `gradstep_agent.attach()`."""

from __future__ import annotations

import os
import secrets
import socket
import stat
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gradstep.errors import ScriptError
from gradstep.script.channel import AttachedScript, unix_socket

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

__all__ = ["WaitingDebugger", "folder"]

_POLL_S = 0.1
_PEER = struct.Struct("3i")
"""Process, user and group of the other end of a Unix socket."""


def folder() -> Path:
    """Return the folder of the sockets of debuggers that wait, as the agent knows it."""
    if sys.platform == "win32":  # there are Unix sockets
        raise OSError("this needs Linux or macOS")
    return Path("/tmp") / f"gradstep-{os.getuid()}"


class WaitingDebugger:
    """Has a socket in a folder that only this user can look into; `with` removes it at the end.

    Raises:
        ScriptError: There can be no such folder.
    """

    def __init__(self) -> None:
        if os.name != "posix":
            raise ScriptError(
                "a process can be waited for on Linux and macOS only",
                "call gradstep_agent.listen() in it, and name its address",
            )
        place = folder()
        try:
            place.mkdir(mode=0o700, exist_ok=True)
            self._check(place)
            self._path = place / f"{os.getpid()}-{secrets.token_hex(4)}.socket"
            self._socket = unix_socket()
            self._socket.bind(str(self._path))
        except OSError as error:
            raise ScriptError(f"{place} cannot be used: {error.strerror}", "remove it") from None
        self._socket.listen(1)
        self._socket.settimeout(_POLL_S)

    @staticmethod
    def _check(place: Path) -> None:
        if sys.platform == "win32":  # there are Unix sockets
            raise OSError("this needs Linux or macOS")
        found = place.lstat()
        others = found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or others:
            raise ScriptError(
                f"{place} is not a folder that only you can use", "remove it, or have it removed"
            )

    def wait(self, should_stop: Callable[[], bool]) -> tuple[str, AttachedScript] | None:
        """Return the name of the process that has come, and the connection to it.

        Args:
            should_stop: Called now and then; True ends the waiting, and None is returned.
        """
        while not should_stop():
            try:
                sock, _ = self._socket.accept()
            except TimeoutError:
                continue
            return _name_of(sock), AttachedScript(sock)
        return None

    def close(self) -> None:
        """Wait no longer."""
        self._socket.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wait no longer."""
        self.close()


def _name_of(sock: socket.socket) -> str:
    """Return what the window calls a process that has attached itself."""
    if sys.platform == "linux":
        peer = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        return f"process {_PEER.unpack(peer)[0]}"
    return "attached process"
