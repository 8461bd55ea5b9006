"""kill -9 of a script, and of GradStep, at random moments: nothing is lost, left or damaged.

GRADSTEP_KILLS says at how many moments; GRADSTEP_SEED draws others.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import subprocess
import sys
import threading

import pytest

from gradstep.debugger import Debugger
from gradstep.script.command import ScriptCommand
from gradstep.script.frame_reader import FrameReader
from gradstep.script.frames import Rows
from gradstep.script.mirror import Mirror
from gradstep.script.process import ScriptProcess

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="waits for processes as Linux does"),
]

KILLS = int(os.environ.get("GRADSTEP_KILLS", "4"))
SEED = int(os.environ.get("GRADSTEP_SEED", "20261123"))
LIMIT_S = 60

TRAINS = """
import os, sys
from pathlib import Path

Path(sys.argv[2]).write_text(str(os.getpid()))
import torch

agent = sys.modules["gradstep_agent.attaching"]._current[0]
told, send, count = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), agent._wire._send, 0


def counted(header, body):  # notes how many Events have been written to the socket
    global count
    send(header, body)
    if header["type"] == "rows":
        count += header["count"]
        os.pwrite(told, b"%12d" % count, 0)


agent._wire._send = counted
torch.manual_seed(0)
x = torch.randn(16, 4)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(int(sys.argv[3])):
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()
Path(sys.argv[1]).with_name("done").write_text(str(agent.active))
"""

DEBUGS = """
import os, sys
from gradstep.debugger.live_script import LiveScript
from gradstep.script.command import ScriptCommand
from gradstep.script.process import ScriptProcess

script, recording, told, *arguments = sys.argv[1:]
python = None if os.environ["STAND_IN"] else sys.executable
command = ScriptCommand(script, tuple(arguments), python, is_stand_in=python is None)
live = LiveScript(ScriptProcess(command, share=0, goes_on=False))
live.carry_out(lambda debugger: debugger.iterate(2))
recorder = live.debugger.record_to(recording)
told = os.open(told, os.O_WRONLY | os.O_CREAT)
os.write(1, b"ready\\n")
while True:
    live.carry_out(lambda debugger: debugger.iterate(1))
    os.pwrite(told, b"%12d" % len(live.debugger.events), 0)
"""


RECORDS = """
import os, sys
from gradstep.script.frames import Rows
from gradstep.session.frame_recorder import FrameRecorder
from gradstep_gui.cli import main

told, take, count = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), FrameRecorder.take, 0


def counted(recorder, frame, body):  # notes how many Events have arrived
    global count
    take(recorder, frame, body)
    if isinstance(frame, Rows):
        count += frame.count
        os.pwrite(told, b"%12d" % count, 0)


FrameRecorder.take = counted
sys.exit(main(["record", *sys.argv[2:]]))
"""


@pytest.fixture(params=["stand-in", pytest.param("torch", marks=pytest.mark.torch)])
def python(request):
    """Return the Python of the scripts: None for that of the stand-in."""
    return None if request.param == "stand-in" else sys.executable


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(TRAINS)
    return path


def told(path):
    """Return the number that another process has written last; 0 if it has written none."""
    return int(path.read_text() or 0) if path.exists() else 0


def events_in(frames):
    """Return how many Events are in a file of frames, whose end may be cut off."""
    read = FrameReader().feed(frames.read_bytes())
    return sum(frame.count for frame, _ in read if isinstance(frame, Rows))


def has_ended(pid):
    """Return whether a process, which need not be a child of this one, ends before long."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], LIMIT_S)[0])
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("moment", range(KILLS))
def test_a_script_that_is_killed_leaves_every_event_that_it_has_written(
    script, python, tmp_path, moment
):
    draw = random.Random(SEED + moment)
    arguments = (str(tmp_path / "told"), str(tmp_path / "pid"), str(10**9))
    command = ScriptCommand(str(script), arguments, python, is_stand_in=python is None)
    running = ScriptProcess(command, share=0, goes_on=draw.random() < 0.5)
    timer = threading.Timer(draw.uniform(0, 0.3), running._channel._process.kill)
    take, received, begins = running.writer.take, 0, draw.random() < 0.2

    def counted(frame, body):
        nonlocal received
        take(frame, body)
        if isinstance(frame, Rows):
            received += frame.count
            if not timer.is_alive() and not timer.finished.is_set():
                timer.start()

    running.writer.take = counted
    if begins:  # some are killed before they have done anything
        timer.start()
    assert running.run() == -signal.SIGKILL
    assert running.tape.run.lost == "the script's process was ended by signal 9"
    assert told(tmp_path / "told") <= received
    debugger = Debugger(Mirror(running.tape))
    debugger.follow()
    assert len(debugger.events) == len(running.tape.rows)
    debugger.save(tmp_path / "run.gradstep")
    assert len(Debugger.open(tmp_path / "run.gradstep").events) == len(running.tape.rows)


@pytest.mark.parametrize("moment", range(KILLS))
def test_gradstep_that_is_killed_leaves_every_event_in_its_recording_and_no_script(
    script, python, tmp_path, moment
):
    draw = random.Random(SEED + moment)
    recording = tmp_path / "run.gradstep"
    files = (recording, tmp_path / "seen", tmp_path / "told", tmp_path / "pid")
    words = [sys.executable, "-c", DEBUGS, script, *files, "1000000000"]
    environment = {**os.environ, "STAND_IN": "" if python else "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment) as debugging:
        assert debugging.stdout.readline() == b"ready\n"
        timer = threading.Timer(draw.uniform(0, 0.5), debugging.kill)
        timer.start()
        assert debugging.wait(LIMIT_S) == -signal.SIGKILL
    assert has_ended(int((tmp_path / "pid").read_text()))
    assert not (tmp_path / "done").exists()
    events = len(Debugger.open(recording).events)
    assert events >= max(8, told(tmp_path / "seen"))


@pytest.mark.parametrize("moment", range(KILLS))
def test_a_script_whose_recorder_is_killed_goes_on_to_its_own_end(script, python, tmp_path, moment):
    draw = random.Random(SEED + moment)
    output, frames = tmp_path / "run.gradstep", tmp_path / "run.unfinished.gradstep"
    words = [sys.executable, "-c", RECORDS, tmp_path / "arrived", "-o", output]
    words += ["--stand-in"] if python is None else ["--python", python]
    words += [script, tmp_path / "told", tmp_path / "pid", "3000"]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as recording:
        for _ in range(20 * LIMIT_S):
            with contextlib.suppress(subprocess.TimeoutExpired):
                recording.wait(0.05)
            if told(tmp_path / "told") or recording.returncode is not None:
                break
        timer = threading.Timer(draw.uniform(0, 0.3), recording.kill)
        timer.start()
        recording.wait(LIMIT_S)
        timer.cancel()
        assert has_ended(int((tmp_path / "pid").read_text()))
    assert (tmp_path / "done").exists()
    assert output.exists() or frames.exists()
    if output.exists():  # it was saved before, and whole
        assert len(Debugger.open(output).events) >= told(tmp_path / "arrived")
    if frames.exists():
        assert events_in(frames) >= told(tmp_path / "arrived")
        assert len(Debugger.open(frames).events) > 0
