"""SessionRecorder: appends Events to a session file as they happen.

When the process is killed, what `flush` has written survives. The window flushes before it shows
Events, so nothing that was seen is lost; an unwatched run may lose the Events of its last 0.1 s.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from typing import TYPE_CHECKING, NamedTuple

from gradstep.atomic_write import drafts_of, replacing
from gradstep.errors import RecordingError, SessionError
from gradstep.session.archive import series_rows, session_branch, state_tree
from gradstep.session.event_chunk import CHUNK
from gradstep.session.lock import LOCK_SUFFIX, SessionLock, is_locked, lock_path
from gradstep.session.opening import log_path
from gradstep.session.record import SessionBranch
from gradstep.session.schema import SUFFIX
from gradstep.session.store import create
from gradstep.session.writing import SessionWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from gradstep.history.checkpoint import Checkpoint
    from gradstep.history.history import Branch, History
    from gradstep.history.records.lesson import LessonState
    from gradstep.script.tape import ScriptRun, Tape
    from gradstep.session.record import Session

__all__ = ["SessionRecorder", "leftovers", "remove_stale_locks"]

COMMIT_EVERY_S = 0.1
_CHECKPOINT_EVERY_S = 5.0
_STALE_LOCK_S = 60.0
"""A lock without a recording is stale from this age on; a younger one may belong to a process that
is about to begin."""


class _Written(NamedTuple):
    """How much of a branch is in the file: its last Event, and how many rows of its Series."""

    events: int
    rows: int


class SessionRecorder:
    """Records a History into a new session file, which no other process may write meanwhile.

    It is the `recorder` of a History. When `flush` returns, everything recorded so far survives the
    end of the process, even when it is killed; the recorder flushes by itself when an Event comes
    0.1 s after the last flush, and every 4096 Events. Small rows are then replaced by whole ones: a
    window flushes 60 times a second, and each row repeats names and addresses. Only the
    first and the last Checkpoint of a branch are kept, replaced at most every 5 s, so that the file
    grows with the Events alone.

    Args:
        path: The file to create; its folder must exist, and the file must not.
        session: The initial contents.
        branch_of: Finds the branch of a History.
        clock: A monotonic clock in seconds.
        tape: The tape of a debugged script; its new rows are written with the Events.

    Raises:
        SessionError: The file cannot be created or, later, cannot be written.
    """

    def __init__(
        self,
        path: Path,
        session: Session,
        branch_of: Callable[[History], Branch],
        clock: Callable[[], float] = time.monotonic,
        tape: Tape | None = None,
    ) -> None:
        self.path = path
        self._branch_of = branch_of
        self._clock = clock
        self._branch: Branch | None = None
        self._last = 0
        self._tape = tape
        self._tape_rows: dict[int, int] = {}  # by the number of the branch
        if session.tape is not None:
            self._tape_rows = {at: len(item.rows) for at, item in session.tape.branches.items()}
        self._run = None if session.tape is None else _extent_of_run(session.tape.run)
        self._written = {branch.id: _extent(branch) for branch in session.branches}
        self._merged: dict[int, _Written] = {}  # how much of a branch is in rows that stay
        if path.exists():
            raise SessionError(f"{path} exists already", "choose another name")
        self._lock = SessionLock(path)
        try:
            with replacing(path) as draft:  # a kill leaves no half of a recording
                create(draft, session)
            self._connection = _writing(path)
        except BaseException as error:
            self._lock.release()
            if isinstance(error, (OSError, sqlite3.Error)):
                raise SessionError(
                    f"{path} cannot be recorded: {error}",
                    "free disk space, or choose another folder",
                ) from error
            raise
        self._writer = SessionWriter(self._connection)
        self._identity = _identity(path)
        self._committed = self._checkpointed = clock()

    def event_recorded(self, history: History, index: int) -> None:
        """Take note of Event `index` of `history`; it is written with the next flush."""
        with self._recording(history) as branch:
            self._last = index
            overdue = self._clock() - self._committed >= COMMIT_EVERY_S
            if overdue or index - self._written[branch.id].events >= CHUNK:
                self.flush()

    def checkpoint_taken(self, history: History, checkpoint: Checkpoint) -> None:
        """Replace the last Checkpoint by this one, unless that was written too recently."""
        if self._tape is not None:  # which has all values: a Checkpoint would only repeat them
            return
        with self._recording(history) as branch:
            if self._clock() - self._checkpointed < _CHECKPOINT_EVERY_S:
                return
            first = history.checkpoints.indices[0]
            tree = state_tree(checkpoint.work_s, checkpoint.state)
            with self._transaction() as writer:
                writer.keep_checkpoints(branch.id, {first} - {checkpoint.index})
                writer.checkpoint(branch.id, checkpoint.index, tree)
            self._checkpointed = self._clock()

    def settled(self, history: History) -> None:
        """Write pending Events: once the user sees that they are done, they must survive."""
        with self._recording(history):
            self.flush()

    def texts(self, table: str, texts: Iterable[str]) -> None:
        """Replace all `breakpoints`, or all `watches`."""
        with self._transaction() as writer:
            writer.texts(table, texts)

    def lesson(self, lesson: LessonState | None) -> None:
        """Replace how far the lesson is."""
        with self._transaction() as writer:
            writer.lesson(lesson)

    def branches(self, branches: Sequence[Branch], current: int, position: int) -> None:
        """Store these branches under their present names, and no others.

        Args:
            branches: Every branch, parents first.
            current: The id of the current branch.
            position: The index of the current Event.
        """
        self.flush()
        written = dict(self._written)
        with self._transaction() as writer:
            for removed in written.keys() - {branch.id for branch in branches}:
                writer.remove_branch(removed)
                del written[removed]
                self._merged.pop(removed, None)
            for branch in branches:
                if branch.id in written:
                    writer.rename_branch(branch.id, branch.name)
                else:
                    record = session_branch(branch)
                    writer.branch(record)
                    written[branch.id] = _extent(record)
            writer.position(current, min(position, written[current].events))
        self._branch, self._written = None, written

    def flush(self) -> None:
        """Write everything recorded so far, so that it survives the end of this process."""
        branch = self._branch
        if branch is None:
            return
        if self._last > self._written[branch.id].events or self._has_unwritten_tape():
            with self._transaction():
                pass

    @property
    def _is_there(self) -> bool:
        """Whether the file is still the one that is written, and not removed or replaced."""
        return _identity(self.path) == self._identity

    def close(self) -> None:
        """Finish the file, so that it also opens from a read-only folder."""
        try:
            self.flush()
            self._connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise SessionError(
                f"{self.path} cannot be finished: {error}", "free disk space, and open it"
            ) from error
        finally:
            self._connection.close()
            self._lock.release()

    def discard(self) -> None:
        """End the recording and delete its file."""
        is_ours = self._is_there or not self.path.exists()
        self._connection.close()
        try:
            for part in (self.path, log_path(self.path)) if is_ours else ():
                part.unlink(missing_ok=True)
        except OSError as error:
            raise SessionError(
                f"the recording {self.path} cannot be deleted: {error.strerror or error}",
                "delete it by hand",
            ) from error
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def _recording(self, history: History) -> Iterator[Branch]:
        """Switch to the branch of a History; on failure stop recording, to report it once."""
        try:
            if self._branch is None or self._branch.history is not history:
                self.flush()
                branch = self._branch_of(history)
                self._last, self._branch = self._begin(branch), branch
            yield self._branch
        except SessionError:
            history.recorder = None
            raise

    def _begin(self, branch: Branch) -> int:
        """Add a branch to the file if it is new, and return its last Event in the file."""
        if branch.id not in self._written:
            with self._transaction() as writer:
                writer.branch(
                    SessionBranch(branch.id, branch.parent, branch.forked_at, branch.name)
                )
            self._written[branch.id] = _Written(branch.forked_at, 0)
        return self._written[branch.id].events

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[SessionWriter]:
        """Write pending Events, the position, and what the caller writes, in one transaction."""
        if not self._is_there:
            raise RecordingError(
                f"the recording has stopped: {self.path} was removed or replaced",
                "save under another name: nothing more of it can be recovered after a crash",
            )
        try:
            with self._writer.transaction():
                written, merged = self._write_pending()
                yield self._writer
        except sqlite3.Error as error:
            raise RecordingError(
                f"the recording has stopped: {error}",
                "free disk space, and save under another name",
            ) from error
        self._written.update(written)
        self._merged.update(merged)
        self._committed = self._clock()

    def _write_pending(self) -> tuple[dict[int, _Written], dict[int, _Written]]:
        """Write the Events of the branch that the file lacks.

        Returns:
            What the file then holds of the branch, and how much of that is in rows that stay.
        """
        branch = self._branch
        if branch is None or branch.id not in self._written:
            return {}, {}
        written = self._written[branch.id]
        if self._has_unwritten_tape():
            self._write_tape()
        if self._last <= written.events:
            return {}, {}
        merged = self._merged.get(branch.id, written)
        if is_merging := self._last - merged.events >= CHUNK:
            self._writer.remove_rows(branch.id, merged.events, merged.rows)
            written = merged
        self._writer.events(branch.id, branch.history.events[written.events : self._last])
        self._writer.position(branch.id, self._last)
        rows = series_rows(branch.history, written.rows)
        if len(rows.moments):
            self._writer.series(branch.id, written.rows, rows)
        extent = _Written(self._last, written.rows + len(rows.moments))
        if is_merging or len(rows.moments) >= CHUNK:  # all rows of a branch that was just forked
            merged = extent
        return {branch.id: extent}, {branch.id: merged}

    def _has_unwritten_tape(self) -> bool:
        tape = self._tape
        if tape is None:
            return False
        return _extent_of_run(tape.run) != self._run or any(
            len(item.rows) > self._rows_before(item) for item in tape.branches.values()
        )

    def _rows_before(self, tape: Tape) -> int:
        """Return how many rows of a tape are in the file, or on that of another branch."""
        return self._tape_rows.get(tape.branch, tape.forked_at)

    def _write_tape(self) -> None:
        """Write what the file lacks of the tape of a script."""
        tape = self._tape
        assert tape is not None, "there is a tape with something to write"
        extent = _extent_of_run(tape.run)
        if extent != self._run:
            self._writer.script(tape.run)
            self._run = extent
        for item in tape.branches.values():
            first = self._rows_before(item)
            self._writer.tape(item.branch, first, item.rows[first:])
            self._tape_rows[item.branch] = len(item.rows)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what distinguishes a file from another one of its name; None if it is missing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _extent_of_run(run: ScriptRun) -> tuple[object, ...]:
    """Return values that change whenever more becomes known of the run of a script."""
    return (
        *(run.extent, len(run.graphs), len(run.broadcasts), len(run.sources)),
        *(len(run.notices), tuple(run.answers.items())),
        *(run.status, run.error, run.lost),
    )


def _extent(branch: SessionBranch) -> _Written:
    rows = 0 if branch.series is None else len(branch.series.moments)
    return _Written(branch.forked_at + len(branch.events), rows)


def leftovers(folder: Path) -> tuple[Path, ...]:
    """Return the recordings in a folder whose processes ended without closing them, newest first.

    Args:
        folder: The folder of the recordings.
    """
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):  # another process has just taken it
            if lock_path(path).exists() and not is_locked(path):
                found.append((path.stat().st_mtime, path))
    return tuple(path for _, path in sorted(found, reverse=True))


def remove_stale_locks(folder: Path) -> None:
    """Remove the locks and drafts of recordings whose processes ended before they began to record.

    Args:
        folder: The folder of the recordings.
    """
    for lock in folder.glob(f"*{SUFFIX}{LOCK_SUFFIX}"):
        path = lock.with_suffix("")
        with contextlib.suppress(OSError):  # another process has just removed it
            is_old = time.time() - lock.stat().st_mtime > _STALE_LOCK_S
            if is_old and not path.exists() and not is_locked(path):
                for draft in drafts_of(path):
                    draft.unlink(missing_ok=True)
                lock.unlink(missing_ok=True)


def _writing(path: Path) -> sqlite3.Connection:
    """Return an exclusive connection for writing; being exclusive, it needs no shared memory."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL"):
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection
