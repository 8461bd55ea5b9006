"""Training loops of scripts that were never run, call by call, and what is found of them."""

from __future__ import annotations

import numpy as np

from gradstep.debugger import Debugger
from gradstep.script.mirror import Mirror
from tests.core.script.sent_frames import Sent, take

NAMES = ("model.weight", "model.bias")


class Loop(Sent):
    """A script with a model, whose calls are sent one by one; Steps are plain descent."""

    def __init__(self, *tensors, held=NAMES, kind="SGD", module="torch.optim", level="full"):
        super().__init__(level)
        self.values = {name: np.array([8.0, 9.0], np.float32) for name in (*NAMES, *tensors)}
        self.grads = {}
        self.module("model", ["", "Net", "", True], ["drop", "Dropout", "p=0.5", True])
        for name, value in self.values.items():
            self.tensor(name, value)
        if held:
            self.optimizer("optimizer", kind, list(held), module=module, lr=1.0)
        self.graph("loss", (0, "Mul", [1, 2], ""), (1, "A", [], NAMES[0]), (2, "B", [], NAMES[1]))

    def then(self, iteration):
        self.iteration = iteration
        return self

    def zero(self, target="optimizer", *, to_none=True, names=NAMES, line=5):
        fresh = None if to_none else [0.0, 0.0]
        self.event(
            "zero_grad", target, line, {f"{n}.grad": fresh for n in names if n in self.grads}
        )
        for name in names:
            if to_none:
                self.grads.pop(name, None)
            elif name in self.grads:
                self.grads[name] = np.zeros(2, np.float32)
        return self

    def call(self, module="model", *, training=True, line=6):
        """Call a module: for a loss on line 6, on others to evaluate."""
        detail = {"training": training, "grad": training or line == 6}
        self.event("forward", module, line, detail=detail)
        return self

    def gradients(self, *names):
        """Add to gradients; return what that writes."""
        for name in names or NAMES:
            self.grads[name] = self.grads.get(name, 0) + np.array([1.0, 2.0], np.float32)
        return {f"{name}.grad": self.grads[name] for name in names or NAMES}

    def backward(self, *names, loss=3.0, error=None):
        written = {} if error else self.gradients(*names)
        self.event("backward", "loss", 7, written, loss=loss, error=error)
        return self

    def step(self, optimizer="optimizer", held=NAMES, *, line=8, depth=0):
        written = {}
        for name in held:
            if name in self.grads:
                written[name] = self.values[name] = self.values[name] - self.grads[name]
        self.event("step", optimizer, line, written, depth=depth)
        return self

    def by_hand(self, kind, **values):
        values = {name.replace("__", "."): value for name, value in values.items()}
        self.event(f"{kind}_by_hand", "", 7, values, detail={"changed": list(values)})
        return self

    def clip(self, value, line=9):
        written = {f"{name}.grad": [value, value] if self.grads else None for name in NAMES}
        self.event("clip_grad_norm", "", line, written, detail={"limit": 1.0})
        return self


def debug(sent):
    """Return a Debugger at the end of a script."""
    debugger = Debugger(Mirror(take(sent.stream)))
    debugger.follow()
    return debugger


def found(sent):
    """Return the findings of a script that are neither suspicions nor questions."""
    findings = debug(sent).findings
    return [item for item in findings if item.severity not in {"suspicion", "question"}]


def fact(sent):
    """Return the only finding of a script."""
    (finding,) = found(sent)
    assert finding.severity == "fact"
    return finding


def repeat(times, turn, sent=None):
    sent = sent or Loop()
    for iteration in range(times):
        turn(sent.then(iteration))
    return sent
