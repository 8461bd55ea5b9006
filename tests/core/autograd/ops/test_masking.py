"""Where a mask stops a gradient, exactly 0 is left of it."""

import math

import numpy as np
import pytest

import gradstep
from gradstep.autograd.ops.select import where
from gradstep.nn import functional

STOPPED = {
    "relu": lambda x: functional.relu(x - 9.0),
    "clamp": lambda x: x.clamp(5.0, 6.0),
    "where": lambda x: where(gradstep.tensor(False), x, gradstep.ones(2)),
    "maximum": lambda x: gradstep.maximum(x, x.detach() + 1.0),
    "masked_fill": lambda x: x.masked_fill(gradstep.tensor([True, True]), 3.0),
    "hardtanh": lambda x: functional.hardtanh(x + 7.0),
    "round": lambda x: x.round(),
    "floor division": lambda x: x // 2.0,
}


@pytest.mark.parametrize("name", STOPPED)
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_what_does_not_pass_is_zero_and_not_minus_zero(name, value):
    x = gradstep.tensor([1.0, 2.0], requires_grad=True)
    STOPPED[name](x).backward(gradstep.tensor([value, value]))
    assert x.grad.tolist() == [0.0, 0.0]
    assert not np.signbit(x.grad.numpy()).any()


def test_the_largest_element_alone_gets_a_gradient():
    x = gradstep.tensor([1.0, 3.0], requires_grad=True)
    (-x.max()).backward()
    assert str(x.grad) == "tensor([ 0., -1.])"


def test_a_mask_is_differentiable_again():
    x = gradstep.tensor([-1.0, 2.0], requires_grad=True)
    (first,) = gradstep.autograd.grad((functional.relu(x) ** 2).sum(), x, create_graph=True)
    (second,) = gradstep.autograd.grad(first.sum(), x)
    assert second.tolist() == [0.0, 2.0]
