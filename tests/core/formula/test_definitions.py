"""Every symbol that an explanation shows is defined."""

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.formula import definition
from gradstep.formula.symbols import _PLAIN, _TIMED
from gradstep.program.document.codec import decode

CASES = {
    "SGD": {"momentum": 0.9, "weight_decay": 0.01, "nesterov": True, "lr": 0.1},
    "Adam": {"amsgrad": True, "weight_decay": 0.1},
    "AdamW": {},
    "Adamax": {"weight_decay": 0.1},
    "Adadelta": {"weight_decay": 0.1},
    "Adafactor": {},
    "Adagrad": {"weight_decay": 0.1},
    "ASGD": {"weight_decay": 0.1},
    "Muon": {},
    "NAdam": {"decoupled_weight_decay": True, "weight_decay": 0.1},
    "RAdam": {"weight_decay": 0.1},
    "RMSprop": {"centered": True, "momentum": 0.9, "weight_decay": 0.1},
    "Rprop": {},
}


@pytest.mark.parametrize("name", sorted({*_PLAIN, *_TIMED}))
def test_every_name_with_a_symbol_is_defined(name):
    assert definition(name)


@pytest.mark.parametrize(("kind", "options"), CASES.items(), ids=CASES)
def test_every_name_in_an_explanation_is_defined(kind, options):
    document = {
        "gradstep": 1,
        "tensors": {"x": {"value": [[1.0, 2.0], [3.0, 4.0]], "requires_grad": True}},
        "losses": {"loss": {"expression": "sum(x * x)"}},
        "optimizers": {"optimizer": {"kind": kind, "params": ["x"], **options}},
    }
    debugger = Debugger(decode(json.dumps(document).encode()))
    debugger.iterate(3)
    rules = [rule for term in debugger.explain("x").terms for rule in term.rules]
    assert rules
    names = {name for rule in rules for name in (rule.makes, *rule.names)} - {""}
    assert {name for name in names if not definition(name)} == set()
