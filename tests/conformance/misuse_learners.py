"""The misuses that are asked about most, with words that occur in torch's message and in ours.

A person who meets one of them searches for these words.
"""

from __future__ import annotations

import copy

from tests.conformance.misuse import Misuse, leaf


def _step_between(t):
    model = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Linear(2, 2))
    optimizer = t.optim.SGD(model.parameters(), lr=0.1)
    loss = model(t.ones(1, 2)).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    loss.backward()


def _hidden_state_of_an_earlier_iteration(t):
    cell, hidden = t.nn.RNNCell(2, 2), t.zeros(1, 2)
    for _ in range(2):
        hidden = cell(t.ones(1, 2), hidden)
        hidden.sum().backward()


def _without_super(t):
    class Net(t.nn.Module):
        def __init__(self):
            self.layer = t.nn.Linear(1, 1)

    Net()


def _layers_in_a_list(t):
    class Net(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [t.nn.Linear(1, 1)]

    t.optim.SGD(Net().parameters(), lr=0.1)


def _linear(t):
    return t.nn.Linear(3, 2)


CASES = [
    Misuse(
        "a hidden state of an earlier iteration",
        RuntimeError,
        "Trying to backward through the graph a second time",
        _hidden_state_of_an_earlier_iteration,
    ),
    Misuse(
        "a step between two backwards",
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation",
        _step_between,
    ),
    Misuse(
        "a loss of class numbers",
        RuntimeError,
        "element 0 of tensors does not require grad and does not have a grad_fn",
        lambda t: leaf(t, 3).argmax().float().backward(),
    ),
    Misuse(
        "an element of a leaf set",
        RuntimeError,
        "a view of a leaf Variable that requires grad is being used in an in-place operation",
        lambda t: leaf(t, 3).__setitem__(0, 1.0),
    ),
    Misuse(
        "a parameter changed in place",
        RuntimeError,
        "a leaf Variable that requires grad is being used in an in-place operation",
        lambda t: leaf(t, 3).add_(1.0),
    ),
    Misuse(
        "a leaf as an array",
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad",
        lambda t: leaf(t, 3).numpy(),
    ),
    Misuse(
        "a copy from the middle of a graph",
        RuntimeError,
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
        "at the moment",
        lambda t: copy.deepcopy(leaf(t, 3) * 2),
    ),
    Misuse(
        "a gradient that is a number",
        TypeError,
        "assigned grad expected to be a Tensor or None but got grad of type int",
        lambda t: setattr(leaf(t, 3), "grad", 0),
    ),
    Misuse(
        "a loss made of tensors",
        RuntimeError,
        "Boolean value of Tensor with more than one value is ambiguous",
        lambda t: t.nn.MSELoss(t.ones(2), t.ones(2)),
    ),
    Misuse(
        "a weighted loss made of tensors",
        RuntimeError,
        "Boolean value of Tensor with more than one value is ambiguous",
        lambda t: t.nn.CrossEntropyLoss(t.ones(2, 3), t.tensor([0, 1])),
    ),
    Misuse(
        "a condition of several values",
        RuntimeError,
        "Boolean value of Tensor with more than one value is ambiguous",
        lambda t: bool(t.ones(3) > 0),
    ),
    Misuse(
        "inputs of double precision",
        RuntimeError,
        "mat1 and mat2 must have the same dtype, but got Double and Float",
        lambda t: _linear(t)(t.ones(4, 3).double()),
    ),
    Misuse(
        "inputs that are integers",
        RuntimeError,
        "mat1 and mat2 must have the same dtype, but got Long and Float",
        lambda t: _linear(t)(t.ones(4, 3).long()),
    ),
    Misuse(
        "images that were not flattened",
        RuntimeError,
        "mat1 and mat2 shapes cannot be multiplied (112x28 and 784x10)",
        lambda t: t.nn.Linear(784, 10)(t.ones(4, 28, 28)),
    ),
    Misuse(
        "images of other channels",
        RuntimeError,
        "Given groups=1, weight of size [8, 3, 3, 3], expected input[2, 1, 8, 8] to have 3 "
        "channels, but got 1 channels instead",
        lambda t: t.nn.Conv2d(3, 8, 3)(t.ones(2, 1, 8, 8)),
    ),
    Misuse(
        "images smaller than the kernel",
        RuntimeError,
        "Calculated padded input size per channel: (4 x 4). Kernel size: (5 x 5). Kernel size "
        "can't be greater than actual input size",
        lambda t: t.nn.Conv2d(3, 8, 5)(t.ones(2, 3, 4, 4)),
    ),
    Misuse(
        "images smaller than the pooling",
        RuntimeError,
        "Output size is too small",
        lambda t: t.nn.MaxPool2d(5)(t.ones(1, 1, 3, 3)),
    ),
    Misuse(
        "class numbers that are not whole",
        RuntimeError,
        "expected target dtype to be Long or Byte, but got Float",
        lambda t: t.nn.functional.cross_entropy(t.ones(4, 3), t.ones(4)),
    ),
    Misuse(
        "class numbers in a column",
        RuntimeError,
        "0D or 1D target tensor expected, multi-target not supported",
        lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([[0], [1]])),
    ),
    Misuse(
        "a class too many",
        IndexError,
        "Target 3 is out of bounds",
        lambda t: t.nn.functional.cross_entropy(t.ones(1, 3), t.tensor([3])),
    ),
    Misuse(
        "logits in a column, targets in a row",
        ValueError,
        "Size([4])) must be the same as input size (",
        lambda t: t.nn.functional.binary_cross_entropy_with_logits(t.ones(4, 1), t.ones(4)),
    ),
    Misuse(
        "targets that are whole",
        RuntimeError,
        "Found dtype Long but expected Float",
        lambda t: t.nn.functional.binary_cross_entropy(t.ones(4), t.ones(4).long()),
    ),
    Misuse(
        "a word that is not in the table",
        IndexError,
        "index out of range in self",
        lambda t: t.nn.Embedding(5, 2)(t.tensor([5])),
    ),
    Misuse(
        "words that are not whole",
        RuntimeError,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
        "Long, Int",
        lambda t: t.nn.Embedding(5, 2)(t.ones(1)),
    ),
    Misuse(
        "a batch of one",
        ValueError,
        "Expected more than 1 value per channel when training, got input size",
        lambda t: t.nn.BatchNorm1d(3)(t.ones(1, 3)),
    ),
    Misuse(
        "a parameter replaced by a result",
        TypeError,
        "as parameter 'weight'",
        lambda t: setattr(_linear(t), "weight", t.ones(2, 3) * 2),
    ),
    Misuse(
        "layers in a list",
        ValueError,
        "optimizer got an empty parameter list",
        _layers_in_a_list,
    ),
    Misuse(
        "a module without super().__init__()",
        AttributeError,
        "cannot assign module before Module.__init__() call",
        _without_super,
    ),
    Misuse(
        "a list as a layer",
        TypeError,
        "list is not a Module subclass",
        lambda t: t.nn.Sequential([t.nn.Linear(1, 1)]),
    ),
    Misuse(
        "a function as a layer",
        TypeError,
        "relu is not a Module subclass",
        lambda t: t.nn.Sequential(t.nn.Linear(1, 1), t.nn.functional.relu),
    ),
    Misuse(
        "parts of other widths",
        RuntimeError,
        "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for "
        "tensor number 1 in the list",
        lambda t: t.cat([t.ones(2, 3), t.ones(2, 4)]),
    ),
    Misuse(
        "a mask of another length",
        IndexError,
        "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3] "
        "at index 0",
        lambda t: t.ones(3)[t.tensor([True, False])],
    ),
    Misuse(
        "a mask of another width behind an index",
        IndexError,
        "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor "
        "[4, 3] at index 1",
        lambda t: t.ones(4, 3)[t.tensor([0, 1]), t.tensor([True, False])],
    ),
    Misuse(
        "a view of what was transposed",
        RuntimeError,
        "view size is not compatible with input tensor's size and stride",
        lambda t: t.ones(2, 3).t().view(6),
    ),
    Misuse(
        "an expanded tensor changed",
        RuntimeError,
        "unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location",
        lambda t: t.ones(1).expand(3).add_(1.0),
    ),
    Misuse(
        "a matrix times a vector by mm",
        RuntimeError,
        "mat2 must be a matrix",
        lambda t: t.mm(t.ones(2, 2), t.ones(2)),
    ),
    Misuse(
        "a choice by numbers",
        RuntimeError,
        "where expected condition to be a boolean tensor, but got a tensor with dtype Long",
        lambda t: t.where(t.tensor([1, 0]), 1.0, 0.0),
    ),
    Misuse(
        "scores as probabilities",
        RuntimeError,
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false",
        lambda t: t.bernoulli(t.tensor([2.0])),
    ),
    Misuse(
        "a walk through a number",
        TypeError,
        "iteration over a 0-d tensor",
        lambda t: list(t.tensor(1.0)),
    ),
]
