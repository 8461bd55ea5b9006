"""A running script is changed in its past: on a branch with a process of its own, with torch."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.errors import DivergedError, OperationError
from gradstep.program.operation import SetHyperparameter, Skip, Step
from gradstep.script.command import ScriptCommand
from gradstep.script.process import ScriptProcess
from tests.gradstep_agent.forked_scripts import SCRIPTS, text_of

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fork of Linux"),
]


@pytest.fixture
def start(tmp_path):
    """Start a script, held before its first Operation; it ends with the test at the latest."""
    started = []

    def script(text):
        path = tmp_path / "train.py"
        path.write_text(text)
        command = ScriptCommand(str(path), (str(tmp_path / "log.txt"),), sys.executable)
        live = LiveScript(ScriptProcess(command, share=0, goes_on=False))
        started.append(live)
        return live

    yield script
    for live in started:
        live.process.end()
        end = time.monotonic() + 30
        while processes_of(tmp_path / "train.py") and time.monotonic() < end:
            os.sched_yield()  # the system is ending them
        assert not processes_of(tmp_path / "train.py")


def processes_of(script):
    """Return the processes that run a script, but for those that have ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if str(script).encode() in words and state not in "ZX":
            found.append(int(folder.name))
    return found


def told(debugger, first=0):
    return [(e.operation, e.loss, e.checksum) for e in debugger.events[first:]]


def written(row):
    """Return what an Event has left, bit for bit."""
    values = {
        address: None if array is None else (array.shape, array.tobytes())
        for address, array in row.values.items()
    }
    return row.operation, repr(row.loss), row.message, values


def change(live, at, operation):
    """Go to an Event of the first branch, and do something else there."""

    def there(debugger):
        if debugger.branches.current.id:
            debugger.checkout(0)
        debugger.seek(at)
        return debugger.apply(operation(debugger) if callable(operation) else operation)

    return live.carry_out(there)


def same_rate(debugger):
    """Return a change that changes nothing: a learning rate that is set to what it is."""
    name, optimizer = next(iter(debugger.program.optimizers.items()))
    return SetHyperparameter("lr", optimizer.param_groups[0]["lr"], name)


def held_at(live):
    """Return the Events of the first branch after which its process was held."""
    tape = live.branches.tapes[0]
    return [at for at in range(1, len(tape.rows)) if tape.moments.event_at(at) is not None]


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != "by hand"])
def test_what_is_done_in_the_past_is_what_a_straight_run_would_have_done(start, monkeypatch, name):
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    live = start(text_of(name))
    live.carry_out(lambda debugger: debugger.run())
    rows = list(live.branches.tapes[0].rows)
    places = held_at(live)
    for at in random.Random(name).sample(places, min(2, len(places))):
        event = change(live, at, same_rate)
        assert (event.index, event.outcome.ok) == (at + 1, True)
        live.carry_out(lambda debugger: debugger.run())
        again = live.branches.tapes[live.debugger.branches.current.id].rows
        assert again[:at] == rows[:at]
        assert [written(row) for row in again[at + 1 :]] == [written(row) for row in rows[at:]]
        assert not live.is_running


RATE = """
import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for i in range(12):
    optimizer.zero_grad()
    loss = ((model(x) - 1) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(i, loss.item())
"""


def test_a_rate_that_is_changed_in_the_past_gives_two_branches_that_both_go_on(start, tmp_path):
    live = start(RATE)
    live.carry_out(lambda debugger: debugger.iterate(6))
    change(live, 10, SetHyperparameter("lr", 0.01))
    live.carry_out(lambda debugger: debugger.iterate(3))
    debugger = live.debugger
    main, other = debugger.branches
    assert (other.forked_at, len(main.history), len(other.history)) == (10, 24, 21)
    assert live.branches.has_process(0)
    assert live.branches.has_process(1)
    losses = [e.loss for e in other.history.events if e.loss is not None]
    expected = [e.loss for e in main.history.events if e.loss is not None]
    assert losses[:3] == expected[:3]
    assert losses[3:] != expected[3 : len(losses)]
    debugger.checkout(main)
    live.carry_out(lambda debugger: debugger.run())
    assert (len(main.history), live.is_running) == (48, False)
    debugger.checkout(other)
    assert live.is_running
    live.carry_out(lambda debugger: debugger.run())
    assert len(other.history) == 49  # one of them is the change
    alone = subprocess.run([sys.executable, "-c", RATE], capture_output=True, text=True, check=True)
    printed = [float(line.split()[1]) for line in alone.stdout.splitlines()]
    assert printed == [e.loss for e in main.history.events if e.loss is not None]
    debugger.save(tmp_path / "run.gradstep")
    saved = Debugger.open(tmp_path / "run.gradstep")
    assert [branch.name for branch in saved.branches] == ["main", "lr 0.01 from #11"]
    for branch in saved.branches:
        saved.checkout(branch.id)
        saved.seek(30)
        live.debugger.checkout(branch.id)
        live.debugger.seek(30)
        here, there = (d.program.tensors["model.weight"].tolist() for d in (saved, live.debugger))
        assert here == there
    comparison = saved.compare(0, 1)
    assert (comparison.first_diverging, comparison.lengths) == ((None, 11), (48, 49))


