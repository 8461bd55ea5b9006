"""FileWire: what a debugger would be sent, written to a file instead."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gradstep_agent.wire import Wire

if TYPE_CHECKING:
    import os
    import socket


class FileWire(Wire):
    """Writes frames to a file; nobody sends commands.

    Args:
        path: The file; an existing one is replaced.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = Path(path).open("wb", buffering=0)  # noqa: SIM115 - until the process ends
        super().__init__(cast("socket.socket", self))

    def sendall(self, data: bytes) -> None:
        """Write all bytes, as a socket sends them.

        Raises:
            OSError: The disk is full, for instance.
        """
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]

    def has_command(self, within: float = 0.0) -> bool:  # noqa: ARG002 - as in Wire
        """Return False: there are no commands."""
        return False

    def receive(self) -> dict[str, Any]:
        """Return the command to continue: nobody could send another one."""
        return {"command": "go"}
