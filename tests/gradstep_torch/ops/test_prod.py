"""The gradient of a product: exact with zeros at every order, and linear in memory."""

from __future__ import annotations

import tracemalloc

import pytest

import gradstep_torch as torch


@pytest.mark.parametrize(
    ("data", "others"),
    [
        ([2.0, 3.0, 4.0], [12.0, 8.0, 6.0]),
        ([0.0, 3.0, 4.0], [12.0, 0.0, 0.0]),
        ([0.0, 0.0, 4.0], [0.0, 0.0, 0.0]),
        ([5.0], [1.0]),
        ([float("inf")], [1.0]),
        ([2.0, float("inf")], [float("inf"), 2.0]),
        ([], []),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [120.0, 60.0, 40.0, 30.0, 24.0]),
    ],
)
def test_each_element_gets_the_product_of_the_others(data, others):
    x = torch.tensor(data, requires_grad=True)
    x.prod().backward()
    assert x.grad.tolist() == others


def test_along_a_dimension_each_slice_has_its_own_product():
    x = torch.tensor([[1.0, 0.0], [2.0, 3.0], [4.0, 5.0]], requires_grad=True)
    x.prod(0).sum().backward()
    assert x.grad.tolist() == [[8.0, 15.0], [4.0, 0.0], [2.0, 0.0]]


@pytest.mark.parametrize("data", [[2.0, 3.0, 4.0], [0.0, 3.0, 4.0], [0.0, 0.0, 4.0]])
def test_the_second_gradient_holds_the_products_of_all_but_two(data):
    x = torch.tensor(data, requires_grad=True)
    [first] = torch.autograd.grad(x.prod(), [x], create_graph=True)
    rows = [torch.autograd.grad(part, [x], retain_graph=True)[0].tolist() for part in first]
    a, b, c = data
    assert rows == [[0.0, c, b], [c, 0.0, a], [b, a, 0.0]]


@pytest.mark.parametrize("recorded", [False, True])
def test_the_memory_of_a_backward_grows_with_the_size_and_not_with_its_square(recorded):
    x = torch.ones(20_000, requires_grad=True)
    result = x.prod()
    tracemalloc.start()
    torch.autograd.grad(result, [x], create_graph=recorded)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * x.numel() * x.element_size()
