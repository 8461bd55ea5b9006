"""The array view: shapes of every kind as rows and columns, and the element pointed at."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep_gui.widgets.arrays.array_view import ArrayView


@pytest.fixture
def view(qtbot):
    widget = ArrayView()
    qtbot.addWidget(widget)
    return widget


@pytest.mark.parametrize(
    ("shape", "rows_and_columns"),
    [((), (1, 1)), ((5,), (1, 5)), ((2, 3), (2, 3)), ((4, 2, 3), (2, 3)), ((0,), (1, 0))],
)
def test_an_array_of_any_shape_becomes_rows_and_columns(view, shape, rows_and_columns):
    view.show_array(np.zeros(shape))
    model = view.table.model()
    assert (model.rowCount(), model.columnCount()) == rows_and_columns
    assert view.heat_map.matrix_shape == rows_and_columns


def test_the_readout_names_the_element_as_code_does(view):
    view.show_array(np.array([[1.0, 2.0], [3.0, 0.1]], np.float32))
    view.heat_map.hovered.emit(1, 1)
    assert view.readout.text() == "[1, 1] = 0.1"
    view.show_array(np.array([5.0, 6.0]))
    view.heat_map.hovered.emit(0, 1)
    assert view.readout.text() == "[1] = 6.0"
    view.heat_map.hovered.emit(-1, -1)
    assert view.readout.text() == "Point at an element to see its value"


def test_the_readout_of_a_slice_has_the_leading_indices(view):
    view.show_array(np.arange(24.0).reshape(2, 3, 2, 2))
    view._slice.setValue(5)
    view.heat_map.hovered.emit(1, 1)
    assert view.readout.text() == "[1, 2, 1, 1] = 23.0"


def test_picking_in_the_heat_map_selects_the_number(view):
    view.show_array(np.zeros((50, 60)))
    view.heat_map.picked.emit(40, 3)
    assert (view.table.currentIndex().row(), view.table.currentIndex().column()) == (40, 3)


def test_the_colours_span_the_finite_elements(view):
    view.show_array(np.array([1.0, np.nan, np.inf, -np.inf, 4.0]))
    assert view.legend.accessibleDescription() == "from 1 to 4, 1 NaN, 1 Inf, 1 -Inf"


def test_equal_elements_have_one_value_in_the_legend(view):
    view.show_array(np.array([2.5, 2.5]))
    assert view.legend.accessibleDescription() == "all 2.5"


def test_the_same_shape_again_keeps_the_place_in_the_table(view):
    view.show_array(np.zeros((50, 60)))
    view.table.go_to(40, 3)
    view.show_array(np.ones((50, 60)))
    assert view.table.currentIndex().row() == 40
    assert view.table.currentIndex().data() == "1"


def test_the_element_pointed_at_keeps_telling_its_value(view):
    view.show_array(np.array([5.0, 6.0]))
    view.heat_map.hovered.emit(0, 1)
    view.show_array(np.array([5.0, 7.0]))
    assert view.readout.text() == "[1] = 7.0"


def test_the_caption_is_replaced_by_the_element_under_the_mouse(view):
    view.show_array(np.array([5.0, 6.0]), "norm 7.8")
    assert view.readout.text() == "norm 7.8"
    view.heat_map.hovered.emit(0, 1)
    assert view.readout.text() == "[1] = 6.0"
    view.heat_map.hovered.emit(-1, -1)
    assert view.readout.text() == "norm 7.8"


def test_an_empty_array_is_called_empty(view):
    view.show_array(np.zeros((0, 3)))
    assert view.readout.text() == "empty"
