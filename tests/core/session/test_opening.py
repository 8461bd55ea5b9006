from __future__ import annotations

import os
import sqlite3
import struct
import zlib
from contextlib import closing

import msgspec
import pytest

from gradstep.errors import SerializationError, SessionError
from gradstep.history.records.finding import BranchFindings, FindingRecord, packed_indices
from gradstep.session import opening
from gradstep.session.opening import check_output, is_session
from gradstep.session.store import read


def error_of(path):
    with pytest.raises(SessionError) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def spoil(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


def put(path, table, body, where="1"):
    spoil(path, f"UPDATE {table} SET body = ?, crc = ? WHERE {where}", body, zlib.crc32(body))


def test_a_file_that_is_not_a_session_is_rejected_with_the_reason(tmp_path, saved):
    other = tmp_path / "other.gradstep"
    assert "there is no file" in error_of(other)
    assert "is not a file" in error_of(tmp_path)
    other.write_bytes(b"")
    assert "other.gradstep is empty" in error_of(other)
    other.write_bytes(b"%PDF-1.7 " + bytes(200))
    assert "is not a session" in error_of(other)
    other.write_bytes(saved.read_bytes()[:99])
    assert "is not a session" in error_of(other)
    other.unlink()
    sqlite3.connect(other).execute("CREATE TABLE t (a)").connection.close()
    assert "is a database of another program" in error_of(other)


@pytest.mark.parametrize("name", ["a.gradstep", "a.bak", "a.json", "a"])
def test_a_session_is_known_by_its_content_under_any_name(tmp_path, saved, name):
    path = tmp_path / name
    path.write_bytes(saved.read_bytes())
    assert is_session(path)


def test_a_program_is_not_a_session_under_any_name(tmp_path):
    for name in ("a.json", "a.gradstep"):
        path = tmp_path / name
        path.write_text('\n {"gradstep": 1}')
        assert not is_session(path)


def test_an_empty_or_damaged_file_is_a_session_by_its_suffix(tmp_path, saved):
    for name, expected in (("a.gradstep", True), ("a.json", False)):
        path = tmp_path / name
        assert is_session(path) is expected
        for content in (b"", bytes(200), saved.read_bytes()[:60]):
            path.write_bytes(content)
            assert is_session(path) is expected


def test_a_database_of_another_program_is_not_a_session(tmp_path):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
    assert not is_session(path)


def test_a_truncated_file_is_rejected(saved):
    whole = saved.read_bytes()
    for size in (100, 4096, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:size])
        assert "damaged" in error_of(saved)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END",
        "CREATE TABLE more (a)",
        "CREATE INDEX i ON watches (text)",
        "CREATE VIRTUAL TABLE v USING fts5(a)",
    ],
)
def test_a_schema_with_unknown_objects_is_rejected(saved, statement):
    spoil(saved, statement)
    assert "tables are not those of a GradStep session: it has" in error_of(saved)


def test_a_schema_that_lacks_a_table_is_rejected(saved):
    spoil(saved, "DROP TABLE series")
    assert "it lacks series" in error_of(saved)


def test_a_view_in_the_place_of_a_table_is_never_run(saved):
    spoil(saved, "DROP TABLE meta")
    spoil(
        saved,
        "CREATE VIEW meta AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a FROM n)"
        " SELECT a AS key, a AS value FROM n",
    )
    assert "tables are not those" in error_of(saved)


def test_contents_that_differ_from_their_checksum_are_rejected(saved):
    for table in ("spec", "files", "events", "checkpoints", "arrays", "series", "findings"):
        original = saved.read_bytes()
        spoil(saved, f"UPDATE {table} SET crc = crc + 1")
        assert "checksum differs" in error_of(saved)
        saved.write_bytes(original)


def test_a_damaged_array_is_rejected(saved):
    original = saved.read_bytes()
    for column, value, expected in (
        ("shape", "[2, 4]", "size or checksum"),
        ("shape", "[-2, -3]", "impossible shape"),
        ("shape", "[1e9]", "damaged"),
        ("shape", str([1] * 64), "impossible shape"),
        ("dtype", "object", "the dtype 'object'"),
        ("dtype", "float64", "size or checksum"),
    ):
        spoil(saved, f"UPDATE arrays SET {column} = ? WHERE shape = '[2,3]'", value)
        assert expected in error_of(saved)
        saved.write_bytes(original)
    spoil(saved, "DELETE FROM arrays")
    assert "is missing from the file" in error_of(saved)


def findings(**changes):
    """Return findings of branch 1, which has 7 Events."""
    record = FindingRecord("a-fact", events=(4,), cited=((5, 6),), indices=packed_indices([4, 6]))
    return BranchFindings(1, 7, (msgspec.structs.replace(record, **changes),))


IMPOSSIBLE_FINDINGS = [
    BranchFindings(2),
    BranchFindings(1, 8),
    BranchFindings(1, -1),
    findings(events=(8,)),
    findings(events=(-4, 4)),
    findings(cited=((),)),
    findings(cited=((5, 8),)),
    findings(indices=packed_indices([4, 8])),
    findings(indices=packed_indices([4, 4])),
    findings(indices=packed_indices([5, 6])),
    findings(indices=packed_indices([])),
    findings(indices=b"no zlib"),
    findings(indices=zlib.compress(b"123")),
]


