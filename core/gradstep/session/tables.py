"""The tables of a session file, and the digests that show whether their rows were changed.

Each table has a digest: the sum of the hashes of its rows. A sum needs no order, so a recording
updates it with each row that it inserts or deletes, and reads nothing again. A row's checksum
stands for its blob. The digests show damage and changes by hand, but not the work of a forger who
recomputes them.
"""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING

import msgspec

from gradstep.errors import SessionError
from gradstep.pluralize import listed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["DIGESTED", "Tables", "changed_tables", "describe_alteration", "digest_all"]

DIGESTED = {
    "meta": "key, value",
    "spec": "id, crc",
    "files": "path, crc",
    "branches": "id, parent, forked_at, name",
    "events": "branch, first, count, crc",
    "checkpoints": "branch, event, crc",
    "arrays": "digest, dtype, shape, crc",
    "series": "branch, first, crc",
    "breakpoints": "id, text",
    "watches": "id, text",
    "findings": "id, crc",
    "layout": "id, crc",
    "script": "id, crc",
    "tape": "first, crc",
}
"""What the digest of each table covers: all columns but the blob, for which its `crc` stands."""

_CONTENTS = {
    "meta": "current moment, lesson and landscapes",
    "spec": "program",
    "files": "data files",
    "branches": "branches",
    "events": "Events",
    "checkpoints": "Checkpoints",
    "arrays": "tensors",
    "series": "curves",
    "breakpoints": "breakpoints",
    "watches": "watches",
    "findings": "findings",
    "layout": "layout",
    "script": "script",
    "tape": "recorded values",
}

_MODULUS = 2**128


class Tables:
    """Inserts and deletes rows in transactions, and keeps the digests of the tables.

    Args:
        connection: A session file that has its schema.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._digests = _stored(connection)
        self._changed: set[str] = set()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what the `with` block writes, or nothing if it raises."""
        before = dict(self._digests)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.write_digests()
            self._connection.execute("COMMIT")
        finally:
            self._changed.clear()
            if self._connection.in_transaction:
                self._digests = before
                self._connection.execute("ROLLBACK")

    def insert(self, table: str, *values: int | str | bytes | None) -> None:
        """Insert a row; a row of `arrays` that is there already stays.

        Args:
            table: The table.
            values: The values of all its columns, in their order.
        """
        places = ", ".join("?" * len(values))
        clash = "ON CONFLICT DO NOTHING" if table == "arrays" else ""
        inserted = self._connection.execute(
            f"INSERT INTO {table} VALUES ({places}) {clash}", values
        ).rowcount
        if inserted:
            covered = [*values[:-2], values[-1]] if DIGESTED[table].endswith("crc") else values
            self._add(table, _hash(table, covered))

    def delete(self, table: str, where: str = "", parameters: Sequence[object] = ()) -> None:
        """Delete rows.

        Args:
            table: The table.
            where: Which rows, as SQL with a `?` for each parameter; all of them by default.
            parameters: The values of the parameters.
        """
        condition = f"WHERE {where}" if where else ""
        removed = self._connection.execute(
            f"SELECT {DIGESTED[table]} FROM {table} {condition}", parameters
        ).fetchall()
        if removed:
            self._connection.execute(f"DELETE FROM {table} {condition}", parameters)
            self._add(table, -_sum(table, removed))

    def write_digests(self) -> None:
        """Write the digests that changed; the last thing before a commit."""
        for table in self._changed:
            _store(self._connection, table, self._digests[table])
        self._changed.clear()

    def _add(self, table: str, change: int) -> None:
        self._digests[table] = (self._digests[table] + change) % _MODULUS
        self._changed.add(table)


def digest_all(connection: sqlite3.Connection) -> None:
    """Store the digests of the present rows of a new file, or of one of an older format."""
    for table in DIGESTED:
        _store(connection, table, _digest(connection, table))


def changed_tables(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the tables whose rows differ from those that were written, in the order of the schema.

    Also one whose index leads to another row than the one that is looked up.

    Raises:
        SessionError: A digest is missing.
    """
    stored = _stored(connection)
    return tuple(
        table
        for table in DIGESTED
        if stored[table] != _digest(connection, table) or not _is_intact(connection, table)
    )


def describe_alteration(tables: Iterable[str]) -> str:
    """Return what was changed after GradStep wrote it, as a sentence; "" for nothing.

    Args:
        tables: The tables whose rows were changed.

    Example:
        >>> describe_alteration(["series"])
        'the session was changed after GradStep wrote it; the curves may differ from what it held'
    """
    named = listed(_CONTENTS[table] for table in tables)
    if not named:
        return ""
    return (
        f"the session was changed after GradStep wrote it; the {named} may differ from what it held"
    )


def _digest(connection: sqlite3.Connection, table: str) -> int:
    return _sum(table, connection.execute(f"SELECT {DIGESTED[table]} FROM {table}"))


def _is_intact(connection: sqlite3.Connection, table: str) -> bool:
    (found,) = connection.execute(f"PRAGMA integrity_check({table})").fetchone()
    return bool(found == "ok")


def _sum(table: str, rows: Iterable[Sequence[object]]) -> int:
    return sum(_hash(table, row) for row in rows) % _MODULUS


def _hash(table: str, row: Sequence[object]) -> int:
    text = msgspec.msgpack.encode((table, *row))
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest())


def _stored(connection: sqlite3.Connection) -> dict[str, int]:
    rows = connection.execute("SELECT name, sum FROM digests")
    found = {name: int.from_bytes(digest) for name, digest in rows}
    if found.keys() != DIGESTED.keys():
        raise SessionError("the file's digests are damaged: one is missing or of no table")
    return found


def _store(connection: sqlite3.Connection, table: str, digest: int) -> None:
    connection.execute(
        "REPLACE INTO digests VALUES (?, ?)", (table, digest.to_bytes(_MODULUS.bit_length() // 8))
    )