def test_a_skipped_step_in_the_past_and_branches_of_branches(start):
    live = start(RATE)
    live.carry_out(lambda debugger: debugger.iterate(5))
    live.debugger.seek(7)
    live.carry_out(lambda debugger: debugger.apply(Skip(debugger.next_operation)))
    assert live.debugger.event.operation == Skip(Step(at="train.py:12"), at="train.py:12")
    live.carry_out(lambda debugger: debugger.iterate(2))
    after = told(live.debugger)
    live.debugger.seek(11)
    live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.5)))
    live.carry_out(lambda debugger: debugger.iterate(1))
    assert told(live.debugger)[:11] == after[:11]
    assert [(b.parent, b.forked_at) for b in live.debugger.branches] == [(None, 0), (0, 7), (1, 11)]
    assert all(live.branches.has_process(branch.id) for branch in live.debugger.branches)


def test_what_is_new_after_the_fork_keeps_both_branches(start):
    live = start(RATE + "model = torch.nn.Linear(4, 2)\nmodel(x).sum().backward()\n")
    live.carry_out(lambda debugger: debugger.iterate(10))
    change(live, 38, SetHyperparameter("lr", 0.01))
    live.carry_out(lambda debugger: debugger.run())
    (other,) = (branch for branch in live.debugger.branches if branch.id)
    assert live.debugger.branches.current.id == other.id
    assert len(other.history) == 51
    live.debugger.checkout(0)
    live.carry_out(lambda debugger: debugger.run())
    assert len(live.debugger.branches[0].history) == 50
    live.debugger.seek(50)


def test_what_cannot_be_changed_so_leaves_no_branch(start):
    live = start(RATE)
    live.carry_out(lambda debugger: debugger.iterate(3))
    with pytest.raises(OperationError, match="has no option 'rate'"):
        change(live, 6, SetHyperparameter("rate", 0.01))
    assert len(live.debugger.branches) == 1
    assert live.debugger.position == (6, None)


UNREPEATABLE = """
import os
import torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(6):
    optimizer.zero_grad()
    x = torch.tensor([[float(b) for b in os.urandom(2)]])
    model(x).sum().backward()
    optimizer.step()
"""


def test_a_script_that_does_something_else_the_second_time_is_reported_and_stays(start):
    live = start(UNREPEATABLE)
    live.carry_out(lambda debugger: debugger.iterate(4))
    for copy in live.branches.sleeping[1:]:
        copy.close()
    del live.branches.sleeping[1:]
    values = live.debugger.program.tensors["model.weight"].tolist()
    live.debugger.seek(12)
    with pytest.raises(DivergedError, match="the replay of Event") as caught:
        live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.5)))
    assert caught.value.event <= 4
    assert "replay-diverged" in [finding.id for finding in live.debugger.findings]
    assert len(live.debugger.branches) == 1
    live.debugger.seek(16)
    assert live.debugger.program.tensors["model.weight"].tolist() == values
    live.carry_out(lambda debugger: debugger.iterate(1))


WORKERS = """
import torch
data = torch.utils.data.TensorDataset(torch.randn(32, 4))
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for (x,) in torch.utils.data.DataLoader(data, batch_size=8, num_workers=2):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
"""


def test_a_script_with_workers_says_why_its_past_can_only_be_looked_at(start):
    live = start(WORKERS)
    live.carry_out(lambda debugger: debugger.iterate(2))
    live.debugger.seek(4)
    assert live.debugger.snapshot.abilities.edit == (
        "A running script can be changed only at its latest event, because 2 processes that it "
        "started are alive, as with DataLoader(num_workers=2): go there first."
    )
    with pytest.raises(OperationError):
        live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.5)))


def test_few_copies_are_kept_and_old_events_stay_within_reach(start):
    live = start(RATE)
    live.branches.max_kept = 4
    process = live.process
    for _ in range(40):
        live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
        process._note_edit()
    process.tape.edits.clear()
    assert len(live.branches.sleeping) == 4
    kept = [copy.position for copy in live.branches.sleeping]
    assert kept[0] <= 1
    assert kept[-1] == 40
    end = time.monotonic() + 30
    while len(processes_of(process.tape.run.script)) > 5 and time.monotonic() < end:
        pass  # a copy that is given up ends by itself
    assert len(processes_of(process.tape.run.script)) == 5
    assert change(live, 9, SetHyperparameter("lr", 0.5)).index == 10


def test_the_window_changes_the_past_and_shows_two_branches_that_go_on(driver, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(RATE)
    controller = driver.window.controller
    controller.debug(ScriptCommand(str(script), (), sys.executable))
    assert controller.wait_idle(60)
    controller.iterate(4)
    assert controller.wait_idle(60)
    controller.seek(6)
    assert controller.wait_idle(60)
    assert controller.snapshot.abilities.edit == ""
    controller.apply(SetHyperparameter("lr", 0.5))
    assert controller.wait_idle(60)
    controller.iterate(2)
    assert controller.wait_idle(60)
    branches = controller.branches.records
    assert [(item.name, item.forked_at, item.process) for item in branches] == [
        ("main", 0, "held"),
        ("lr 0.5 from #7", 6, "held"),
    ]
    assert controller.snapshot.event_index == branches[1].events
    controller.branches.checkout(0)
    assert controller.wait_idle(60)
    controller.run()
    assert controller.wait_idle(60)
    assert [item.process for item in controller.branches.records] == ["ended", "held"]
