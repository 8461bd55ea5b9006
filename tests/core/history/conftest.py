"""A small source whose every number is known: one tensor, one loss, one optimizer."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gradstep.errors import OperationError
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad


class FakeState(dict):
    def to_tree(self):
        return dict(self)


class FakeProgram:
    """x = [1, 2], loss = sum(x ** 2 / 2), gradient x, plain gradient descent with lr 0.1."""

    def __init__(self, start=(1.0, 2.0), lr=0.1):
        self.x = SimpleNamespace(_array=np.array(start), _grad=None)
        self.tensors = {"x": self.x}
        self.losses = {"loss": None}
        self.optimizers = {"sgd": SimpleNamespace(param_groups=[{"lr": lr}], state={})}
        self.iteration = 0
        self.lr = lr
        self.runs = 0

    def run(self, operation):
        self.runs += 1
        effect = getattr(self, "_" + type(operation).__name__.lower())()
        if isinstance(operation, Step):
            self.iteration += 1
        return effect

    def _zerograd(self):
        self.x._grad = None
        return _effect(writes=("x.grad",))

    def _forward(self):
        value = float((self.x._array**2).sum() / 2)
        self.losses["loss"] = SimpleNamespace(_array=np.array(value))
        return _effect(("x",), ("loss", "loss.graph"), loss=value, rows=(self.iteration % 4, 7))

    def _backward(self):
        if self.losses["loss"] is None:
            raise OperationError("loss has not been computed", "press Forward first")
        before = 0.0 if self.x._grad is None else self.x._grad._array
        self.x._grad = SimpleNamespace(_array=self.x._array + before)
        self.losses["loss"] = None
        return _effect(("loss.graph",), ("x.grad", "loss.graph"))

    def _step(self):
        if self.x._grad is None:
            return _effect(message="nothing to step")
        self.x._array -= self.lr * self.x._grad._array
        return _effect(("x", "x.grad", "sgd/lr"), ("x",))

    unrecorded = frozenset()

    def output_losses(self):
        return {}

    def follow(self, branch):
        """Compute what it does on every branch."""

    def capture(self):
        loss = self.losses["loss"]
        return FakeState(
            x=self.x._array.copy(),
            grad=None if self.x._grad is None else self.x._grad._array.copy(),
            loss=None if loss is None else float(loss._array),
            iteration=self.iteration,
        )

    def restore(self, state):
        self.x._array[...] = state["x"]
        grad = state["grad"]
        self.x._grad = None if grad is None else SimpleNamespace(_array=grad.copy())
        loss = state["loss"]
        self.losses["loss"] = None if loss is None else SimpleNamespace(_array=np.array(loss))
        self.iteration = state["iteration"]

    def load_state(self, state, parts):
        iteration = self.iteration
        self.restore(state)
        self.iteration = iteration
        return _effect(writes=("x", "x.grad"), message=f"loaded {len(parts)} parts")


def _effect(reads=(), writes=(), loss=None, rows=None, message=""):
    return SimpleNamespace(
        reads=reads, writes=writes, loss=loss, rows=rows, message=message, parts=()
    )


LOOP = (ZeroGrad("sgd"), Forward(), Backward(), Step("sgd"))


@pytest.fixture
def program():
    return FakeProgram()


@pytest.fixture
def loop():
    return LOOP


@pytest.fixture(scope="session")
def make_program():
    return FakeProgram
