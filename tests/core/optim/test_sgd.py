"""SGD: its arithmetic, by hand."""

import numpy as np
import pytest

import gradstep
from gradstep.errors import ArgumentError
from gradstep.optim import SGD


def parameter(values, gradient):
    tensor = gradstep.tensor(values, requires_grad=True)
    tensor.grad = None if gradient is None else gradstep.tensor(gradient)
    return tensor


def test_a_step_moves_against_the_gradient_by_the_learning_rate():
    x = parameter([1.0, 2.0], [100.0, 100.0])
    SGD([x], lr=0.001).step()
    np.testing.assert_allclose(x.detach().numpy(), [0.9, 1.9], rtol=1e-6)


def test_the_first_momentum_buffer_is_the_gradient_undampened():
    x = parameter([0.0], [2.0])
    optimizer = SGD([x], lr=1.0, momentum=0.5, dampening=0.9)
    optimizer.step()
    assert optimizer.state[x]["momentum_buffer"].item() == 2.0
    optimizer.step()
    assert optimizer.state[x]["momentum_buffer"].item() == pytest.approx(0.5 * 2 + 0.1 * 2)


def test_without_momentum_there_is_no_state():
    x = parameter([0.0], [2.0])
    optimizer = SGD([x])
    optimizer.step()
    assert optimizer.state[x] == {}


def test_nesterov_momentum_needs_momentum_and_no_dampening():
    x = parameter([0.0], None)
    for options in ({}, {"momentum": 0.9, "dampening": 0.1}):
        with pytest.raises(ArgumentError, match="Nesterov momentum requires a momentum and zero"):
            SGD([x], nesterov=True, **options)
