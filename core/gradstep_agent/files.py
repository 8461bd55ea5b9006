"""Open files of a process that is copied: each copy gets positions of its own.

After a fork both processes share the position of every open file: what one reads or writes moves
it for the other. So the positions are noted before, and a copy that continues opens its files again
there, without emptying them.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

_DESCRIPTORS = "/proc/self/fd"
_OUTPUTS = (1, 2)
_STREAMS = (0, 1, 2)
_ABOVE_STREAMS = 3


class OpenFile(NamedTuple):
    """An open file: its descriptor, which file it is, how it was opened, the position in it."""

    descriptor: int
    identity: tuple[int, int]
    flags: int
    position: int
    is_inheritable: bool


def open_files() -> list[OpenFile]:
    """Return the regular files that this process has open.

    What standard output and standard error are written to is left out: the copies write there one
    after the other, each where the last one has stopped.
    """
    outputs = {_identity(descriptor) for descriptor in _OUTPUTS}
    return [
        _describe(descriptor)
        for descriptor in _descriptors()
        if _is_regular(descriptor) and _identity(descriptor) not in outputs
    ]


def _describe(descriptor: int) -> OpenFile:
    if sys.platform == "win32":  # scripts run on Linux and macOS
        raise OSError("this needs Linux or macOS")
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    if flags & os.O_APPEND:  # what is written goes to the end, wherever the position is
        position = os.fstat(descriptor).st_size
    return OpenFile(
        descriptor, _identity(descriptor), flags, position, os.get_inheritable(descriptor)
    )


def reopen(files: list[OpenFile]) -> None:
    """Open files again at the positions that were noted.

    A file that was opened for appending is written at its position from now on: what a replay
    writes is there already, and is replaced by the same.

    Raises:
        OSError: One of them cannot be opened any more.
    """
    kept_out = os.O_TRUNC | os.O_CREAT | os.O_EXCL | os.O_APPEND
    for file in files:
        if _identity(file.descriptor) != file.identity:
            continue  # the agent's own, which has closed it
        path = f"{_DESCRIPTORS}/{file.descriptor}"  # leads to files that were renamed or removed
        opened = os.open(path, file.flags & ~kept_out)
        try:
            os.lseek(opened, file.position, os.SEEK_SET)
            os.dup2(opened, file.descriptor, inheritable=file.is_inheritable)
        finally:
            os.close(opened)


def sockets(known: set[int]) -> list[int]:
    """Return the descriptors of sockets, but for some and for the standard streams."""
    return [
        descriptor
        for descriptor in _descriptors()
        if descriptor not in known and descriptor > max(_OUTPUTS) and _is_socket(descriptor)
    ]


class Mute:
    """Discards what the script prints, while it does again what it has done before.

    It reads nothing meanwhile: what was typed then is not typed again.
    """

    def __init__(self) -> None:
        self._kept: dict[int, int] = {}

    @property
    def is_on(self) -> bool:
        """Whether output is discarded."""
        return bool(self._kept)

    def begin(self) -> None:
        """Discard output from now on."""
        if sys.platform == "win32":  # scripts run on Linux and macOS
            raise OSError("this needs Linux or macOS")
        self._kept = {
            descriptor: fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _ABOVE_STREAMS)
            for descriptor in _STREAMS
            if _identity(descriptor) != (-1, descriptor)  # which the script has closed
        }
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in self._kept:
            os.dup2(nowhere, descriptor)
        os.close(nowhere)

    def end(self) -> None:
        """Print again; what was printed in between stays unseen."""
        flush_output()
        for descriptor, kept in self._kept.items():
            os.dup2(kept, descriptor)
            os.close(kept)
        self._kept = {}


def flush_output() -> None:
    """Write what waits in the buffers of standard output and standard error, and of C."""
    ctypes.CDLL(None).fflush(None)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, or replaced by something else
            continue


def _descriptors() -> Iterator[int]:
    for entry in Path(_DESCRIPTORS).iterdir():
        descriptor = int(entry.name)
        try:
            os.fstat(descriptor)
        except OSError:
            continue  # that of the listing itself
        yield descriptor


def _is_regular(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)


def _is_socket(descriptor: int) -> bool:
    return stat.S_ISSOCK(os.fstat(descriptor).st_mode)


def _identity(descriptor: int) -> tuple[int, int]:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return -1, descriptor
    return found.st_dev, found.st_ino
