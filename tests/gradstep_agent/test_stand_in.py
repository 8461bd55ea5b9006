"""With the stand-in, scripts run without PyTorch, and the agent sees what it sees with PyTorch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.gradstep_agent.client import ROOT, plain, record
from tests.gradstep_agent.test_scripts import ARGUMENTS, EXPECTED, GIVEN, SCRIPTS

pytestmark = pytest.mark.slow

WITHOUT = {
    *(
        "scaler",
        "mixed_precision",
        "checkpointed_activations",
        "weight_normalized",
    ),  # it lacks them
    *(
        "meta_learning",
        "gradients_of_samples",
        "transformed_functions",
    ),  # no transforms of functions
    "shapes_first",  # nor tensors without elements
    *("ensemble_of_vmap", "float64_and_complex", "gpt_from_scratch", "inference_tensors"),
    "inside_of_torch",  # nor fx, amp, complex numbers, or the meta device
    "loader_workers",  # it loads data without workers, so the agent sees what they do
}

POSTED = Path(__file__).parents[1] / "gradstep_torch" / "scripts"
OF_SIXTY = (
    "from_scratch",
    "gan",
    "images",
    "maml",
    "own_optimizer",
    "resume",
    "transformer",
    "vae",
)


@pytest.mark.parametrize("name", sorted(EXPECTED.keys() - WITHOUT))
def test_a_script_does_the_same_operations_as_with_torch(name):
    words, given = ARGUMENTS.get(name, ()), GIVEN.get(name, "")
    run = record(SCRIPTS / f"{name}.py", *words, given=given, stand_in=True)
    assert run.of("failed") == []
    assert (run.counts(), run.iterations, run.epochs) == EXPECTED[name]


@pytest.mark.parametrize("name", OF_SIXTY)
def test_a_script_prints_what_it_prints_with_torch(name):
    run = record(POSTED / f"{name}.py", stand_in=True)
    assert run.of("failed") == []
    assert (run.status, run.err) == (0, "")
    out = re.sub(r"gradstep(_torch)?\.", "torch.", run.out)
    assert out == (POSTED / f"{name}.txt").read_text()


TRAINING = """
import {0} as torch
from {0}.nn import functional as F
from {0}.nn.utils import clip_grad_norm_
from {0}.optim import lr_scheduler
torch.manual_seed(3)
x = torch.randn(32, 4)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = lr_scheduler.ExponentialLR(optimizer, 0.9)
for _ in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    print(loss.item().hex(), model[0].weight.sum().item().hex())
"""


@pytest.mark.parametrize("level", ["events", "series", "full"])
def test_a_recorded_script_computes_the_same_bits_as_alone(tmp_path, level):
    alone, script = tmp_path / "alone.py", tmp_path / "train.py"
    alone.write_text(TRAINING.format("gradstep_torch"))
    script.write_text(TRAINING.format("torch"))
    run = record(script, stand_in=True, level=level)
    assert run.out == plain(alone, env={"PYTHONPATH": str(ROOT / "core")}).out
    kinds = ("zero_grad", "forward", "backward", "clip_grad_norm", "step", "scheduler_step")
    assert run.counts() == dict.fromkeys(kinds, 5)
    assert [event.loss.hex() for event in run.events if event.kind == "backward"] == [
        line.split()[0] for line in run.out.splitlines()
    ]


def test_the_graph_and_the_arrays_of_a_step_are_sent(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(TRAINING.format("torch"))
    run = record(script, stand_in=True)
    (graph,) = run.of("graph")
    assert [node[1] for node in graph["nodes"][:2]] == ["MseLossBackward0", "AddmmBackward0"]
    leaves = {node[3] for node in graph["nodes"] if node[3]}
    assert leaves == {f"model.{n}.{part}" for n in (0, 2) for part in ("weight", "bias")}
    step = next(event for event in run.events if event.kind == "step")
    assert len(step.arrays["model.0.weight"]) == 8 * 4 * 4
    assert "optimizer/model.0.weight/exp_avg" in step.arrays


def test_a_script_that_says_gradstep_torch_is_seen_too(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "core"))
    script = tmp_path / "train.py"
    script.write_text(TRAINING.format("gradstep_torch"))
    assert record(script).counts()["step"] == 5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import torch.fft", "No module named 'torch.fft': the stand-in for PyTorch lacks it"),
        ("from torch import compile", "module 'torch' has no attribute 'compile': the stand-in"),
        ("from torch.nn import Conv4d", "'Conv4d': the stand-in for PyTorch lacks it; did you"),
        ("import torch.nn as nn; nn.Conv4d(1)", "'Conv4d': the stand-in for PyTorch lacks it"),
        ("import torch; torch.ones(1).sparse_mask", "has no attribute 'sparse_mask'; GradStep has"),
    ],
)
def test_what_the_stand_in_lacks_is_named_at_the_line_that_uses_it(tmp_path, line, message):
    script = tmp_path / "train.py"
    script.write_text(f"x = 1\n{line}\n")
    run = record(script, stand_in=True)
    assert run.status == 1
    assert f'File "{script}", line 2, in <module>' in run.err
    assert message in run.err.splitlines()[-1]


def test_a_script_can_ask_what_there_is(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import importlib.util\n"
        "print(importlib.util.find_spec('torch') is not None)\n"
        "import torch\n"
        "print(hasattr(torch, 'compile'), hasattr(torch, 'cat'), torch.cuda.is_available())\n"
        "from torch.nn.functional import relu\n"
        "import torch.utils.data as data\n"
        "print(data is torch.utils.data)\n"
        "model = torch.nn.Linear(2, 1)\n"
        "model(torch.ones(3, 2)).sum().backward()\n"
    )
    run = record(script, stand_in=True)
    assert (run.out, run.err) == ("True\nFalse True False\nTrue\n", "")
    assert run.counts() == {"forward": 1, "backward": 1}


def test_models_in_a_list_give_their_tensors_its_name_and_their_place(tmp_path):
    script = tmp_path / "ensemble.py"
    script.write_text(
        "import itertools, torch\n"
        "models = [torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)]\n"
        "heads = {'left': torch.nn.Linear(2, 1, bias=False)}\n"
        "parts = [*models, *heads.values()]\n"
        "weights = itertools.chain(*(each.parameters() for each in parts))\n"
        "optimizer = torch.optim.SGD(weights, lr=0.1)\n"
        "x = torch.ones(4, 2)\n"
        "loss = sum(each(x).sum() for each in models) + heads['left'](x).sum()\n"
        "loss.backward()\n"
        "optimizer.step()\n"
    )
    run = record(script, stand_in=True)
    names = {frame["name"] for frame in run.of("tensor")}
    parts = [f"models[{n}].{part}" for n in (0, 1) for part in ("weight", "bias")]
    assert names == {*parts, "parts[2].weight"}
    step = next(event for event in run.events if event.kind == "step")
    assert names <= set(step.arrays)


def test_an_optimizer_that_follows_another_of_its_name_has_its_own_if_it_differs(tmp_path):
    script = tmp_path / "phases.py"
    script.write_text(
        "import torch\n"
        "a, b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)\n"
        "def train(opt):\n"
        "    opt.zero_grad()\n"
        "    (a(torch.ones(4, 2)) + b(torch.ones(4, 2))).sum().backward()\n"
        "    opt.step()\n"
        "train(torch.optim.SGD(a.parameters(), lr=0.1))\n"
        "train(torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1))\n"
        "train(torch.optim.SGD([{'params': m.parameters()} for m in (b, a)], lr=0.1))\n"
        "train(torch.optim.Adam(a.parameters(), lr=0.1))\n"
        "train(torch.optim.SGD(a.parameters(), lr=0.1))\n"
    )
    steps = [event for event in record(script, stand_in=True).events if event.kind == "step"]
    names = [event.place["target"] for event in steps]
    assert names == ["opt", "opt (2)", "opt (3)", "opt (4)", "opt"]


def test_a_loop_whose_variable_was_given_a_result_is_named(tmp_path):
    script = tmp_path / "loop.py"
    script.write_text(
        "import torch\n"
        "model = torch.nn.Linear(2, 1)\n"
        "model(torch.ones(4, 2)).sum().backward()\n"
        "with torch.no_grad():\n"
        "    for p in model.parameters():\n"
        "        p = p - 0.1 * p.grad\n"
        "        p.grad.zero_()\n"
    )
    run = record(script, stand_in=True)
    notices = [(frame["what"], frame["name"], frame["target"]) for frame in run.of("noticed")]
    assert (run.status, notices) == (1, [("rebound", "p", "")])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("model[0].requires_grad = False", [("model.0", "requires_grad")]),
        ("model.requires_grad = False", [("model", "requires_grad")]),
        ("model[0].requires_grad = False; model[0].requires_grad_(False)", []),
        ("model[0].requires_grad = True", []),
        ("for p in model[0].parameters(): p.requires_grad = False", []),
    ],
)
def test_freezing_that_has_no_effect_is_noticed_once(tmp_path, line, expected):
    script = tmp_path / "frozen.py"
    script.write_text(
        "import torch\n"
        "model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))\n"
        f"{line}\n"
        "for _ in range(9):\n"
        "    model(torch.ones(4, 2)).sum().backward()\n"
    )
    run = record(script, stand_in=True)
    found = [(one["name"], one["target"]) for one in run.of("noticed") if one["what"] == "unfrozen"]
    assert (run.status, found) == (0, expected)
