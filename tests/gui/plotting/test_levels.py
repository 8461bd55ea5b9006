"""Levels of contours: round, few, and logarithmic where a valley needs it."""

import numpy as np
import pytest

from gradstep_gui.plotting.levels import level_text, levels_of, refined, suits_logarithm


@pytest.mark.parametrize("span", [(0, 1), (-372, 372), (0.861, 0.933), (1e-8, 3e-8), (0, 4.1e9)])
def test_even_levels_are_round_few_and_inside(span):
    found = levels_of(np.array(span, float), log=False)
    assert found.offset is None
    assert 7 <= len(found.values) <= 18
    assert span[0] < found.values[0]
    assert found.values[-1] < span[1]
    assert np.ptp(np.diff(found.values)) == pytest.approx(0, abs=1e-9 * span[1])
    assert all(len(level_text(value)) <= 7 for value in found.values)


@pytest.mark.parametrize("span", [(1e-3, 3500), (0.02, 300), (1, 5), (1e-30, 1e30), (2, 2.5)])
def test_logarithmic_levels_are_round_few_and_inside(span):
    found = levels_of(np.array(span, float), log=True)
    assert 1 <= len(found.values) <= 18
    assert (np.diff(found.values) > 0).all()
    assert span[0] < found.values[0]
    assert found.values[-1] < span[1]


def test_values_that_are_not_positive_are_told_apart_by_their_distance_from_the_lowest():
    values = np.concatenate(([-5.0], -5 + 10.0 ** np.linspace(-2, 4, 400)))
    found = levels_of(values, log=True)
    assert found.offset == -5
    assert found.values[:2] == pytest.approx([-4.98, -4.95]) or found.values[0] > -5
    assert 10 ** found.scaled(np.array([7.0]))[0] - 5 == pytest.approx(7)


def test_a_few_deep_points_have_no_levels_of_their_own():
    """They would be drawn as beads in a narrow valley."""
    values = np.concatenate(([1e-9, 1e-8], np.linspace(1, 100, 2000)))
    assert levels_of(values, log=True).values[0] >= 1


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0], [np.nan, 3.0], [np.inf, -np.inf]])
@pytest.mark.parametrize("log", [False, True])
def test_nothing_to_tell_apart_has_no_levels(values, log):
    found = levels_of(np.array(values, float), log=log)
    assert len(found.values) == 0
    assert found.scaled(np.ones(2)).tolist() == [1, 1]


def test_losses_that_differ_by_orders_of_magnitude_suit_a_logarithm():
    assert suits_logarithm(np.array([0.1, np.nan, 500.0]))
    assert not suits_logarithm(np.array([1.0, 20.0]))
    assert not suits_logarithm(np.array([0.0, 500.0]))
    assert not suits_logarithm(np.array([np.nan]))


def test_a_refined_parabola_is_the_parabola_inside():
    axis = np.linspace(-2, 2, 17)
    fine, weights = refined(axis)
    assert len(fine) == 97
    np.testing.assert_allclose(weights @ axis, fine, atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    inner = np.abs(fine) <= 1.75
    np.testing.assert_allclose((weights @ axis**2)[inner], fine[inner] ** 2, atol=1e-12)


def test_an_axis_of_two_points_is_refined_too():
    fine, weights = refined(np.array([0.0, 1.0]))
    np.testing.assert_allclose(weights @ np.array([3.0, 5.0]), 3 + 2 * fine)
