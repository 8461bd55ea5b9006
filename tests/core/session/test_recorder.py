from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradstep.errors import SessionError
from gradstep.session.lock import SessionLock, is_locked
from gradstep.session.record import Session, SessionBranch
from gradstep.session.recorder import Recorder, leftovers
from gradstep.session.store import read, write

CORE = Path(__file__).parents[3] / "core"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def recorder(tmp_path, session, clock):
    recorder = Recorder(tmp_path / "auto.gradstep", Session(session.spec), clock)
    yield recorder
    recorder.close()


def stored(recorder, query):
    return recorder._connection.execute(query).fetchall()


def test_what_was_recorded_reads_back_once_it_is_closed(tmp_path, session, same, events, tree):
    path = tmp_path / "auto.gradstep"
    recorder = Recorder(path, Session(session.spec))
    for event in events(6):
        recorder.event(0, event)
    recorder.checkpoint(0, 6, tree(6))
    recorder.branch(SessionBranch(1, 0, 2, "what if"))
    recorder.event(1, events(1, first=3)[0])
    recorder.texts("breakpoints", ["loss < 1"])
    recorder.close()

    found = read(path)
    same(found.branches[0].events, events(6))
    same(found.branches[0].checkpoints, {6: tree(6)})
    same(found.branches[1].events, events(1, first=3))
    assert (found.branch, found.position, found.breakpoints) == (1, 3, ("loss < 1",))
    assert [path.name for path in tmp_path.iterdir()] == ["auto.gradstep"]


def test_events_are_committed_together_and_at_least_five_times_a_second(recorder, clock, events):
    for event in events(10):
        recorder.event(0, event)
    assert stored(recorder, "SELECT count(*) FROM events") == [(0,)]
    clock.now = 0.25
    recorder.event(0, events(1, first=11)[0])
    assert stored(recorder, "SELECT first, count FROM events") == [(1, 11)]


def test_the_file_grows_by_events_and_not_by_checkpoints(recorder, clock, tree):
    for event in range(0, 50, 10):
        recorder.checkpoint(0, event, {"x": np.full(1000, float(event))})
    assert stored(recorder, "SELECT event FROM checkpoints ORDER BY event") == [(0,), (40,)]
    assert stored(recorder, "SELECT count(*) FROM arrays") == [(2,)]
    assert not recorder.wants_checkpoint
    clock.now = 5.0
    assert recorder.wants_checkpoint


def test_a_second_recorder_and_a_reader_are_kept_out(recorder, session):
    with pytest.raises(SessionError, match="exists already"):
        Recorder(recorder.path, session)
    with pytest.raises(SessionError, match="is being recorded by a GradStep"):
        read(recorder.path)
    with pytest.raises(SessionError, match="save under another name"):
        write(recorder.path, session)
    with pytest.raises(SessionError, match="close it there first"):
        SessionLock(recorder.path)


def test_a_database_lock_keeps_other_programs_out_too(recorder, events):
    recorder.event(0, events(1)[0])
    recorder.flush()
    with (
        sqlite3.connect(recorder.path, timeout=0) as other,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        other.execute("SELECT * FROM events")


def test_a_recording_in_a_folder_that_is_not_there_says_so(tmp_path, session):
    with pytest.raises(SessionError, match="cannot be recorded: No such file"):
        Recorder(tmp_path / "nowhere" / "a.gradstep", session)


def test_a_full_disk_is_reported_and_the_events_are_kept_for_the_next_try(recorder, events):
    pages = stored(recorder, "PRAGMA page_count")[0][0]
    recorder._connection.execute(f"PRAGMA max_page_count = {pages}")
    for event in events(2000):
        recorder._pending.append(event)
    with pytest.raises(SessionError, match="failed: database or disk is full"):
        recorder.flush()
    recorder._connection.execute(f"PRAGMA max_page_count = {pages + 10_000}")
    recorder.flush()
    assert stored(recorder, "SELECT first, count FROM events") == [(1, 2000)]


def test_a_discarded_recording_leaves_nothing(tmp_path, session):
    Recorder(tmp_path / "auto.gradstep", session).discard()
    assert list(tmp_path.iterdir()) == []


CHILD = """
import sys
from pathlib import Path
import numpy as np
from gradstep.history.event import Event
from gradstep.program import document
from gradstep.program.operation import Step
from gradstep.session.record import Session
from gradstep.session.recorder import Recorder

recorder = Recorder(Path(sys.argv[1]), Session(document.decode(b'{"gradstep": 1}')))
recorder.checkpoint(0, 0, {"x": np.zeros(100)})
for index in range(1, 1_000_000):
    recorder.event(0, Event(index, index, Step(), loss=1 / index))
    if index % 100 == 0:
        recorder.checkpoint(0, index, {"x": np.full(100, float(index))})
    if index % 10 == 0:
        recorder.flush()
        sys.stdout.write(f"{index}\\n")
        sys.stdout.flush()
"""


@pytest.mark.parametrize("acknowledged", [50, 990, 3000])
def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path, acknowledged, session):
    path = tmp_path / "auto.gradstep"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        stdout=subprocess.PIPE,
        text=True,
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
    events = found.branches[0].events
    assert len(events) >= last
    assert [event.index for event in events] == list(range(1, len(events) + 1))
    assert events[last - 1].loss == 1 / last
    latest = max(found.branches[0].checkpoints)
    assert found.branches[0].checkpoints[latest]["x"].tolist() == [float(latest)] * 100
    assert latest >= last // 100 * 100
