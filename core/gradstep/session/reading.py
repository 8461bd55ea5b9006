"""SessionReader: reads an open session file into records, and checks each part."""

from __future__ import annotations

import math
import zlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.errors import ProgramError, SessionError
from gradstep.history.records.breakpoints import MAX_BREAKS
from gradstep.history.records.finding import BranchFindings, Finding, FindingRecord
from gradstep.history.records.landscape import StoredLandscape
from gradstep.history.records.lesson import LessonState
from gradstep.program.document import codec
from gradstep.session.arrays import ArrayReader
from gradstep.session.event_chunk import CHUNK, decode_events
from gradstep.session.record import Session, SessionBranch
from gradstep.session.schema import ALTERED_KEY, LESSON_KEY
from gradstep.session.series_rows import SeriesRows, decode_rows, joined
from gradstep.session.tables import DIGESTED, changed_tables
from gradstep.session.tape_chunk import decode_tape
from gradstep.session.tree import decode_tree

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from gradstep.history.records.event import Event
    from gradstep.script.tape import Tape

__all__ = ["read_session"]

# More than anybody writes; a breakpoint or watch that is cut here shows as a wrong expression.
_LONGEST_TEXT = 10_000
# Four of the largest that can be asked for; a longer text is cut, and then is no JSON.
_LONGEST_LANDSCAPES = 2_000_000
_LONGEST_LESSON = 8 * 1024 * 1024


def read_session(
    connection: sqlite3.Connection, advance: Callable[[int], None] = lambda _read: None
) -> Session:
    """Return the contents of an open session file.

    Args:
        connection: The file.
        advance: Called with the number of Events that were just read.

    Raises:
        SessionError: A part is damaged, or the parts are inconsistent.
    """
    reader = SessionReader(connection, advance)
    branches = tuple(reader.branches())
    branch, position = reader.position(branches)
    return Session(
        spec=reader.spec(),
        files=MappingProxyType(dict(reader.files())),
        branches=branches,
        branch=branch,
        position=position,
        breakpoints=reader.texts("breakpoints"),
        watches=reader.texts("watches"),
        findings=reader.findings(branches, branch),
        layout=reader.layout(),
        landscapes=reader.landscapes(branches),
        lesson=reader.lesson(),
        tape=reader.tape(branches),
        altered=reader.altered(),
    )


