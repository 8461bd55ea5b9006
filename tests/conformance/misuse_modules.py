"""Misuse of modules, losses and optimizers."""

from __future__ import annotations

from tests.conformance.misuse import Misuse, leaf


def assign_too_early(t):
    class Early(t.nn.Module):
        def __init__(self):
            self.layer = t.nn.Linear(1, 1)

    Early()


def load(t, **state):
    t.nn.Linear(1, 1).load_state_dict(state)


def load_shape(t):
    t.nn.Linear(1, 1).load_state_dict(t.nn.Linear(2, 1).state_dict())


def sgd(t, *args, **options):
    return t.optim.SGD(*(args or ([leaf(t, 1)],)), **options)


CASES = [
    Misuse(
        "a batch that does not fit",
        ValueError,
        "Expected input batch_size (2) to match target batch_size (3)",
        lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.ones(3).long()),
    ),
    Misuse(
        "a class that is not there",
        IndexError,
        "Target 5 is out of bounds",
        lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 5])),
    ),
    Misuse(
        "a probability that is none",
        RuntimeError,
        "between 0 and 1",
        lambda t: t.nn.functional.binary_cross_entropy(t.tensor([2.0]), t.tensor([1.0])),
    ),
    Misuse(
        "no such reduction",
        ValueError,
        "is not a valid value for reduction",
        lambda t: t.nn.functional.mse_loss(t.ones(2), t.ones(2), reduction="avg"),
    ),
    Misuse(
        "a layer before the module",
        AttributeError,
        "cannot assign module before Module.__init__() call",
        assign_too_early,
    ),
    Misuse(
        "a tensor as parameter",
        TypeError,
        "cannot assign",
        lambda t: setattr(t.nn.Linear(1, 1), "weight", t.ones(1, 1)),
    ),
    Misuse(
        "a key that is missing",
        RuntimeError,
        "Missing key(s) in state_dict",
        lambda t: load(t, weight=t.ones(1, 1)),
    ),
    Misuse(
        "a key that is too much",
        RuntimeError,
        "Unexpected key(s) in state_dict",
        lambda t: load(t, weight=t.ones(1, 1), bias=t.ones(1), extra=t.ones(1)),
    ),
    Misuse("a state of another shape", RuntimeError, "size mismatch for weight", load_shape),
    Misuse(
        "nothing to optimize",
        ValueError,
        "optimizer got an empty parameter list",
        lambda t: sgd(t, [], lr=0.1),
    ),
    Misuse(
        "optimizing the middle",
        ValueError,
        "can't optimize a non-leaf Tensor",
        lambda t: sgd(t, [leaf(t, 1) * 2], lr=0.1),
    ),
    Misuse("a negative rate", ValueError, "Invalid learning rate: -1", lambda t: sgd(t, lr=-1)),
    Misuse(
        "nesterov alone",
        ValueError,
        "Nesterov momentum requires a momentum and zero dampening",
        lambda t: sgd(t, lr=1, nesterov=True),
    ),
    Misuse(
        "a beta of 2",
        ValueError,
        "Invalid beta parameter at index 0",
        lambda t: t.optim.Adam([leaf(t, 1)], betas=(2.0, 0.9)),
    ),
    Misuse(
        "a tensor to optimize",
        TypeError,
        "iterable of Tensors or dicts",
        lambda t: sgd(t, leaf(t, 1), lr=0.1),
    ),
]
