"""The key to a heat map."""

from __future__ import annotations

import math

import pytest
from PySide6.QtGui import QColor

from gradstep_gui.widgets.arrays.legend_bar import LegendBar
from gradstep_gui.widgets.arrays.matrix_image import MINUS_INF, NAN, VIRIDIS


@pytest.fixture
def legend(qtbot):
    widget = LegendBar()
    qtbot.addWidget(widget)
    widget.resize(400, 20)
    return widget


def colours(legend):
    image = legend.grab().toImage()
    return {
        QColor(image.pixel(x, y)).rgb() for x in range(image.width()) for y in range(image.height())
    }


def test_the_scale_ranges_from_the_darkest_colour_to_the_brightest(legend):
    legend.show_range(0.0, 1.0, nan=0, plus_inf=0, minus_inf=0)
    assert {int(VIRIDIS[0]), int(VIRIDIS[255])} <= colours(legend)


def test_colours_of_non_finite_values_are_in_the_legend_only_when_needed(legend):
    legend.show_range(0.0, 1.0, nan=0, plus_inf=0, minus_inf=0)
    assert NAN not in colours(legend)
    legend.show_range(0.0, 1.0, nan=2, plus_inf=0, minus_inf=1)
    assert {NAN, MINUS_INF} <= colours(legend)
    assert legend.toolTip() == "from 0 to 1, 2 NaN, 1 -Inf"


def test_the_legend_has_a_notice_when_no_element_is_finite(legend):
    legend.show_range(math.nan, math.nan, nan=2, plus_inf=0, minus_inf=0)
    assert legend.toolTip() == "no finite values, 2 NaN"
    assert NAN in colours(legend)


def test_where_there_is_little_room_the_ends_have_fewer_digits_and_are_not_cut(qtbot):
    bar = LegendBar()
    qtbot.addWidget(bar)
    bar.show_range(-0.731384, 0.629304, nan=0, plus_inf=0, minus_inf=0)
    assert bar.ends_in(400) == ("-0.73138", "0.6293")
    metrics = bar.fontMetrics()
    room = metrics.horizontalAdvance("-0.731" + "0.629") + 24
    low, high = bar.ends_in(room)
    assert len(low) < len("-0.73138")
    assert metrics.horizontalAdvance(low + high) < room
    assert bar.ends_in(1) == ("-0.73", "0.63")


def test_in_a_narrow_dock_the_count_of_nan_is_shown_whole_instead_of_two_texts_cut(legend):
    legend.show_range(math.nan, math.nan, nan=72, plus_inf=0, minus_inf=0)
    legend.resize(300, legend.height())
    wide = legend.grab().toImage()
    legend.resize(145, legend.height())
    narrow = legend.grab().toImage()
    box = QColor.fromRgb(NAN)
    first = [
        next(x for x in range(image.width()) if image.pixelColor(x, image.height() // 2) == box)
        for image in (wide, narrow)
    ]
    assert first[0] > 50
    assert first[1] < 5
    assert legend.toolTip() == "no finite values, 72 NaN"
