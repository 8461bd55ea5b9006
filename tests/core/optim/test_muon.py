"""Muon: matrices only, moves that are nearly orthogonal, and its learning-rate adjustments."""

import numpy as np
import pytest

import gradstep
from gradstep import optim
from gradstep.errors import ArgumentError


def moved(shape, **options):
    x = gradstep.zeros(*shape, requires_grad=True)
    x.grad = gradstep.tensor(np.random.default_rng(1).normal(size=shape).astype("float32"))
    optimizer = optim.Muon([x], lr=1.0, weight_decay=0.0, **options)
    terms = {visit.term: visit.array.copy() for visit in optimizer.visits()}
    return x.detach().numpy(), terms


@pytest.mark.parametrize("shape", [(4, 4), (3, 6), (6, 3)])
def test_the_move_has_singular_values_near_one(shape):
    _, terms = moved(shape)
    values = np.linalg.svd(terms["orthogonalized"], compute_uv=False)
    assert np.all((values > 0.5) & (values < 1.4))


def test_terms_come_in_the_order_of_the_computation():
    assert list(moved((2, 3))[1]) == [
        "momentum_buffer",
        "nesterov_grad",
        "orthogonalized",
        "adjusted_lr",
        "decayed_param",
        "update",
        "param",
    ]


@pytest.mark.parametrize(
    ("function", "expected"),
    [(None, 2.0), ("original", 2.0), ("match_rms_adamw", 0.2 * np.sqrt(8))],
)
def test_the_learning_rate_is_adjusted_to_the_shape(function, expected):
    x, terms = moved((8, 2), adjust_lr_fn=function)
    assert terms["adjusted_lr"] == pytest.approx(expected)
    np.testing.assert_allclose(x, -expected * terms["orthogonalized"], rtol=1e-6)


def test_weight_decay_takes_its_share_off_without_a_gradient():
    x = gradstep.ones(2, 2, requires_grad=True)
    x.grad = gradstep.zeros(2, 2)
    optim.Muon([x], lr=0.1, weight_decay=0.5).step()
    np.testing.assert_allclose(x.detach().numpy(), 0.95, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        ({"lr": -1}, "Learning rate should be >= 0 but is: -1"),
        ({"momentum": -1}, "momentum should be >= 0 but is: -1"),
        ({"weight_decay": -1}, "weight decay should be >= 0 but is: -1"),
        ({"adjust_lr_fn": "mine"}, "Adjust learning rate function mine is not supported"),
        ({"ns_steps": 100}, "Number of steps must be less than 100"),
        ({"ns_coefficients": (1, 2)}, "exactly 3 values"),
    ],
)
def test_options_out_of_range_are_refused(options, phrase):
    with pytest.raises(ArgumentError, match=phrase):
        optim.Muon([gradstep.ones(1, 1, requires_grad=True)], **options)


def test_a_vector_is_refused_with_its_size():
    with pytest.raises(ArgumentError, match=r"Muon only supports 2D parameters.*\[3\]"):
        optim.Muon([gradstep.ones(3, requires_grad=True)])
