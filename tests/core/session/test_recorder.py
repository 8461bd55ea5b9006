from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.errors import RecordingError, SessionError
from gradstep.program.gallery import scenarios
from gradstep.session import recorder
from gradstep.session.archive import series_rows, session_branch
from gradstep.session.event_chunk import CHUNK
from gradstep.session.lock import SessionLock, is_locked, lock_path
from gradstep.session.opening import log_path
from gradstep.session.record import Session
from gradstep.session.recorder import SessionRecorder, leftovers
from gradstep.session.store import read, write
from gradstep.session.writing import SessionWriter
from tests.core.script.held_script import HeldScript
from tests.core.script.sent_frames import descent

CORE = Path(__file__).parents[3] / "core"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def record(tmp_path, session, clock, engine):
    """Start a recording of a small program's History."""

    def start():
        begin = Session(session.spec, branches=(session_branch(engine.branches[0]),))
        engine.history.recorder = SessionRecorder(
            tmp_path / "auto.gradstep", begin, engine.branch_of, clock
        )
        return engine.history.recorder

    return start


def stored(recorder, query):
    return recorder._connection.execute(query).fetchall()


def test_a_recording_reads_back_as_it_was_recorded(tmp_path, record, engine, same):
    recorder = record()
    engine.run(9)
    recorder.texts("breakpoints", ["loss < 1"])
    engine.fork(6)
    engine.run(3)
    recorder.close()

    found = read(recorder.path)
    main, what_if = (branch.history for branch in engine.branches)
    same(found.branches[0].events, list(main.events))
    same(found.branches[1].events, list(what_if.events[6:]))
    same(found.branches[1].series, series_rows(what_if))
    assert (found.branches[1].parent, found.branches[1].forked_at) == (0, 6)
    assert (found.branch, found.position, found.breakpoints) == (1, 9, ("loss < 1",))
    assert [path.name for path in tmp_path.iterdir()] == ["auto.gradstep"]


def test_events_are_committed_together_and_at_least_ten_times_a_second(record, clock, engine):
    recorder = record()
    engine.run(10)
    assert stored(recorder, "SELECT count(*) FROM events") == [(0,)]
    clock.now = 0.11
    engine.run(1)
    assert stored(recorder, "SELECT first, count FROM events") == [(1, 11)]
    recorder.close()


def test_a_long_run_is_committed_in_chunks(record, engine):
    recorder = record()
    engine.run(2 * CHUNK + 5)
    assert stored(recorder, "SELECT first, count FROM events") == [(1, CHUNK), (CHUNK + 1, CHUNK)]
    recorder.close()
    assert len(read(recorder.path).branches[0].events) == 2 * CHUNK + 5


