"""Shared memory for the bodies of large frames, so that they need not be copied through a socket.

The script writes and the other side reads. The memory is a file without a name (Linux: memfd),
sealed so that neither side can make it shorter: a reader whose mapping ends too early is killed.
Positions only grow; the byte of a position is at the position modulo the size. What has been read
is freed by the reader, and what finds no room goes through the socket as before.
"""

from __future__ import annotations

import mmap
import os
import sys
from typing import TYPE_CHECKING

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Sequence

    Buffer = bytes | memoryview

_CAN_SEAL = hasattr(os, "memfd_create") and hasattr(fcntl, "F_ADD_SEALS")
"""A Python that was built on an old system cannot."""


class Ring:
    """The script's side of the shared memory.

    Args:
        size: Its bytes.

    Raises:
        OSError: This system has no sealed shared memory.

    Attributes:
        descriptor: The file, to be passed on.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.descriptor = -1
        self._written = 0
        self._freed = 0
        self._memory = memoryview(b"")
        if sys.platform != "linux" or not _CAN_SEAL:
            raise OSError("this system has no sealed shared memory")
        self.descriptor = os.memfd_create("gradstep", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(self.descriptor, size)
            seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
            fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, seals)
            self._memory = memoryview(mmap.mmap(self.descriptor, size))
        except (OSError, ValueError) as error:
            self.close()
            raise OSError(f"no shared memory of {size} bytes: {error}") from error

    def write(self, body: Sequence[Buffer]) -> int | None:
        """Write the parts of a body one after the other; return the position of the first byte.

        A body never goes over the end of the memory: where it would, it begins at the start.

        Returns:
            None when there is no room; nothing is written then.
        """
        size = sum(map(len, body))
        start = self._written
        if start % self.size + size > self.size:
            start += self.size - start % self.size
        if start + size - self._freed > self.size:
            return None
        at = start % self.size
        for part in body:
            self._memory[at : at + len(part)] = part
            at += len(part)
        self._written = start + size
        return start

    def free(self, position: int) -> None:
        """Take back everything before a position.

        Raises:
            ValueError: Nothing was written there.
        """
        if not self._freed <= position <= self._written:
            raise ValueError(
                f"position {position} is not between {self._freed} and {self._written}"
            )
        self._freed = position

    def close(self) -> None:
        """Close the file; the memory stays."""
        os.close(self.descriptor)
