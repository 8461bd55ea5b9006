"""The learning rate that a script gives, and that a loaded state replaces."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.loaded_rates import given_rate
from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import changed

CODE = """opt = SGD(net.parameters(), {})
opt.load_state_dict(saved)
"""


@pytest.mark.parametrize(
    ("code", "rate"),
    [
        (CODE.format("lr=0.5"), 0.5),
        (CODE.format("0.5"), 0.5),
        (f"RATE = 1e-3\n{CODE.format('lr=RATE')}", 1e-3),
        (CODE.format("lr=args.rate"), None),
        (f"RATE = 1e-3\nRATE = 1e-4\n{CODE.format('lr=RATE')}", None),
        (CODE.format("momentum=0.9"), None),
        (CODE.format("lr=0.5").replace("opt.load", "net.load"), None),
        (f"{CODE.format('lr=0.5')}opt.param_groups[0]['lr'] = 0.1\n", None),
        (f"opt = SGD(a, lr=1)\nopt.load_state_dict(b)\n{CODE.format('lr=0.5')}", None),
        (f"opt = SGD(a, lr=1)\n{CODE.format('lr=0.5')}", 0.5),
        (f"def build():\n    opt = SGD(a, lr=1)\n{CODE.format('lr=0.5')}", 0.5),
        ("self.opt = SGD(a, lr=1)\nself.opt.load_state_dict(b)\n", 1.0),
    ],
)
def test_the_rate_is_that_of_the_optimizer_that_loads_a_state(code, rate):
    found = given_rate({"train.py": code}, "opt")
    assert (None if found is None else found.rate) == rate


@pytest.mark.parametrize("name", ["opt", "self.opt"])
def test_the_rate_is_set_again_after_the_state_is_loaded(name):
    code = f"def resume(self):\n    {name} = SGD(a, lr=RATE)\n    {name}.load_state_dict(b)\n"
    named = Named(optimizer="opt")
    assert changed("learning-rate-loaded", code, 3, named=named) == [
        f"+    for group in {name}.param_groups:",
        '+        group["lr"] = RATE',
    ]
    assert changed("learning-rate-loaded", code, 2, named=named) == []
