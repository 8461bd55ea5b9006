"""torchrun and DDP: all ranks are recorded, or held together in one window."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gradstep.debugger import Debugger
from gradstep.history.records.breakpoints import BreakpointSpec
from gradstep.program.operation import SetHyperparameter
from gradstep.script.command import ScriptCommand

pytestmark = [pytest.mark.torch, pytest.mark.slow]

TIMEOUT_S = 120
# The last three lines: threads of gloo end with the last reference to their process group, which
# cycles of DDP keep. One that still runs when the interpreter ends can abort the process (in 1 of
# 10 runs or so without GradStep, torch 2.13; pytorch/pytorch#179291).
SCRIPT = """\
import gc, sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
rank, how = dist.get_rank(), sys.argv[1]
torch.manual_seed(rank if how == "seeds" else 0)
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1))
net = model if how == "seeds" else DistributedDataParallel(model)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
torch.manual_seed(rank)
for step in range(4):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    if how == "apart" and step == 2 and rank == 1:
        model[2].bias.grad.mul_(1.5)
    if how == "raises" and step == 1 and rank == 1:
        raise RuntimeError("a bad batch")
    optimizer.step()
    if how == "evaluates" and rank == 0:
        with torch.no_grad():
            model(x), model(x)
    if how == "evaluates":
        dist.barrier()
del net, model, optimizer, loss
gc.collect()
dist.destroy_process_group()
"""
LINES = {"train.py:14", "train.py:15", "train.py:16", "train.py:21"}


def words(folder, how):
    (folder / "train.py").write_text(SCRIPT)
    # a port of its own, so that tests can run beside one another
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    return (*torchrun, "train.py", how)


def recorded(folder, launched):
    """Record the ranks; return what is printed of them."""
    command = [sys.executable, "-m", "gradstep_gui", "record", "--json", "-o", "run.gradstep"]
    done = subprocess.run(
        [*command, "--python", sys.executable, *launched],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("how", ["together", "apart"])
def test_each_rank_is_recorded_and_their_parameters_are_compared(tmp_path, how):
    found = recorded(tmp_path, words(tmp_path, how))
    assert [rank["events"] for rank in found["ranks"]] == [16, 16 + (how == "apart")]
    assert [rank["session"] for rank in found["ranks"]] == [
        "run.rank0.gradstep",
        "run.rank1.gradstep",
    ]
    (text,) = found["comparisons"]
    if how == "together":
        assert text == "rank0 and rank1: The parameters are equal after the last Step."
    else:
        assert text.startswith(
            "rank0 and rank1: The parameters diverge at Event 12 (Step optimizer train.py:21): "
            "model.2.bias[0] is "
        )
        assert " Before it, model.2.bias.grad[0] was " in text
    debugger = Debugger.open(tmp_path / "run.rank1.gradstep")
    assert {event.operation.at for event in debugger.events if event.iteration == 0} == LINES


@pytest.mark.parametrize(
    ("sharded", "shapes"),
    [
        ("fully_shard(model, mesh=mesh)", [(2, 4), (1, 4)]),
        (
            'FullyShardedDataParallel(model, device_id=torch.device("cpu"), use_orig_params=True)',
            [(12,), (0,)],
        ),
    ],
)
def test_shards_of_parameters_are_recorded_as_they_are_and_not_compared(tmp_path, sharded, shapes):
    launched = words(tmp_path, "shards")
    mesh = 'torch.distributed.device_mesh.init_device_mesh("cpu", (2,))'
    wrapped = sharded.replace("=mesh", f"={mesh}")
    text = SCRIPT.replace("DistributedDataParallel(model)", wrapped)
    imported = "from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard\n"
    (tmp_path / "train.py").write_text(imported + text)
    found = recorded(tmp_path, launched)
    assert [(rank["events"], rank["findings"]) for rank in found["ranks"]] == [(16, []), (16, [])]
    assert found["comparisons"] == [
        "rank0 and rank1: The parameters are divided among the ranks, and are not compared."
    ]
    for rank, shape in enumerate(shapes):
        debugger = Debugger.open(tmp_path / f"run.rank{rank}.gradstep")
        debugger.seek(len(debugger.events))
        assert debugger.program.tensors["model.0.weight"].shape == shape
        assert "cannot explain" not in debugger.explain("model.0.weight").sentence


class Window:
    """The window on two ranks.

    Args:
        driver: A person at the window.
        folder: Where the script is.
        how: What it does.
    """

    def __init__(self, driver, folder, how):
        module, name, *more = words(folder, how)
        assert module == "-m"
        command = ScriptCommand(
            name, tuple(more), sys.executable, is_module=True, folder=str(folder)
        )
        self.driver, self.controller = driver, driver.window.controller
        self.controller.debug(command)
        self.rest()

    @property
    def ranks(self):
        return self.controller.ranks.records

    @property
    def dock(self):
        return self.driver.window.docks["ranks"]

    def rest(self):
        assert self.controller.wait_idle(TIMEOUT_S)

    def step(self, count=1):
        for _ in range(count):
            self.controller.apply_next()
            self.rest()

    def run(self):
        self.controller.run()
        self.rest()

    def show(self, number):
        self.controller.ranks.show(number)
        self.rest()

    def values(self, *names):
        tensors = self.driver.debugger.program.tensors
        return [tensors[name].tolist() for name in names]

    def wait_for(self, condition):
        self.driver.qtbot.waitUntil(condition, timeout=TIMEOUT_S * 1000)

    def messages(self):
        return [message.text for message in self.driver.window.messages.history]


@pytest.fixture
def open_ranks(driver, tmp_path):
    """Return what opens the window on a script, held before its first Operation."""
    opened = []

    def open_(how):
        window = Window(driver, tmp_path, how)
        opened.append([record.pid for record in window.ranks])
        return window

    yield open_
    driver.window.discard()
    assert not [pid for pids in opened for pid in pids if is_alive(pid)]


def is_alive(pid):
    """Return whether a process runs, and has not only not been waited for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_all_ranks_are_held_before_each_operation(open_ranks):
    window = open_ranks("together")
    assert window.dock.isVisible()
    for place in ("Zero Grad #1", "Forward #1", "Backward #1", "Step #1", "Zero Grad #2"):
        assert [(record.state, record.place) for record in window.ranks] == [("held", place)] * 2
        window.step()
    first, second = window.ranks
    assert (first.event, second.event) == (5, 5)
    assert first.loss != second.loss  # each has its own batch
    assert first.parameter_norm == second.parameter_norm


