"""Jacobians, Hessians and products with them."""

import pytest

import gradstep_torch as torch
from gradstep.errors import TensorError, UnsupportedError
from gradstep_torch.autograd.functional import hessian, hvp, jacobian, jvp, vjp

X = torch.tensor([1.0, 2.0])
Y = torch.tensor([3.0, 5.0])


def test_a_jacobian_has_a_row_for_each_output():
    assert jacobian(lambda x: x**2, X).tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_several_inputs_and_outputs_give_tuples():
    (a, b), (c, d) = jacobian(lambda x, y: (x * y, (x + y).sum()), (X, Y))
    assert a.tolist() == [[3.0, 0.0], [0.0, 5.0]]
    assert b.tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert c.tolist() == d.tolist() == [1.0, 1.0]


def test_a_hessian_is_the_jacobian_of_the_gradient():
    assert hessian(lambda x: (x**3).sum(), X).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    (_, across), _ = hessian(lambda x, y: (x * y).sum(), (X, Y))
    assert across.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_both_products_agree_with_the_jacobian():
    v = torch.tensor([1.0, -1.0])
    value, left = vjp(lambda x: x**2, X, v)
    assert value.tolist() == [1.0, 4.0]
    assert left.tolist() == [2.0, -4.0]
    assert jvp(lambda x: x**2, X, v)[1].tolist() == [2.0, -4.0]
    assert hvp(lambda x: (x**3).sum(), X, v)[1].tolist() == [6.0, -12.0]


def test_results_with_create_graph_can_be_differentiated():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    jacobian(lambda t: t**3, x, create_graph=True).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_misuse_raises_an_error_that_names_the_argument():
    with pytest.raises(TensorError, match="should contain a single element"):
        hessian(lambda x: x, X)
    with pytest.raises(TensorError, match="v can only be None"):
        vjp(lambda x: x, X)
    with pytest.raises(UnsupportedError, match="strict"):
        jacobian(lambda x: x, X, strict=True)
