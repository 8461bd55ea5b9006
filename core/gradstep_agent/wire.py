"""Frames over a socket: two lengths, a JSON header, and a body of raw bytes.

    frame   = header length (4 bytes), body length (4 bytes), header, body; little-endian
    header  = a JSON object; "type" says which

Events are many and small. An Event is a row of 30 bytes that points to a *place*: what is done,
to what, in which line, and which tensors it writes. A place is described once, in a frame of its
own; rows wait some milliseconds and go out together, each followed by the bytes of its arrays.
JSON has no NaN, so numbers that may be NaN travel in rows or bodies.
"""

from __future__ import annotations

import json
import math
import select
import struct
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

LENGTHS = struct.Struct("<II")
ROW = struct.Struct("<IIHIIdf")
"""Event number, place, depth, iteration, epoch, loss (NaN where there is none), seconds."""

LARGEST_COMMAND = 1 << 20
_ROWS_KEPT = 1 << 18
_SECONDS_KEPT = 0.01


class Disconnected(Exception):  # noqa: N818 - an end of file, not a failure
    """The other side has closed the connection, or has ended."""


class Wire:
    """The script's end of the connection.

    Args:
        sock: A connected stream socket.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self._received = bytearray()
        self._rows: list[bytes] = []
        self._row_bytes = 0
        self._flushed = time.perf_counter()

    def add_row(self, row: bytes) -> None:
        """Queue one Event; rows go out when they are many or some milliseconds old.

        Raises:
            Disconnected: Nobody reads any more.
        """
        self._rows.append(row)
        self._row_bytes += len(row)
        if self._row_bytes > _ROWS_KEPT or time.perf_counter() - self._flushed > _SECONDS_KEPT:
            self.flush()

    def flush(self) -> None:
        """Send the rows that wait.

        Raises:
            Disconnected: Nobody reads any more.
        """
        rows, self._rows, self._row_bytes = self._rows, [], 0
        self._flushed = time.perf_counter()
        if rows:
            self._send({"type": "rows", "count": len(rows)}, rows)

    def send(self, header: dict[str, Any], body: Sequence[bytes] = ()) -> None:
        """Send a frame, after the rows that wait.

        Raises:
            Disconnected: Nobody reads any more.
        """
        self.flush()
        self._send(header, body)

    def _send(self, header: dict[str, Any], body: Sequence[bytes]) -> None:
        try:
            text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
        except ValueError:
            text = json.dumps(_without_nan(header), separators=(",", ":")).encode()
        size = sum(map(len, body))
        try:
            self.socket.sendall(b"".join((LENGTHS.pack(len(text), size), text, *body)))
        except OSError as error:
            raise Disconnected(str(error)) from error

    def has_command(self) -> bool:
        """Return whether a command, or the end of the connection, can be read now."""
        if self._command_size() is not None:
            return True
        try:
            return bool(select.select([self.socket], [], [], 0)[0])
        except (OSError, ValueError):
            return True  # the socket is closed: reading it says so

    def receive(self) -> dict[str, Any]:
        """Return the next command; wait until there is one.

        Raises:
            Disconnected: The other side has ended, or sent what is no command.
        """
        while True:
            size = self._command_size()
            if size is not None:
                text = bytes(self._received[LENGTHS.size : size])
                del self._received[:size]
                return _command(text)
            try:
                received = self.socket.recv(1 << 16)
            except OSError as error:
                raise Disconnected(str(error)) from error
            if not received:
                raise Disconnected("the connection was closed")
            self._received += received

    def _command_size(self) -> int | None:
        """Return the size of the command that has been read whole; None when none has."""
        if len(self._received) < LENGTHS.size:
            return None
        header, body = LENGTHS.unpack_from(self._received)
        if header > LARGEST_COMMAND or body:
            raise Disconnected("a command is too long")
        size = LENGTHS.size + header
        return size if len(self._received) >= size else None


def _command(text: bytes) -> dict[str, Any]:
    try:
        command = json.loads(text)
    except ValueError as error:
        raise Disconnected("a command is no JSON") from error
    if not isinstance(command, dict):
        raise Disconnected("a command is no object")
    return command


def _without_nan(value: Any) -> Any:
    """Return a JSON value with NaN and the infinities as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    return value