def test_a_sound_script_is_told_to_be_equal_although_buffers_differ(open_ranks):
    window = open_ranks("together")
    window.run()
    assert [record.status for record in window.ranks] == [0, 0]
    assert [(record.divergence, record.compared) for record in window.ranks] == [
        (None, 0),
        (None, 4),
    ]
    assert window.controller.snapshot.findings == ()
    zero = window.values("model.1.running_mean", "model.0.weight")
    window.show(1)
    one = window.values("model.1.running_mean", "model.0.weight")
    assert [a == b for a, b in zip(zero, one, strict=True)] == [False, True]


def test_each_rank_can_be_shown_in_all_docks_at_the_same_event(open_ranks):
    window = open_ranks("together")
    window.controller.breakpoints.set_breakpoint(BreakpointSpec("loss > 1000"))
    window.step(7)
    losses = {}
    for number in (0, 1, 0, 1):
        window.show(number)
        snapshot = window.controller.snapshot
        assert (snapshot.event_index, snapshot.next_operation.at) == (7, "train.py:21")
        assert [record.is_shown for record in window.ranks] == [number == 0, number == 1]
        assert len(window.controller.breakpoints.current.breakpoints) == 1
        assert window.driver.window.windowTitle().startswith(f"train.rank{number}")
        losses.setdefault(number, set()).add(float(snapshot.losses["loss"]))
    assert [len(found) for found in losses.values()] == [1, 1]
    assert losses[0] != losses[1]
    window.controller.seek(3)
    window.rest()
    window.show(0)
    assert window.controller.snapshot.event_index == 3
    window.show(1)
    window.run()  # goes along the recording, and then on
    assert window.controller.snapshot.event_index == 16
    assert [record.event for record in window.ranks] == [16, 16]


def test_a_breakpoint_holds_all_ranks_at_the_same_operation(open_ranks):
    window = open_ranks("together")
    window.controller.breakpoints.set_breakpoint(BreakpointSpec.at_line("train.py:21"))
    window.show(1)
    for number in (1, 2):
        window.run()
        assert [(record.state, record.place) for record in window.ranks] == [
            ("held", f"Step #{number}")
        ] * 2


def test_where_the_parameters_part_is_told_with_the_gradient_that_did_it(open_ranks):
    window = open_ranks("apart")
    window.step(11)
    assert [record.divergence for record in window.ranks] == [None, None]
    window.step()
    first, second = window.ranks
    found = second.divergence
    assert (first.divergence, found.step, found.event, found.at) == (None, 3, 13, "train.py:21")
    assert found.sentence == (
        "The ranks' parameters diverge at Step #3 (Event 13): model.2.bias[0]"
    )
    assert (found.tensors, found.is_synchronized, found.equal_since) == (1, True, None)
    assert found.gradient.place == "model.2.bias.grad[0]"
    assert float(found.gradient.b) == pytest.approx(1.5 * float(found.gradient.a))
    assert float(found.difference.b) - float(found.difference.a) == pytest.approx(
        -0.05 * (float(found.gradient.b) - float(found.gradient.a)), rel=1e-3
    )
    assert "Differs since Step #3: model.2.bias[0]" in window.dock.widget().table.row_texts[1]


