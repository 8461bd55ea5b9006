"""Which second names a script gives a network, and copies parameters between."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.aliases import alias_of
from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import changed

LOADED = "target.load_state_dict(net.state_dict())\n"
UPDATE = (
    "def update(a, b):\n    for p, q in zip(a.parameters(), b.parameters()):\n        p.add_(q)\n"
)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (f"target = net\n{LOADED}", 1),
        (f"target = net\n{UPDATE}update(target, net)\n", 1),
        (f"target = net\n{UPDATE}update(net, target)\n", 1),
        ("self.target = net\nself.target.load_state_dict(self.net.state_dict())\n", 1),
        ("target = net\nfor p, q in zip(target.parameters(), net.parameters()):\n    f(p, q)\n", 1),
        (f"target = copy.deepcopy(net)\n{LOADED}", None),
        (f"target = net\ntarget = Net()\n{LOADED}", None),
        ("target = net\ntarget.load_state_dict(saved)\n", None),
        (f"target = net\n{UPDATE}update(target, other)\n", None),
        ("target = net\nfor x, y in zip(target, net):\n    f(x, y)\n", None),
        (f"target = other\n{LOADED}", None),
        ("self.net = net\nself.net.load_state_dict(net.state_dict())\n", None),
    ],
)
def test_a_network_has_two_names_if_it_is_copied_from_one_to_the_other(code, line):
    found = alias_of({"train.py": code}, "net")
    assert (None if found is None else found.place) == (line and f"train.py:{line}")


def test_the_second_name_is_given_to_a_copy():
    code = f"import torch\n\ntarget = net\n{LOADED}"
    named = Named(modules=("target",))
    assert changed("network-aliased", code, 3, named=named) == [
        "+import copy",
        "-target = net",
        "+target = copy.deepcopy(net)",
    ]
    known = code.replace("import torch", "from copy import deepcopy\nimport torch")
    assert changed("network-aliased", known, 4, named=named)[-1] == "+target = deepcopy(net)"
    assert changed("network-aliased", code, 4, named=named) == []
