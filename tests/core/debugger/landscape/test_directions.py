"""Directions: filters as long as the weight's, and the principal components of a trajectory."""

import numpy as np
import pytest

from gradstep.debugger.landscape.directions import (
    filter_normalized,
    principal_directions,
    random_direction,
)


def generator():
    return np.random.default_rng(5)


@pytest.mark.parametrize("shape", [(4, 3), (5, 2, 3, 3)])
def test_each_filter_is_as_long_as_that_of_the_weight_and_keeps_its_direction(shape):
    weight, drawn = generator().normal(size=shape), generator().normal(size=shape)
    found = filter_normalized(drawn, weight)
    for one, other, wanted in zip(found, drawn, weight, strict=True):
        expected = other / np.linalg.norm(other) * np.linalg.norm(wanted)
        np.testing.assert_allclose(one, expected, rtol=1e-12)


def test_a_filter_of_zeros_does_not_move():
    weight = np.array([[0.0, 0.0], [3.0, 4.0]])
    found = filter_normalized(np.ones((2, 2)), weight)
    assert found[0].tolist() == [0, 0]
    assert np.linalg.norm(found[1]) == pytest.approx(5)
    assert filter_normalized(np.zeros((2, 2)), weight).tolist() == [[0, 0], [0, 0]]


def test_biases_do_not_move_and_a_free_tensor_is_one_filter():
    weights = {"model.0.bias": np.ones(3), "x": np.array([3.0, 4.0]), "w": np.ones((2, 2))}
    found = random_direction(weights, frozenset({"x"}), generator())
    assert found["model.0.bias"].tolist() == [0, 0, 0]
    assert np.linalg.norm(found["x"]) == pytest.approx(5)
    assert np.linalg.norm(found["w"], axis=1) == pytest.approx([2**0.5, 2**0.5])


@pytest.mark.parametrize("size", [5, 70_000])
def test_principal_directions_are_singular_vectors_of_the_centred_states(size):
    states = list(generator().normal(size=(6, size)) * np.linspace(1, 2, size))
    found = principal_directions(states)
    centred = np.array(states) - np.mean(states, axis=0)
    _, lengths, expected = np.linalg.svd(centred, full_matrices=False)
    for one, other in zip(found.directions, expected, strict=False):
        assert abs(one @ other) == pytest.approx(1, abs=1e-9)
        assert np.linalg.norm(one) == pytest.approx(1)
    assert found.directions[0] @ found.directions[1] == pytest.approx(0, abs=1e-9)
    assert found.shares == pytest.approx(tuple(lengths[:2] ** 2 / np.sum(lengths**2)))
    assert (centred[0] @ found.directions.T <= 0).all()


def test_a_straight_trajectory_has_one_direction_and_a_resting_one_none():
    straight = principal_directions([np.array([1.0, 1.0]) * at for at in range(4)])
    assert straight.directions == pytest.approx(np.full((1, 2), 0.5**0.5))
    assert straight.shares == pytest.approx((1.0,))
    assert principal_directions([np.ones(3)] * 4) is None
    assert principal_directions([np.array([1.0, np.inf]), np.zeros(2)]) is None


@pytest.mark.torch
@pytest.mark.parametrize("shape", [(4, 3), (5, 2, 3, 3), (3,)])
def test_normalization_is_that_of_the_authors_code(shape):
    torch = pytest.importorskip("torch")
    weight, drawn = generator().normal(size=shape), np.random.default_rng(6).normal(size=shape)
    # as in net_plotter.py of https://github.com/tomgoldstein/loss-landscape, leaving out biases
    direction, wanted = torch.from_numpy(drawn.copy()), torch.from_numpy(weight)
    if direction.dim() <= 1:
        direction.fill_(0)
    else:
        for one, other in zip(direction, wanted, strict=True):
            one.mul_(other.norm() / (one.norm() + 1e-10))
    np.testing.assert_allclose(filter_normalized(drawn, weight), direction.numpy(), rtol=1e-8)
