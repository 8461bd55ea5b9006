"""Ticks read as plain numbers."""

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


def test_a_logarithmic_axis_writes_ones_twos_and_fives_until_it_is_crowded(qapp):
    axis = ValueAxis()
    axis.setLogMode(y=True)
    axis.setRange(-1, 0.5)
    exponents = [-1, -0.6989700043360187, -0.5228787452803376, 0]
    assert axis.tickStrings(exponents, 1, None) == ["0.1", "0.2", "", "1"]
    axis.setRange(-3, 3)
    assert axis.tickStrings(exponents, 1, None) == ["0.1", "", "", "1"]


@pytest.mark.parametrize("values", [(2.9, 3.8), (0.909, 0.921), (0.0, 3.1), (-40.0, 7e4)])
@pytest.mark.parametrize("pixels", [20, 40, 60, 90, 300])
def test_ticks_in_a_low_panel_are_so_few_that_their_words_do_not_touch(qapp, values, pixels):
    line = QFontMetrics(QApplication.font()).height()
    low, high = values
    spacings = ValueAxis().tickSpacing(low, high, pixels)
    assert spacings
    for spacing, _ in spacings:
        assert spacing / (high - low) * pixels >= line
