"""Smoothing: the moving average is the recurrence, however the values arrive."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradstep_gui.plotting.curve_set import CurveSet
from gradstep_gui.plotting.smoothing import MAX_SMOOTHING, MovingAverage, SmoothedCurves
from tests.gui.plotting.series_batches import batch

LOSS = "loss/loss"


def recurrence(values, weight):
    """The average by its definition, one value after the other."""
    total, count, averages = 0.0, 0, []
    for value in values:
        if not np.isfinite(value):
            averages.append(np.nan)
            continue
        total, count = weight * total + (1 - weight) * value, count + 1
        averages.append(total / (1 - weight**count))
    return averages


@given(
    st.lists(
        st.one_of(st.floats(-1e6, 1e6), st.sampled_from([np.nan, np.inf, -np.inf])), max_size=400
    ),
    st.sampled_from([0.0, 0.1, 0.6, 0.9, 0.99, MAX_SMOOTHING]),
    st.integers(0, 400),
)
def test_the_average_is_that_of_the_definition_in_any_number_of_parts(values, weight, cut):
    average = MovingAverage(weight)
    array = np.array(values, np.float64)
    found = np.concatenate([average.extend(array[:cut]), average.extend(array[cut:])])
    np.testing.assert_allclose(found, recurrence(values, weight), rtol=1e-8, atol=1e-4)


def test_a_constant_stays_itself_from_the_first_value_on():
    assert MovingAverage(0.99).extend(np.full(5000, 7.0)) == pytest.approx(np.full(5000, 7.0))


def smoothed_by(weight):
    smoothed = SmoothedCurves()
    smoothed.set_weight(weight)
    return smoothed


def test_it_follows_new_rows_the_tail_and_a_fork():
    curves, smoothed = CurveSet([LOSS]), smoothed_by(0.5)
    rng = np.random.default_rng(0)

    def check():
        smoothed.follow(curves, [LOSS])
        raw = curves[LOSS]
        assert smoothed[LOSS].x.tolist() == raw.x.tolist()
        assert smoothed[LOSS].y == pytest.approx(recurrence(raw.y, 0.5))

    for start, values in ((0, rng.normal(size=50)), (50, rng.normal(size=9)), (20, [1.0] * 60)):
        curves.apply(batch({LOSS: values}, start=start))
        check()
        for tail in ([3.0], [3.0, 4.0], [9.0]):
            curves.set_tail({LOSS: (np.arange(len(tail)) + 100.0, tail)})
            check()
        curves.set_tail({})
    smoothed.set_weight(0.0)
    smoothed.follow(curves, [LOSS])
    assert smoothed[LOSS].y.tolist() == curves[LOSS].y.tolist()


def test_the_rows_of_another_program_are_averaged_from_their_beginning():
    curves, smoothed = CurveSet([LOSS]), smoothed_by(0.9)
    for values in ([5.0] * 8, [1.0] * 9):
        curves.apply(batch({LOSS: values}))
        smoothed.follow(curves, [LOSS])
    assert smoothed[LOSS].y == pytest.approx(np.ones(9))
