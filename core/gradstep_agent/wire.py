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
import os
import select
import socket
import struct
import sys
import time
from typing import TYPE_CHECKING, Any

from gradstep_agent.ring import Ring

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep_agent.ring import Buffer

PROTOCOL = 1
"""The version of the frames; the first frame names it."""

LENGTHS = struct.Struct("<II")
_NUMBERS = "IIHIIdf"
ROW = struct.Struct(f"<{_NUMBERS}")
"""Event number, place, depth, iteration, epoch, loss (NaN where there is none), seconds."""
NUMBERS_OF_ROW = len(_NUMBERS)
_MANY = 64
_MANY_ROWS = struct.Struct(f"<{_NUMBERS * _MANY}")

LARGEST_COMMAND = 1 << 20
LARGEST_BODY = 1 << 28
SIZE_KEPT = 1 << 18
"""Bytes of rows that wait at most."""
SMALLEST_IN_RING = 1 << 12
_SECONDS_KEPT = 0.03
"""How long rows wait: each message wakes the other side up, which costs more than its bytes."""


class Disconnected(Exception):  # noqa: N818 - an end of file, not a failure
    """The other side has closed the connection, or has ended."""


class Wire:
    """The script's end of the connection.

    Args:
        sock: A connected stream socket.

    Attributes:
        before_flush: Called before rows are sent, to add those that are still to be written.
        due: When the rows that wait are to be sent.
        ring: The shared memory for large bodies; None without one.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.before_flush: Callable[[], None] | None = None
        self.due = 0.0
        self.ring: Ring | None = None
        self._received = bytearray()
        self._rows: list[Buffer] = []
        self._count = self._size = 0

    def add_rows(self, count: int, rows: bytes) -> None:
        """Queue Events; they go out with the next frame, or with `flush`."""
        self._count += count
        self._rows.append(rows)
        self._size += len(rows)

    def add_values(self, values: Sequence[Buffer]) -> None:
        """Queue the values of the last Event; more than `SIZE_KEPT` bytes are sent at once.

        Raises:
            Disconnected: Nobody reads any more.
        """
        self._rows += values
        self._size += sum(map(len, values))
        if self._size > SIZE_KEPT:
            self._send_rows()

    def flush(self) -> None:
        """Send the rows that wait.

        Raises:
            Disconnected: Nobody reads any more.
        """
        self.due = time.perf_counter() + _SECONDS_KEPT
        if self.before_flush is not None:
            self.before_flush()
        self._send_rows()

    def _send_rows(self) -> None:
        rows, count = self._rows, self._count
        self._rows, self._count, self._size = [], 0, 0
        if rows:
            self._send({"type": "rows", "count": count}, rows)

    def send(self, header: dict[str, Any], body: Sequence[Buffer] = ()) -> None:
        """Send a frame, after the rows that wait.

        Raises:
            Disconnected: Nobody reads any more.
        """
        self.flush()
        self._send(header, body)

    def greet(self, **about: Any) -> None:
        """Send the first frame.

        Args:
            about: What else it holds.

        Raises:
            Disconnected: Nobody reads any more.
        """
        python = sys.version.split()[0]
        hello = {"type": "hello", "protocol": PROTOCOL, "pid": os.getpid(), "python": python}
        self.send(hello | about)

    def open_ring(self, size: int) -> None:
        """Share memory for large bodies, where the system and the connection can do that.

        Raises:
            Disconnected: Nobody reads any more.
        """
        if self.socket.family != getattr(socket, "AF_UNIX", None):
            return
        try:
            ring = Ring(size)
        except OSError:
            return
        try:
            self.send_descriptors({"type": "ring", "size": size}, [ring.descriptor])
        finally:
            ring.close()
        self.ring = ring

    def _send(self, header: dict[str, Any], body: Sequence[Buffer]) -> None:
        size = sum(map(len, body))
        if self.ring is not None and size >= SMALLEST_IN_RING:
            position = self.ring.write(body)
            if position is not None:
                header, body, size = {**header, "ring": [position, size]}, (), 0
        try:
            text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
        except ValueError:
            text = json.dumps(_without_nan(header), separators=(",", ":")).encode()
        start = LENGTHS.pack(len(text), size) + text
        try:
            if size > SIZE_KEPT:
                self.socket.sendall(start)
                for part in body:
                    self.socket.sendall(part)
            else:
                self.socket.sendall(b"".join((start, *body)))
        except OSError as error:
            raise Disconnected(str(error)) from error

    def send_descriptors(self, header: dict[str, Any], descriptors: Sequence[int]) -> None:
        """Send a frame that brings descriptors of files, over a Unix socket.

        Raises:
            Disconnected: Nobody reads any more.
        """
        if sys.platform == "win32":  # there are Unix sockets
            raise OSError("this needs Linux or macOS")
        self.flush()
        text = json.dumps(header).encode()
        try:
            socket.send_fds(self.socket, [LENGTHS.pack(len(text), 0) + text], descriptors)
        except OSError as error:
            raise Disconnected(str(error)) from error

    def move_to(self, sock: socket.socket) -> None:
        """Go on with another connection, without shared memory; leave the old one to others."""
        self.socket.close()
        self.socket = sock
        self.ring = None
        self._received.clear()

    def has_command(self, within: float = 0.0) -> bool:
        """Return whether a command, or the end of the connection, can be read.

        Args:
            within: How many seconds to wait for one.
        """
        header, body = self._command_sizes()
        if header >= 0 and len(self._received) >= LENGTHS.size + header + body:
            return True
        try:
            return bool(select.select([self.socket], [], [], within)[0])
        except (OSError, ValueError):
            return True  # the socket is closed: reading it says so

    @property
    def is_closed(self) -> bool:
        """Whether the other side has ended, or closed the connection."""
        try:
            can_read = bool(select.select([self.socket], [], [], 0)[0])
            return can_read and not self.socket.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):
            return True

    def receive(self) -> dict[str, Any]:
        """Return the next command; wait until there is one.

        Raises:
            Disconnected: The other side has ended, or sent an invalid command.
        """
        while True:
            command = self._command()
            if command is not None:
                return command
            try:
                received = self.socket.recv(1 << 16)
            except OSError as error:
                raise Disconnected(str(error)) from error
            if not received:
                raise Disconnected("the connection was closed")
            self._received += received

    def _command(self) -> dict[str, Any] | None:
        """Return the command that has been read whole; None when none has."""
        header, body = self._command_sizes()
        end = LENGTHS.size + header
        if header < 0 or len(self._received) < end:
            return None
        command = _decoded(bytes(self._received[LENGTHS.size : end]))
        if body and command.get("command") != "do":
            raise Disconnected("a body belongs to values that are to be set")
        if len(self._received) < end + body:
            return None
        if body:
            command["body"] = bytes(self._received[end : end + body])
        del self._received[: end + body]
        return command

    def _command_sizes(self) -> tuple[int, int]:
        """Return the sizes of the next command, -1 while they have not come."""
        if len(self._received) < LENGTHS.size:
            return -1, 0
        header, body = LENGTHS.unpack_from(self._received)
        if header > LARGEST_COMMAND or body > LARGEST_BODY:
            raise Disconnected("a command is too long")
        return header, body


def packed_rows(numbers: list[float], first: int) -> bytes:
    """Return rows as bytes.

    Args:
        numbers: The numbers of all rows, one row after the other; those of Events are written here.
        first: The number of the first Event.
    """
    one = NUMBERS_OF_ROW
    many = one * _MANY
    numbers[::one] = range(first, first + len(numbers) // one)
    end = len(numbers) - len(numbers) % many
    return b"".join(
        [_MANY_ROWS.pack(*numbers[at : at + many]) for at in range(0, end, many)]
        + [ROW.pack(*numbers[at : at + one]) for at in range(end, len(numbers), one)]
    )


def _decoded(text: bytes) -> dict[str, Any]:
    try:
        command = json.loads(text)
    except ValueError as error:
        raise Disconnected("a command is not JSON") from error
    if not isinstance(command, dict):
        raise Disconnected("a command is not an object")
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
