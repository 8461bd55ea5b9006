"""Two optimizers that a script knows by one name are two in its session, which opens again."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep_gui.cli import main

pytestmark = pytest.mark.slow

TWO_OF_ONE_NAME = """
import torch
def build():
    model = torch.nn.Linear(2, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)
def train(model, optimizer):
    optimizer.zero_grad()
    model(torch.ones(3, 2)).sum().backward()
    optimizer.step()
first, second = build(), build()
train(*first)
train(*second)
"""


def test_the_session_of_two_optimizers_of_one_name_opens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TWO_OF_ONE_NAME)
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 0
    debugger = Debugger.open(tmp_path / "run.gradstep")
    assert list(debugger.program.optimizers) == ["optimizer", "optimizer_2"]
