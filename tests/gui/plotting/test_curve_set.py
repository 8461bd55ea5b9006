"""CurveSet: batches append or replace, and a tail follows what is recorded."""

import math

from gradstep_gui.plotting.curve_set import CurveSet
from tests.gui.plotting.series_batches import batch

LOSS = "loss/loss"


def test_batches_append_to_the_columns_that_are_held_and_others_are_passed_over():
    curves = CurveSet([LOSS])
    curves.apply(batch({LOSS: [3, 2], "norm/x": [1, 1]}))
    curves.apply(batch({LOSS: [1]}, start=2))
    assert curves[LOSS].x.tolist() == [0, 1, 2]
    assert curves[LOSS].y.tolist() == [3, 2, 1]
    assert "norm/x" not in curves
    assert curves.last_iteration() == 2


def test_a_batch_that_starts_earlier_replaces_the_later_points():
    curves = CurveSet([LOSS])
    curves.apply(batch({LOSS: [3, 2, 1]}))
    curves.apply(batch({LOSS: [9]}, start=1))
    assert curves[LOSS].y.tolist() == [3, 9]
    curves.apply(batch({LOSS: [7]}))
    assert curves[LOSS].y.tolist() == [7]


def test_the_tail_of_the_running_iteration_gives_way_to_the_recorded_row():
    curves = CurveSet([LOSS])
    curves.apply(batch({LOSS: [3]}))
    curves.set_tail({LOSS: ([0.25, 0.5], [2.5, 2.4])})
    assert curves[LOSS].y.tolist() == [3, 2.5, 2.4]
    assert curves.last_iteration() == 0
    curves.apply(batch({LOSS: [2]}, start=1))
    assert curves[LOSS].x.tolist() == [0, 1]


def test_columns_kept_keep_their_points_and_new_ones_begin_empty():
    curves = CurveSet([LOSS])
    curves.apply(batch({LOSS: [3]}))
    curves.keep(["norm/x", LOSS])
    assert curves.columns == ("norm/x", LOSS)
    assert curves[LOSS].y.tolist() == [3]
    assert len(curves["norm/x"]) == 0


def test_a_tail_that_stays_the_same_leaves_its_curve_as_it_is():
    curves = CurveSet([LOSS, "norm/x"])
    curves.apply(batch({LOSS: [3], "norm/x": [1]}))
    curves.set_tail({LOSS: ([0.25, 0.5], [2.5, math.nan])})
    versions = [curves[name].version for name in curves.columns]
    curves.set_tail({LOSS: ([0.25, 0.5], [2.5, math.nan])})
    assert [curves[name].version for name in curves.columns] == versions
    curves.set_tail({LOSS: ([0.25, 0.5, 0.75], [2.5, math.nan, 2.0])})
    assert curves[LOSS].y.tolist()[-1] == 2.0
    assert curves["norm/x"].version == versions[1]
    curves.set_tail({})
    assert curves[LOSS].y.tolist() == [3]
