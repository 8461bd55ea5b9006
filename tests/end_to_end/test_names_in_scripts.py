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


ONE_OF_A_LIST = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Linear(4, 1))
optimizers = [torch.optim.SGD(part.parameters(), lr=0.1) for part in model]
for _ in range(20):
    model.zero_grad()
    model(torch.ones(3, 2)).pow(2).mean().backward()
    optimizers[1].step()
"""


def test_what_an_optimizer_in_a_list_holds_is_known_though_it_never_steps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(ONE_OF_A_LIST)
    main(["record", "--stand-in", "-o", "run.gradstep", "train.py"])
    debugger = Debugger.open(tmp_path / "run.gradstep")
    debugger.seek(len(debugger.events))
    assert debugger.snapshot.parameters["model.0.weight"].held_by == ("optimizers[0]",)
    assert "no optimizer holds" not in "".join(finding.detail for finding in debugger.findings)


def test_the_session_of_two_optimizers_of_one_name_opens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TWO_OF_ONE_NAME)
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 0
    debugger = Debugger.open(tmp_path / "run.gradstep")
    assert list(debugger.program.optimizers) == ["optimizer", "optimizer (2)"]


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
        "scheduler": "optimizers[0]",
        "scheduler (2)": "optimizers[1]",
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
    assert list(debugger.program.modules) == ["models[0]", "models[1]"]
    assert list(debugger.program.optimizers) == ["optimizers[0]", "optimizers[1]"]
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
    assert sorted(debugger.program.tensors) == ["weights[0]", "weights[1]"]


MISTAKES_IN_LISTS = """
import torch
from torch import nn

class Trainer:
    def __init__(self):
        self.models = [nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5)) for _ in range(2)]
        self.opts = [torch.optim.SGD(m.parameters(), lr=0.01, momentum=0.9) for m in self.models]

    def fit(self, x):
        for _ in range(3):
            loss = self.models[0](x).pow(2).sum()
            loss.backward()
            self.opts[0].step()

nets = {"gen": nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5)), "layer1.conv": nn.Linear(4, 1)}
adam = {'all': torch.optim.Adam([*nets["gen"].parameters(), *nets["layer1.conv"].parameters()])}
scales = (torch.ones(2, requires_grad=True), torch.ones((), requires_grad=True))
x = torch.ones(3, 2)
Trainer().fit(x)
for epoch in range(3):
    for _ in range(2):
        adam['all'].zero_grad()
        loss = nets["layer1.conv"](nets["gen"](x * scales[0]) * scales[1]).pow(2).sum()
        loss.backward()
        adam['all'].step()
        for scale in scales:
            scale.data -= 0.1 * scale.grad
            scale.grad = None
    nets["gen"].eval()
    nets["gen"](x)
"""


def test_findings_on_what_lists_hold_say_what_the_script_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(MISTAKES_IN_LISTS)
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 1
    added_up, left_in_eval = Debugger.open(tmp_path / "run.gradstep").findings
    assert (added_up.id, left_in_eval.id) == ("grad-accumulated", "mode-left-eval")
    assert "used .grad of models[0].0.weight and models[0].0.bias" in added_up.detail
    assert "(train.py:13): call opts[0].zero_grad(). " in added_up.remedy
    assert "+            self.opts[0].zero_grad()" in added_up.edit.splitlines()
    assert left_in_eval.detail.startswith('nets["gen"] was put in evaluation mode')
    assert left_in_eval.remedy.startswith('Call nets["gen"].train() after an evaluation')
    assert '+    nets["gen"].train()' in left_in_eval.edit.splitlines()
    capsys.readouterr()
    assert main(["report", "run.gradstep"]) == 1
    printed = capsys.readouterr().out
    assert 'Call nets["gen"].train() after an evaluation' in printed
    for old in ("models.0", "opts_0", "nets.gen", "nets_gen", "adam_all"):
        assert old not in printed


def test_a_session_keeps_the_names_of_places_in_all_that_is_read_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(MISTAKES_IN_LISTS)
    main(["record", "--stand-in", "-o", "run.gradstep", "train.py"])
    debugger = Debugger.open(tmp_path / "run.gradstep")
    debugger.watch('nets["layer1.conv"].weight.grad.norm() + scales[0].sum() + scales[1]')
    debugger.save(tmp_path / "again.gradstep")
    debugger = Debugger.open(tmp_path / "again.gradstep")
    assert {*debugger.program.optimizers} == {"opts[0]", "opts[1]", 'adam["all"]'}
    nets = {'nets["gen"]', 'nets["layer1.conv"]'}
    assert {*debugger.program.modules} == {"models[0]", "models[1]", *nets}
    debugger.seek(len(debugger.events))
    tensors = debugger.program.tensors
    gradient = tensors['nets["layer1.conv"].weight'].grad.norm().item()
    value = gradient + tensors["scales[0]"].sum().item() + tensors["scales[1]"].item()
    assert debugger.watches[0].value == pytest.approx(value)
    step = debugger.who_changed('adam["all"]/nets["gen"].0.weight/exp_avg')
    assert step == debugger.who_changed('nets["gen"].0.weight')
    debugger.seek(step)
    change = debugger.explain('nets["gen"].0.weight')
    assert (change.optimizer, change.parameter) == ("Adam", 'nets["gen"].0.weight')


HELD_BY_OBJECTS = """
import torch
from torch import nn

