"""How a changed script freezes modules, and keeps their state."""

from __future__ import annotations

import pytest

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
