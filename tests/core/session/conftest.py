"""A session that has every kind of content, and a comparison of two sessions."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gradstep.errors import OperationError
from gradstep.history.history import Branch, History
from gradstep.history.records.event import Event, Outcome
from gradstep.history.records.finding import (
    BranchFindings,
    Finding,
    FindingRecord,
    packed_indices,
)
from gradstep.history.records.lesson import LessonState, Prediction
from gradstep.program.document import codec
from gradstep.program.operation import Backward, Forward, SetHyperparameter, Step, ZeroGrad
from gradstep.session.record import Session, SessionBranch
from gradstep.session.series_rows import SeriesRows

SPEC = codec.decode(
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
                series=SeriesRows(
                    ("loss/loss", "norm/x"),
                    np.array([[0, 0], [4, 1]]),
                    np.array([[math.nan, 2.5], [1.0, -0.0]], "f4"),
                ),
            ),
            SessionBranch(1, 0, 4, "what if", some_events(3, first=5)),
        ),
        branch=1,
        position=6,
        breakpoints=("loss < 0.1", "iteration == 40"),
        watches=("norm(grad('x'))",),
        findings=(
            BranchFindings(
                1,
                6,
                (
                    FindingRecord("step-without-grad", ("x",), (4,), indices=packed_indices([4])),
                    FindingRecord(
                        *("frozen-but-moved", ("x",), (3, 4), "note", math.nan, 0.5, "Step"),
                        ((3, 5), (6,)),
                        packed_indices([4, 5, 6]),
                    ),
                ),
                (Finding("a-fact", "fact", "nothing to step", "detail", "Backward", (4,), ("x",)),),
            ),
        ),
        layout=b"\x01\x02",
        lesson=LessonState(
            "01", "{}", (0, 1), None, "None", predictions=(Prediction("01", 1, "?", "7", False),)
        ),
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


LOOP = (ZeroGrad("sgd"), Forward(), Backward(), Step("sgd"))


class State(dict):
    def to_tree(self):
        return dict(self)


class Program:
    """x = [1, 2], loss = sum(x ** 2 / 2), the gradient is x; gradient descent with lr 0.1."""

    def __init__(self, start=(1.0, 2.0), drift=0.0):
        self.x = SimpleNamespace(_array=np.array(start), _grad=None)
        self.tensors = {"x": self.x}
        self.losses = {"loss": None}
        self.optimizers = {"sgd": SimpleNamespace(param_groups=[{"lr": 0.1}], state={})}
        self.iteration = 0
        self.drift = drift

    unrecorded = frozenset()

    def output_losses(self):
        return {}

    def run(self, operation):
        return getattr(self, "_" + type(operation).__name__.lower())()

    def _zerograd(self):
        self.x._grad = None
        return effect(writes=("x.grad",))

    def _forward(self):
        value = float((self.x._array**2).sum() / 2)
        self.losses["loss"] = SimpleNamespace(_array=np.array(value))
        return effect(("x",), ("loss", "loss.graph"), loss=value, rows=(self.iteration % 4, 7))

    def _backward(self):
        if self.losses["loss"] is None:
            raise OperationError("loss has not been computed", "press Forward first")
        self.x._grad = SimpleNamespace(_array=self.x._array + self.drift)
        self.losses["loss"] = None
        return effect(("loss.graph",), ("x.grad", "loss.graph"))

    def _step(self):
        self.x._array -= 0.1 * self.x._grad._array
        self.iteration += 1
        return effect(("x", "x.grad", "sgd/lr"), ("x",))

    def follow(self, branch):
        """Compute what it does on every branch."""

    def capture(self):
        loss, grad = self.losses["loss"], self.x._grad
        return State(
            x=self.x._array.copy(),
            grad=None if grad is None else grad._array.copy(),
            loss=None if loss is None else float(loss._array),
            iteration=self.iteration,
        )

    def restore(self, state):
        self.x._array[...] = state["x"]
        grad, loss = state["grad"], state["loss"]
        self.x._grad = None if grad is None else SimpleNamespace(_array=grad.copy())
        self.losses["loss"] = None if loss is None else SimpleNamespace(_array=np.array(loss))
        self.iteration = state["iteration"]


def effect(reads=(), writes=(), loss=None, rows=None, message=""):
    return SimpleNamespace(
        reads=reads, writes=writes, loss=loss, rows=rows, message=message, parts=()
    )


class Engine:
    """Runs a Program and keeps its branches, as the debugger does."""

    def __init__(self):
        self.program = Program()
        self.branches = [Branch(0, None, 0, "main", History.start(self.program))]

    @property
    def history(self):
        return self.branches[-1].history

    def run(self, events):
        for _ in range(events):
            self.history.record(self.program, LOOP[len(self.history) % 4])

    def fork(self, at):
        parent = self.branches[-1]
        history = parent.history.fork(self.program, at)
        history.recorder, parent.history.recorder = parent.history.recorder, None
        self.branches.append(Branch(parent.id + 1, parent.id, at, "what if", history))

    def branch_of(self, history):
        return next(branch for branch in self.branches if branch.history is history)


@pytest.fixture
def engine():
    """A small program with a History of one branch."""
    return Engine()


@pytest.fixture
def make_program():
    return Program
