"""Sums of products, running products, additions at chosen places, and their derivatives."""

import pytest

import gradstep_torch as torch
from gradstep_torch.autograd import gradcheck, gradgradcheck

INDEX = torch.tensor([0, 2, 0])


def double(*shape):
    torch.manual_seed(0)
    return torch.rand(*shape, dtype=torch.float64, requires_grad=True)


CASES = {
    "product": lambda x, y: torch.einsum("ij,kj->ik", x, y),
    "trace": lambda x, y: torch.einsum("ii,jj->", x, y),
    "alone": lambda x, y: torch.einsum("ij,kl->i", x, y),
    "ellipsis": lambda x, y: torch.einsum("...j,j...->...", x, y[0]),
    "cumprod": lambda x, y: x.cumprod(0) + y.cumprod(1),
    "index_add": lambda x, y: x.index_add(0, INDEX, y, alpha=2),
    "scatter_add": lambda x, y: x.scatter_add(1, torch.stack([INDEX] * 3), y),
    "index_copy": lambda x, y: x.index_copy(1, torch.tensor([2, 0, 1]), y),
    "cross": lambda x, y: torch.cross(x, y, 1),
}


@pytest.mark.parametrize("name", CASES)
def test_both_derivatives_agree_with_finite_differences(name):
    inputs = double(3, 3), double(3, 3) + 1.0
    inputs = tuple(x.detach().requires_grad_() for x in inputs)
    assert gradcheck(CASES[name], inputs)
    assert gradgradcheck(CASES[name], inputs, atol=1e-4)


def test_shapes_change_in_place():
    x = torch.arange(6).view(2, 3)
    x.t_().unsqueeze_(0)
    assert x.shape == (1, 3, 2)
    assert x.squeeze_().tolist() == [[0, 3], [1, 4], [2, 5]]


def test_counts():
    x = torch.tensor([1.0, 2.0, 1.0, 4.0])
    assert x.histc(bins=3, min=1, max=4).tolist() == [2.0, 1.0, 1.0]
    values, where, counts = x.unique(return_inverse=True, return_counts=True)
    assert (values.tolist(), where.tolist(), counts.tolist()) == (
        [1.0, 2.0, 4.0],
        [0, 1, 0, 2],
        [2, 1, 1],
    )
