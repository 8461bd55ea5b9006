"""What a PyTorch script prints, reads and holds in variables, in the window."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from gradstep.program.operation import SetHyperparameter
from gradstep.script.command import ScriptCommand
from gradstep_gui.action_ids import ViewId

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPT = """
import sys
import torch

torch.manual_seed(0)
x = torch.randn(16, 3)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("parameters:", sum(p.numel() for p in model.parameters()))

def train_step(batch, scale=2.0):
    optimizer.zero_grad()
    loss = (model(batch) * scale).square().mean()
    loss.backward()
    optimizer.step()
    return loss

for i in range(8):
    loss = train_step(x)
    sys.stderr.write(f"\\r{i + 1}/8")
    print(f"\\x1b[1mpass {i}\\x1b[0m")
print("goodbye", input("Name: "))
"""
TIMEOUT_MS = 60_000


@pytest.fixture
def debugged(driver, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    driver.controller.debug_here(ScriptCommand(str(path), (), sys.executable))
    driver.settle()
    return driver


def lines(driver):
    return driver.window.docks[ViewId.OUTPUT].widget().text.lines


def test_output_arrives_once_on_each_branch_and_an_input_is_asked_for(debugged, qtbot):
    view = debugged.window.docks[ViewId.OUTPUT].widget()
    debugged.window.show_view(ViewId.OUTPUT)
    debugged.controller.iterate(4)
    debugged.settle()
    qtbot.waitUntil(lambda: ("out", "pass 3") in lines(debugged), timeout=TIMEOUT_MS)
    shown = lines(debugged)  # each stream in its order; they are two terminals
    assert [text for stream, text in shown if stream == "out"][:2] == ["parameters: 4", "pass 0"]
    assert ("err", "4/8") in shown
    debugged.controller.seek(6)
    debugged.controller.apply(SetHyperparameter("lr", 0.01))
    debugged.controller.run()
    qtbot.waitUntil(lambda: ("out", "pass 7") in lines(debugged), timeout=TIMEOUT_MS)
    view.input.setText("Ada")
    view._send()
    qtbot.waitUntil(lambda: ("out", "goodbye Ada") in lines(debugged), timeout=TIMEOUT_MS)
    debugged.settle()
    out = [text for stream, text in lines(debugged) if stream == "out"]
    # main printed passes 0 to 3, and the branch from the second pass on all others
    assert [out.count(f"pass {i}") for i in range(8)] == [1, 2, 2, 2, 1, 1, 1, 1]


def test_variables_are_those_of_the_frames_where_it_is_held(debugged, qtbot):
    view = debugged.window.docks[ViewId.VARIABLES].widget()
    debugged.window.show_view(ViewId.VARIABLES)
    debugged.controller.run_to("train.py:15")
    debugged.settle()
    rows = {row[0]: row[1:] for row in view.tree.row_texts}
    assert rows["batch"] == ("16 × 3 float32", "Tensor")
    assert rows["scale"] == ("2.0", "float")
    shown = debugged.snapshot.loss
    assert float(rows["loss"][0]) == pytest.approx(shown, rel=1e-3)
    view.tree.select("batch")
    debugged.settle()
    assert view.details.array_view.heat_map.matrix_shape == (16, 3)
    view.frames.activated.emit(1)
    debugged.settle()
    outer = {row[0]: row[1:] for row in view.tree.row_texts}
    assert outer["model"] == ("", "Linear")
    assert outer["i"] == ("0", "int")
    assert np.isfinite(debugged.snapshot.loss)
    debugged.controller.seek(1)
    debugged.settle()
    assert "only where the script is held" in view.place.sentence
