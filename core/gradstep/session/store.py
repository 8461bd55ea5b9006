"""Saving sessions to `.gradstep` files and reading them back."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradstep.atomic_write import replacing, resolve_links
from gradstep.errors import SessionError
from gradstep.session.lock import in_use, is_locked
from gradstep.session.opening import format_version, has_log, log_path, opened
from gradstep.session.reading import read_session
from gradstep.session.schema import VERSION, create_schema, with_loop_of_format_1
from gradstep.session.writing import SessionWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.session.record import Session

__all__ = [
    "OpeningCancelledError",
    "PendingSave",
    "ProgressCounter",
    "SavingCancelledError",
    "read",
    "write",
]


class OpeningCancelledError(SessionError):
    """An opening that was cancelled.

    Args:
        path: The file that was not opened.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"opening {path.name} was cancelled", "what was open stays open")


class SavingCancelledError(SessionError):
    """A save that was cancelled.

    Args:
        path: The file that was not written.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"saving {path.name} was cancelled",
            "the file stays as it was" if path.exists() else "no file was written",
        )


class ProgressCounter:
    """Counts what is read or written of a session, and cancels it on request.

    Args:
        path: The file.
        cancelled: The error of a cancelled opening, or of a cancelled save.
        progress: Called now and then with how much is done, and of how much.
        should_stop: Called as often; True cancels.
        total: How much there is to do, if it is known.

    Attributes:
        total: How much there is to do.
    """

    def __init__(
        self,
        path: Path,
        cancelled: type[OpeningCancelledError | SavingCancelledError],
        progress: Callable[[int, int], None] | None,
        should_stop: Callable[[], bool] | None,
        total: int = 0,
    ) -> None:
        self._path, self._cancelled = path, cancelled
        self._progress, self._should_stop = progress, should_stop
        self._done = 0
        self.total = total

    def advance(self, count: int) -> None:
        """Count Events, or Checkpoints.

        Raises:
            SessionError: `should_stop` returned True.
        """
        self._done += count
        if self._progress is not None:
            self._progress(self._done, max(self._done, self.total))
        if self._should_stop is not None and self._should_stop():
            raise self._cancelled(self._path)


@dataclass(frozen=True, slots=True)
class PendingSave:
    """A session that is to be written; another thread can write it while the program runs.

    Attributes:
        path: The file.
        session: What it will hold.
    """

    path: Path
    session: Session

    def write(
        self,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        """Write the file, as `write` does."""
        write(self.path, self.session, progress, should_stop)


def read(path: str | Path, counter: ProgressCounter | None = None) -> Session:
    """Read a session file, without changing it.

    Args:
        path: A `.gradstep` file; it need not be trusted.
        counter: Counts the Events, and may cancel. Its total is twice their number: each is read
            here, and then put into a log.

    Returns:
        The contents.

    Raises:
        SessionError: The file is not a sound session; the message says why.

    Example:
        >>> read("nowhere.gradstep")
        Traceback (most recent call last):
        gradstep.errors.SessionError: there is no file nowhere.gradstep; check the path
    """
    with opened(Path(path)) as connection:
        if counter is None:
            session = read_session(connection)
        else:
            (events,) = connection.execute("SELECT total(count) FROM events").fetchone()
            counter.total = 2 * int(events)
            session = read_session(connection, counter.advance)
    if format_version(resolve_links(Path(path))) == 1:
        return replace(session, spec=with_loop_of_format_1(session.spec))
    return session


def write(
    path: str | Path,
    session: Session,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> None:
    """Save a session to a file, atomically.

    An existing file of an older format is kept as `<name>.format<n>`.

    Args:
        path: The file; an existing one is replaced. A link is followed.
        session: The session to save.
        progress: Called now and then with the numbers of Events and Checkpoints that are written,
            and of all that will be.
        should_stop: Called as often; True cancels the save, and leaves the file as it was.

    Raises:
        SessionError: The file cannot be written, or another process is recording to it.
        SavingCancelledError: `should_stop` returned True.

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
    target = resolve_links(Path(path))
    if is_locked(target):
        raise in_use(target, "save under another name")
    total = sum(len(branch.events) + len(branch.checkpoints) for branch in session.branches)
    counter = ProgressCounter(target, SavingCancelledError, progress, should_stop, total)
    try:
        with replacing(target) as draft:
            create(draft, session, counter.advance)
            _keep_older_format(target)
        # If the process ends before this, the old file's log stays. Nothing reads it, because the
        # header of the new file declares no log.
        log_path(target).unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SessionError(
            f"{target} cannot be saved: {reason}", "choose another folder or name"
        ) from error


def create(
    path: Path, session: Session, advance: Callable[[int], None] = lambda _written: None
) -> None:
    """Write a session into an empty file; it is complete and on the disk when this returns.

    Args:
        path: The file.
        session: The session.
        advance: Called with the number of Events or Checkpoints that were just written.
    """
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN EXCLUSIVE")
        create_schema(connection)
        SessionWriter(connection, advance).session(session)
        connection.execute("COMMIT")


def _keep_older_format(target: Path) -> None:
    if not target.exists():
        return
    try:
        version = format_version(target)
    except SessionError:
        return  # not a session, or a newer one: the user has chosen to replace it
    if version < VERSION:
        kept = target.with_name(f"{target.name}.format{version}")
        log_path(kept).unlink(missing_ok=True)
        shutil.copy2(target, kept)
        if has_log(target):
            shutil.copy2(log_path(target), log_path(kept))
