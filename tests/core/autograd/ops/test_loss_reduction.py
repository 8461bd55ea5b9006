"""Sums: of a handful, of a few, of many."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradstep
from gradstep.autograd.ops.loss_reduction import reduced, reduced_squares


def test_the_sum_of_a_handful_is_rounded_once():
    assert gradstep.tensor([1e8, 1.0, -1e8]).sum().item() == 1.0


@pytest.mark.parametrize(
    ("values", "expected"),
    [([math.inf, 1.0], math.inf), ([math.inf, -math.inf], math.nan), ([math.nan], math.nan)],
)
def test_infinities_and_nan_are_summed_as_in_ieee_754(values, expected):
    assert gradstep.tensor(values).sum().item() == pytest.approx(expected, nan_ok=True)


def test_a_sum_beyond_the_largest_number_is_infinite():
    assert gradstep.tensor([1.7e308] * 3, dtype=gradstep.float64).sum().item() == math.inf


@pytest.mark.parametrize("size", [0, 1, 8, 9, 8192, 8193])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_squares_reduce_as_their_sum_does_whatever_their_number(size, reduction):
    difference = np.random.default_rng(size).normal(size=(size, 1))
    expected = reduced(difference * difference, reduction)
    assert reduced_squares(difference, reduction) == pytest.approx(expected, nan_ok=True)