class SessionReader:
    """Reads records from the tables.

    Args:
        connection: A session file whose schema has been checked.
        advance: Called with the number of Events that were just read.
    """

    def __init__(self, connection: sqlite3.Connection, advance: Callable[[int], None]) -> None:
        self._connection = connection
        self._advance = advance
        self._arrays = ArrayReader(connection)

    def spec(self) -> Any:  # noqa: ANN401 - a ProgramSpec, as the document module returns
        bodies = [body for (body,) in self._bodies("spec", "", "id")]
        if not bodies:
            raise SessionError("the session holds no program", "choose another file")
        is_script = next(self._bodies("script", "", "id"), None) is not None
        try:
            return codec.decode_outline(bodies[0]) if is_script else codec.decode(bodies[0])
        except ProgramError as error:
            raise SessionError(f"the session's program cannot be built: {error}") from error

    def files(self) -> Iterator[tuple[Any, ...]]:
        yield from self._bodies("files", "path", "path")

    def branches(self) -> Iterator[SessionBranch]:
        lengths: dict[int, int] = {}
        rows = self._connection.execute("SELECT * FROM branches ORDER BY id").fetchall()
        for id, parent, forked_at, name in rows:
            known = forked_at == 0 if parent is None else 0 <= forked_at <= lengths.get(parent, -1)
            if not known or id < 0:
                raise SessionError(f"branch {id} of the session forks from a missing Event")
            events = self._events(id, forked_at)
            lengths[id] = forked_at + len(events)
            yield SessionBranch(
                id=id,
                parent=parent,
                forked_at=forked_at,
                name=name,
                events=events,
                checkpoints=MappingProxyType(self._checkpoints(id, lengths[id])),
                series=self._series(id),
            )
        if not lengths:
            raise SessionError("the session holds no branch", "choose another file")

    def _events(self, branch: int, forked_at: int) -> list[Event]:
        events: list[Event] = []
        for first, count, body in self._bodies("events", "first, count", "first", branch):
            if first != forked_at + len(events) + 1 or not 1 <= count <= CHUNK:
                raise SessionError(f"Events are missing before Event {first:,} of branch {branch}")
            events.extend(decode_events(body, first, count))
            self._advance(count)
        return events

    def _checkpoints(self, branch: int, length: int) -> dict[int, dict[str, Any]]:
        """Read a branch's Checkpoints; that of the current Event may be before the fork."""
        checkpoints: dict[int, dict[str, Any]] = {}
        for event, body in self._bodies("checkpoints", "event", "event", branch):
            tree = decode_tree(body, self._arrays.get)
            if not 0 <= event <= length or not isinstance(tree, dict):
                raise SessionError(f"the Checkpoint after Event {event:,} is not one of its branch")
            checkpoints[event] = tree
        return checkpoints

    def _series(self, branch: int) -> SeriesRows | None:
        parts: list[SeriesRows] = []
        length = 0
        for first, body in self._bodies("series", "first", "first", branch):
            if first != length:
                raise SessionError(f"rows of the series are missing before row {first}")
            parts.append(decode_rows(body))
            length += len(parts[-1].moments)
        return joined(parts) if parts else None

    def position(self, branches: tuple[SessionBranch, ...]) -> tuple[int, int]:
        meta = dict(
            self._connection.execute(
                "SELECT key, value FROM meta WHERE key IN ('branch', 'position')"
            )
        )
        branch, position = (int(meta.get(key, -1)) for key in ("branch", "position"))
        lengths = {known.id: known.forked_at + len(known.events) for known in branches}
        if not 0 <= position <= lengths.get(branch, -1):
            raise SessionError(
                f"the session was saved at Event {position:,}, which it does not contain"
            )
        return branch, position

    def texts(self, table: str) -> tuple[str, ...]:
        rows = self._connection.execute(
            f"SELECT substr(text, 1, {_LONGEST_TEXT}) FROM {table} ORDER BY id LIMIT {MAX_BREAKS}"
        )
        return tuple(text for (text,) in rows)

    def findings(
        self, branches: tuple[SessionBranch, ...], current: int
    ) -> tuple[BranchFindings, ...]:
        """Return the findings of each branch; GradStep 0.2 stored those of the `current` one."""
        found: list[BranchFindings] = []
        known: list[Finding] = []
        for (body,) in self._bodies("findings", "", "id"):
            tree = msgspec.msgpack.decode(body)
            if isinstance(tree, dict) and "branch" in tree:
                found.append(msgspec.convert(tree, BranchFindings))
            else:
                known.append(msgspec.convert(tree, Finding))
        if known:
            found.append(BranchFindings(current, known=tuple(known)))
        lengths = {branch.id: branch.forked_at + len(branch.events) for branch in branches}
        for item in found:
            length = lengths.get(item.branch, -1)
            if not 0 <= item.up_to <= length or not all(
                _is_sound(record, length) for record in item.records
            ):
                raise SessionError(f"the findings of branch {item.branch} do not fit its Events")
        return tuple(found)

    def layout(self) -> bytes:
        return next((body for (body,) in self._bodies("layout", "", "id")), b"")

    def landscapes(self, branches: tuple[SessionBranch, ...]) -> tuple[StoredLandscape, ...]:
        """Read landscapes; whether they fit the program shows when they are wanted again."""
        row = self._connection.execute(
            f"SELECT substr(value, 1, {_LONGEST_LANDSCAPES}) FROM meta WHERE key = 'landscapes'"
        ).fetchone()
        if row is None:
            return ()
        found = msgspec.json.decode(row[0], type=tuple[StoredLandscape, ...])
        length = max(branch.forked_at + len(branch.events) for branch in branches)
        for item in found:
            pairs = zip(item.bounds[::2], item.bounds[1::2], strict=True)
            is_sound = (
                len(item.bounds) == 2 * len(item.shape)
                and 4 * math.prod(item.shape) == len(item.values)
                and item.event <= length
                and all(low < high for low, high in pairs)
            )
            if not is_sound:
                raise SessionError("a landscape in the file is damaged: its sizes differ")
        return found

    def lesson(self) -> LessonState | None:
        """Read how far the lesson is; None without one."""
        found = self._connection.execute(
            f"SELECT substr(value, 1, {_LONGEST_LESSON + 1}) FROM meta WHERE key = ?", (LESSON_KEY,)
        ).fetchone()
        if found is None:
            return None
        if len(found[0]) > _LONGEST_LESSON:
            raise SessionError("the session's lesson is too long", "choose another file")
        try:
            return msgspec.json.decode(found[0], type=LessonState)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise SessionError(f"the session's lesson cannot be read: {error}") from None

    def altered(self) -> tuple[str, ...]:
        """Return the tables that were changed after they were written, in this file or before."""
        changed = set(changed_tables(self._connection))
        found = self._connection.execute(
            "SELECT value FROM meta WHERE key = ? AND length(value) < 1000", (ALTERED_KEY,)
        ).fetchone()
        if found is not None:
            changed |= set(msgspec.json.decode(found[0], type=tuple[str, ...]))
        return tuple(table for table in DIGESTED if table in changed)

    def tape(self, branches: tuple[SessionBranch, ...]) -> Tape | None:
        """Read what a recorded script did on its branches; None for a program."""
        run = next((body for (body,) in self._bodies("script", "", "id")), None)
        if run is None:
            return None
        forks = {item.id: (item.parent, item.forked_at) for item in branches}
        return decode_tape(run, self._bodies("tape", "first", "first"), self._arrays, forks)

    def _bodies(
        self, table: str, columns: str, order: str, branch: int | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the given columns and the blob of each row, after comparing its checksum."""
        chosen = f"{columns}, " if columns else ""
        where = "" if branch is None else "WHERE branch = ?"
        rows = self._connection.execute(
            f"SELECT {chosen}body, crc FROM {table} {where} ORDER BY {order}",
            () if branch is None else (branch,),
        )
        for *values, body, crc in rows:
            if zlib.crc32(body) != crc:
                raise SessionError(
                    f"the file's {table} are damaged: a checksum differs",
                    "open a copy or an autosave of it",
                )
            yield (*values, body)


def _is_sound(record: FindingRecord, length: int) -> bool:
    """Whether a finding cites and counts only Events that exist.

    A replay does not make findings in the order of Events, and GradStep 0.2 stored them as they
    came.
    """
    cited = [*([record.events] if record.events else []), *record.cited]
    if not all(events and 0 <= min(events) <= max(events) <= length for events in cited):
        return False
    found = record.occurrences.tolist()
    first = record.events[-1] if record.events else 0
    is_possible = first in found and 0 <= min(found) <= max(found) <= length
    return is_possible and len(set(found)) == len(found)
