"""PlanePlot: the path of a pair of values."""

import numpy as np
import pytest

from gradstep_gui.plotting.curve import Curve
from gradstep_gui.plotting.plane import PlanePlot


def curve(values):
    made = Curve()
    made.extend(np.arange(len(values)), values)
    return made


@pytest.fixture
def plane(qtbot):
    plane = PlanePlot()
    qtbot.addWidget(plane)
    plane.resize(320, 320)
    return plane


def path(item):
    x, y = item.getData()
    return list(zip(x.tolist(), y.tolist(), strict=True))


def test_the_path_leads_from_the_start_to_the_current_point(plane):
    plane.draw(curve([0, 1, 2]), curve([5, 6, 9]), None)
    assert path(plane._path)[:3] == [(0, 5), (1, 6), (2, 9)]
    assert path(plane._begin) == [(0, 5)]
    assert plane.here == (2, 9)


def test_after_going_back_the_rest_of_the_path_is_drawn_as_future(plane):
    plane.draw(curve([0, 1, 2]), curve([5, 6, 9]), 1.0)
    assert plane.here == (1, 6)
    assert path(plane._ahead) == [(1, 6), (2, 9)]


def test_rows_with_a_missing_coordinate_are_skipped(plane):
    plane.draw(curve([0, np.nan, 2]), curve([5, 6, np.inf]), None)
    assert plane.here == (0, 5)


def test_nothing_is_drawn_of_nothing(plane):
    plane.draw(curve([np.nan]), curve([1]), None)
    assert plane.here is None


def test_a_long_path_is_thinned_but_ends_where_it_is(plane):
    plane.draw(curve(np.arange(100_000)), curve(np.arange(100_000) ** 0.5), None)
    assert len(path(plane._path)) <= 4_002
    assert path(plane._path)[-1][0] == 99_999
