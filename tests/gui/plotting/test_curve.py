"""Curve: what is drawn of many points, and that no spike is lost."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep import spill
from gradstep_gui.plotting import curve as curve_module
from gradstep_gui.plotting.curve import Curve


def curve_of(y):
    curve = Curve()
    curve.extend(np.arange(len(y)), y)
    return curve


def test_a_short_curve_is_drawn_point_by_point():
    x, y = curve_of([3.0, 1.0, 2.0]).visible(0, 2, pixels=100)
    assert x.tolist() == [0, 1, 2]
    assert y.tolist() == [3, 1, 2]


def test_one_point_beyond_each_edge_is_kept_so_that_lines_reach_the_edges():
    x, _ = curve_of(np.zeros(100)).visible(10.5, 20.5, pixels=1000)
    assert (x[0], x[-1]) == (10, 21)


def test_a_single_spike_among_a_million_points_is_drawn():
    y = np.zeros(1_000_000)
    y[654_321] = 9.0
    x, drawn = curve_of(y).visible(0, 1_000_000, pixels=800)
    assert len(x) <= 4 * 800 + 2
    assert drawn.max() == 9.0
    assert abs(x[drawn.argmax()] - 654_321) < 1_000_000 / 800


def test_a_gap_wider_than_a_pixel_stays_a_gap():
    y = np.ones(100_000)
    y[40_000:60_000] = np.nan
    x, drawn = curve_of(y).visible(0, 100_000, pixels=500)
    inside = (x > 41_000) & (x < 59_000)
    assert np.isnan(drawn[inside]).all()
    assert np.isfinite(drawn[~((x > 39_000) & (x < 61_000))]).all()


@pytest.mark.parametrize("size", [5, 5000])
def test_infinite_values_are_gaps_and_never_reach_the_drawing(size):
    y = np.ones(size)
    y[3] = np.inf
    y[4] = -np.inf
    curve = curve_of(y)
    _, drawn = curve.visible(0, size, pixels=50)
    assert not np.isinf(drawn).any()
    assert curve.y[3] == np.inf


def test_truncating_and_going_on_gives_the_same_as_never_having_had_the_points():
    rng = np.random.default_rng(0)
    y = rng.normal(size=10_000)
    forked = curve_of(y)
    forked.patch(6_001, np.arange(6_001, 9_000), np.zeros(2_999))
    plain = curve_of(np.concatenate([y[:6_001], np.zeros(2_999)]))
    for ours, theirs in zip(
        forked.visible(0, 9_000, 300), plain.visible(0, 9_000, 300), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_points_appended_one_by_one_draw_as_points_appended_at_once():
    y = np.random.default_rng(1).normal(size=3_000)
    slow = Curve()
    for row, value in enumerate(y):
        slow.extend([row], [value])
    np.testing.assert_array_equal(slow.visible(0, 3_000, 40), curve_of(y).visible(0, 3_000, 40))


def test_the_nearest_row_is_found_and_none_when_there_is_no_point():
    assert Curve().nearest(3.0) is None
    curve = curve_of([5.0, 6.0, 7.0])
    assert [curve.nearest(x) for x in (-4, 0.4, 0.6, 99)] == [0, 0, 1, 2]


@settings(max_examples=60)
@given(
    y=st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), max_size=400),
    pixels=st.integers(1, 40),
    edges=st.tuples(st.integers(0, 400), st.integers(0, 400)),
)
def test_drawn_points_span_the_same_range_as_the_points_they_summarise(y, pixels, edges):
    low, high = sorted(edges)
    curve = curve_of(np.array(y, dtype=float))
    x, drawn = curve.visible(low, high, pixels)
    assert len(x) == len(drawn) <= 4 * pixels + 2
    first, last = curve.rows(low, high)
    points = curve.y[first:last]
    points = points[np.isfinite(points)]
    if len(points):
        assert np.nanmax(drawn) >= points.max()
        assert np.nanmin(drawn) <= points.min()
    assert (np.diff(x) >= 0).all()


def test_a_million_points_are_appended_and_drawn_within_a_frame():
    curve = curve_of(np.random.default_rng(2).normal(size=1_000_000))
    taken = []
    for _ in range(10):
        begun = time.thread_time()  # other programs do not count
        curve.visible(0, 1_000_000, pixels=1_900)
        taken.append(time.thread_time() - begun)
    assert min(taken) < 0.016


@pytest.mark.parametrize("size", [16, 4096])
def test_for_a_logarithmic_axis_only_positive_values_are_drawn_and_peaks_are_kept(size):
    y = np.tile([-1.0, 0.0, 2.0, 8.0], size // 4)
    _, drawn = curve_of(y).visible(0, size, pixels=16, positive=True)
    assert np.nanmin(drawn) == (2.0 if size == 16 else 8.0)
    assert np.nanmax(drawn) == 8.0


def test_the_first_infinite_point_is_known_and_forgotten_with_its_row():
    curve = curve_of([1.0, 2.0])
    assert curve.first_infinite is None
    curve.extend([2, 3, 4], [3.0, np.inf, -np.inf])
    assert curve.first_infinite == 3
    curve.truncate(3)
    assert curve.first_infinite is None


NAN = np.nan


def test_a_series_measured_in_every_third_iteration_is_drawn_without_gaps():
    x, y = curve_of([NAN, NAN, 5.0, NAN, NAN, 4.0, NAN, NAN, 3.0, NAN]).visible(0, 9, pixels=100)
    assert x.tolist() == [2, 5, 8]
    assert y.tolist() == [5, 4, 3]


def test_a_series_measured_in_two_of_five_iterations_is_drawn_without_gaps():
    x, _ = curve_of([1.0, 2.0, NAN, NAN, NAN] * 20).visible(0, 100, pixels=1000)
    assert x.tolist() == [each for each in range(100) if each % 5 < 2]


def test_a_line_between_sparse_values_outside_of_the_view_crosses_the_view():
    y = np.full(1000, NAN)
    y[::100] = 1.0
    x, _ = curve_of(y).visible(310, 390, pixels=500)
    assert x.tolist() == [300, 400]


def test_a_few_missing_values_among_many_stay_gaps():
    _, y = curve_of([1.0, 2.0, 3.0, NAN, 4.0, 5.0, 6.0]).visible(0, 6, pixels=100)
    assert np.flatnonzero(np.isnan(y)).tolist() == [3]


def test_an_infinite_value_is_a_gap_in_a_sparse_series_too():
    _, y = curve_of([1.0, NAN, np.inf, NAN, 3.0, NAN, 4.0]).visible(0, 6, pixels=100)
    assert np.isnan(y).tolist() == [False, True, False, False]


@given(st.lists(st.sampled_from([1.0, NAN]), max_size=30), st.integers(0, 30), st.integers(1, 7))
def test_whether_a_curve_is_sparse_does_not_depend_on_how_its_points_arrived(y, kept, size):
    whole, parts = curve_of(np.array(y)), Curve()
    for start in range(0, len(y), size):
        parts.extend(np.arange(start, min(start + size, len(y))), y[start : start + size])
    assert parts.is_sparse == whole.is_sparse
    parts.truncate(kept)
    assert parts.is_sparse == curve_of(np.array(y[:kept])).is_sparse


def test_a_curve_in_a_temporary_file_is_drawn_as_one_in_memory():
    rng = np.random.default_rng(5)
    x = np.cumsum(rng.integers(0, 3, 300_000)).astype(float)
    y = rng.standard_normal(300_000)
    y[rng.random(300_000) < 0.1] = np.nan
    y[123_456] = np.inf

    def drawn(block):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(spill, "BLOCK", block)
            patch.setattr(curve_module, "BLOCK", block)
            curve = Curve()
            for part in np.array_split(np.arange(len(x)), 11):
                curve.extend(x[part], y[part])
            curve.patch(200_000, x[200_000:280_000], -y[200_000:280_000])
            found = [curve.first_infinite, curve.is_sparse, curve.is_interpolated]
            for low, high, pixels in [(0, 3e5, 700), (1e4, 2e5, 333), (5e4, 6e4, 900), (7, 90, 50)]:
                for positive in (False, True):
                    shown = curve.visible(low, high, pixels, positive=positive)
                    found.append([array.tobytes() for array in shown])
            for place in (-1.0, 0.0, 4321.5, 2e5, 9e9):
                found.append((curve.nearest(place), curve.last_finite(place)))
            return found

    assert drawn(1024) == drawn(2**20)


def test_a_long_curve_takes_a_bounded_amount_of_memory():
    curve = Curve()
    for start in range(0, 2_000_000, 100_000):
        curve.extend(np.arange(start, start + 100_000), np.zeros(100_000))
    arrays = [curve._x, curve._y, *curve._xs, *curve._lows, *curve._highs]
    assert sum(array.nbytes for array in arrays) < 2 * 2**20


def test_a_sparse_curve_that_shrinks_and_grows_is_drawn_as_a_new_one():
    y = np.full(3000, np.nan)
    y[::3] = np.arange(1000)
    curve = curve_of(y[:2000])
    curve.visible(0, 3000, pixels=500)
    curve.patch(1500, np.arange(1500, 3000), y[1500:])
    found, expected = curve.visible(0, 3000, 500), curve_of(y).visible(0, 3000, 500)
    assert [array.tolist() for array in found] == [array.tolist() for array in expected]
