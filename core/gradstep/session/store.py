"""Saving a session to a `.gradstep` file, and opening it again."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from gradstep.atomic_write import followed, replacing
from gradstep.errors import SessionError
from gradstep.session.lock import is_locked
from gradstep.session.opening import format_version, has_log, log_path, opened
from gradstep.session.reading import read_session
from gradstep.session.schema import VERSION, create_schema
from gradstep.session.writing import SessionWriter

if TYPE_CHECKING:
    from gradstep.session.record import Session

__all__ = ["read", "write"]


def read(path: str | Path) -> Session:
    """Open a session file; the file stays as it is, byte for byte.

    Args:
        path: A `.gradstep` file, which may come from anybody.

    Returns:
        All that it holds.

    Raises:
        SessionError: When the file is not a sound session; says what is wrong with it.

    Example:
        >>> read("nowhere.gradstep")
        Traceback (most recent call last):
        gradstep.errors.SessionError: there is no file nowhere.gradstep; check the path
    """
    with opened(Path(path)) as connection:
        return read_session(connection)


def write(path: str | Path, session: Session) -> None:
    """Save a session as one file; until it is whole, what was at `path` stays.

    A file of an older format that is saved over is kept as `<name>.format<n>`.

    Args:
        path: Where to; a file that is there, or that a link there leads to, is replaced.
        session: What to save.

    Raises:
        SessionError: When the file cannot be written, or is being recorded by another process.

    Example:
        >>> import tempfile
        >>> from gradstep.program.document import codec
        >>> from gradstep.session.record import Session
        >>> spec = codec.decode(b'{"gradstep": 1, "name": "tiny"}')
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write(f"{folder}/tiny.gradstep", Session(spec))
        ...     read(f"{folder}/tiny.gradstep").spec.name
        'tiny'
    """
    target = followed(Path(path))
    if is_locked(target):
        raise SessionError(
            f"{target.name} is being recorded by a GradStep that is still running",
            "save under another name",
        )
    try:
        with replacing(target) as draft:
            create(draft, session)
            _keep_older_format(target)
        # Should the process end before this, the log of the file before stays: nobody reads it,
        # since the header of the new file says that it has none.
        log_path(target).unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SessionError(
            f"{target} cannot be saved: {reason}", "save it in another place"
        ) from error


def create(path: Path, session: Session) -> None:
    """Write a session into an empty file, whole and on the disk when this returns."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN EXCLUSIVE")
        create_schema(connection)
        SessionWriter(connection).session(session)
        connection.execute("COMMIT")


def _keep_older_format(target: Path) -> None:
    if not target.exists():
        return
    try:
        version = format_version(target)
    except SessionError:
        return  # It is no session, or a newer one; the person has chosen to save over it.
    if version < VERSION:
        kept = target.with_name(f"{target.name}.format{version}")
        log_path(kept).unlink(missing_ok=True)
        shutil.copy2(target, kept)
        if has_log(target):
            shutil.copy2(log_path(target), log_path(kept))
