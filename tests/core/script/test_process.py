"""A script runs in a process of its own, which may do anything."""

from __future__ import annotations

import sys

import pytest

from gradstep.errors import ScriptError
from gradstep.script.channel import find_python
from gradstep.script.command import ScriptCommand
from gradstep.script.process import ScriptProcess
from tests.core.script.sent_frames import descent

SENDS = """
import json, os, socket, sys, time
for name in os.listdir("/proc/self/fd"):  # the agent's own socket
    try:
        found = socket.socket(fileno=int(name))
    except OSError:
        continue
    if found.family == socket.AF_UNIX:
        try:
            found.sendall(open(sys.argv[1], "rb").read())
        except OSError:
            pass  # the other side has closed
        break
sys.stdout.write("done\\n")
"""


@pytest.fixture
def process(tmp_path):
    """Run a script that itself sends these bytes, as a hostile one would."""

    def start(stream, **options):
        (tmp_path / "frames").write_bytes(bytes(stream))
        (tmp_path / "train.py").write_text(SENDS)
        arguments = (str(tmp_path / "frames"),)
        command = ScriptCommand(str(tmp_path / "train.py"), arguments, sys.executable)
        return ScriptProcess(command, **options)

    return start


def without_hello(sent):
    """Return the frames between the first and the last one, which the agent sends."""
    stream = bytes(sent.stream)
    first, last = (stream.index(b'{"type": "%s"' % name) - 8 for name in (b"torch", b"bye"))
    return stream[first:last]


def test_a_frame_that_lies_ends_the_recording_and_keeps_what_came_before(process):
    running = process(without_hello(descent(2)) + b"\xff" * 100)
    with pytest.raises(ScriptError, match="sent an invalid message"):
        running.run()
    assert len(running.tape.rows) == 8
    assert running.tape.has_ended
    assert running.status == 0


def test_a_recording_ends_where_its_memory_is_used_up_and_the_script_goes_on(process, capfd):
    running = process(without_hello(descent(50)), budget_bytes=100)
    assert running.run() == 0
    assert running.tape.run.lost == "the recording ends here: its values take 0 MB"
    assert capfd.readouterr().out == "done\n"


def test_the_python_of_a_folder_is_its_own_environment(tmp_path, monkeypatch):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    own = tmp_path / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.touch()
    assert find_python(tmp_path) == str(own)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ScriptError, match="no Python was found"):
        find_python(tmp_path / "elsewhere")
