"""What a script sends is in a file as it arrives, until a session has it."""

from __future__ import annotations

import errno

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import SessionError
from gradstep.script.command import ScriptCommand
from gradstep.script.frame_reader import FrameReader
from gradstep.session.frame_recorder import FrameRecorder
from gradstep.session.lock import SessionLock, lock_path
from gradstep.session.recorder import leftovers
from tests.core.script.sent_frames import descent

COMMAND = ScriptCommand("train.py", ("--lr", "0.1"))


@pytest.fixture
def begun(tmp_path):
    """Begin to record; what was begun is ended."""
    all_begun, reports = [], []

    def begin(name="run.gradstep"):
        recorder = FrameRecorder(tmp_path / name, COMMAND, reports.append)
        recorder.reports = reports
        all_begun.append(recorder)
        return recorder

    yield begin
    for recorder in all_begun:
        recorder.close()


def fed(recorder, sent, part=1.0):
    """Let a part of the frames arrive."""
    stream = bytes(sent.stream)
    for frame, body in FrameReader().feed(stream[: int(len(stream) * part)]):
        recorder.take(frame, body)


def test_the_file_opens_as_what_has_arrived_with_the_name_of_the_script(begun):
    recorder = begun()
    fed(recorder, descent(3), 0.75)
    debugger = Debugger.open(recorder.path)  # while it is written
    assert recorder.path.name == "run.unfinished.gradstep"
    assert 0 < len(debugger.events) < 12
    assert (debugger.program.spec.name, debugger.program.tape.run.arguments) == (
        "train.py",
        ("--lr", "0.1"),
    )
    assert debugger.program.tape.run.lost


def test_the_whole_recording_is_the_one_that_came(begun):
    recorder = begun()
    fed(recorder, descent(3))
    debugger = Debugger.open(recorder.path)
    assert len(debugger.events) == 12
    assert debugger.program.tape.run.lost == ""


def test_once_there_is_a_session_nothing_of_it_is_left(begun, tmp_path):
    recorder = begun()
    fed(recorder, descent(1))
    recorder.discard()
    assert list(tmp_path.iterdir()) == []


def test_what_another_process_has_left_is_named_and_kept(begun, tmp_path):
    left = tmp_path / "run.unfinished.gradstep"
    left.write_bytes(b"what was recorded")
    lock_path(left).touch()
    recorder = begun()
    assert recorder.earlier == [left]
    assert recorder.path.name == "run.unfinished-2.gradstep"
    assert left.read_bytes() == b"what was recorded"
    assert leftovers(tmp_path) == (left,)


def test_two_recordings_of_one_name_have_a_file_each(begun):
    first, second = begun(), begun()
    assert (second.path.name, second.earlier) == ("run.unfinished-2.gradstep", [])
    fed(first, descent(1))
    fed(second, descent(2))
    assert len(Debugger.open(first.path).events) == 4
    assert len(Debugger.open(second.path).events) == 8


def test_a_full_disk_is_reported_once_and_leaves_what_was_written(begun):
    recorder = begun()
    sent = bytes(descent(3).stream)
    frames = list(FrameReader().feed(sent))
    for frame, body in frames[:-4]:
        recorder.take(frame, body)

    class Full:
        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

    real, recorder._file = recorder._file, Full()
    for frame, body in frames[-4:]:
        recorder.take(frame, body)
    recorder._file = real
    assert recorder.reports == [
        f"{recorder.path} cannot be written any more: No space left on device; the script "
        "continues, and is recorded in memory until it ends"
    ]
    assert 0 < len(Debugger.open(recorder.path).events) < 12


def test_a_folder_that_is_missing_or_a_session_in_use_is_named_at_once(begun, tmp_path):
    with pytest.raises(SessionError, match=r"cannot be recorded: No such file.*another folder"):
        begun("nowhere/run.gradstep")
    (tmp_path / "folder.gradstep").mkdir()
    with pytest.raises(SessionError, match="is a folder"):
        begun("folder.gradstep")
    lock = SessionLock(tmp_path / "used.gradstep")
    with pytest.raises(SessionError, match="another GradStep is recording to it"):
        begun("used.gradstep")
    lock.release()
