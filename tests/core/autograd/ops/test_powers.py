"""Gradients of powers whose base is zero or negative are those of torch 2.13."""

from __future__ import annotations

from math import inf, log, nan

import numpy as np
import pytest

import gradstep

EXPONENTS = [-2.0, -1.0, -0.5, 0.0, 0.5, 2.0]
LOG_2 = log(2.0)


@pytest.mark.parametrize(
    ("base", "gradient"),
    [
        (0.0, [-inf, -inf, -inf, 0.0, 0.0, 0.0]),
        (-0.0, [-inf, inf, -inf, 0.0, 0.0, 0.0]),
        (1.0, [0.0] * 6),
        (2.0, [2.0**x * LOG_2 for x in EXPONENTS]),
        (-2.0, [nan] * 6),
    ],
)
@pytest.mark.parametrize("kind", ["number", "tensor"])
def test_the_gradient_of_the_exponent_is_the_same_for_a_number_and_a_tensor(base, gradient, kind):
    x = gradstep.tensor(EXPONENTS, dtype=gradstep.float64, requires_grad=True)
    if kind == "tensor":
        base = gradstep.tensor(base, dtype=gradstep.float64)
    (base**x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), gradient, rtol=1e-15)


def test_a_power_of_zero_passes_nan_of_its_exponent_on():
    x = gradstep.tensor([nan, 1.0], requires_grad=True)
    (0.0**x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [nan, 0.0])


def test_a_power_of_zero_can_be_derived_twice():
    x = gradstep.tensor([-1.0], requires_grad=True)
    [first] = gradstep.autograd.grad((0.0**x).sum(), [x], create_graph=True)
    [second] = gradstep.autograd.grad(first.sum(), [x])
    assert (first.item(), second.item()) == (-inf, inf)
