from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import SessionError
from gradstep.program.gallery import scenarios
from gradstep.session import opening, schema, store
from gradstep.session.lock import SessionLock
from gradstep.session.record import Session
from gradstep.session.store import OpeningCancelledError, SavingCancelledError, read, write


def test_a_saved_session_reads_back_bit_for_bit(saved, session, same):
    same(read(saved), session)


def test_reading_leaves_the_file_and_its_folder_as_they_were(saved):
    before = saved.read_bytes(), sorted(saved.parent.iterdir())
    read(saved)
    assert (saved.read_bytes(), sorted(saved.parent.iterdir())) == before


def test_a_session_opens_from_a_folder_that_cannot_be_written(saved, session, same):
    saved.chmod(0o400)
    saved.parent.chmod(0o500)
    try:
        same(read(saved), session)
    finally:
        saved.parent.chmod(0o700)


def test_equal_arrays_are_stored_once(tmp_path, session):
    from dataclasses import replace

    path = tmp_path / "twice.gradstep"
    tree = {"a": np.arange(5.0), "b": [np.arange(5.0)], "c": np.arange(5)}
    branch = replace(session.branches[0], checkpoints={0: tree, 3: tree})
    write(path, replace(session, branches=(branch,), branch=0))
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("SELECT count(*) FROM arrays").fetchone() == (2,)


def test_the_file_names_its_format_where_desktops_look(saved):
    header = saved.read_bytes()[:100]
    assert header[:16] == b"SQLite format 3\x00"
    assert header[68:72] == b"GrSt"


def test_saving_over_a_session_replaces_it_and_keeps_its_permissions(saved, session):
    saved.chmod(0o640)
    write(saved, Session(session.spec))
    assert read(saved).branches[0].events == []
    assert stat.S_IMODE(saved.stat().st_mode) == 0o640
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_failed_save_leaves_the_old_file(saved, session, monkeypatch, same):
    def full(connection):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store, "create_schema", full)
    with pytest.raises(SessionError, match="cannot be saved: database or disk is full"):
        write(saved, Session(session.spec))
    monkeypatch.undo()
    same(read(saved), session)
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_save_reports_how_many_events_and_checkpoints_are_written(tmp_path, session):
    seen = []
    write(tmp_path / "a.gradstep", session, lambda done, total: seen.append((done, total)))
    total = sum(len(branch.events) + len(branch.checkpoints) for branch in session.branches)
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


def test_an_opening_reports_how_much_of_it_is_done_and_can_be_cancelled(tmp_path):
    path, debugger = tmp_path / "a.gradstep", Debugger.open(scenarios()[0].path)
    debugger.run(2100)
    debugger.save(path)
    seen = []
    Debugger.open(path, progress=lambda *at: seen.append(at))
    assert seen[-1] == (16800, 16800)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert len(seen) >= 6
    for turn in range(len(seen)):
        answers = iter([False] * turn)
        with pytest.raises(OpeningCancelledError, match=r"opening a.gradstep was cancelled"):
            Debugger.open(path, should_stop=lambda left=answers: next(left, True))


