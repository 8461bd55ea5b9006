"""A linear layer records the nodes that torch records."""

from __future__ import annotations

import numpy as np
import pytest

import gradstep
from gradstep import nn

A = ("AccumulateGrad", ())
T = ("TBackward0", (A,))

GRAPHS = {
    # shape, bias, whether the input requires a gradient: the graph that torch 2.13 records
    ((4, 3), True, False): ("AddmmBackward0", (A, None, T)),
    ((4, 3), True, True): ("AddmmBackward0", (A, A, T)),
    ((4, 3), False, False): ("MmBackward0", (None, T)),
    ((4, 3), False, True): ("MmBackward0", (A, T)),
    ((3,), True, False): ("ViewBackward0", (("AddmmBackward0", (A, None, T)),)),
    ((3,), True, True): (
        "ViewBackward0",
        (("AddmmBackward0", (A, ("ViewBackward0", (A,)), T)),),
    ),
    ((3,), False, False): ("SqueezeBackward4", (("MmBackward0", (None, T)),)),
    ((3,), False, True): (
        "SqueezeBackward4",
        (("MmBackward0", (("UnsqueezeBackward0", (A,)), T)),),
    ),
    ((2, 4, 3), True, True): (
        "ViewBackward0",
        (("AddmmBackward0", (A, ("ViewBackward0", (A,)), T)),),
    ),
    ((2, 4, 3), False, False): ("UnsafeViewBackward0", (("MmBackward0", (None, T)),)),
    ((2, 4, 3), False, True): (
        "UnsafeViewBackward0",
        (("MmBackward0", (("ViewBackward0", (A,)), T)),),
    ),
}


def graph(node):
    """Return the names of a node and of those before it."""
    if node is None:
        return None
    name = node.name().removeprefix("torch::autograd::")
    return name, tuple(graph(before) for before, _ in node.next_functions)


@pytest.mark.parametrize(("shape", "bias", "requires_grad"), GRAPHS)
def test_the_graph_has_the_nodes_of_torch(shape, bias, requires_grad):
    layer = nn.Linear(3, 2, bias=bias)
    out = layer(gradstep.ones(*shape, requires_grad=requires_grad))
    assert graph(out.grad_fn) == GRAPHS[shape, bias, requires_grad]


@pytest.mark.torch
@pytest.mark.parametrize(("shape", "bias", "requires_grad"), GRAPHS)
def test_torch_records_these_nodes(shape, bias, requires_grad):
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(3, 2, bias=bias)
    out = layer(torch.ones(*shape, requires_grad=requires_grad))
    assert graph(out.grad_fn) == GRAPHS[shape, bias, requires_grad]


def test_a_frozen_weight_is_not_transposed_in_the_graph():
    layer = nn.Linear(3, 2)
    layer.weight.requires_grad_(False)
    out = layer(gradstep.ones(4, 3, requires_grad=True))
    assert graph(out.grad_fn) == ("AddmmBackward0", (A, A, None))


@pytest.mark.parametrize("shape", [(4, 3), (3,), (2, 4, 3)])
def test_the_gradient_of_a_weight_is_its_own_array_and_accumulates(shape):
    layer = nn.Linear(3, 2)
    x = gradstep.ones(*shape)
    layer(x).sum().backward()
    once = layer.weight.grad.numpy().copy()
    assert layer.weight.grad.numpy().flags.c_contiguous
    layer(x).sum().backward()
    assert layer.weight.grad.numpy().tolist() == (2 * once).tolist()


def test_a_shared_weight_gets_the_sum_of_its_gradients():
    layer = nn.Linear(2, 2, bias=False)
    x = gradstep.tensor([[1.0, 2.0]])
    (layer(x) + layer(3 * x)).sum().backward()
    assert layer.weight.grad.tolist() == [[4.0, 8.0], [4.0, 8.0]]


def test_a_hook_may_keep_the_transposed_gradient():
    layer = nn.Linear(2, 1, bias=False)
    out = layer(gradstep.tensor([[1.0, 2.0]]))
    kept = []
    (_, (transposed, _)) = out.grad_fn.next_functions
    transposed.register_prehook(lambda grads: kept.append(grads[0]))
    out.sum().backward()
    layer.weight.grad.zero_()
    assert kept[0].tolist() == [[1.0], [2.0]]


def test_the_gradients_are_those_of_the_products():
    random = np.random.default_rng(0)
    for shape in ((4, 3), (3,), (2, 4, 3), (5, 7, 4, 3), (64, 3), (1, 3)):
        x, w = (random.integers(-8, 8, size).astype(np.float32) for size in (shape, (5, 3)))
        layer = nn.Linear(3, 5, bias=False)
        layer.weight.data = gradstep.tensor(w)
        rows = gradstep.tensor(x, requires_grad=True)
        layer(rows).sum().backward()
        grad = np.ones((x.size // 3, 5), np.float32)
        assert layer.weight.grad.tolist() == (grad.T @ x.reshape(-1, 3)).tolist()
        assert rows.grad.tolist() == (grad @ w).reshape(shape).tolist()
