"""FrameReader: frames from a stream of bytes that may break anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.script.frames import (
    HEADER_BYTES,
    MAX_BODY,
    MAX_HEADER,
    decode_header,
    wrong_frame,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.script.frames import Frame

__all__ = ["FrameReader"]


class FrameReader:
    """Collects bytes, and returns the frames that are complete.

    Example:
        >>> reader = FrameReader()
        >>> frame = b'{"type": "rows", "count": 0}'
        >>> stream = len(frame).to_bytes(4, "little") + bytes(4) + frame
        >>> list(reader.feed(stream[:20])), list(reader.feed(stream[20:]))
        ([], [(Rows(count=0), b'')])
    """

    def __init__(self) -> None:
        self._received = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Frame, bytes]]:
        """Add bytes, and yield each frame that is complete now, with its body.

        Raises:
            ScriptError: The bytes are not frames.
        """
        self._received += data
        at = 0
        try:
            while len(self._received) - at >= HEADER_BYTES:
                header = int.from_bytes(self._received[at : at + 4], "little")
                body = int.from_bytes(self._received[at + 4 : at + 8], "little")
                if header > MAX_HEADER or body > MAX_BODY:
                    raise wrong_frame(f"a frame of {header + body:,} bytes")
                start, end = at + HEADER_BYTES, at + HEADER_BYTES + header + body
                if len(self._received) < end:
                    break
                frame = decode_header(bytes(self._received[start : start + header]))
                content = bytes(self._received[start + header : end])
                at = end
                yield frame, content
        finally:
            del self._received[:at]
