"""Quantiles, covariances and places of values, by themselves; op_db compares them with torch."""

import math

import pytest

import gradstep_torch as torch
from gradstep.errors import ArgumentError, TensorError
from gradstep_torch.autograd import gradcheck


def test_the_quantile_of_something_with_nan_is_nan():
    found = torch.tensor([[1.0, 2.0, 4.0], [1.0, math.nan, 0.0]]).quantile(0.5, dim=1)
    assert found[0].item() == 2.0
    assert math.isnan(found[1].item())


def test_several_quantiles_come_first_and_their_dimension_can_be_kept():
    x, shares = torch.arange(6.0).reshape(2, 3), torch.tensor([0.0, 0.5])
    assert torch.quantile(x, shares, dim=1).tolist() == [[0.0, 3.0], [1.0, 4.0]]
    assert tuple(torch.quantile(x, shares, dim=1, keepdim=True).shape) == (2, 2, 1)
    assert tuple(torch.quantile(x, 0.5, keepdim=True).shape) == (1, 1)


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint"])
def test_gradients_of_quantiles_go_to_the_neighbouring_elements(interpolation):
    x = torch.tensor([3.0, 1.0, 2.0, 5.0], dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda x: x.quantile(0.4, interpolation=interpolation), [x])


def test_gradients_of_covariances_and_correlations_are_right():
    x = torch.tensor([[0.3, 1.0, 2.0], [2.0, 1.5, 0.1]], dtype=torch.float64)
    x.requires_grad_()
    assert gradcheck(torch.cov, [x])
    assert gradcheck(torch.corrcoef, [x])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: t.quantile(t.ones(2), 1.5), TensorError, r"in the range \[0, 1\]"),
        (lambda t: t.quantile(t.arange(3), 0.5), TensorError, "either float or double"),
        (lambda t: t.quantile(t.ones(0), 0.5), TensorError, "must be non-empty"),
        (lambda t: t.quantile(t.ones(2), 0.5, interpolation="x"), TensorError, "but got x"),
        (lambda t: t.quantile(t.ones(2), t.ones(1).double()), TensorError, "same dtype"),
        (lambda t: t.quantile(t.ones(2), t.ones(1, 1)), TensorError, "a scalar or 1D tensor"),
        (lambda t: t.cov(t.ones(1, 2, 3)), TensorError, "two or fewer dimensions"),
        (lambda t: t.combinations(t.ones(2, 2)), TensorError, "Expect a 1D vector"),
        (lambda t: t.bucketize(1.0, t.ones(2, 2)), TensorError, "must be 1 dimension"),
        (lambda t: t.searchsorted(t.ones(2), 1.0, side="top"), ArgumentError, "'left' or 'right'"),
        (lambda t: t.searchsorted(t.ones(2, 2), t.ones(3, 1)), TensorError, "must match"),
        (
            lambda t: t.searchsorted(t.ones(2), 1.0, sorter=t.arange(3)),
            TensorError,
            "boundary and sorter must have the same size",
        ),
    ],
)
def test_arguments_out_of_range_are_rejected(call, error, message):
    with pytest.raises(error, match=message):
        call(torch)
