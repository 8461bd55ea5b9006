"""Contours: bands where the values are, and colours in order."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from gradstep_gui.plotting.contours import Contours, band_colors, filled_path
from gradstep_gui.plotting.levels import Levels

LINE = np.linspace(-1, 1, 9)


@pytest.fixture
def contours(qtbot):
    found = Contours()
    values = LINE[None, :] + 0 * LINE[:, None]
    found.set_surface(LINE, LINE, values, Levels(np.array([-0.5, 0.5])))
    return found


def test_each_band_begins_at_its_level_and_has_all_above_it(contours):
    assert contours.count == 3
    lowest, middle, highest = contours._bands
    left, centre, right = QPointF(-0.8, 0.1), QPointF(0.1, 0.1), QPointF(0.8, 0.1)
    assert [lowest.contains(place) for place in (left, centre, right)] == [True, True, True]
    assert [middle.contains(place) for place in (left, centre, right)] == [False, True, True]
    assert [highest.contains(place) for place in (left, centre, right)] == [False, False, True]
    assert contours._lines.boundingRect().left() == pytest.approx(-0.5)
    assert (contours.boundingRect().left(), contours.boundingRect().width()) == (-1, 2)
    contours.clear()
    assert contours.count == 0


def test_values_that_are_not_finite_leave_a_hole():
    found = Contours()
    values = np.ones((9, 9)) + LINE
    values[3:6, 3:6] = np.nan
    found.set_surface(LINE, LINE, values, Levels(np.array([1.5])))
    assert not found._bands[0].contains(QPointF(0, 0))
    assert found._bands[0].contains(QPointF(-0.9, 0))


def test_a_polygon_with_a_hole_is_one_path():
    outer = np.array([[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]], float)
    inner = np.array([[1, 1], [1, 3], [3, 3], [3, 1], [1, 1]], float)
    path = filled_path([np.concatenate((outer, inner))], [np.array([0, 5, 10])])
    assert path.contains(QPointF(0.5, 0.5))
    assert not path.contains(QPointF(2, 2))


def test_bands_have_the_colours_of_the_ramp_in_order():
    assert band_colors(("#000000", "#ff0000", "#ffffff"), 5) == (
        "#000000",
        "#800000",
        "#ff0000",
        "#ff8080",
        "#ffffff",
    )