def test_ranks_of_different_seeds_differ_from_the_start_and_nothing_keeps_them_equal(open_ranks):
    window = open_ranks("seeds")
    window.step(4)
    found = window.ranks[1].divergence
    assert (found.step, found.event, found.is_synchronized) == (0, 0, False)
    assert found.sentence == (
        "The ranks' parameters differ before the first Step: model.0.weight[0, 0]"
    )


def test_a_rank_that_waits_for_another_one_hangs_nothing_and_joins_it_again(open_ranks):
    window = open_ranks("evaluates")
    window.step(4)  # rank 0 is held before its evaluation, and rank 1 waits at the barrier
    first, second = window.ranks
    assert (first.state, first.at) == ("held", "train.py:24")
    assert (second.state, second.place, second.is_past) == ("waiting", "Step #1", True)
    window.step(2)
    window.wait_for(lambda: window.ranks[1].state == "held")
    assert [record.place for record in window.ranks] == ["Zero Grad #2"] * 2
    window.show(1)
    window.step(4)  # now rank 0 is let go on through its evaluation, else rank 1 would not come
    assert window.ranks[1].place == "Zero Grad #3"
    window.run()
    window.wait_for(lambda: [record.status for record in window.ranks] == [0, 0])
    assert [record.divergence for record in window.ranks] == [None, None]


def test_an_error_of_one_rank_is_told_and_the_others_are_ended(open_ranks):
    window = open_ranks("raises")
    window.run()
    window.wait_for(lambda: all(record.state == "ended" for record in window.ranks))
    first, second = window.ranks
    assert (second.status, second.error, second.is_first_failure) == (
        *(1, "RuntimeError: a bad batch (train.py:20)"),
        True,
    )
    assert second.traceback.startswith("Traceback (most recent call last):\n  File ")
    assert 'raise RuntimeError("a bad batch")' in second.traceback
    assert first.error or first.ended_after == 1
    assert not first.is_first_failure


@pytest.mark.parametrize("shown", [0, 1])
def test_a_rank_that_is_killed_is_told_and_what_it_did_can_be_saved(open_ranks, tmp_path, shown):
    window = open_ranks("together")
    window.show(shown)
    window.step(6)
    os.kill(window.ranks[1].pid, signal.SIGKILL)
    window.wait_for(lambda: all(record.state == "ended" for record in window.ranks))
    (failed,) = [record for record in window.ranks if record.is_first_failure]
    (other,) = [record for record in window.ranks if not record.is_first_failure]
    assert failed.error == (
        f"rank {failed.number} (process {failed.pid}) was ended without a last message: "
        "torchrun says how"
    )
    assert (other.error, other.ended_after) == ("", failed.number)
    assert window.controller.snapshot.next_operation is None
    window.controller.save(tmp_path / "run.gradstep")
    window.rest()
    assert window.controller.document.path == tmp_path / f"run.rank{shown}.gradstep"
    assert not window.controller.document.modified
    saved = [Debugger.open(tmp_path / f"run.rank{number}.gradstep") for number in (0, 1)]
    assert [len(debugger.events) for debugger in saved] == [6, 6]
    assert saved[0].compare(saved[0], saved[1]).notes == (
        "The parameters are equal after the last Step.",
    )


def test_a_change_is_made_in_all_ranks(open_ranks):
    window = open_ranks("together")
    window.step(4)
    window.controller.apply(SetHyperparameter("lr", 0.5, out_of_loop=True))
    window.rest()
    window.step(4)
    assert [record.event for record in window.ranks] == [9, 9]
    assert [record.divergence for record in window.ranks] == [None, None]


def test_backward_can_be_stepped_into_while_the_other_rank_waits(open_ranks):
    window = open_ranks("together")
    window.step(2)
    window.driver.trigger("debug.step_into")
    assert window.controller.snapshot.inside is not None
    window.driver.trigger("debug.step_into")
    window.driver.trigger("debug.step_out")
    assert [record.place for record in window.ranks] == ["Step #1"] * 2
    window.run()
    assert [(record.status, record.divergence) for record in window.ranks] == [(0, None)] * 2
