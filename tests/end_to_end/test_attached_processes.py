"""A process that listens is debugged in the window, and recorded without one."""

from __future__ import annotations

import io
import json
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradstep.debugger import Debugger
from gradstep.script.channel import attach
from gradstep.script.command import ScriptCommand
from gradstep_gui.cli import main

pytestmark = pytest.mark.slow

CORE = Path(__file__).parents[2] / "core"
JOB = """
import sys
import gradstep_agent
import gradstep_torch as torch
torch.manual_seed(0)
x = torch.randn(16, 3)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
listener = gradstep_agent.listen()
input()
gradstep_agent.pause()  # until what follows is seen
for i in range(6):
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    if i == 3:
        gradstep_agent.pause()
print(loss.item())
"""


@pytest.fixture
def job(tmp_path):
    """Start a process that listens; return it, its address and its token."""
    script = tmp_path / "job.py"
    script.write_text(JOB)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(CORE)},
    )
    *_, address, option, token = process.stderr.readline().split()
    assert option == "--token"
    yield process, address, token
    process.kill()
    process.communicate()


def test_it_is_recorded_to_its_end_and_its_numbers_are_its_own(job, tmp_path, capfd):
    process, address, token = job
    path = tmp_path / "run.gradstep"
    recording = subprocess.Popen(
        [sys.executable, "-m", "gradstep_gui", "attach", address, "-o", str(path)],
        env={**os.environ, "GRADSTEP_TOKEN": token},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert recording.stderr.readline().startswith(f"gradstep: recording {address}")
    out, _ = process.communicate("\n")
    _, err = recording.communicate()
    assert recording.returncode == 0
    assert "recorded 26 Events in 6 iterations" in err
    debugger = Debugger.open(path)
    assert debugger.events[-3].loss == float(out)
    assert debugger.events[17].operation.call == "pause"


def test_the_window_holds_it_runs_to_its_pause_and_lets_it_go_on(job, driver):
    process, address, token = job
    controller = driver.window.controller
    controller.debug(ScriptCommand(f"process at {address}"), attach(address, token))
    process.stdin.write("\n")
    process.stdin.flush()
    assert controller.wait_idle(60)
    assert controller.snapshot.next_operation.at == "job.py:11"
    controller.run()
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 17
    assert controller.snapshot.next_operation.at == "job.py:18"
    controller.iterate(2)
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 18 + 4
    controller._host.end_script()
    out, _ = process.communicate(timeout=60)
    assert float(out) > 0
    assert process.returncode == 0


def test_one_that_is_held_already_when_the_window_joins_it_stays_there(job, driver):
    process, address, token = job
    channel = attach(address, token)
    process.stdin.write("\n")
    process.stdin.flush()
    end = time.monotonic() + 60
    while not select.select([channel.socket], [], [], 1)[0] or (
        b'"type":"held"' not in channel.socket.recv(1 << 20, socket.MSG_PEEK)
    ):
        assert time.monotonic() < end
    controller = driver.window.controller
    controller.debug(ScriptCommand(f"process at {address}"), channel)
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 0
    assert controller.snapshot.next_operation.at == "job.py:11"
    controller._host.end_script()
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_wrong_token_and_no_token_are_one_sentence(job, tmp_path, capfd, monkeypatch):
    _, address, _ = job
    monkeypatch.delenv("GRADSTEP_TOKEN", raising=False)
    path = str(tmp_path / "run.gradstep")
    assert main(["attach", address, "--token", "guessed", "-o", path]) == 2
    assert f"{address}: the token is wrong" in capfd.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(["attach", address, "-o", path]) == 2
    assert "no token is given; give --token, or set GRADSTEP_TOKEN" in capfd.readouterr().err


@pytest.fixture
def jobs(tmp_path):
    """Start two processes that listen with one token; return them, and their addresses."""
    script = tmp_path / "job.py"
    script.write_text(JOB.replace("listen()", "listen(token=sys.argv[1], share=0)"))
    processes = [
        subprocess.Popen(
            [sys.executable, str(script), "shared"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(CORE)},
        )
        for _ in range(2)
    ]
    yield processes, [process.stderr.readline().split()[-3] for process in processes]
    for process in processes:
        process.kill()
        process.communicate()


def test_several_are_recorded_together_as_the_ranks_of_one_job(jobs, tmp_path):
    processes, addresses = jobs
    recording = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "gradstep_gui",
            "attach",
            *addresses,
            "--json",
            "-o",
            "run.gradstep",
        ],
        env={**os.environ, "GRADSTEP_TOKEN": "shared"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    line = recording.stderr.readline()
    assert line.startswith(f"gradstep: recording {addresses[0]}, {addresses[1]}; Ctrl-C")
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    out, _ = recording.communicate(timeout=120)
    found = json.loads(out)
    assert [(rank["rank"], rank["events"]) for rank in found["ranks"]] == [
        ("rank0", 26),
        ("rank1", 26),
    ]
    assert found["comparisons"] == [
        "rank0 and rank1: No value differs in the 26 Events that both have."
    ]
    assert len(Debugger.open(tmp_path / "run.rank1.gradstep").events) == 26


def test_several_are_held_together_and_go_on_when_they_are_left(jobs, driver):
    processes, addresses = jobs
    controller = driver.window.controller
    controller.debug_ranks(
        [(ScriptCommand(f"process at {one}"), attach(one, "shared")) for one in addresses]
    )
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert controller.wait_idle(60)
    assert driver.window.docks["ranks"].isVisible()
    for _ in range(4):
        controller.apply_next()
    assert controller.wait_idle(60)
    first, second = controller.ranks.records
    assert (first.host, second.host) == tuple(addresses)
    assert first.at == second.at  # wherever each of them was when it was joined
    assert first.state == second.state == "held"
    controller.ranks.show(1)
    assert controller.wait_idle(60)
    assert [record.is_shown for record in controller.ranks.records] == [False, True]
    controller._host.end_script()
    for process in processes:
        out, _ = process.communicate(timeout=60)
        assert float(out) > 0
        assert process.returncode == 0


@pytest.mark.parametrize("given", [("a", "b", "c"), ("a", "b", "c", "d")])
def test_there_is_one_token_for_all_or_one_for_each(given, capfd, tmp_path):
    tokens = [word for token in given for word in ("--token", token)]
    path = str(tmp_path / "run.gradstep")
    assert main(["attach", "127.0.0.1:1", "127.0.0.1:2", *tokens, "-o", path]) == 2
    assert (
        f"there are 2 ranks, and {len(given)} tokens; give --token once" in capfd.readouterr().err
    )
