"""Mutated sessions: bytes, rows, blobs with right checksums, and the schema.

A session that opens although its content is not what was written has to say so.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from contextlib import closing
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.program.gallery import scenarios
from gradstep.script.mirror import Mirror
from gradstep.session.schema import VERSION
from gradstep.session.store import read
from gradstep.session.tables import DIGESTED
from tests.core.script.mutations import mutated_bytes, mutated_leaf, mutated_tree
from tests.core.script.sent_frames import every_kind_of_frame, take

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["prepare"]

_SCHEMA = (
    "CREATE TABLE more (a) STRICT",
    "CREATE VIEW more AS SELECT * FROM meta",
    "CREATE TRIGGER more AFTER INSERT ON meta BEGIN DELETE FROM events; END",
    "CREATE INDEX more ON meta (value)",
    "DROP TABLE watches",
    "DROP TABLE digests",
    "ALTER TABLE meta ADD COLUMN more TEXT",
    "PRAGMA user_version = 2",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 99",
    "PRAGMA application_id = 1",
)


class SilentError(Exception):
    """A session opened with other content than was written, and did not say so."""


def prepare(folder: Path) -> Callable[[random.Random], str]:
    """Return an attack on two programs' sessions with branches, and on that of a script."""
    path = folder / "case.gradstep"
    originals = []
    for number, debugger in enumerate(_recorded()):
        debugger.save(folder / f"{number}.gradstep")
        content = (folder / f"{number}.gradstep").read_bytes()
        originals.append((content, read(folder / f"{number}.gradstep")))

    def case(draw: random.Random) -> str:
        content, session = draw.choice(originals)
        for left in folder.glob("case*"):
            left.unlink()
        if draw.random() < 0.3:
            path.write_bytes(_mutated_file(draw, content))
        else:
            path.write_bytes(content)
            with closing(sqlite3.connect(path)) as connection, connection:
                for _ in range(draw.choice((1, 1, 2, 3))):
                    with contextlib.suppress(sqlite3.Error):
                        draw.choice(_ATTACKS)(draw, connection)
        has_digests = _version(path) == VERSION  # older formats had none to compare
        debugger = Debugger.open(path)
        if has_digests and not debugger.alteration and not same(read(path), session):
            raise SilentError
        _use(debugger, draw)
        return "told" if debugger.alteration else "opened"

    return case


