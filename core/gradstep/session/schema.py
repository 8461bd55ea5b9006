"""The format of a session file: suffix, ids and tables; the check of them; older formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gradstep import optim
from gradstep.errors import SessionError
from gradstep.program.operation import Backward, Forward, LoopLine, Step, ZeroGrad
from gradstep.session.tables import digest_all

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = [
    "ALTERED_KEY",
    "APPLICATION_ID",
    "LESSON_KEY",
    "MIGRATIONS",
    "SUFFIX",
    "VERSION",
    "check_schema",
    "create_schema",
    "migrate",
    "with_loop_of_format_1",
]

SUFFIX = ".gradstep"
"""The suffix of session files; use `is_session` to tell whether a file is one."""

# "GrSt", at offset 68 of the file: what `file(1)` and a desktop's MIME rules look for.
APPLICATION_ID = 0x47725374
VERSION = 3

LESSON_KEY = "lesson"
"""Where `meta` holds how far the lesson is, as JSON; older GradSteps read on without it."""

ALTERED_KEY = "altered"
"""Where `meta` holds the tables that had been changed when the session was read, as JSON."""

_SCRIPT_TABLES = (
    "CREATE TABLE script (id INTEGER PRIMARY KEY CHECK (id = 1), body BLOB NOT NULL,"
    " crc INTEGER NOT NULL) STRICT",
    "CREATE TABLE tape (first INTEGER PRIMARY KEY, body BLOB NOT NULL, crc INTEGER NOT NULL)"
    " STRICT",
)


_DIGESTS_TABLE = "CREATE TABLE digests (name TEXT PRIMARY KEY, sum BLOB NOT NULL) STRICT"


def _add_script_tables(connection: sqlite3.Connection) -> None:
    for statement in _SCRIPT_TABLES:
        connection.execute(statement)


def _add_digests(connection: sqlite3.Connection) -> None:
    connection.execute(_DIGESTS_TABLE)
    digest_all(connection)


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {
    1: _add_script_tables,
    2: _add_digests,
}
"""The step from each older format to the next one: recorded scripts; the digests of the tables."""

# Each blob has a crc32 beside it, because SQLite detects damaged pages but not damaged content.
# Numbers that may be NaN are inside blobs, because SQLite stores NaN as NULL.
_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "CREATE TABLE spec (id INTEGER PRIMARY KEY CHECK (id = 1), body BLOB NOT NULL,"
    " crc INTEGER NOT NULL) STRICT",
    "CREATE TABLE files (path TEXT PRIMARY KEY, body BLOB NOT NULL, crc INTEGER NOT NULL) STRICT",
    "CREATE TABLE branches (id INTEGER PRIMARY KEY, parent INTEGER, forked_at INTEGER NOT NULL,"
    " name TEXT NOT NULL) STRICT",
    "CREATE TABLE events (branch INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,"
    " body BLOB NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (branch, first)) STRICT",
    "CREATE TABLE checkpoints (branch INTEGER NOT NULL, event INTEGER NOT NULL,"
    " body BLOB NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (branch, event)) STRICT",
    "CREATE TABLE arrays (digest BLOB PRIMARY KEY, dtype TEXT NOT NULL, shape TEXT NOT NULL,"
    " body BLOB NOT NULL, crc INTEGER NOT NULL) STRICT",
    "CREATE TABLE series (branch INTEGER NOT NULL, first INTEGER NOT NULL, body BLOB NOT NULL,"
    " crc INTEGER NOT NULL, PRIMARY KEY (branch, first)) STRICT",
    "CREATE TABLE breakpoints (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    "CREATE TABLE watches (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    "CREATE TABLE findings (id INTEGER PRIMARY KEY, body BLOB NOT NULL, crc INTEGER NOT NULL)"
    " STRICT",
    "CREATE TABLE layout (id INTEGER PRIMARY KEY CHECK (id = 1), body BLOB NOT NULL,"
    " crc INTEGER NOT NULL) STRICT",
    *_SCRIPT_TABLES,
    _DIGESTS_TABLE,
)


def create_schema(connection: sqlite3.Connection) -> None:
    """Turn an empty database into a session file: ids first, then tables."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    for statement in _TABLES:
        connection.execute(statement)
    digest_all(connection)


def _expected() -> set[tuple[str, str, str | None]]:
    objects: set[tuple[str, str, str | None]] = set()
    for statement in _TABLES:
        name = statement.split()[2]
        objects.add(("table", name, statement))
        # SQLite creates and names an index for each key that is not the row id.
        if "INTEGER PRIMARY KEY" not in statement:
            objects.add(("index", f"sqlite_autoindex_{name}_1", None))
    return objects


def check_schema(connection: sqlite3.Connection) -> None:
    """Compare the whole schema with the allow-list.

    Raises:
        SessionError: A table is missing or different, or there is anything besides the tables: a
            view or a trigger would run SQL from the file.
    """
    found = set(connection.execute("SELECT type, name, sql FROM sqlite_schema"))
    expected = _expected()
    if found == expected:
        return
    stray = sorted(str(name) for kind, name, sql in found - expected)
    missing = sorted(name for kind, name, sql in expected - found)
    named = f"it has {', '.join(stray[:3])}" if stray else f"it lacks {', '.join(missing[:3])}"
    raise SessionError(
        f"the file's tables are not those of a GradStep session: {named[:200]}",
        "open a session that GradStep has saved",
    )


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a copy of a session from format `version` to the newest one; the file itself stays.

    Raises:
        SessionError: No released GradStep has written that format.
    """
    while version < VERSION:
        step = MIGRATIONS.get(version)
        if step is None:
            raise SessionError(
                f"the session has format {version}, which no GradStep has written",
                "open a file that GradStep has saved",
            )
        step(connection)
        version += 1
        connection.execute(f"PRAGMA user_version = {version}")


def with_loop_of_format_1(spec: ProgramSpec) -> ProgramSpec:
    """Return a program of format 1 with its old default loop, if the default has changed since.

    In format 1 the default loop also computed losses that another loss reads by themselves.
    """
    losses = [name for name, loss in spec.losses.items() if loss.rows == "training"]
    has_parts = any(spec.components_of(name) for name in losses)
    kinds = [getattr(optim, item.kind, None) for item in spec.optimizers.values()]
    evaluates = any(getattr(kind, "needs_closure", False) for kind in kinds)
    if spec.loop is not None or not has_parts or evaluates:
        return spec
    lines = [
        *(LoopLine(ZeroGrad(name)) for name in spec.optimizers),
        *(LoopLine(Forward(name)) for name in losses),
        *(LoopLine(Backward(name)) for name in losses),
        *(LoopLine(Step(name)) for name in spec.optimizers),
    ]
    return msgspec.structs.replace(spec, loop=lines)
