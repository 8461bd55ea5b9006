"""A lock beside a session file that is being recorded; it ends with its process, however that ends.

The lock is a file of its own. A lock on the database would be lost as soon as anything in this
process opened the database and closed it again, since POSIX drops a process's locks on any close.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, BinaryIO

from gradstep.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SessionLock", "is_locked"]

if sys.platform == "win32":
    import msvcrt

    def _acquire(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _acquire(file: BinaryIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_path(path: Path) -> Path:
    """Return where the lock of a session file lies."""
    return path.with_name(path.name + ".lock")


class SessionLock:
    """Held by the one process that records into a session file.

    Args:
        path: The session file.

    Raises:
        SessionError: When somebody else holds it.
    """

    def __init__(self, path: Path) -> None:
        self._path = lock_path(path)
        try:
            self._file: BinaryIO = self._path.open("ab")
        except OSError as error:
            raise SessionError(
                f"{path.name} cannot be recorded: {error.strerror}", "choose another folder"
            ) from error
        try:
            _acquire(self._file)
        except OSError:
            self._file.close()
            raise SessionError(
                f"{path.name} is being recorded by a GradStep that is still running",
                "close it there first",
            ) from None

    def release(self) -> None:
        """Let go of it and take the file away, where the system and the folder let that be done.

        The file goes first, so that nobody locks one that is about to vanish. Windows removes no
        open file: there it goes afterwards, and stays when somebody has locked it meanwhile.
        """
        with self._file, contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
            return
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


def is_locked(path: Path) -> bool:
    """Whether a process is recording into this session file."""
    try:
        file: BinaryIO = lock_path(path).open("rb")
    except OSError:
        return False
    with file:
        try:
            _acquire(file)
        except OSError:
            return True
    return False