def test_small_rows_become_whole_ones_and_hold_the_same(record, engine, same):
    recorder = record()
    for _ in range(CHUNK // 100):
        engine.run(99)
        recorder.flush()
    assert len(stored(recorder, "SELECT first FROM events")) == CHUNK // 100
    engine.run(2 * CHUNK)
    for _ in range(7):
        engine.run(3)
        recorder.flush()
    rows = stored(recorder, "SELECT first, count FROM events")
    assert [count for _, count in rows].count(CHUNK) >= 2
    assert len(rows) < CHUNK // 100
    assert len(stored(recorder, "SELECT first FROM series")) < CHUNK // 100
    recorder.close()
    found = read(recorder.path)
    assert found.altered == ()
    same(found.branches[0].events, list(engine.history.events))
    same(found.branches[0].series, series_rows(engine.history))


def test_a_branch_continued_after_a_whole_row_keeps_both_branches(record, engine, same):
    recorder = record()
    for events in (CHUNK + 50, 60):
        engine.run(events)
        recorder.flush()
    engine.fork(CHUNK + 80)
    for events in (20, CHUNK, 30):
        engine.run(events)
        recorder.flush()
    recorder.close()
    main, fork = read(recorder.path).branches
    same(main.events, list(engine.branches[0].history.events))
    same(fork.events, list(engine.branches[1].history.events[CHUNK + 80 :]))
    same(fork.series, series_rows(engine.branches[1].history))


def test_the_file_grows_by_events_and_not_by_checkpoints(record, clock, engine):
    recorder = record()
    for _ in range(3):
        clock.now += 5.0
        engine.run(4)
        engine.history.take_checkpoint(engine.program)
        engine.run(4)
        engine.history.take_checkpoint(engine.program)
    assert stored(recorder, "SELECT event FROM checkpoints ORDER BY event") == [(0,), (20,)]
    assert stored(recorder, "SELECT count(*) FROM arrays") == [(3,)]
    recorder.close()


def test_events_applied_while_not_recording_are_caught_up_with(record, engine):
    recorder = record()
    engine.run(2)
    engine.history.recorder = None
    engine.run(3)
    engine.history.recorder = recorder
    engine.run(1)
    recorder.close()
    assert len(read(recorder.path).branches[0].events) == 6


def test_a_second_recorder_and_a_reader_are_rejected(record, session, engine):
    recorder = record()
    with pytest.raises(SessionError, match="exists already"):
        SessionRecorder(recorder.path, session, engine.branch_of)
    with pytest.raises(SessionError, match="is in use: another GradStep is recording"):
        read(recorder.path)
    with pytest.raises(SessionError, match="save under another name"):
        write(recorder.path, session)
    with pytest.raises(SessionError, match="close it there first"):
        SessionLock(recorder.path)
    recorder.close()


def test_a_database_lock_stops_other_programs_too(record, engine):
    recorder = record()
    engine.run(1)
    recorder.flush()
    with (
        closing(sqlite3.connect(recorder.path, timeout=0)) as other,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        other.execute("SELECT * FROM events")
    recorder.close()


def test_a_recording_in_a_missing_folder_is_reported(tmp_path, session, engine):
    with pytest.raises(SessionError, match="cannot be recorded: No such file"):
        SessionRecorder(tmp_path / "nowhere" / "a.gradstep", session, engine.branch_of)


def test_a_recording_that_cannot_start_leaves_no_lock(tmp_path, monkeypatch):
    def fail(*_):
        raise SessionError("an array of dtype object cannot be stored in a session")

    monkeypatch.setattr("gradstep.session.recorder.create", fail)
    path = tmp_path / "run.gradstep"
    with pytest.raises(SessionError, match="dtype object"):
        SessionRecorder(path, Session(None, branches=()), lambda _: None)
    assert list(tmp_path.iterdir()) == []


def test_a_recording_killed_while_it_begins_is_not_there_and_its_remains_go(tmp_path):
    path = tmp_path / "run.gradstep"
    child = os.fork()
    if not child:
        recorder.create = lambda draft, _: (draft.write_bytes(b"half"), os._exit(0))
        SessionRecorder(path, Session(None, branches=()), lambda _: None)
    os.waitpid(child, 0)
    assert (leftovers(tmp_path), len(list(tmp_path.iterdir()))) == ((), 2)
    recorder.remove_stale_locks(tmp_path)  # it may be about to begin
    assert len(list(tmp_path.iterdir())) == 2
    os.utime(lock_path(path), (0, 0))
    lock = SessionLock(path)
    recorder.remove_stale_locks(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    lock._file.close()
    recorder.remove_stale_locks(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_recording_that_was_removed_or_replaced_is_reported_and_left_alone(
    record, engine, clock, is_replaced
):
    recorder = record()
    engine.run(3)
    recorder.path.unlink()
    if is_replaced:
        recorder.path.write_text("another's")
    clock.now += 1
    with pytest.raises(RecordingError, match=r"auto\.gradstep was removed or replaced"):
        engine.run(3)
    with pytest.raises(RecordingError, match="was removed or replaced"):
        recorder.close()
    assert not is_locked(recorder.path)
    recorder.discard()
    assert recorder.path.exists() == is_replaced
    assert not is_replaced or recorder.path.read_text() == "another's"


def test_a_branch_that_the_disk_has_no_room_for_ends_the_recording_and_nothing_else(record, engine):
    recorder = record()
    engine.run(3)
    engine.fork(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SessionWriter, "branch", full)
        with pytest.raises(SessionError, match="the recording has stopped"):
            engine.run(3)
    engine.run(3)
    recorder.close()
    assert [branch.id for branch in read(recorder.path).branches] == [0]


def full(*_):
    raise sqlite3.OperationalError("database or disk is full")


def test_a_full_disk_ends_the_recording_once_and_keeps_what_is_there(record, engine):
    recorder = record()
    pages = stored(recorder, "PRAGMA page_count")[0][0]
    recorder._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(SessionError, match="the recording has stopped: database or disk is full"):
        engine.run(CHUNK)
    engine.run(3)
    assert engine.history.recorder is None

    recorder._connection.execute(f"PRAGMA max_page_count = {pages + 1000}")
    recorder.flush()
    assert stored(recorder, "SELECT first, count FROM events") == [(1, CHUNK)]
    recorder.close()


def test_a_discarded_recording_leaves_nothing(tmp_path, record, engine):
    recorder = record()
    engine.run(3)
    recorder.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_cannot_be_deleted_is_named_and_unlocked(record, engine, monkeypatch):
    def fail(self, missing_ok=False):
        raise PermissionError(13, "Permission denied")

    recorder = record()
    engine.run(3)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", fail)
        with pytest.raises(SessionError, match=r"cannot be deleted: Permission denied; delete it"):
            recorder.discard()
    assert not is_locked(recorder.path)


def test_leftovers_are_unlocked_recordings_with_a_lock_file_newest_first(tmp_path):
    for number, name in enumerate(("old", "new", "finished", "running")):
        path = tmp_path / f"{name}.gradstep"
        path.touch()
        os.utime(path, (number, number))
        if name != "finished":
            lock_path(path).touch()
    (tmp_path / "other.txt").touch()
    (tmp_path / "other.txt.lock").touch()
    lock = SessionLock(tmp_path / "running.gradstep")
    found = leftovers(tmp_path)
    lock.release()
    assert [path.name for path in found] == ["new.gradstep", "old.gradstep"]


def test_a_session_without_a_lock_file_is_not_locked_and_a_held_one_is(tmp_path):
    path = tmp_path / "a.gradstep"
    assert not is_locked(path)
    lock_path(path).touch()
    assert not is_locked(path)
    lock = SessionLock(path)
    assert is_locked(path)
    lock.release()


def test_a_recorded_checkpoint_keeps_its_working_time(tmp_path, record, engine, clock):
    recorder = record()
    engine.run(8)
    clock.now = 10.0
    engine.history.take_checkpoint(engine.program)
    work_s = engine.history.checkpoints.last.work_s
    recorder.close()
    assert work_s > 0
    assert read(recorder.path).branches[0].checkpoints[8]["work_s"] == work_s


CHILD = """
import sys
from pathlib import Path
from conftest import Engine, SPEC
from gradstep.session import recorder
from gradstep.session.archive import session_branch
from gradstep.session.opening import log_path
from gradstep.session.record import Session

recorder._CHECKPOINT_EVERY_S = 0.0
engine = Engine()
begin = Session(SPEC, branches=(session_branch(engine.branches[0]),))
recording = recorder.SessionRecorder(Path(sys.argv[1]), begin, engine.branch_of)
engine.history.recorder = recording
while True:
    engine.run(20)
    engine.history.take_checkpoint(engine.program)
    engine.run(7)
    recording.flush()
    sys.stdout.write(f"{len(engine.history)}\\n")
    sys.stdout.flush()
"""


@pytest.mark.slow
@pytest.mark.parametrize("acknowledged", [50, 1000, 9000])
def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path, acknowledged, engine, same):
    path = tmp_path / "auto.gradstep"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": str(CORE)},
    )
    with child:
        last = 0
        while last < acknowledged:
            last = int(child.stdout.readline())
        assert is_locked(path)
        assert leftovers(tmp_path) == ()
        child.send_signal(signal.SIGKILL)
        last = int((child.stdout.readlines() or [last])[-1])

    assert leftovers(tmp_path) == (path,)
    found = read(path)
    count = len(found.branches[0].events)
    assert count >= last
    engine.run(count)
    same(found.branches[0].events, list(engine.history.events))
    latest = max(found.branches[0].checkpoints)
    assert latest > last - 27
    engine.history.goto(engine.program, latest)
    same(found.branches[0].checkpoints[latest]["state"], dict(engine.program.capture()))


def test_every_event_that_a_debugger_has_returned_is_in_the_file(tmp_path):
    debugger = Debugger.open(next(item.path for item in scenarios() if "iris" in item.id))
    recorder = debugger.record_to(tmp_path / "auto.gradstep")
    for act, events in (
        (debugger.zero_grad, 1),
        (debugger.forward, 2),
        (lambda: debugger.iterate(3), 12),
        (lambda: debugger.run_until("iteration == 5"), 20),
        (lambda: debugger.iterate(9, should_stop=lambda: len(debugger.events) == 30), 30),
    ):
        act()
        assert stored(recorder, "SELECT sum(count) FROM events") == [(events,)]
    recorder.close()
    assert list(Debugger.open(recorder.path).events) == list(debugger.events)


def told(debugger):
    return [(e.iteration, e.operation, e.loss, e.checksum) for e in debugger.events]


def test_the_recording_of_a_running_script_holds_all_that_it_has_done(tmp_path):
    live = LiveScript(HeldScript(descent(3, momentum=0.5)))
    live.carry_out(lambda debugger: debugger.iterate(1))
    recorder = live.debugger.record_to(tmp_path / "auto.gradstep")
    live.carry_out(lambda debugger: debugger.iterate(1))
    copied = tmp_path / "copied.gradstep"
    for path in (recorder.path, log_path(recorder.path)):
        shutil.copy(path, copied if path == recorder.path else log_path(copied))
    found = Debugger.open(copied)
    assert told(found) == told(live.debugger)
    assert found.position == (8, None)
    assert found.program.tensors["w"].tolist() == live.debugger.program.tensors["w"].tolist()
    for at in (3, 0, 8):
        for debugger in (found, live.debugger):
            debugger.seek(at)
        assert found.program.tensors["w"].tolist() == live.debugger.program.tensors["w"].tolist()
    recorder.discard()


def test_the_recording_of_a_script_that_has_ended_tells_its_status(tmp_path):
    live = LiveScript(HeldScript(descent(2)))
    live.carry_out(lambda debugger: debugger.iterate(1))
    recorder = live.debugger.record_to(tmp_path / "auto.gradstep")
    live.carry_out(lambda debugger: debugger.run())
    recorder.close()
    found = Debugger.open(recorder.path)
    assert found.recording.status == 0
    assert told(found) == told(live.debugger)
