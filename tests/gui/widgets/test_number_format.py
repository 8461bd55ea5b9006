"""Numbers as people read them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradstep_gui.widgets.number_format import (
    full_text,
    inline_text,
    number_text,
    shape_text,
    value_text,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (0.001, "0.001"),
        (1e-5, "1e-05"),
        (123456.0, "1.2346e+05"),
        (float("nan"), "NaN"),
        (float("inf"), "Inf"),
        (float("-inf"), "-Inf"),
    ],
)
def test_a_number_has_five_digits_and_none_is_none(value, text):
    assert number_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_that_is_not_zero_never_reads_as_zero(value):
    assert (float(number_text(value)) == 0) == (value == 0)


@given(st.floats(width=32))
def test_the_full_text_of_a_float32_reads_back_as_the_same_bits(value):
    number = np.float32(value)
    again = np.float32(full_text(number))
    assert again.tobytes() == number.tobytes() or (np.isnan(again) and np.isnan(number))


def test_the_full_text_of_other_scalars():
    assert [full_text(value) for value in (np.bool_(1), np.int64(7), np.float64("-inf"))] == [
        *("True", "7", "-Inf"),
    ]


def test_hyperparameters_of_every_type():
    values = (0.1, True, None, [0.9, 0.999], (1, 2), "min", np.float32(0.5), 1e-8)
    assert [value_text(value) for value in values] == [
        *("0.1", "True", "None", "0.9, 0.999", "1, 2", "min", "0.5", "1e-08"),
    ]


def test_small_arrays_and_shapes():
    assert inline_text(np.array([[1.0, np.nan]])) == "[[1, NaN]]"
    assert shape_text((2, 3, 4)) == "2 × 3 × 4"
