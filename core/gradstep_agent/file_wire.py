"""FileWire: what a debugger would be sent, written to a file instead."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gradstep_agent.wire import Wire

if TYPE_CHECKING:
    import os
    import socket


_LONGEST_TEXT, _MOST_ARGUMENTS = 4096, 1000


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

    def greet(self, **about: Any) -> None:
        """Write the first frame, which says which script the file is of.

        Args:
            about: What else it holds.

        Raises:
            Disconnected: The disk is full, for instance.
        """
        script = getattr(sys.modules["__main__"], "__file__", None) or ""
        if script:
            arguments = [text[:_LONGEST_TEXT] for text in sys.argv[1 : 1 + _MOST_ARGUMENTS]]
            about |= {"script": script[:_LONGEST_TEXT], "arguments": arguments}
        super().greet(**about)

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

    @property
    def is_closed(self) -> bool:
        """False: nobody is on the other side."""
        return False

    def receive(self) -> dict[str, Any]:
        """Return the command to continue: nobody could send another one."""
        return {"command": "go"}
