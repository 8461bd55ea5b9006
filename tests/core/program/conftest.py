"""Programs that many tests run, and the state of a program in a form that can be compared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gradstep.errors import GradStepError
from gradstep.program.document.codec import decode
from gradstep.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.program.operation import Operation

SMALLEST: dict[str, Any] = {
    "gradstep": 1,
    "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(100 * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
}
HEADS: dict[str, Any] = {
    "gradstep": 1,
    "data": {
        "a": {"kind": "moons", "samples": 30, "batch_size": 8, "shuffle": True},
        "b": {"kind": "circles", "samples": 12, "batch_size": 5},
    },
    "modules": {
        "trunk": [
            {"kind": "Linear", "in_features": 2, "out_features": 5},
            {"kind": "Tanh"},
            {"kind": "Dropout", "p": 0.25},
        ],
        "head_a": [{"kind": "Linear", "in_features": 5, "out_features": 1}],
        "head_b": [{"kind": "Linear", "in_features": 5, "out_features": 1}],
    },
    "tensors": {"x": {"value": [0.5, -1.5], "requires_grad": True}},
    "losses": {
        "loss_a": {
            "data": "a",
            "chain": ["trunk", "head_a"],
            "criterion": {"kind": "BCEWithLogitsLoss"},
        },
        "loss_b": {"data": "b", "chain": ["trunk", "head_b"], "criterion": {"kind": "MSELoss"}},
        "penalty": {"expression": "sum(x ** 2) + mean(tensor('trunk.0.weight') ** 2)"},
    },
    "optimizers": {
        "first": {"kind": "Adam", "params": ["trunk.*", "head_a.*"], "lr": 0.01},
        "second": {"kind": "SGD", "params": ["head_b.*", "x"], "lr": 0.05, "momentum": 0.9},
    },
    "loop": [
        {"op": "zero_grad", "optimizer": "first"},
        {"op": "forward", "loss": "loss_a"},
        {"op": "backward", "loss": "loss_a"},
        {"op": "forward", "loss": "loss_b", "every": 3},
        {"op": "backward", "loss": "loss_b", "every": 3},
        {"op": "forward", "loss": "penalty", "every": 2},
        {"op": "backward", "loss": "penalty", "every": 2},
        {"op": "step", "optimizer": "first"},
        {"op": "step", "optimizer": "second", "every": 2},
        {"op": "zero_grad", "optimizer": "second", "every": 2},
    ],
}


def build(tree: dict[str, Any], **changes: Any) -> Program:
    """Build a program from a document given as plain data, with some fields replaced."""
    return Program.from_spec(decode(json.dumps({**tree, **changes}).encode()))


def state_for_comparison(program: Program) -> Any:
    """Return the whole state of a program, with arrays as bytes, to be compared by ==."""
    return _plain(program.capture().to_tree())


def play(program: Program, operations: Iterable[Operation]) -> list[Any]:
    """Run operations, including failing ones; return the effect of each and the state after it."""
    trace = []
    for operation in operations:
        try:
            done: Any = program.run(operation)
        except GradStepError as error:
            done = str(error)
        trace.append((operation, done, state_for_comparison(program), program.next_operation))
    return trace


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, str(value.dtype), value.tobytes()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


@pytest.fixture
def smallest() -> Program:
    """x = [1, 2], loss = sum(100 x), SGD."""
    return build(SMALLEST)


@pytest.fixture
def heads() -> Program:
    """One trunk with dropout, two heads, shuffled data, a penalty, two optimizers."""
    return build(HEADS)


@pytest.fixture(scope="session")
def make() -> Callable[..., Program]:
    """Return a function that builds a program from plain data."""
    return build


@pytest.fixture(scope="session")
def documents() -> dict[str, dict[str, Any]]:
    """Documents as plain data, by name."""
    return {"smallest": SMALLEST, "heads": HEADS}


@pytest.fixture(scope="session")
def traced() -> Callable[[Program, Iterable[Operation]], list[Any]]:
    """Return a function that runs operations and returns their effects and states."""
    return play


@pytest.fixture(scope="session")
def comparable_state() -> Callable[[Program], Any]:
    """Return a function that returns a program's whole state in a form that can be compared."""
    return state_for_comparison
