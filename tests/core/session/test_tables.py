"""A session whose rows were changed after it was written says so, and still opens."""

import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import pytest
from msgspec import structs

from gradstep.debugger import Debugger
from gradstep.errors import SessionError
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Step
from gradstep.session.schema import create_schema
from gradstep.session.store import read, write
from gradstep.session.tables import DIGESTED, Tables, changed_tables, describe_alteration


@pytest.fixture
def file(tmp_path):
    """An empty session file."""
    with closing(sqlite3.connect(tmp_path / "a.gradstep", isolation_level=None)) as connection:
        create_schema(connection)
        yield connection


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement


def test_the_digests_cover_each_column_of_each_table(file):
    for table, covered in DIGESTED.items():
        columns = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
        assert [name for name in columns if name != "body" or "crc" not in columns] == (
            covered.split(", ")
        )
    names = {
        name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }
    assert names == {*DIGESTED, "digests"}


def test_a_session_as_it_was_written_is_not_altered(saved):
    assert read(saved).altered == ()


@pytest.mark.parametrize(
    ("table", "statement"),
    [
        ("meta", "UPDATE meta SET value = '3' WHERE key = 'position'"),
        ("branches", "UPDATE branches SET name = 'another' WHERE id = 1"),
        ("breakpoints", "DELETE FROM breakpoints WHERE id = 1"),
        ("watches", "INSERT INTO watches (text) VALUES ('loss')"),
        ("arrays", "DELETE FROM arrays WHERE digest IN (SELECT min(digest) FROM arrays)"),
        ("series", "DELETE FROM series WHERE branch = 0"),
        ("findings", "DELETE FROM findings"),
        ("layout", "DELETE FROM layout"),
    ],
)
def test_a_changed_row_is_told_by_its_table(saved, table, statement):
    change(saved, statement)
    with closing(sqlite3.connect(saved)) as connection:
        assert changed_tables(connection) == (table,)


def test_a_blob_that_was_changed_with_its_checksum_is_told(tmp_path):
    path = tmp_path / "a.gradstep"
    debugger = Debugger.open(scenarios()[0].path)
    debugger.iterate(3)
    debugger.save(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        (body,) = connection.execute("SELECT body FROM arrays LIMIT 1").fetchone()
        other = bytes([body[0] ^ 1, *body[1:]])
        connection.execute(
            "UPDATE arrays SET body = ?, crc = ? WHERE body = ?", (other, zlib.crc32(other), body)
        )
    opened = Debugger.open(path)
    assert opened.alteration == (
        "the session was changed after GradStep wrote it; the tensors may differ from what it held"
    )


def test_two_rows_that_were_swapped_are_told(saved):
    with closing(sqlite3.connect(saved)) as connection, connection:
        rows = connection.execute("SELECT first, body, crc FROM events WHERE branch = 0").fetchall()
        (first, body, _crc), (other,) = (
            rows[0],
            connection.execute("SELECT crc FROM events WHERE branch = 1").fetchone(),
        )
        connection.execute(
            "UPDATE events SET body = ?, crc = ? WHERE branch = 1 AND crc = ?",
            (body, zlib.crc32(body), other),
        )
        assert first == 1
        assert changed_tables(connection) == ("events",)


def test_an_index_that_leads_to_another_row_is_told(saved):
    with closing(sqlite3.connect(saved)) as connection:
        rows = connection.execute("SELECT digest, rowid FROM arrays ORDER BY rowid").fetchall()
    (digest, row), (_, other) = rows[1:3]
    content = saved.read_bytes()
    entry = digest + bytes([row])  # in the index; in the table something else follows a digest
    assert content.count(entry) == 1
    saved.write_bytes(content.replace(entry, digest + bytes([other])))
    assert read(saved).altered == ("arrays",)


def test_an_event_of_an_unknown_optimizer_is_refused(tmp_path):
    debugger = Debugger.open(next(item.path for item in scenarios() if item.id.startswith("01")))
    debugger.iterate(2)
    debugger.save(path := tmp_path / "a.gradstep")
    session = read(path)
    (branch,) = session.branches
    events = [
        structs.replace(event, operation=Step("other")) if event.index == 4 else event
        for event in branch.events
    ]
    write(path, replace(session, branches=(replace(branch, events=events),)))
    with pytest.raises(SessionError, match="an Event in the file is of the unknown other"):
        Debugger.open(path)


@pytest.mark.parametrize("ends", [[7, 5], [5, 0], [0, 900]])
def test_series_that_do_not_fit_the_events_are_refused(tmp_path, ends):
    debugger = Debugger.open(next(item.path for item in scenarios() if item.id.startswith("01")))
    debugger.iterate(2)
    debugger.save(path := tmp_path / "a.gradstep")
    session = read(path)
    (branch,) = session.branches
    moments = branch.series.moments.copy()
    moments[:2, 0] = ends
    rows = replace(branch.series, moments=moments)
    write(path, replace(session, branches=(replace(branch, series=rows),)))
    with pytest.raises(SessionError, match="do not fit its Events"):
        Debugger.open(path)


def test_a_copy_of_an_altered_session_says_so_too(saved, tmp_path):
    change(saved, "UPDATE watches SET text = 'loss'", "UPDATE branches SET name = 'x' WHERE id = 0")
    copy = tmp_path / "copy.gradstep"
    write(copy, read(saved))
    with closing(sqlite3.connect(copy)) as connection:
        assert changed_tables(connection) == ()
    assert read(copy).altered == ("branches", "watches")


def test_a_session_without_all_digests_is_damaged(saved):
    change(saved, "DELETE FROM digests WHERE name = 'events'")
    with pytest.raises(SessionError, match="digests are damaged"):
        read(saved)


def test_a_session_of_an_older_format_has_no_digests_to_compare(saved):
    change(saved, "UPDATE watches SET text = 'loss'")
    with closing(sqlite3.connect(saved)) as connection, connection:
        connection.execute("DROP TABLE digests")
        connection.execute("PRAGMA user_version = 2")
    assert read(saved).altered == ()


def test_rows_that_come_and_go_leave_the_digests_right(file):
    tables = Tables(file)
    with tables.transaction():
        tables.insert("watches", 1, "loss")
        tables.insert("watches", 2, "norm(x)")
        tables.insert("arrays", b"key", "float32", "[1]", b"1234", 7)
        tables.insert("arrays", b"key", "float32", "[1]", b"1234", 7)
    with tables.transaction():
        tables.delete("watches", "id = ?", (1,))
        tables.delete("arrays")
        tables.delete("arrays")
    assert changed_tables(file) == ()
    assert file.execute("SELECT text FROM watches").fetchall() == [("norm(x)",)]


def test_a_transaction_that_fails_leaves_rows_and_digests_as_they_were(file):
    tables = Tables(file)
    with tables.transaction():
        tables.insert("watches", 1, "loss")

    def insert_twice():
        with tables.transaction():
            tables.insert("watches", 2, "norm(x)")
            tables.insert("watches", 1, "again")

    with pytest.raises(sqlite3.IntegrityError):
        insert_twice()
    with tables.transaction():
        tables.insert("watches", 3, "x[0]")
    assert changed_tables(file) == ()
    assert [row for (row,) in file.execute("SELECT id FROM watches")] == [1, 3]


def test_nothing_changed_says_nothing():
    assert describe_alteration(()) == ""
