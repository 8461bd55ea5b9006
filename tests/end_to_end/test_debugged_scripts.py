"""A person's own script is held, stepped and let go, with torch, in the window and without."""

from __future__ import annotations

import sys

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.errors import OperationError
from gradstep.program.operation import Step
from gradstep.script.command import ScriptCommand
from gradstep.script.process import ScriptProcess

pytestmark = [pytest.mark.torch, pytest.mark.slow]

FORGOTTEN = """
import sys

import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
model = torch.nn.Linear(4, 1)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(int(sys.argv[1])):
    loss = criterion(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def command(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(FORGOTTEN)
    return ScriptCommand(str(script), ("6",), sys.executable)


def test_a_held_script_does_one_operation_at_a_time(command):
    live = LiveScript(ScriptProcess(command, share=0))
    before = live.debugger.program.tensors["model.weight"].tolist()
    for _ in range(3):
        event = live.carry_out(lambda debugger: debugger.apply(debugger.program.next_operation))
    assert event.operation == Step(at="train.py:14")
    assert live.debugger.program.tensors["model.weight"].tolist() != before
    live.debugger.break_when("iteration == 3")
    assert live.carry_out(lambda debugger: debugger.run(100)).kind == "breakpoint"
    live.debugger.seek(3)
    assert live.debugger.explain("model.weight").event == 3
    live.debugger.breakpoints.remove(1)
    assert live.carry_out(lambda debugger: debugger.run()).sentence == "the script has ended"
    assert live.process.status == 0
    assert len(live.debugger.events) == 18


def test_a_script_whose_process_dies_keeps_what_it_did(command, tmp_path):
    live = LiveScript(ScriptProcess(command, share=0))
    live.carry_out(lambda debugger: debugger.iterate(2))
    recorded = len(live.debugger.events)
    live.process.end()
    with pytest.raises(OperationError, match="the script's process was ended by signal 15"):
        live.carry_out(lambda debugger: debugger.run())
    assert len(live.debugger.events) == recorded
    live.debugger.save(tmp_path / "run.gradstep")
    assert len(Debugger.open(tmp_path / "run.gradstep").events) == recorded


def test_the_window_debugs_a_script_and_finds_the_forgotten_zero_grad(command, driver, tmp_path):
    controller = driver.window.controller
    controller.debug(command)
    assert controller.wait_idle(60)
    assert controller.listing.code == FORGOTTEN
    controller.iterate(2)
    assert controller.wait_idle(60)
    assert [finding.id for finding in controller.snapshot.findings] == ["grad-accumulated"]
    controller.seek(1)
    assert controller.wait_idle(60)
    assert controller.snapshot.next_operation.at == "train.py:13"
    controller.run()
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 18
    controller.save(tmp_path / "run.gradstep")
    assert controller.wait_idle(60)
    assert len(Debugger.open(tmp_path / "run.gradstep").events) == 18
