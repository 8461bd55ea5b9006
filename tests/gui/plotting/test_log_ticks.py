"""Ticks of a logarithmic axis, also of ranges that no float64 reaches."""

import math

import numpy as np
import pytest

from gradstep_gui.plotting.log_ticks import log_ticks


@pytest.mark.parametrize("low", [308.3, 616.2, 1e5, 1e300])
@pytest.mark.parametrize("width", [0.1, 0.9, 3.0, 1e4])
def test_exponents_above_those_of_a_float64_have_no_ticks(low, width):
    assert log_ticks(np.float64(low), np.float64(low + width), 0.1) == ([], None)
    assert log_ticks(-low - width - 20, -low - 20, 0.1) == ([], None)


def test_a_range_that_reaches_beyond_a_float64_has_ticks_where_there_are_numbers():
    assert log_ticks(np.float64(305.5), np.float64(1e9), 0.5) == ([1e306, 1e307, 1e308], None)
    assert log_ticks(-1e300, 1e300, 200)[0] == [1e-256, 1.0, 1e256]


@pytest.mark.parametrize("low", [-323.0, -322.4, -308.5, -290.1, 307.3])
@pytest.mark.parametrize("width", [1e-3, 0.4, 0.9, 2.0])
def test_ticks_next_to_the_ends_of_a_float64_are_finite_and_positive(low, width):
    values, _ = log_ticks(low, low + width, width / 8)
    assert all(math.isfinite(value) and value > 0 for value in values)
