"""The line search: where it looks between two trials."""

import numpy as np
import pytest

from gradstep.optim.line_search import Trial, _inside

NEAR_LEFT = Trial(1.0, 0.0, np.zeros(1), -1.0), Trial(2.0, 100.0, np.zeros(1), 300.0)
NEAR_RIGHT = Trial(1.0, 100.0, np.zeros(1), -300.0), Trial(2.0, 0.0, np.zeros(1), 1.0)
IN_THE_MIDDLE = Trial(1.0, 1.0, np.zeros(1), -3.0), Trial(2.0, 1.0, np.zeros(1), 3.0)


@pytest.mark.parametrize(("pair", "near", "kept"), [(NEAR_LEFT, 1.0, 1.1), (NEAR_RIGHT, 2.0, 1.9)])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_length_near_an_end_is_tried_once_and_then_kept_off_it(pair, near, kept, swapped):
    low, high = reversed(pair) if swapped else pair
    length, stuck = _inside(low, high, stuck=False)
    assert 1.0 < length < 2.0
    assert abs(length - near) < 0.1
    assert stuck
    assert _inside(low, high, stuck=True) == (pytest.approx(kept), False)


@pytest.mark.parametrize("stuck", [False, True])
def test_a_length_away_from_both_ends_is_taken_as_it_is(stuck):
    assert _inside(*IN_THE_MIDDLE, stuck) == (pytest.approx(1.5), False)
