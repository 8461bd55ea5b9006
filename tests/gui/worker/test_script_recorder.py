"""What a script that the window records has done is in a file, until the recording is open."""

from __future__ import annotations

import os

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ScriptError
from gradstep.script.command import ScriptCommand
from gradstep.script.frame_reader import FrameReader
from gradstep.script.tape import ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter
from gradstep.session.recorder import leftovers
from gradstep_gui.worker import script_recorder
from gradstep_gui.worker.script_recorder import record_script
from gradstep_gui.worker.updates import FailureUpdate
from tests.core.script.sent_frames import descent

COMMAND = ScriptCommand("train.py")


class PlayedProcess:
    """Instead of a process: what it would have sent."""

    fails = False

    def __init__(self, command, **_):
        self.tape = Tape(ScriptRun(command.script))
        self.keep_frame = None

    def run(self, look):
        if self.fails:
            raise ScriptError("it cannot be started")
        writer = TapeWriter(self.tape)
        for frame, body in FrameReader().feed(bytes(descent(3).stream)):
            if self.keep_frame is not None:
                self.keep_frame(frame, body)
            writer.take(frame, body)
        look()


class Output:
    def cancel(self):
        pass


class Mailbox:
    def __init__(self):
        self.updates = []

    def post(self, *updates):
        self.updates += updates


@pytest.fixture
def played(monkeypatch):
    monkeypatch.setattr(script_recorder, "ScriptProcess", PlayedProcess)


def test_it_is_in_a_file_until_the_recording_is_open(played, tmp_path):
    folder = tmp_path / "recordings"
    recorded = record_script(COMMAND, Mailbox(), lambda: False, Output(), folder)
    assert len(recorded.debugger.events) == 12
    (path,) = folder.glob("*.gradstep")
    assert path.name.startswith(f"{os.getpid()}-")
    assert len(Debugger.open(path).events) == 12
    assert leftovers(folder) == ()  # this process still has it
    recorded.discard_frames()
    assert list(folder.iterdir()) == []


def test_of_a_script_that_cannot_be_recorded_no_file_is_left(played, tmp_path, monkeypatch):
    monkeypatch.setattr(PlayedProcess, "fails", True)
    with pytest.raises(ScriptError, match="cannot be started"):
        record_script(COMMAND, Mailbox(), lambda: False, Output(), tmp_path / "recordings")
    assert list((tmp_path / "recordings").iterdir()) == []


def test_without_a_folder_it_is_recorded_in_memory_with_a_warning(played, tmp_path):
    (tmp_path / "file").touch()
    mailbox = Mailbox()
    recorded = record_script(COMMAND, mailbox, lambda: False, Output(), tmp_path / "file")
    assert (recorded.frames, len(recorded.debugger.events)) == (None, 12)
    recorded.discard_frames()
    (update,) = (item for item in mailbox.updates if isinstance(item, FailureUpdate))
    assert "nothing of it can be recovered after a crash" in str(update.failures[0].error)
