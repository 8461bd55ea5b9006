"""Recording: a session file that grows as Events happen, so that a killed process loses nothing."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from typing import TYPE_CHECKING, Any

from gradstep.errors import SessionError
from gradstep.session.event_chunk import CHUNK
from gradstep.session.lock import SessionLock, is_locked, lock_path
from gradstep.session.store import create
from gradstep.session.writing import SessionWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from gradstep.history.event import Event
    from gradstep.session.record import Session, SessionBranch

__all__ = ["Recorder", "leftovers"]

_COMMIT_EVERY_S = 0.2
_CHECKPOINT_EVERY_S = 5.0


class Recorder:
    """Appends to a session file of its own, which nobody else may write meanwhile.

    What `flush` has returned from survives the end of the process, however it comes; `event` calls
    it by itself every 0.2 s or 4096 Events. The first Checkpoint of a branch and its last one
    are kept, one at most every 5 s, so that the file grows with the Events alone.

    Args:
        path: The file to make; its folder must exist, and the file must not.
        session: What it begins with.
        clock: Seconds that only grow.

    Raises:
        SessionError: When the file cannot be made.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from gradstep.history.event import Event
        >>> from gradstep.program import document
        >>> from gradstep.program.operation import ZeroGrad
        >>> from gradstep.session.record import Session
        >>> from gradstep.session.store import read
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "autosave.gradstep")
        ...     recorder = Recorder(path, Session(document.decode(b'{"gradstep": 1}')))
        ...     recorder.event(0, Event(1, 0, ZeroGrad()))
        ...     recorder.close()
        ...     read(path).branches[0].events[0].operation
        ZeroGrad(optimizer='optimizer', set_to_none=True)
    """

    def __init__(
        self, path: Path, session: Session, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.path = path
        self._clock = clock
        self._branch = session.branch
        self._pending: list[Event] = []
        if path.exists():
            raise SessionError(f"{path} exists already", "choose another name")
        self._lock = SessionLock(path)
        try:
            create(path, session)
            # One connection writes and checkpoints; exclusive, it needs no shared memory file.
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            for pragma in (
                "locking_mode = EXCLUSIVE",
                "journal_mode = WAL",
                "synchronous = NORMAL",
            ):
                self._connection.execute(f"PRAGMA {pragma}")
        except (OSError, sqlite3.Error) as error:
            self._lock.release()
            raise SessionError(f"{path} cannot be recorded: {error}") from error
        self._writer = SessionWriter(self._connection)
        self._first = {branch.id: min(branch.checkpoints, default=0) for branch in session.branches}
        self._committed = self._checkpointed = clock()

    def event(self, branch: int, event: Event) -> None:
        """Take in the Event that was just appended to a branch."""
        if branch != self._branch:
            self.flush()
            self._branch = branch
        self._pending.append(event)
        if len(self._pending) >= CHUNK or self._clock() - self._committed >= _COMMIT_EVERY_S:
            self.flush()

    @property
    def wants_checkpoint(self) -> bool:
        """Whether the last Checkpoint is so old that a new one is worth its time."""
        return self._clock() - self._checkpointed >= _CHECKPOINT_EVERY_S

    def checkpoint(self, branch: int, event: int, tree: Mapping[str, Any]) -> None:
        """Take in the state after an Event, instead of the last one; the first one stays."""
        first = self._first.setdefault(branch, event)
        with self._transaction() as writer:
            writer.keep_checkpoints(branch, {first} - {event})
            writer.checkpoint(branch, event, tree)
        self._checkpointed = self._clock()

    def branch(self, branch: SessionBranch) -> None:
        """Take in a new branch; its Events so far are written with it."""
        with self._transaction() as writer:
            writer.branch(branch)
        if branch.checkpoints:
            self._first[branch.id] = min(branch.checkpoints)

    def texts(self, table: str, texts: Iterable[str]) -> None:
        """Set all `breakpoints`, or all `watches`."""
        with self._transaction() as writer:
            writer.texts(table, texts)

    def flush(self) -> None:
        """Put everything taken in so far where the end of this process cannot reach it."""
        if self._pending:
            with self._transaction():
                pass

    def close(self) -> None:
        """Finish the file: it then opens from a read-only place too."""
        self.flush()
        try:
            self._connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise SessionError(f"{self.path} cannot be finished: {error}") from error
        finally:
            self._connection.close()
            self._lock.release()

    def discard(self) -> None:
        """End the recording and remove the file: the person has saved, or wants none of it."""
        self._connection.close()
        self.path.unlink(missing_ok=True)
        self.path.with_name(self.path.name + "-wal").unlink(missing_ok=True)
        self._lock.release()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[SessionWriter]:
        """Write in one go: the pending Events, where they lead to, and what the caller puts."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            if self._pending:
                self._writer.events(self._branch, self._pending)
                self._writer.position(self._branch, self._pending[-1].index)
            yield self._writer
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise SessionError(
                f"recording into {self.path.name} failed: {error}",
                "make room on the disk, then save under another name",
            ) from error
        self._pending.clear()
        self._committed = self._clock()


def leftovers(folder: Path) -> tuple[Path, ...]:
    """Return the recordings in a folder whose process ended without closing them, newest first.

    Args:
        folder: Where recordings are made.
    """
    found = [
        path
        for path in folder.glob("*.gradstep")
        if lock_path(path).exists() and not is_locked(path)
    ]
    return tuple(sorted(found, key=lambda path: path.stat().st_mtime, reverse=True))
