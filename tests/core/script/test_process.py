"""A script runs in a process of its own, which may do anything."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from gradstep.errors import ScriptError
from gradstep.script.channel import find_python
from gradstep.script.command import ScriptCommand
from gradstep.script.process import ScriptProcess
from gradstep.script.shared_memory import CAN_SHARE
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


IN_MEMORY = """
import sys
agent = sys.modules["gradstep_agent.attaching"]._current[0]
for number in range(100):
    header = {"type": "tensor", "name": f"w{number}", "buffer": False, "leaf": True}
    layout = [f"w{number}", "uint8", [1000000]]
    agent.send({**header, "requires_grad": True, "arrays": [layout]}, [bytes([number]) * 1000000])
    agent.holder.obey(wait=False)
sys.stdout.write(f"{agent._wire.ring._written}\\n")
"""

SAYS_WHERE = """
import sys
agent = sys.modules["gradstep_agent.attaching"]._current[0]
agent.send({"type": "rows", "count": 0, "ring": [int(sys.argv[1]), 4]})
"""

LEAVES_A_CHILD = """
import os, signal, subprocess, sys
from pathlib import Path
waits = "import signal; signal.pause()"
if sys.argv[1] == "fork":
    child = os.fork()
    if not child:
        exec(waits)
else:
    agent = sys.modules["gradstep_agent.attaching"]._current[0]
    os.set_inheritable(agent._wire.socket.fileno(), True)
    child = subprocess.Popen([sys.executable, "-c", waits], close_fds=False).pid
Path(sys.argv[2]).write_text(str(child))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def run_text(tmp_path):
    """Return a process that runs the text of a script."""

    def start(text, *arguments, **options):
        script = tmp_path / "train.py"
        script.write_text(text)
        return ScriptProcess(ScriptCommand(str(script), arguments, sys.executable), **options)

    return start


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
    running = process(without_hello(descent(50)), budget_bytes=40_000)
    assert running.run() == 0
    assert 80 < len(running.tape.rows) < 100  # an Event takes memory, not only its values
    assert running.tape.run.lost == "the recording ends here: its values take 0 MB"
    assert capfd.readouterr().out == "done\n"


@pytest.mark.skipif(not CAN_SHARE, reason="memory is sealed on Linux")
def test_large_bodies_come_through_shared_memory_that_is_used_again_and_again(run_text, capfd):
    running = run_text(IN_MEMORY)
    assert running.run() == 0
    initial = running.tape.run.initial
    assert list(initial) == [f"w{number}" for number in range(100)]
    assert all((initial[f"w{number}"] == number).all() for number in range(100))
    assert int(capfd.readouterr().out) >= 67_000_000


@pytest.mark.skipif(not CAN_SHARE, reason="memory is sealed on Linux")
@pytest.mark.parametrize("position", [1 << 40, -1])
def test_a_script_that_lies_about_shared_memory_ends_the_recording(run_text, position):
    running = run_text(SAYS_WHERE, str(position))
    with pytest.raises(ScriptError, match="sent an invalid message"):
        running.run()
    assert running.tape.has_ended
    assert running.status == 0


@pytest.mark.parametrize("way", ["fork", "start"])
def test_the_end_of_a_script_is_seen_while_processes_that_it_started_live_on(
    run_text, tmp_path, way
):
    running = run_text(LEAVES_A_CHILD, way, str(tmp_path / "child"))
    try:
        assert running.run() == -signal.SIGKILL
        assert running.tape.run.lost == "the script's process was ended by signal 9"
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("place", ["bin/python", "Scripts/python.exe"])
def test_the_python_of_a_folder_is_its_own_environment(tmp_path, monkeypatch, place):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    own = tmp_path / ".venv" / place
    own.parent.mkdir(parents=True)
    own.touch()
    assert find_python(tmp_path) == str(own)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ScriptError, match="no Python was found"):
        find_python(tmp_path / "elsewhere")
