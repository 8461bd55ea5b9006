"""Shrinking a matrix keeps its mean, and what is wrong in it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gradstep_gui.widgets.arrays.matrix_image import block_mean

sizes = st.integers(1, 40)


@given(sizes, sizes, sizes, sizes)
def test_the_result_fits_and_a_constant_stays(rows, columns, most_rows, most_columns):
    small = block_mean(np.full((rows, columns), 2.5), most_rows, most_columns)
    assert small.shape == (min(rows, most_rows), min(columns, most_columns))
    assert (small == 2.5).all()


def test_equal_blocks_keep_the_mean():
    matrix = np.arange(96.0).reshape(8, 12)
    assert block_mean(matrix, 4, 3).mean() == matrix.mean()


@given(st.integers(0, 49), st.integers(0, 69), st.sampled_from([np.nan, np.inf, -np.inf]))
def test_one_odd_element_makes_exactly_one_odd_block(row, column, odd):
    matrix = np.zeros((50, 70))
    matrix[row, column] = odd
    small = block_mean(matrix, 7, 9)
    assert (~np.isfinite(small)).sum() == 1
