"""A session with something of everything, and a way to compare two."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gradstep.history.event import Event, Outcome
from gradstep.history.finding import Finding
from gradstep.program import document
from gradstep.program.operation import Backward, Forward, SetHyperparameter, Step, ZeroGrad
from gradstep.session.record import Session, SessionBranch

SPEC = document.decode(
    b"""{"gradstep": 1, "name": "tiny",
    "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
    "losses": {"loss": {"expression": "sum(100 * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}"""
)

OPERATIONS = (ZeroGrad(), Forward(), Backward(), Step(), SetHyperparameter("betas", [0.9, 0.99]))


def some_events(count, first=1):
    return [
        Event(
            index,
            index // 4,
            OPERATIONS[index % 5],
            Outcome() if index % 7 else Outcome(False, "TensorError", "no graph", "Forward first"),
            ("x", "x.grad"),
            ("x",) if index % 2 else (),
            index * 2654435761 % 2**32,
            [None, 0.5, math.inf, -0.0][index % 4],
            None if index % 3 else (index, index + 1),
        )
        for index in range(first, first + count)
    ]


def some_tree(seed=0):
    rng = np.random.default_rng(seed)
    return {
        "tensors": {"x": rng.normal(size=(2, 3)).astype("f4"), "y": None, "scalar": np.array(2.0)},
        "generator": {"key": rng.integers(0, 2**32, 624, dtype="u4"), "position": 2**100},
        "order": [3, 1, 2],
        "betas": (0.9, (0.99, math.inf)),
        "step": np.float32(3),
        "empty": np.zeros((0, 4)),
        "by number": {0: True, 1: False},
        "raw": b"\x00\xff",
    }


@pytest.fixture
def session():
    return Session(
        spec=SPEC,
        files={"data/a.csv": b"x,y\n1,2\n"},
        branches=(
            SessionBranch(
                events=some_events(10),
                checkpoints={0: some_tree(0), 10: some_tree(1)},
                series={"loss/loss": np.array([1.0, math.nan], "f4"), "event": np.arange(3)},
            ),
            SessionBranch(1, 0, 4, "what if", some_events(3, first=5)),
        ),
        branch=1,
        position=6,
        breakpoints=("loss < 0.1", "iteration == 40"),
        watches=("norm(grad('x'))",),
        findings=(
            Finding(
                "step-without-grad",
                "fact",
                "nothing to step",
                "x.grad is None",
                "Backward",
                (4,),
                ("x",),
                math.nan,
            ),
        ),
        layout=b"\x01\x02",
    )


@pytest.fixture
def saved(tmp_path, session):
    from gradstep.session.store import write

    path = Path(tmp_path, "a session.gradstep")
    write(path, session)
    return path


def plain(value):
    """Return a value in which arrays and floats are their bytes, so that == is bit for bit."""
    if isinstance(value, np.ndarray | np.generic):
        return (type(value), value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, list | tuple):
        return type(value)(plain(item) for item in value)
    if hasattr(value, "items"):
        return {key: plain(item) for key, item in value.items()}
    fields = getattr(value, "__struct_fields__", None) or getattr(value, "__slots__", None)
    if fields:
        return {name: plain(getattr(value, name)) for name in fields}
    return value


@pytest.fixture
def same():
    """Assert that two records are equal bit for bit."""

    def compare(actual, expected):
        assert plain(actual) == plain(expected)

    return compare


@pytest.fixture
def events():
    return some_events


@pytest.fixture
def tree():
    return some_tree
