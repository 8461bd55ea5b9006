"""Ticks read as plain numbers."""

import math
from itertools import pairwise

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from gradstep_gui.plotting.axis import IterationAxis, ValueAxis, tick_text


@pytest.mark.parametrize(
    ("value", "spacing", "text"),
    [
        (0.0, 0.1, "0"),
        (0.30000000000000004, 0.1, "0.3"),
        (-1.5, 0.5, "\N{MINUS SIGN}1.5"),
        (12000, 2000, "12000"),
        (2e6, 1e6, "2e6"),
        (2.5e6, 5e5, "2.5e6"),
        (-3e-7, 1e-7, "\N{MINUS SIGN}3e-7".replace("e-", "e\N{MINUS SIGN}")),
        (1e-20, 0.1, "0"),
    ],
)
def test_a_tick_has_the_digits_that_its_neighbours_make_necessary(value, spacing, text):
    assert tick_text(value, spacing) == text


def test_all_ticks_of_an_axis_are_written_alike(qapp):
    minus = "\N{MINUS SIGN}"
    assert ValueAxis().tickStrings([-1e5, -5e4, 0], 1, 5e4) == [f"{minus}1.0e5", f"{minus}5e4", "0"]


def test_only_whole_iterations_are_written(qapp):
    axis = IterationAxis()
    assert axis.tickStrings([-1, 0, 0.5, 1, 10000], 1, 0.5) == [
        "",
        "0",
        "",
        "1",
        "10,000",
    ]


@pytest.mark.parametrize(
    ("low", "high", "pixels", "texts"),
    [
        (0.012, 8.5, 120, ["0.1", "1"]),
        (0.012, 8.5, 400, ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"]),
        (0.31, 0.69, 200, ["0.4", "0.5", "0.6"]),
        (2.301, 2.306, 120, ["2.301", "2.302", "2.303", "2.304", "2.305", "2.306"]),
        (1e-12, 1e6, 120, ["1e-12", "1e-8", "0.0001", "1", "10000"]),
    ],
)
def test_a_logarithmic_axis_has_as_many_ticks_as_have_room(qapp, low, high, pixels, texts):
    axis = ValueAxis()
    axis.setLogMode(y=True)
    ((spacing, places),) = axis.tickValues(math.log10(low), math.log10(high), pixels)
    found = axis.tickStrings(places, 1, spacing)
    assert [text.replace("\N{MINUS SIGN}", "-") for text in found] == texts


@pytest.mark.parametrize("decades", [0.004, 0.05, 0.2, 0.5, 0.9, 1.5, 4, 30, 300])
@pytest.mark.parametrize("lowest", [-150.3, -3.97, -0.02, 0.41, 2.3])
def test_a_logarithmic_axis_always_has_two_ticks_that_do_not_touch(qapp, lowest, decades):
    axis = ValueAxis()
    axis.setLogMode(y=True)
    ((_, places),) = axis.tickValues(lowest, lowest + decades, 120)
    assert len(places) >= 2
    line = QFontMetrics(QApplication.font()).height()
    assert all((b - a) / decades * 120 >= line for a, b in pairwise(places))
    assert all(lowest - 1e-9 <= place <= lowest + decades + 1e-9 for place in places)


@pytest.mark.parametrize("values", [(2.9, 3.8), (0.909, 0.921), (0.0, 3.1), (-40.0, 7e4)])
@pytest.mark.parametrize("pixels", [20, 40, 60, 90, 300])
def test_ticks_in_a_low_panel_are_so_few_that_their_words_do_not_touch(qapp, values, pixels):
    line = QFontMetrics(QApplication.font()).height()
    low, high = values
    spacings = ValueAxis().tickSpacing(low, high, pixels)
    assert spacings
    for spacing, _ in spacings:
        assert spacing / (high - low) * pixels >= line