def test_a_cancelled_save_leaves_the_old_file(saved, session, same):
    with pytest.raises(SavingCancelledError, match="cancelled; the file stays as it was"):
        write(saved, Session(session.spec, branches=session.branches[:1]), should_stop=lambda: True)
    same(read(saved), session)
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_cancelled_save_leaves_no_file_where_there_was_none(tmp_path, session):
    with pytest.raises(SavingCancelledError, match="cancelled; no file was written"):
        write(tmp_path / "a.gradstep", session, should_stop=lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_saving_into_a_missing_folder_is_reported(tmp_path, session):
    with pytest.raises(SessionError, match="No such file or directory"):
        write(tmp_path / "nowhere" / "a.gradstep", session)


def test_a_state_with_a_value_that_cannot_be_stored_is_a_bug(tmp_path, session):
    from dataclasses import replace

    branch = replace(session.branches[0], checkpoints={0: {"a": object()}})
    with pytest.raises(TypeError, match="a object cannot be stored in a state"):
        write(tmp_path / "a.gradstep", replace(session, branches=(branch,), branch=0))
    assert list(tmp_path.iterdir()) == []


def test_a_newer_format_is_rejected_by_number(saved):
    with closing(sqlite3.connect(saved)) as connection, connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(
        SessionError, match=r"has format 7; .* reads formats up to 3; .* newer GradStep"
    ):
        read(saved)


def test_a_session_of_format_1_opens_as_before(saved, session, same):
    with closing(sqlite3.connect(saved)) as connection, connection:
        for table in ("script", "tape", "digests"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 1")
    original = saved.read_bytes()
    same(read(saved), session)
    assert saved.read_bytes() == original


def test_a_format_that_was_never_released_is_rejected(saved):
    with closing(sqlite3.connect(saved)) as connection, connection:
        connection.execute("PRAGMA user_version = 0")
    with pytest.raises(SessionError, match="format 0, which no GradStep has written"):
        read(saved)


def test_an_older_format_is_migrated_and_the_original_kept(saved, session, monkeypatch):
    def rename_column(connection):
        connection.execute("UPDATE breakpoints SET text = 'loss < 1'")

    monkeypatch.setattr(schema, "MIGRATIONS", {3: rename_column})
    for module in (schema, opening, store):
        monkeypatch.setattr(module, "VERSION", 4)
    original = saved.read_bytes()

    assert read(saved).breakpoints == ("loss < 1", "loss < 1")
    assert saved.read_bytes() == original
    write(saved, session)

    assert saved.with_name(f"{saved.name}.format3").read_bytes() == original


def test_an_older_format_is_kept_with_the_log_that_a_killed_recording_left(
    saved, session, tmp_path, monkeypatch
):
    writer = sqlite3.connect(saved, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("UPDATE watches SET text = 'only in the log'")
    (tmp_path / "after").mkdir()
    left = tmp_path / "after" / saved.name
    for suffix in ("", "-wal"):
        shutil.copy(f"{saved}{suffix}", f"{left}{suffix}")
    writer.close()
    monkeypatch.setattr(schema, "MIGRATIONS", {3: lambda _: None})
    for module in (schema, opening, store):
        monkeypatch.setattr(module, "VERSION", 4)

    write(left, session)

    monkeypatch.undo()
    assert read(left.with_name(f"{left.name}.format3")).watches == ("only in the log",)


def test_an_interrupted_recording_is_read_from_a_copy(saved, session, tmp_path, same):
    writer = sqlite3.connect(saved, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("UPDATE watches SET text = 'loss'")
    folder = tmp_path / "after a crash"
    folder.mkdir()
    for path in (saved, saved.with_name(saved.name + "-wal")):
        shutil.copy(path, folder)
    writer.close()
    left = folder / saved.name
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    assert read(left).watches == ("loss",)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_link_is_followed_to_the_session_with_its_log_lock_and_older_format(
    saved, session, tmp_path, monkeypatch, same
):
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.gradstep"
    link.symlink_to(saved)
    lock = SessionLock(saved)
    for use in (read, lambda path: write(path, session)):
        with pytest.raises(SessionError, match=f"{saved.name} is in use"):
            use(link)
    lock.release()
    log = saved.with_name(saved.name + "-wal")
    log.write_bytes(os.urandom(5000))
    original = saved.read_bytes()
    monkeypatch.setattr(schema, "MIGRATIONS", {3: lambda _: None})
    for module in (schema, opening, store):
        monkeypatch.setattr(module, "VERSION", 4)

    write(link, session)

    assert saved.with_name(f"{saved.name}.format3").read_bytes() == original
    assert (link.is_symlink(), log.exists()) == (True, False)
    assert [path.name for path in link.parent.iterdir()] == [link.name]
    monkeypatch.undo()
    write(link, session)
    same(read(link), session)


def test_an_interrupted_recording_is_read_through_a_link(saved, tmp_path):
    writer = sqlite3.connect(saved, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("UPDATE watches SET text = 'loss'")
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.gradstep"
    link.symlink_to(saved)
    assert read(link).watches == ("loss",)
    writer.close()


def test_saving_over_an_interrupted_recording_ignores_its_log(saved, session, same):
    saved.with_name(saved.name + "-wal").write_bytes(os.urandom(5000))
    write(saved, session)
    same(read(saved), session)


@pytest.mark.parametrize("table", ["breakpoints", "watches"])
def test_two_hundred_breakpoints_and_watches_are_kept(tmp_path, session, table):
    texts = tuple(f"loss < {number}" for number in range(200))
    path = tmp_path / "many.gradstep"
    write(path, replace(session, **{table: texts}))
    assert getattr(read(path), table) == texts


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"id": "x"}',
        '{"id": 1, "document": ""}',
        '{"id": "x", "document": "", "began": [-1]}',
        '{"id": "x", "document": "", "stray": 1}',
        json.dumps({"id": "x", "document": "", "began": [0] * 101}),
        json.dumps({"id": "x" * 30_000, "document": ""}),
        json.dumps({"id": "x", "document": "y" * 9_000_000}),
        json.dumps({"id": "x", "document": "", "predictions": [{"lesson": "x"}]}),
        '{"id": "\\ud800", "document": ""}',
        "[" * 100_000,
    ],
    ids=lambda text: text[:40],
)
def test_a_lesson_that_cannot_be_read_is_reported(saved, text):
    with closing(sqlite3.connect(saved)) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'lesson'", (text,))
    with pytest.raises(SessionError, match="the session's lesson"):
        read(saved)


def test_a_session_without_a_lesson_reads_as_one_of_an_older_gradstep(saved):
    with closing(sqlite3.connect(saved)) as connection, connection:
        connection.execute("DELETE FROM meta WHERE key = 'lesson'")
    assert read(saved).lesson is None
