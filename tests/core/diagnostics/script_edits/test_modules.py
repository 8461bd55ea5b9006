"""How a changed script freezes modules, and keeps their state."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.modules import plain_tensors
from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import changed


@pytest.mark.parametrize(
    ("name", "attribute", "line", "expected"),
    [
        ("net.a", "requires_grad", "net.a.requires_grad = False", "net.a.requires_grad_(False)"),
        ("net.a", "requires_grad", "self.a.requires_grad = False", "self.a.requires_grad_(False)"),
        ("net.a", "requires_grad", "net.b.requires_grad = False", None),
        ("net.a", "requires_grad", "net.a.requires_grad = x", None),
        ("net.a.weight", "require_grad", "p.require_grad = False", "p.requires_grad_(False)"),
        ("net.a.weight", "require_grad", "p.require_grad = q.require_grad = False", None),
        ("net.a.weight", "require_grad", "p.require_grad = \\\n False", None),
    ],
)
def test_what_was_to_be_frozen_is_frozen(name, attribute, line, expected):
    named = Named(modules=(name,), attribute=attribute)
    lines = changed("freeze-without-effect", f"{line}\nopt.step()\n", 1, named=named)
    assert [one[1:] for one in lines if one[0] == "+"] == ([] if expected is None else [expected])


KEPT = """import torch
for x in data:
    if model(x) < best:
        self.best = model.state_dict()
model.load_state_dict(self.best)
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (KEPT, ["import copy", "        self.best = copy.deepcopy(model.state_dict())"]),
        (f"import copy\n{KEPT}", ["        self.best = copy.deepcopy(model.state_dict())"]),
        (f"import copy as c\n{KEPT}", ["        self.best = c.deepcopy(model.state_dict())"]),
        (
            f"from copy import deepcopy\n{KEPT}",
            ["        self.best = deepcopy(model.state_dict())"],
        ),
        (KEPT.replace("import torch\n", ""), None),
        (KEPT.replace("self.best =", "best ="), None),
        (KEPT + "self.best = model.state_dict()\n", None),
        (KEPT.replace("(self.best)", "(model.state_dict())"), None),
    ],
)
def test_a_state_is_copied_where_it_is_kept(code, expected):
    line = next(n for n, one in enumerate(code.splitlines(), 1) if "load_state_dict" in one)
    lines = changed("state-not-copied", code, line)
    assert [one[1:] for one in lines if one[0] == "+"] == (expected or [])


LAYER = """from torch import nn

class Layer(nn.Module):
    def __init__(self):
        self.w = torch.randn(4, requires_grad=True)
        self.b = {}
"""


@pytest.mark.parametrize(
    ("names", "made", "lines"),
    [
        (["model.w"], "nn.Parameter(torch.zeros(4))", [5]),
        (["model.w", "model.b"], "torch.zeros(4).requires_grad_()", [5, 6]),
        (["model.w", "model.b"], "nn.Parameter(torch.zeros(4))", []),
        (["model.b"], "torch.zeros(4)", []),
        (["model.c"], "torch.zeros(4)", []),
    ],
)
def test_tensors_that_are_to_learn_become_parameters(names, made, lines):
    code = LAYER.format(made)
    found = plain_tensors({"train.py": code}, names)
    assert found == (f"train.py:{lines[0]}" if lines else "")
    edit = changed("parameters-left-out", code, 6, named=Named(unheld=tuple(names)))
    added = [line.strip() for line in edit if line[0] == "+"]
    old = [code.splitlines()[number - 1].strip().partition(" = ") for number in lines]
    assert [line[1:].strip() for line in added] == [
        f"{target} = nn.Parameter({value})" for target, _, value in old
    ]
