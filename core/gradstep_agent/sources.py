"""The text of the script's own files, each sent once."""

from __future__ import annotations

import hashlib
import linecache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep_agent.wire import Wire

LARGEST_SOURCE = 1 << 20


class Sources:
    """Sends the text of a file the first time that something happens in it.

    Args:
        wire: Where it goes.

    Attributes:
        folder: The script's folder; of files outside of it the name alone is sent.
    """

    def __init__(self, wire: Wire) -> None:
        self.folder = ""
        self._wire = wire
        self._sent: set[str] = set()

    def send(self, file: str) -> None:
        """Send a file's text, unless it has been sent, or is none of the script's own."""
        if not file or file in self._sent:
            return
        self._sent.add(file)
        path = Path(file)
        if not path.exists():  # the cell of a notebook, which Jupyter keeps for tracebacks
            text = "".join(linecache.getlines(file))
            if text:
                self._send(file, text.encode()[:LARGEST_SOURCE])
            return
        if not self.folder or not path.resolve().is_relative_to(Path(self.folder).resolve()):
            return
        try:
            content = path.read_bytes()[:LARGEST_SOURCE]
        except OSError:
            return
        self._send(file, content)

    def add(self, name: str, text: str) -> None:
        """Send a text that is in no file of its own: the cell of a notebook."""
        self._sent.add(name)
        self._send(name, text.encode()[:LARGEST_SOURCE])

    def _send(self, file: str, content: bytes) -> None:
        self._wire.send(
            {
                "type": "source",
                "file": file,
                "sha256": hashlib.sha256(content).hexdigest(),
                "size": len(content),
            },
            [content],
        )