class Agent:
    def __init__(self):
        self.policy = nn.Linear(2, 1)
        self.opts = {"policy": torch.optim.SGD(self.policy.parameters(), lr=0.1)}
        self.temperature = torch.ones((), requires_grad=True)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2)]
        self.head = nn.Linear(2, 1)

    def forward(self, x):
        return self.head(self.layers[0](x))

agents, first, net = [Agent(), Agent()], Agent(), Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(3, 2)
for _ in range(3):
    for agent in agents:
        agent.opts["policy"].zero_grad()
        (agent.policy(x) * agent.temperature).sum().backward()
        agent.opts["policy"].step()
    first.policy(x).sum().backward()
    first.opts["policy"].step()
    first.opts["policy"].zero_grad()
    optimizer.zero_grad()
    net(x).sum().backward()
    optimizer.step()
"""


def test_what_objects_hold_has_the_names_of_their_attributes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(HELD_BY_OBJECTS)
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 1
    debugger = Debugger.open(tmp_path / "run.gradstep")
    held = [f'{agent}.opts["policy"]' for agent in ("agents[0]", "agents[1]", "first")]
    assert {*debugger.program.optimizers} == {*held, "optimizer"}
    tensors = list(debugger.program.tensors)
    assert {"agents[1].policy.weight", "agents[1].temperature", "first.policy.bias"} <= {*tensors}
    assert not [name for name in tensors if name.startswith("tensor")]
    (orphans,) = debugger.findings
    assert {"net.layers[0].weight", "net.layers[0].bias"} == {*orphans.subjects}
    assert "make net.layers an nn.ModuleList" in orphans.remedy
    assert "+        self.layers = nn.ModuleList([nn.Linear(2, 2)])" in orphans.edit.splitlines()


ODD_KEYS = """
import torch
keys = ['say "a"', "it's", "a.b/c[0] (2)", -1, "{größe}", "<b>&amp;", "new\\nline", "x" * 300]
nets = {key: torch.nn.Linear(2, 1) for key in keys}
opts = {key: torch.optim.SGD(nets[key].parameters(), lr=0.1, momentum=0.5) for key in keys}
def build():
    models = [torch.nn.Linear(2, 1)]
    return models, [torch.optim.SGD(models[0].parameters(), lr=0.1)]
def fit(models, steps):
    for _ in range(2):
        steps[0].zero_grad()
        models[0](x).sum().backward()
        steps[0].step()
x = torch.ones(3, 2)
for _ in range(2):
    for key in keys:
        opts[key].zero_grad()
        nets[key](x).pow(2).sum().backward()
        opts[key].step()
first, second = build(), build()
fit(*first)
fit(*second)
"""


def test_odd_and_long_keys_are_names_that_can_be_typed_as_in_the_script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(ODD_KEYS, encoding="utf-8")
    assert main(["record", "--stand-in", "-o", "run.gradstep", "train.py"]) == 0
    debugger = Debugger.open(tmp_path / "run.gradstep")
    program = debugger.program
    assert {"steps[0]", "steps[0] (2)"} <= {*program.optimizers}
    assert {"models[0]", "models[0] (2)"} <= {*program.modules}
    assert len(program.optimizers) == 10
    assert max(map(len, program.tensors)) == 160
    typed = ["'say \"a\"'", '"it\'s"', '"a.b/c[0] (2)"', "-1", '"{größe}"', "'<b>&amp;'"]
    for key in typed:
        assert debugger.watch(f"nets[{key}].weight.grad.norm()").value > 0
    for optimizer, known in program.optimizers.items():
        (group,) = known.param_groups
        weight = next(name for name, item in program.tensors.items() if item is group["params"][0])
        written = debugger.who_changed(f"{optimizer}/{weight}/momentum_buffer")
        assert (written is None) == optimizer.startswith("steps")
