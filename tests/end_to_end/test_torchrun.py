"""torchrun and DDP: each rank is recorded, and rank 0 is debugged while the others follow."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gradstep.debugger import Debugger
from gradstep.script.command import ScriptCommand

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPT = """\
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
rank = dist.get_rank()
model = torch.nn.Linear(4, 1)
ddp = DistributedDataParallel(model)
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.05, momentum=0.9)
torch.manual_seed(rank)
for step in range(4):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = (ddp(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    if sys.argv[1] == "apart" and step == 2 and rank == 1:
        model.bias.grad.mul_(1.5)
    optimizer.step()
dist.destroy_process_group()
"""


def words(folder, how):
    (folder / "train.py").write_text(SCRIPT)
    return ("-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py", how)


@pytest.mark.parametrize("how", ["together", "apart"])
def test_each_rank_is_recorded_and_their_parameters_are_compared(tmp_path, how):
    command = [sys.executable, "-m", "gradstep_gui", "record", "--json", "-o", "run.gradstep"]
    done = subprocess.run(
        [*command, "--python", sys.executable, *words(tmp_path, how)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
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
            "rank0 and rank1: The parameters part at Event 12 (Step optimizer train.py:18): "
            "model.bias[0] is "
        )
    debugger = Debugger.open(tmp_path / "run.rank1.gradstep")
    assert {event.operation.at for event in debugger.events if event.iteration == 0} == {
        *("train.py:13", "train.py:14", "train.py:15", "train.py:18")
    }


def test_the_window_holds_rank_0_and_the_others_follow(driver, tmp_path):
    module, name, *more = words(tmp_path, "together")
    assert module == "-m"
    command = ScriptCommand(name, tuple(more), sys.executable, is_module=True, folder=str(tmp_path))
    controller = driver.window.controller
    controller.debug(command)
    assert controller.wait_idle(120)
    assert controller.snapshot.next_operation.at == "train.py:13"
    controller.iterate(2)
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 8
    controller.run()
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 16
    assert controller.snapshot.findings == ()
