"""A session keeps the names of a script's losses, optimizers and schedulers, and opens again."""

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


NAMES_THAT_PROGRAMS_CANNOT_USE = """
import torch
model = torch.nn.Linear(2, 1)
データ = torch.optim.SGD(model.parameters(), lr=0.1)
データ.zero_grad()
output = model(torch.ones(3, 2)).sum()
output.backward()
データ.step()
データ.zero_grad()
ошибка = model(torch.ones(3, 2)).sum()
ошибка.backward()
データ.step()
"""


def test_names_that_a_program_cannot_use_are_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(NAMES_THAT_PROGRAMS_CANNOT_USE, encoding="utf-8")
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 0
    debugger = Debugger.open(tmp_path / "run.gradstep")
    assert list(debugger.program.losses) == ["output", "ошибка"]
    assert list(debugger.program.optimizers) == ["データ"]


TWO_SCHEDULERS_OF_ONE_NAME = """
import torch
def train(model, optimizer, scheduler):
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(3, 2)).sum().backward()
        optimizer.step()
        scheduler.step()
models = [torch.nn.Linear(2, 1) for _ in range(2)]
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
for model, optimizer in zip(models, optimizers):
    train(model, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 2))
"""


def test_the_scheduler_of_each_optimizer_is_one_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TWO_SCHEDULERS_OF_ONE_NAME)
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 0
    debugger = Debugger.open(tmp_path / "run.gradstep")
    schedulers = debugger.program.spec.schedulers.items()
    assert {name: spec.optimizer for name, spec in schedulers} == {
        "scheduler": "optimizers_0",
        "scheduler_2": "optimizers_1",
    }
    assert debugger.findings == ()


FORWARD_BY_NAME = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(2, 4), nn.Linear(4, 1)
    def forward(self, x):
        return self.fc2(self.fc1(x).relu())
def train(net):
    net.forward(torch.ones(3, 2)).sum().backward()
first, second = Net(), Net()
train(first)
train(second)
"""


def test_a_module_that_is_reached_by_forward_is_named_by_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(FORWARD_BY_NAME)
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 0
    debugger = Debugger.open(tmp_path / "run.gradstep")
    assert list(debugger.program.modules) == [
        *("net", "net.fc1", "net.fc2"),
        *("net (2)", "net (2).fc1", "net (2).fc2"),
    ]


MODELS_OF_A_LIST = """
import torch
models = [torch.nn.Linear(2, 1) for _ in range(2)]
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
for _ in range(2):
    for optimizer in optimizers:
        optimizer.zero_grad()
    for model in models:
        model(torch.ones(3, 2)).sum().backward()
    for optimizer in optimizers:
        optimizer.step()
"""


def test_the_items_of_lists_have_the_names_of_their_places(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(MODELS_OF_A_LIST)
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 0
    debugger = Debugger.open(tmp_path / "run.gradstep")
    assert list(debugger.program.modules) == ["models.0", "models.1"]
    assert list(debugger.program.optimizers) == ["optimizers_0", "optimizers_1"]
    assert debugger.findings == ()


TENSORS_OF_A_LIST = """
import torch
weights = [torch.ones(2, 1, requires_grad=True), torch.zeros(1, requires_grad=True)]
for _ in range(2):
    (torch.ones(3, 2) @ weights[0] + weights[1]).sum().backward()
    for weight in weights:
        weight.data -= 0.1 * weight.grad
        weight.grad = None
"""


def test_raw_tensors_in_a_list_have_the_names_of_their_places(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TENSORS_OF_A_LIST)
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 0
    debugger = Debugger.open(tmp_path / "run.gradstep")
    assert sorted(debugger.program.tensors) == ["weights.0", "weights.1"]
