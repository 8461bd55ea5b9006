"""SessionWriter: writes the parts of a session into an open file."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.program.document import codec
from gradstep.session.arrays import ArrayWriter
from gradstep.session.event_chunk import CHUNK, encode_events
from gradstep.session.schema import ALTERED_KEY, LESSON_KEY
from gradstep.session.series_rows import encode_rows
from gradstep.session.tables import Tables
from gradstep.session.tape_chunk import encode_rows_of_tape, encode_run, key_of_rows
from gradstep.session.tree import encode_tree, referred_arrays

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import BranchFindings
    from gradstep.history.records.landscape import StoredLandscape
    from gradstep.history.records.lesson import LessonState
    from gradstep.script.tape import ScriptRun, TapeRow
    from gradstep.session.record import Session, SessionBranch
    from gradstep.session.series_rows import SeriesRows

__all__ = ["SessionWriter"]


class SessionWriter:
    """Writes records into the tables: a whole session, or parts in a `transaction`.

    Args:
        connection: A session file that has its schema.
        advance: Called with the number of Events or Checkpoints that were just written.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        advance: Callable[[int], None] = lambda _written: None,
    ) -> None:
        self._connection = connection
        self._advance = advance
        self._tables = Tables(connection)
        self._arrays = ArrayWriter(self._tables)

    def transaction(self) -> AbstractContextManager[None]:
        """Commit what the `with` block writes, or nothing if it raises."""
        return self._tables.transaction()

    def session(self, session: Session) -> None:
        """Write a whole session into a new file; the caller commits."""
        self._put("spec", 1, codec.encode(session.spec))
        for path, body in session.files.items():
            self._put("files", path, body)
        if session.tape is not None:
            self.script(session.tape.run)
            for tape in session.tape.branches.values():
                self.tape(tape.branch, tape.forked_at, tape.rows[tape.forked_at :])
        for branch in session.branches:
            self.branch(branch)
        self.position(session.branch, session.position)
        self.texts("breakpoints", session.breakpoints)
        self.texts("watches", session.watches)
        self.findings(session.findings)
        if session.layout:
            self._put("layout", 1, session.layout)
        self.landscapes(session.landscapes)
        self.lesson(session.lesson)
        if session.altered:
            self._meta(ALTERED_KEY, msgspec.json.encode(session.altered).decode())
        self._tables.write_digests()

    def script(self, run: ScriptRun) -> None:
        """Replace the facts about the run of a script."""
        self._tables.delete("script")
        self._put("script", 1, encode_run(run, self._arrays))

    def tape(self, branch: int, first: int, rows: Sequence[TapeRow]) -> None:
        """Append rows to the tape of a branch; `first` is the number of those before."""
        for at, body in encode_rows_of_tape(rows, self._arrays):
            self._put("tape", key_of_rows(branch, first + at), body)

    def branch(self, branch: SessionBranch) -> None:
        """Write a branch with its Events, Checkpoints and series."""
        self._tables.insert("branches", branch.id, branch.parent, branch.forked_at, branch.name)
        self.events(branch.id, branch.events)
        for event, tree in branch.checkpoints.items():
            self.checkpoint(branch.id, event, tree)
        if branch.series is not None:
            self.series(branch.id, 0, branch.series)

    def rename_branch(self, branch: int, name: str) -> None:
        """Rename a branch."""
        known = self._connection.execute(
            "SELECT id, parent, forked_at FROM branches WHERE id = ? AND name <> ?", (branch, name)
        ).fetchone()
        if known is not None:
            self._tables.delete("branches", "id = ?", (branch,))
            self._tables.insert("branches", *known, name)

    def remove_branch(self, branch: int) -> None:
        """Delete a branch with its own Events, Checkpoints, series and findings."""
        self.keep_checkpoints(branch, ())
        keys = {"events": "branch", "series": "branch", "branches": "id", "findings": "id"}
        for table, key in keys.items():
            self._tables.delete(table, f"{key} = ?", (branch,))

    def events(self, branch: int, events: Sequence[Event]) -> None:
        """Append consecutive Events."""
        for start in range(0, len(events), CHUNK):
            run = events[start : start + CHUNK]
            self._put("events", branch, run[0].index, len(run), encode_events(run))
            self._advance(len(run))

    def remove_rows(self, branch: int, events: int, rows: int) -> None:
        """Delete the Events of a branch after one, and the rows of its series from one on."""
        self._tables.delete("events", "branch = ? AND first > ?", (branch, events))
        self._tables.delete("series", "branch = ? AND first >= ?", (branch, rows))

    def checkpoint(self, branch: int, event: int, tree: Mapping[str, Any]) -> None:
        """Append one Checkpoint."""
        self._put("checkpoints", branch, event, encode_tree(dict(tree), self._arrays))
        self._advance(1)

    def series(self, branch: int, first: int, rows: SeriesRows) -> None:
        """Append rows to a series; `first` is the number of rows already in the file."""
        self._put("series", branch, first, encode_rows(rows))

    def position(self, branch: int, event: int) -> None:
        """Set the current branch and Event."""
        for key, value in (("branch", branch), ("position", event)):
            self._meta(key, str(value))

    def texts(self, table: str, texts: Iterable[str]) -> None:
        """Replace all breakpoints, or all watches."""
        self._tables.delete(table)
        for number, text in enumerate(texts, 1):
            self._tables.insert(table, number, text)

    def lesson(self, lesson: LessonState | None) -> None:
        """Replace how far the lesson is."""
        self._meta(LESSON_KEY, None if lesson is None else msgspec.json.encode(lesson).decode())

    def findings(self, findings: Iterable[BranchFindings]) -> None:
        """Replace all findings."""
        self._tables.delete("findings")
        for found in findings:
            self._put("findings", found.branch, msgspec.msgpack.encode(found))

    def landscapes(self, landscapes: Sequence[StoredLandscape]) -> None:
        """Replace all landscapes.

        They are an entry of `meta`, which formats 1 and 2 have: a GradStep that knows no landscapes
        opens the session without them.
        """
        body = msgspec.json.encode(tuple(landscapes)).decode() if landscapes else None
        self._meta("landscapes", body)

    def keep_checkpoints(self, branch: int, events: Collection[int]) -> None:
        """Delete all of a branch's Checkpoints but these, and the arrays that are then unused."""
        places = ", ".join("?" * len(events))
        self._tables.delete(
            "checkpoints", f"branch = ? AND event NOT IN ({places})", (branch, *events)
        )
        used: set[bytes] = set()
        for table in ("checkpoints", "script", "tape"):
            for (body,) in self._connection.execute(f"SELECT body FROM {table}"):
                used |= referred_arrays(body)
        stored = {digest for (digest,) in self._connection.execute("SELECT digest FROM arrays")}
        for digest in stored - used:
            self._tables.delete("arrays", "digest = ?", (digest,))

    def _meta(self, key: str, value: str | None) -> None:
        """Replace an entry of `meta`; None removes it."""
        self._tables.delete("meta", "key = ?", (key,))
        if value is not None:
            self._tables.insert("meta", key, value)

    def _put(self, table: str, *values: int | str | bytes) -> None:
        """Insert a row whose last value is a blob, followed by the blob's checksum."""
        body = values[-1]
        if not isinstance(body, bytes):
            raise TypeError(f"a row of {table} ends with bytes")
        self._tables.insert(table, *values, zlib.crc32(body))
