"""FrameReader: frames from a stream of bytes that may break anywhere."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Final

from gradstep.script.frames import (
    HEADER_BYTES,
    MAX_BODY,
    MAX_HEADER,
    Bye,
    Hello,
    Ring,
    Rows,
    decode_header,
    wrong_frame,
)
from gradstep.script.shared_memory import SharedMemory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.script.frames import Frame

__all__ = ["MAX_DESCRIPTORS", "FrameReader"]

MAX_DESCRIPTORS: Final = 2
"""Most file descriptors that come with one frame: those of a checkpoint."""

_MAX_WITHOUT_EVENT: Final = 500_000
"""Most frames in a row of which none is an Event: a model's tensors, or a script that floods us."""


class FrameReader:
    """Collects bytes, and returns the frames that are complete.

    Args:
        ring_bytes: The size of the shared memory that was asked for; 0 for none.

    Attributes:
        expects_checkpoints: Whether copies of the process may come, with two descriptors each.
        kept_bytes: The sizes of the frames so far that are kept, added up.

    Example:
        >>> reader = FrameReader()
        >>> frame = b'{"type": "hello", "protocol": 1, "pid": 7, "python": "3.11.2"}'
        >>> stream = len(frame).to_bytes(4, "little") + bytes(4) + frame
        >>> list(reader.feed(stream[:20])), list(reader.feed(stream[20:]))
        ([], [(Hello(protocol=1, pid=7, python='3.11.2'), b'')])
    """

    def __init__(self, ring_bytes: int = 0) -> None:
        self.expects_checkpoints = False
        self.kept_bytes = 0
        self._received = bytearray()
        self._frame: Frame | None = None  # whose body is still to come
        self._body = 0
        self._ring_bytes = ring_bytes
        self._descriptors: deque[int] = deque()
        self._memory: SharedMemory | None = None
        self._has_begun = self._has_ended = False
        self._without_event = 0

    @property
    def expects_descriptors(self) -> bool:
        """Whether descriptors of files may still come."""
        return self._expects_memory or self.expects_checkpoints

    @property
    def _expects_memory(self) -> bool:
        return bool(self._ring_bytes) and self._memory is None

    @property
    def read_position(self) -> int:
        """The position before which the shared memory has been read."""
        return 0 if self._memory is None else self._memory.position

    def take_descriptor(self, descriptor: int) -> None:
        """Take a file that came with the bytes that are fed next; `close` closes it.

        Raises:
            ScriptError: It is one more than can be meant.
        """
        most = self._expects_memory + MAX_DESCRIPTORS * self.expects_checkpoints
        if len(self._descriptors) >= most:
            os.close(descriptor)
            raise wrong_frame("a file that nobody asked for")
        self._descriptors.append(descriptor)

    def descriptors_of_checkpoint(self) -> tuple[int, int]:
        """Return the two descriptors that came with a checkpoint, which the caller closes.

        Raises:
            ScriptError: They did not come.
        """
        if not self.expects_checkpoints or len(self._descriptors) < MAX_DESCRIPTORS:
            raise wrong_frame("a checkpoint that did not come, or that nobody asked for")
        return self._descriptors.popleft(), self._descriptors.popleft()

    def close(self) -> None:
        """Close the shared memory, and what came for frames that did not."""
        memory, self._memory = self._memory, None
        self._ring_bytes, self.expects_checkpoints = 0, False
        if memory is not None:
            memory.close()
        while self._descriptors:
            os.close(self._descriptors.popleft())

    def feed(self, data: bytes) -> Iterator[tuple[Frame, bytes]]:
        """Add bytes, and yield each frame that is complete now, with its body.

        Raises:
            ScriptError: The bytes are not frames.
        """
        received = self._received
        received += data
        at = 0
        try:
            while True:
                if self._frame is None:
                    if len(received) - at < HEADER_BYTES:
                        break
                    header = int.from_bytes(received[at : at + 4], "little")
                    body = int.from_bytes(received[at + 4 : at + 8], "little")
                    if header > MAX_HEADER or body > MAX_BODY:
                        raise wrong_frame(f"a frame of {header + body:,} bytes")
                    start = at + HEADER_BYTES
                    if len(received) < start + header:
                        break
                    frame = decode_header(bytes(received[start : start + header]))
                    self._check(frame, header, body)
                    self._frame, self._body = frame, body
                    at = start + header
                if len(received) - at < self._body:
                    break
                content = bytes(memoryview(received)[at : at + self._body])
                at += self._body
                frame, self._frame = self._frame, None
                if isinstance(frame, Ring):
                    self._open_memory(frame)
                else:
                    yield frame, content if frame.ring is None else self._read_memory(*frame.ring)
        finally:
            del received[:at]

    def _check(self, frame: Frame, header: int, body: int) -> None:
        """Check a frame by what came before, and by what it may hold, before its body is read.

        Raises:
            ScriptError: It cannot come here.
        """
        name = type(frame).__name__
        if isinstance(frame, Hello) == self._has_begun or self._has_ended:
            raise wrong_frame(f"{name} out of its order")
        size = body if frame.ring is None else frame.ring[1]
        if (body and frame.ring is not None) or (size and not frame.has_body):
            raise wrong_frame(f"{size:,} bytes with {name}")
        self._has_begun, self._has_ended = True, isinstance(frame, Bye)
        self._without_event = 0 if isinstance(frame, Rows) else self._without_event + 1
        if self._without_event > _MAX_WITHOUT_EVENT:
            raise wrong_frame(f"more than {_MAX_WITHOUT_EVENT:,} messages without an Event")
        if frame.is_kept:
            self.kept_bytes += header + size

    def _open_memory(self, frame: Ring) -> None:
        if not self._expects_memory or not self._descriptors:
            raise wrong_frame("shared memory that did not come, or that nobody asked for")
        self._memory = SharedMemory(self._descriptors.popleft(), frame.size, self._ring_bytes)

    def _read_memory(self, position: int, length: int) -> bytes:
        if self._memory is None:
            raise wrong_frame("a body in shared memory, and there is none")
        return self._memory.read(position, length)
