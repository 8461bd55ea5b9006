"""The heat map: which element is where, and that what is wrong stays visible."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFontMetricsF

from gradstep_gui.theme import contrast
from gradstep_gui.widgets.arrays.heat_map import HeatMap, cell_text, ink_on
from gradstep_gui.widgets.arrays.matrix_image import NAN, VIRIDIS


@pytest.fixture
def heat_map(qtbot):
    widget = HeatMap()
    qtbot.addWidget(widget)
    widget.resize(202, 102)
    return widget


def colour_at(widget, row, column):
    image = widget.grab().toImage()
    rect = widget.cell_rect(row, column)
    corner = rect.topLeft() + QPoint(2, 2)
    return QColor(image.pixel(int(corner.x()), int(corner.y()))).rgb()


def test_the_lowest_value_is_dark_and_the_highest_bright(heat_map):
    heat_map.show_matrix(np.array([[0.0, 1.0]]), 0.0, 1.0)
    assert colour_at(heat_map, 0, 0) == int(VIRIDIS[0])
    assert colour_at(heat_map, 0, 1) == int(VIRIDIS[255])


def test_a_number_can_be_read_on_every_colour_of_the_map():
    for colour in map(int, VIRIDIS):
        ground = QColor.fromRgb(colour).name()
        assert contrast(ink_on(colour).name(), ground) >= 4.5, ground


def test_one_nan_in_a_big_matrix_is_still_seen(heat_map):
    matrix = np.zeros((2000, 2000), np.float32)
    matrix[1234, 567] = np.nan
    heat_map.show_matrix(matrix, 0.0, 1.0)
    image = heat_map.grab().toImage()
    pixels = {
        QColor(image.pixel(x, y)).rgb() for x in range(image.width()) for y in range(image.height())
    }
    assert NAN in pixels


def test_the_mouse_points_at_the_element_under_it(heat_map, qtbot):
    heat_map.show_matrix(np.arange(4.0).reshape(2, 2), 0.0, 3.0)
    heat_map.show()
    with qtbot.waitSignal(heat_map.hovered, timeout=60_000) as pointed:
        qtbot.mouseMove(heat_map, heat_map.cell_rect(1, 0).center().toPoint())
    assert pointed.args == [1, 0]


def test_arrow_keys_move_the_pointer_and_stop_at_the_edge(heat_map, qtbot):
    heat_map.show_matrix(np.zeros((2, 3)), 0.0, 0.0)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(heat_map, key)
    assert heat_map.pointer == (1, 1)


def test_enter_picks_the_element_pointed_at(heat_map, qtbot):
    heat_map.show_matrix(np.zeros((2, 3)), 0.0, 0.0)
    qtbot.keyClick(heat_map, Qt.Key.Key_Down)
    with qtbot.waitSignal(heat_map.picked, timeout=60_000) as picked:
        qtbot.keyClick(heat_map, Qt.Key.Key_Return)
    assert picked.args == [0, 0]


def test_a_matrix_of_another_shape_lets_go_of_the_pointer(heat_map, qtbot):
    heat_map.show_matrix(np.zeros((2, 3)), 0.0, 0.0)
    qtbot.keyClick(heat_map, Qt.Key.Key_Down)
    heat_map.show_matrix(np.zeros((1, 1)), 0.0, 0.0)
    assert heat_map.pointer == (-1, -1)


def test_an_empty_matrix_is_drawn_as_nothing(heat_map):
    heat_map.show_matrix(np.zeros((0, 4)), 0.0, 0.0)
    assert heat_map.cell_at(heat_map.rect().center().toPointF()) == (-1, -1)
    assert not heat_map.grab().isNull()


def test_a_number_has_as_many_digits_as_its_cell_has_room_for(qapp):
    metrics = QFontMetricsF(qapp.font())

    def room(text):
        return metrics.horizontalAdvance(text) + 2

    assert cell_text(-0.00032768, room("-0.000328"), metrics) == "-0.000328"
    assert cell_text(-0.00032768, room("-0.0003"), metrics) == "-0.0003"
    assert cell_text(-0.00032768, room("-0.0"), metrics) == ""
