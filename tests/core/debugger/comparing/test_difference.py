"""Differences of values, counted in units in the last place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradstep.debugger.comparing.difference import difference, first_difference, units_apart

FLOATS = st.floats(allow_nan=False, width=32)


@given(FLOATS, FLOATS)
def test_units_count_the_numbers_in_between(one, other):
    a, b = np.array([one], "f4"), np.array([other], "f4")
    units = int(units_apart(a, b)[0])
    assert units == int(units_apart(b, a)[0])
    assert (units == 0) == (one == other)
    if units == 1:
        assert np.nextafter(min(a, b), np.float32(np.inf))[0] == max(a, b)[0]


def test_units_reach_from_one_end_to_the_other():
    ends = np.array([-np.inf]), np.array([np.inf])
    assert int(units_apart(*ends)[0]) == 2 * 0x7FF0000000000000
    assert int(units_apart(np.array([-5e-324]), np.array([5e-324]))[0]) == 2


def test_a_difference_names_the_first_element_and_counts_all():
    a = np.ones((2, 3), "f4")
    b = a.copy()
    b[0, 2] = np.nextafter(np.float32(1), np.float32(2))
    b[1, 1] = 1.5
    found = difference("w", a, b)
    assert (found.element, found.ulps, found.count) == ((0, 2), 1, 2)
    assert found.most_ulps == 2**22
    assert (found.a, found.b) == ("1.0", "1.0000001")


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        (None, np.ones(2), ("None", "float64 values of shape (2,)")),
        (
            np.ones((2, 3), "f4"),
            np.ones((3, 2), "f4"),
            ("float32 values of shape (2, 3)", "float32 values of shape (3, 2)"),
        ),
        (np.ones((), "f4"), np.ones(()), ("one float32 value", "one float64 value")),
    ],
)
def test_tensors_that_cannot_be_compared_are_described_in_words(a, b, shown):
    found = difference("x", a, b)
    assert (found.a, found.b) == shown
    assert (found.element, found.ulps, found.count) == (None, None, 0)


def test_nan_is_the_same_as_nan_and_no_units_from_a_number():
    a, b = np.array([np.nan, 1.0]), np.array([np.nan, np.nan])
    assert difference("x", a, a.copy()) is None
    found = difference("x", a, b)
    assert (found.element, found.ulps, found.most_ulps) == ((1,), None, None)
    assert (found.a, found.b) == ("1.0", "nan")


def test_the_two_zeros_are_one_number():
    assert difference("x", np.array([0.0]), np.array([-0.0])) is None


def test_tensors_that_were_written_are_compared_first():
    a = {"x": np.zeros(1), "y": np.zeros(1), "only": None}
    b = {"x": np.ones(1), "y": np.ones(1), "only": None}
    assert first_difference(a, b).address == "x"
    assert first_difference(a, b, ("elsewhere", "y")).address == "y"
    assert first_difference(a, {**a, "new": np.zeros(1)}).address == "new"
    assert first_difference(a, dict(a)) is None
