"""A process that calls attach() meets the debugger that waits in a folder of the user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradstep.debugger.live_script import LiveScript
from gradstep.errors import ScriptError
from gradstep.script import waiting
from gradstep.script.command import ScriptCommand
from gradstep.script.process import ScriptProcess
from gradstep.script.waiting import WaitingDebugger

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Unix sockets")

CORE = Path(__file__).parents[3] / "core"
JOB = """
import sys
from pathlib import Path
import gradstep_agent
from gradstep_agent import waiting

waiting.folder = lambda: Path(sys.argv[1])
try:
    gradstep_agent.attach()
except gradstep_agent.AttachError as error:
    sys.exit(str(error))
import gradstep_torch as torch

torch.manual_seed(0)
x = torch.randn(8, 3)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
gradstep_agent.pause()
for _ in range(4):
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
print(loss.item())
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    found = tmp_path / "meeting"
    monkeypatch.setattr(waiting, "folder", lambda: found)
    return found


@pytest.fixture
def job(place, tmp_path):
    """Start a process that calls attach()."""
    started = []
    script = tmp_path / "job.py"
    script.write_text(JOB)

    def start():
        process = subprocess.Popen(
            [sys.executable, str(script), str(place)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(CORE)},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_it_is_debugged_and_goes_on_when_the_debugger_leaves(job, place):
    with WaitingDebugger() as debugger:
        assert place.stat().st_mode & 0o777 == 0o700
        process = job()
        name, channel = debugger.wait(lambda: process.poll() is not None)
    assert list(place.iterdir()) == []
    if sys.platform == "linux":
        assert name == f"process {process.pid}"
    live = LiveScript(ScriptProcess(ScriptCommand(name), share=0, channel=channel))
    try:
        live.carry_out(lambda debugger: debugger.iterate(2))
        assert live.debugger.program.iteration == 2
        loss = next(event.loss for event in live.debugger.events if event.loss is not None)
    finally:
        live.process.end()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert 0 < float(out) < loss


AGAIN = """
import sys
from pathlib import Path
import gradstep_agent
from gradstep_agent import waiting

waiting.folder = lambda: Path(sys.argv[1])
for _ in range(2):
    gradstep_agent.attach()
    print("attached", flush=True)
    sys.stdin.readline()
print("twice")
"""


def test_once_the_debugger_has_left_another_one_can_be_met(place):
    words = [sys.executable, "-c", AGAIN, str(place)]
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(CORE)}
    with WaitingDebugger() as debugger:
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, env=environment, text=True)
        try:
            for _ in range(2):
                _, channel = debugger.wait(lambda: process.poll() is not None)
                assert process.stdout.readline() == "attached\n"
                channel.end()
                channel.socket.close()
                process.stdin.write("\n")
                process.stdin.flush()
            assert process.communicate(timeout=60)[0] == "twice\n"
        finally:
            process.kill()
            process.communicate()


def test_the_latest_debugger_is_met_and_one_that_was_killed_is_passed_over(job, place):
    with WaitingDebugger() as earlier, WaitingDebugger() as later:
        os.utime(earlier._path, (1, 1))
        (place / "0-dead.socket").touch()
        process = job()
        name, channel = later.wait(lambda: process.poll() is not None)
    attached = ScriptProcess(ScriptCommand(name), share=0, channel=channel)
    attached.run()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(attached.tape.rows) == 17


def test_where_nobody_waits_attach_says_what_to_start(job, place):
    process = job()
    _, err = process.communicate(timeout=60)
    assert err == (
        "no debugger waits: start `gradstep attach` in a terminal of this machine, and call "
        "attach() again\n"
    )


def test_a_folder_that_others_can_use_is_used_by_neither_side(job, place):
    place.mkdir()
    place.chmod(0o755)
    with pytest.raises(ScriptError, match="is not a folder that only you can use"):
        WaitingDebugger()
    process = job()
    _, err = process.communicate(timeout=60)
    assert err.startswith("no debugger waits")


def test_waiting_ends_when_it_is_asked_to(place):
    with WaitingDebugger() as debugger:
        assert debugger.wait(lambda: True) is None
    assert list(place.iterdir()) == []
