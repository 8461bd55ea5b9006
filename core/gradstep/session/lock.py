"""The lock of a session file that is being recorded; it ends with its process, even when killed.

The lock is a separate file. A lock on the database itself would be lost as soon as this process
opened and closed the database again, because POSIX then drops all locks of the process on it.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, BinaryIO

from filelock import lock_descriptor

from gradstep.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SessionLock", "in_use", "is_locked"]


LOCK_SUFFIX = ".lock"
"""The suffix of a lock file, after the name of its session."""


def lock_path(path: Path) -> Path:
    """Return the path of a session file's lock."""
    return path.with_name(path.name + LOCK_SUFFIX)


def in_use(path: Path, remedy: str) -> SessionError:
    """Return the error that another process records into a session file.

    Args:
        path: The session file.
        remedy: What to do instead.
    """
    return SessionError(f"{path.name} is in use: another GradStep is recording to it", remedy)


class SessionLock:
    """Held by the one process that records into a session file.

    Args:
        path: The session file.

    Raises:
        SessionError: Another process holds it, or the lock file cannot be created.
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
            is_ours = lock_descriptor(self._file.fileno(), blocking=False)
        except OSError as error:
            self._file.close()
            raise SessionError(
                f"{path.name} cannot be recorded: its folder supports no locks ({error.strerror})",
                "choose a folder on a disk of this computer",
            ) from None
        if not is_ours:
            self._file.close()
            raise in_use(path, "close it there first")

    def release(self) -> None:
        """Release the lock and delete its file, where the system and the folder permit that.

        The file is deleted first, so that no process locks one that is about to go. Windows deletes
        no open file: there it is deleted after closing, unless another process has locked it.
        """
        if self._file.closed:
            return
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
            return not lock_descriptor(file.fileno(), blocking=False)
        except OSError:  # its folder supports no locks: nobody can be recording there
            return False
