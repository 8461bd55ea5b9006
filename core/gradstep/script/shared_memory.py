"""SharedMemory: where a script's process leaves the bodies of large frames to be read."""

from __future__ import annotations

import os
import sys
from typing import Final

from gradstep.script.frames import wrong_frame

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["CAN_SHARE", "SharedMemory"]

CAN_SHARE: Final = sys.platform == "linux"
"""Whether memory can be shared and sealed on this system."""


class SharedMemory:
    """Memory that a script's process writes and this one reads.

    The other process may write to it at any time, and may lie about it. So it is not mapped: to
    read in a mapping what is not there ends this process, and a file only gives fewer bytes. Bytes
    are copied first and checked afterwards; nothing in it is a length or a position.

    Args:
        descriptor: The file; this closes it.
        size: Its size as the script says.
        asked: The size that was asked for.

    Raises:
        ScriptError: It is no sealed memory of that size.
    """

    def __init__(self, descriptor: int, size: int, asked: int) -> None:
        self.size = size
        self._descriptor = descriptor
        self._read = 0
        if size != asked or not _is_sealed(descriptor) or os.fstat(descriptor).st_size != size:
            self.close()
            raise wrong_frame(f"shared memory that is not {asked:,} sealed bytes")

    def read(self, position: int, length: int) -> bytes:
        """Return the bytes at a position, which grows from one body to the next.

        Raises:
            ScriptError: They are not there, or go over the end.
        """
        if sys.platform != "linux":  # memory is shared there alone
            raise OSError("this needs Linux")
        at = position % self.size
        if not self._read <= position <= self._read + self.size or at + length > self.size:
            raise wrong_frame(f"{length:,} bytes at {position:,} of the shared memory")
        parts = []
        while length:
            part = os.pread(self._descriptor, length, at)
            if not part:
                raise wrong_frame("shared memory that has become smaller")
            parts.append(part)
            at, position, length = at + len(part), position + len(part), length - len(part)
        self._read = position
        return parts[0] if len(parts) == 1 else b"".join(parts)

    @property
    def position(self) -> int:
        """The position before which everything has been read."""
        return self._read

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def _is_sealed(descriptor: int) -> bool:
    """Return whether nobody can change the size of a file any more."""
    if sys.platform != "linux":
        return False
    seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
    try:
        return fcntl.fcntl(descriptor, fcntl.F_GET_SEALS) & seals == seals
    except OSError:
        return False  # it is no memory
