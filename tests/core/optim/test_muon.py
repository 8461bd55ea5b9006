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
    terms = [(visit.term, visit.array.copy()) for visit in optimizer.visits()]
    return x.detach().numpy(), dict(terms), [term for term, _ in terms]


@pytest.mark.parametrize("shape", [(4, 4), (3, 6), (6, 3)])
def test_the_move_has_singular_values_near_one(shape):
    _, terms, _ = moved(shape)
    values = np.linalg.svd(terms["orthogonalized"], compute_uv=False)
    assert np.all((values > 0.5) & (values < 1.4))


def test_terms_come_in_the_order_of_the_computation():
    assert moved((2, 3), ns_steps=2)[2] == [
        "momentum_buffer",
        "nesterov_grad",
        "ortho_grad",
        *("gram_matrix", "gram_update", "ortho_grad"),
        *("gram_matrix", "gram_update", "ortho_grad"),
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
    x, terms, _ = moved((8, 2), adjust_lr_fn=function)
    assert terms["adjusted_lr"] == pytest.approx(expected)
    np.testing.assert_allclose(x, -expected * terms["orthogonalized"], rtol=1e-6)


@pytest.mark.parametrize("shape", [(2, 5), (5, 2)])
def test_a_tall_matrix_is_transposed_during_the_iteration(shape):
    _, terms, _ = moved(shape)
    assert (terms["ortho_grad"].shape, terms["gram_matrix"].shape) == ((2, 5), (2, 2))
    assert terms["orthogonalized"].shape == shape


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
def test_options_out_of_range_are_rejected(options, phrase):
    with pytest.raises(ArgumentError, match=phrase):
        optim.Muon([gradstep.ones(1, 1, requires_grad=True)], **options)


def test_a_vector_is_rejected_with_its_size():
    with pytest.raises(ArgumentError, match=r"Muon only supports 2D parameters.*\[3\]"):
        optim.Muon([gradstep.ones(3, requires_grad=True)])


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 3), (4, 4), (16, 2), (8, 32)])
def test_most_of_1000_steps_have_the_bits_of_torch(shape, dtype):
    """The others differ by one rounding to bfloat16, which depends on the processor's products."""
    torch = pytest.importorskip("torch")
    generator = np.random.default_rng(0)
    start, goal = generator.normal(size=(2, *shape)).astype(dtype)
    theirs = torch.tensor(start.copy(), requires_grad=True)
    ours = gradstep.tensor(start.copy(), requires_grad=True)
    reference, optimizer = torch.optim.Muon([theirs], lr=0.02), optim.Muon([ours], lr=0.02)
    same = 0
    for _ in range(1000):
        expected = theirs.detach().numpy()
        grad = (expected - goal + 0.1 * generator.normal(size=shape)).astype(dtype)
        theirs.grad, ours.grad = torch.tensor(grad), gradstep.tensor(grad)
        reference.step()
        optimizer.step()
        same += ours.detach().numpy().tobytes() == expected.tobytes()
        np.testing.assert_allclose(ours.detach().numpy(), expected, rtol=0, atol=0.02 * 2**-4)
        with gradstep.no_grad():
            ours.copy_(gradstep.tensor(expected.copy()))
    assert same > 900