def _version(path: Path) -> int:
    """Return the format of a session, or 0 for what is none."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:
        return 0


def _recorded() -> list[Debugger]:
    """Return Debuggers with all that a session may hold."""
    found = []
    for number in ("03", "12"):
        debugger = Debugger.open(next(i.path for i in scenarios() if i.id.startswith(number)))
        debugger.iterate(6)
        debugger.seek(9)
        debugger.fork("other")
        debugger.iterate(2)
        debugger.watch("loss")
        debugger.break_when("loss < 0")
        debugger.layout = b"layout"
        found.append(debugger)
    script = Debugger(Mirror(take(every_kind_of_frame().stream)))
    script.follow()
    return [*found, script]


def _use(debugger: Debugger, draw: random.Random) -> None:
    for part in (
        lambda: debugger.seek(draw.randrange(len(debugger.events) + 1)),
        lambda: repr(debugger.snapshot),
        lambda: debugger.explain(draw.choice(list(debugger.program.tensors))),
        lambda: debugger.findings,
        lambda: debugger.iterate(1),
    ):
        with contextlib.suppress(GradStepError):
            part()


def same(one: Any, other: Any) -> bool:
    """Whether two records are equal, NaN and the bits of arrays included."""
    return plain(one) == plain(other)


def plain(value: Any) -> Any:
    """Return a record as values that compare as they are stored."""
    if isinstance(value, np.ndarray):
        found: Any = (value.dtype.str, value.shape, value.tobytes())
    elif isinstance(value, np.generic):
        found = plain(np.asarray(value))
    elif isinstance(value, float):
        found = ("float", value.hex())
    elif isinstance(value, list | tuple):
        found = [type(value), *map(plain, value)]
    elif hasattr(value, "items"):
        found = {key: plain(item) for key, item in value.items()}
    elif isinstance(value, msgspec.Struct):
        found = {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    elif is_dataclass(value):
        found = {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    elif hasattr(value, "__dict__"):
        found = {name: plain(item) for name, item in vars(value).items()}
    else:
        found = (type(value), value)
    return found


def _mutated_file(draw: random.Random, content: bytes) -> bytes:
    match draw.randrange(4):
        case 0:
            return mutated_bytes(draw, content)
        case 1:
            return content[: draw.randrange(len(content))]
        case 2:
            pages = [content[at : at + 4096] for at in range(0, len(content), 4096)]
            one, other = draw.randrange(len(pages)), draw.randrange(len(pages))
            pages[one], pages[other] = pages[other], pages[one]
            return b"".join(pages)
        case _:
            data = bytearray(content)
            for _ in range(draw.randrange(1, 30)):
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            return bytes(data)


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _row(
    draw: random.Random, connection: sqlite3.Connection, *, blob: bool = False
) -> tuple[str, int]:
    """Choose a table that has rows, with a blob where that is wanted, and one of its rows."""
    tables = [table for table, covered in DIGESTED.items() if covered.endswith("crc") or not blob]
    while True:
        table = draw.choice(tables)
        rows = [row for (row,) in connection.execute(f"SELECT rowid FROM {table}")]
        if rows:
            return table, draw.choice(rows)


def _change_value(draw: random.Random, connection: sqlite3.Connection) -> None:
    table, row = _row(draw, connection)
    column = draw.choice(_columns(connection, table))
    found = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()
    value = found[0] if found else None
    other: object = draw.choice((None, 0, 1, -1, 2**62, "x", b"x"))
    if isinstance(value, bytes) and value:
        other = mutated_bytes(draw, value)
    elif isinstance(value, int):
        other = draw.choice((value + 1, value - 1, -value, 0, 2**62))
    elif isinstance(value, str):
        other = draw.choice(("", "x", value * 2, value[1:], "0", "loss"))
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (other, row))


def _delete_row(draw: random.Random, connection: sqlite3.Connection) -> None:
    table, row = _row(draw, connection)
    connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))


def _copy_row(draw: random.Random, connection: sqlite3.Connection) -> None:
    table, row = _row(draw, connection)
    names = _columns(connection, table)
    listed = ", ".join(names)
    changed = ", ".join([f"{names[0]} + 1", *names[1:]])
    connection.execute(
        f"INSERT OR REPLACE INTO {table} ({listed}) SELECT {changed} FROM {table} WHERE rowid = ?",
        (row,),
    )


def _swap_blobs(draw: random.Random, connection: sqlite3.Connection) -> None:
    """Swap the blobs of two rows, with their checksums."""
    table, one = _row(draw, connection, blob=True)
    other = draw.choice([row for (row,) in connection.execute(f"SELECT rowid FROM {table}")])
    read_one = f"SELECT body, crc FROM {table} WHERE rowid = ?"
    values = [connection.execute(read_one, (row,)).fetchone() for row in (one, other)]
    for row, (body, crc) in zip((other, one), values, strict=True):
        connection.execute(
            f"UPDATE {table} SET body = ?, crc = ? WHERE rowid = ?", (body, crc, row)
        )


def _change_blob(draw: random.Random, connection: sqlite3.Connection) -> None:
    """Change a blob where it hurts, and give it the right checksum."""
    table, row = _row(draw, connection, blob=True)
    (body,) = connection.execute(f"SELECT body FROM {table} WHERE rowid = ?", (row,)).fetchone()
    changed = _mutated_blob(draw, body)
    connection.execute(
        f"UPDATE {table} SET body = ?, crc = ? WHERE rowid = ?", (changed, zlib.crc32(changed), row)
    )


def _mutated_blob(draw: random.Random, body: bytes) -> bytes:
    if draw.random() < 0.5:
        with contextlib.suppress(msgspec.MsgspecError, UnicodeError, TypeError, OverflowError):
            return msgspec.msgpack.encode(mutated_tree(draw, msgspec.msgpack.decode(body), _leaf))
    return mutated_bytes(draw, body)


def _leaf(draw: random.Random, value: Any) -> Any:
    return mutated_bytes(draw, value) if isinstance(value, bytes) else mutated_leaf(draw, value)


def _change_schema(draw: random.Random, connection: sqlite3.Connection) -> None:
    connection.execute(draw.choice(_SCHEMA))


_ATTACKS = (
    _change_value,
    _delete_row,
    _copy_row,
    _swap_blobs,
    _change_blob,
    _change_blob,
    _change_schema,
)
