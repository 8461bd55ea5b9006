"""What a process has recorded itself opens as a session."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.script.frame_file import has_frames
from tests.core.script.sent_frames import descent


@pytest.fixture
def file(tmp_path):
    """Write bytes to a file."""

    def write(content):
        path = tmp_path / "run.gradstep"
        path.write_bytes(content)
        return path

    return write


def sent():
    return compact(bytes(descent(3).stream))


def compact(stream):
    """Write the first header as the agent does, without spaces."""
    size = int.from_bytes(stream[:4], "little")
    header = stream[8 : 8 + size].replace(b'": ', b'":').replace(b", ", b",")
    return len(header).to_bytes(4, "little") + stream[4:8] + header + stream[8 + size :]


def test_a_recording_opens_at_its_end_and_is_saved_as_a_session(file, tmp_path):
    path = file(sent())
    assert has_frames(path)
    debugger = Debugger.open(path)
    assert len(debugger.events) == 12
    assert debugger.program.tape.run.lost == ""
    debugger.save(tmp_path / "saved.gradstep")
    assert not has_frames(tmp_path / "saved.gradstep")
    assert len(Debugger.open(tmp_path / "saved.gradstep").events) == 12


def test_of_a_process_that_was_killed_what_it_did_is_there(file):
    whole = sent()
    debugger = Debugger.open(file(whole[: len(whole) * 3 // 4]))
    assert 0 < len(debugger.events) < 12
    lost = "the process ended without a last message, or still runs"
    assert debugger.program.tape.run.lost == lost


def test_what_follows_a_wrong_frame_is_left_out(file):
    debugger = Debugger.open(file(sent() + b"\xff" * 40))
    assert len(debugger.events) == 12


def test_a_recording_that_is_wrong_from_the_start_is_one_error(file):
    whole = sent()
    size = int.from_bytes(whole[:4], "little")
    with pytest.raises(GradStepError, match="sent an invalid message"):
        Debugger.open(file(whole[: 8 + size] + b"\xff" * 40))