def test_findings_of_events_that_there_are_can_be_read(saved):
    put(saved, "findings", msgspec.msgpack.encode(findings()))
    assert read(saved).findings == (findings(),)


def test_documents_with_unknown_or_missing_parts_are_rejected(saved):
    original = saved.read_bytes()
    for table, body in (
        ("spec", b'{"gradstep": 1, "run": "rm"}'),
        ("spec", b""),
        ("events", msgspec.msgpack.encode({"lines": []})),
        ("events", b"\xc1"),
        ("checkpoints", msgspec.msgpack.encode([1, 2])),
        ("checkpoints", msgspec.msgpack.encode(msgspec.msgpack.Ext(77, b""))),
        ("checkpoints", b"\x91" * 100_000 + b"\xc0"),
        ("checkpoints", msgspec.msgpack.encode({"a": msgspec.msgpack.Ext(4, b"zz")})),
        ("findings", msgspec.msgpack.encode({"id": 1})),
        *(("findings", msgspec.msgpack.encode(found)) for found in IMPOSSIBLE_FINDINGS),
        ("series", msgspec.msgpack.encode([["a"], "object", b"", b""])),
        ("series", msgspec.msgpack.encode([["a"], "float64", bytes(16), b"123"])),
        ("series", msgspec.msgpack.encode([["a"], "float64", bytes(32), bytes(8)])),
    ):
        put(saved, table, body)
        assert error_of(saved)
        saved.write_bytes(original)


def test_inconsistent_parts_are_rejected(saved):
    original = saved.read_bytes()
    for statement, expected in (
        ("UPDATE meta SET value = '99' WHERE key = 'position'", "saved at Event 99"),
        ("UPDATE meta SET value = 'x' WHERE key = 'branch'", "damaged"),
        ("DELETE FROM meta", "saved at Event -1"),
        ("UPDATE branches SET forked_at = 11 WHERE id = 1", "forks from a missing Event"),
        ("UPDATE branches SET parent = 1 WHERE id = 1", "forks from a missing Event"),
        ("DELETE FROM branches", "holds no branch"),
        ("DELETE FROM spec", "holds no program"),
        ("UPDATE events SET first = first + 1 WHERE branch = 0", "Events are missing"),
        ("UPDATE events SET count = 9 WHERE branch = 0", "holds 10"),
        ("UPDATE checkpoints SET event = 11 WHERE event = 10", "is not one of its branch"),
        ("UPDATE series SET first = 5", "missing before row 5"),
        ("UPDATE watches SET text = CAST(x'ff' AS TEXT)", "damaged"),
    ):
        spoil(saved, statement)
        assert expected in error_of(saved), statement
        saved.write_bytes(original)


def test_an_event_that_refers_to_a_missing_entry_is_rejected(saved):
    run = {
        "operations": [{"op": "step"}],
        "outcomes": [{}],
        "addresses": [[]],
        "rows": [],
        "lines": [[0, 0, 0, 0, 0, 0, None, None]],
    }
    for place, number in ((1, 1), (2, 9), (3, -1), (7, 0)):
        line = list(run["lines"][0])
        line[place] = number
        body = msgspec.msgpack.encode({**run, "lines": [line]})
        spoil(saved, "UPDATE events SET count = 1 WHERE branch = 1")
        put(saved, "events", body, "branch = 1")
        assert "Event 5 in the file refers to a missing entry" in error_of(saved)


def test_checking_a_file_has_a_time_limit(saved, monkeypatch):
    monkeypatch.setattr(opening, "_SLOWEST_OPENING_S", -1.0)
    monkeypatch.setattr(opening, "_INSTRUCTIONS_PER_CLOCK_CHECK", 1)
    assert "takes more than" in error_of(saved)


def test_a_file_that_is_too_large_is_rejected_without_reading_it(saved):
    os.truncate(saved, opening._LARGEST_FILE + 4096)
    assert "is larger than 4 GB" in error_of(saved)


def test_a_write_ahead_log_of_another_file_is_ignored(saved, session, same):
    log = saved.with_name(saved.name + "-wal")
    log.write_bytes(struct.pack(">8I", 0x377F0682, 3007000, 4096, 0, 1, 2, 3, 4) + os.urandom(9000))
    same(read(saved), session)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("points.csv", "is a file of data, not a Python script"),
        ("points.NPY", "is a file of data, not a Python script"),
        ("curve.png", "is a picture, not a Python script"),
    ],
)
def test_a_script_replaces_no_data_and_no_picture(tmp_path, name, message):
    file = tmp_path / name
    file.write_text("1,2")
    with pytest.raises(SerializationError, match=message):
        check_output(file, ".py")
    missing = tmp_path / f"missing{file.suffix}"
    with pytest.raises(SerializationError, match=message.replace("is a", "is named as a", 1)[:-15]):
        check_output(missing, ".py")
    check_output(tmp_path / "script.txt", ".py")
    check_output(tmp_path / "curve.jpg", ".png")
