"""Programs small enough to predict, and a comparison of whole states by their bytes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.branches import Branches
from gradstep.debugger.cursor import Cursor
from gradstep.history.history import Branch, History
from gradstep.program.document.codec import decode
from gradstep.program.program import Program

LINE = {
    "gradstep": 1,
    "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(100 * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
}

NETWORK = {
    "gradstep": 1,
    "seed": 3,
    "data": {"a": {"kind": "moons", "samples": 24, "noise": 0.1, "batch_size": 8, "shuffle": True}},
    "modules": {
        "model": [
            {"kind": "Linear", "in_features": 2, "out_features": 4},
            {"kind": "ReLU"},
            {"kind": "Dropout", "p": 0.25},
            {"kind": "Linear", "in_features": 4, "out_features": 1},
        ]
    },
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 0.05}},
    "schedulers": {"decay": {"kind": "ExponentialLR", "optimizer": "optimizer", "gamma": 0.9}},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "step"},
    ],
}


def changed(base, **changes):
    return {**json.loads(json.dumps(base)), **changes}


def open_program(document):
    return Debugger(decode(json.dumps(document).encode()))


def frozen(tree):
    """Return a state as nested tuples in which an array is its dtype, shape and bytes."""
    if hasattr(tree, "to_tree"):
        tree = tree.to_tree()
    if isinstance(tree, np.ndarray):
        return str(tree.dtype), tree.shape, tree.tobytes()
    if isinstance(tree, dict):
        return tuple((key, frozen(value)) for key, value in sorted(tree.items()))
    if isinstance(tree, list | tuple):
        return tuple(frozen(value) for value in tree)
    return repr(tree)


@pytest.fixture
def cursor():
    """The cursor of the network alone, without a Debugger around it."""
    program = Program.from_spec(decode(json.dumps(NETWORK).encode()))
    return Cursor(program, Branches([Branch(0, None, 0, "main", History.start(program))]))


@pytest.fixture
def line():
    return open_program(LINE)


@pytest.fixture
def network():
    return open_program(NETWORK)


@pytest.fixture(scope="session")
def make():
    """Open a program from one of the documents above, changed."""

    def make_program(base="network", **changes):
        return open_program(changed(NETWORK if base == "network" else LINE, **changes))

    return make_program


@pytest.fixture(scope="session")
def state_of():
    return lambda debugger: frozen(debugger.program.capture())
