"""Misuse of the graph and its gradients."""

# ruff: noqa: ARG004 - every call takes the library, whether it needs it or not

from __future__ import annotations

import copy

from tests.conformance.misuse import Misuse, leaf


def backward_twice(t):
    loss = (leaf(t, 2) * 2).sum()
    loss.backward()
    loss.backward()


def change_what_is_needed(t):
    middle = leaf(t, 2) * 2
    loss = (middle * middle).sum()
    middle.add_(1)
    loss.backward()


def turn_off_in_the_middle(t):
    (leaf(t, 2) * 2).requires_grad = False


def give_a_gradient(t, gradient):
    leaf(t, 2).grad = gradient


def function(t, gradients):
    class Own(t.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            return inputs[0] * 2

        @staticmethod
        def backward(ctx, grad):
            return gradients

    return Own


def find_nan(t):
    with t.autograd.set_detect_anomaly(True):
        (t.sqrt(t.zeros(1, requires_grad=True)) * 0).sum().backward()


def infer(t):
    with t.inference_mode():
        return t.ones(2)


CASES = [
    Misuse(
        "backward without a graph",
        RuntimeError,
        "element 0 of tensors does not require grad",
        lambda t: t.ones(1).backward(),
    ),
    Misuse(
        "backward of several values",
        RuntimeError,
        "grad can be implicitly created only for scalar outputs",
        lambda t: (leaf(t, 2) * 2).backward(),
    ),
    Misuse(
        "backward twice",
        RuntimeError,
        "Trying to backward through the graph a second time",
        backward_twice,
    ),
    Misuse(
        "a gradient of another shape",
        RuntimeError,
        "Mismatch in shape",
        lambda t: (leaf(t, 2) * 2).backward(t.ones(3)),
    ),
    Misuse(
        "a saved tensor changed",
        RuntimeError,
        "modified by an inplace operation",
        change_what_is_needed,
    ),
    Misuse(
        "a leaf changed",
        RuntimeError,
        "a leaf Variable that requires grad is being used in an in-place operation",
        lambda t: leaf(t, 2).add_(1),
    ),
    Misuse(
        "a view of a leaf changed",
        RuntimeError,
        "a view of a leaf Variable",
        lambda t: leaf(t, 2)[:1].add_(1),
    ),
    Misuse(
        "retain_grad without grad",
        RuntimeError,
        "can't retain_grad on Tensor",
        lambda t: t.ones(1).retain_grad(),
    ),
    Misuse(
        "requires_grad off in the middle",
        RuntimeError,
        "you can only change requires_grad flags of leaf variables",
        turn_off_in_the_middle,
    ),
    Misuse(
        "integers with grad",
        RuntimeError,
        "Only Tensors of floating point and complex dtype can require gradients",
        lambda t: t.tensor([1], requires_grad=True),
    ),
    Misuse(
        "numpy() with grad",
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad",
        lambda t: leaf(t, 2).numpy(),
    ),
    Misuse(
        "a .grad of another shape",
        RuntimeError,
        "attempting to assign a gradient of size",
        lambda t: give_a_gradient(t, t.ones(3)),
    ),
    Misuse(
        "a .grad of another type",
        RuntimeError,
        "attempting to assign a gradient",
        lambda t: give_a_gradient(t, t.ones(2).double()),
    ),
    Misuse("a .grad that is no tensor", TypeError, "grad", lambda t: give_a_gradient(t, 1)),
    Misuse(
        "grad of what was not used",
        RuntimeError,
        "appears to not have been used in the graph",
        lambda t: t.autograd.grad(leaf(t, 1).sum(), leaf(t, 1)),
    ),
    Misuse(
        "grad of what requires none",
        RuntimeError,
        "does not require grad",
        lambda t: t.autograd.grad(leaf(t, 1).sum(), t.ones(1)),
    ),
    Misuse(
        "too few gradients",
        RuntimeError,
        "returned an incorrect number of gradients",
        lambda t: function(t, t.ones(2)).apply(leaf(t, 2), leaf(t, 2)).sum().backward(),
    ),
    Misuse(
        "a gradient that does not fit",
        RuntimeError,
        "returned an invalid gradient",
        lambda t: function(t, t.ones(5)).apply(leaf(t, 2)).sum().backward(),
    ),
    Misuse("NaN in anomaly mode", RuntimeError, "returned nan values in its 0th output", find_nan),
    Misuse(
        "saving an inference tensor",
        RuntimeError,
        "Inference tensors cannot be saved for backward",
        lambda t: leaf(t, 2) * infer(t),
    ),
    Misuse(
        "changing an inference tensor",
        RuntimeError,
        "Inplace update to inference tensor",
        lambda t: infer(t).add_(1),
    ),
    Misuse(
        "grad for an inference tensor",
        RuntimeError,
        "Setting requires_grad=True on inference tensor",
        lambda t: infer(t).requires_grad_(),
    ),
    Misuse(
        "a deep copy in the middle",
        RuntimeError,
        "Only Tensors created explicitly by the user",
        lambda t: copy.deepcopy(leaf(t, 2) * 2),
    ),
    Misuse(
        "a hook without grad",
        RuntimeError,
        "cannot register a hook on a tensor that doesn't require grad",
        lambda t: t.ones(2).register_hook(print),
    ),
    Misuse(
        "detaching a view",
        RuntimeError,
        "Can't detach views in-place",
        lambda t: (leaf(t, 2) * 2)[:1].detach_(),
    ),
]
