"""Summaries of arrays."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from gradstep.history.reads_writes import Address, parse
from gradstep.history.summary import summarise

FLOATS = st.floats(-1e6, 1e6) | st.sampled_from((math.nan, math.inf, -math.inf))


@given(arrays(np.float64, array_shapes(min_dims=0, min_side=0), elements=FLOATS))
def test_a_summary_is_that_of_the_finite_elements(array):
    record = summarise(array, whole=True)
    finite = array[np.isfinite(array)]
    assert record.shape == array.shape
    assert record.nan_count == np.isnan(array).sum()
    assert record.inf_count == np.isinf(array).sum()
    if finite.size or not array.size:
        np.testing.assert_allclose(record.norm, math.hypot(*finite.ravel()), rtol=1e-12)
    else:
        assert math.isnan(record.norm)
    if finite.size:
        np.testing.assert_allclose(record.mean, finite.mean(), rtol=1e-9, atol=1e-9)
        assert (record.minimum, record.maximum) == (finite.min(), finite.max())
    else:
        assert math.isnan(record.mean)
    np.testing.assert_array_equal(record.array, array)


def test_a_copy_in_a_record_is_read_only_and_independent():
    live = np.zeros(3, np.float32)
    record = summarise(live, whole=True)
    live[:] = 7.0
    assert record.array.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="read-only"):
        record.array[0] = 1.0


def test_an_overflow_of_the_square_is_not_counted_as_inf():
    record = summarise(np.array([3e38, -3e38], np.float32), whole=False)
    assert (record.nan_count, record.inf_count, record.array) == (0, 0, None)
    np.testing.assert_allclose(record.norm, 3e38 * math.sqrt(2), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1e-43, 1e-20, 1e-17, 3e37])
def test_a_norm_whose_square_is_no_number_is_neither_zero_nor_infinite(dtype, size):
    array = np.full((3, 3), size, dtype)
    np.testing.assert_allclose(
        summarise(array, whole=False).norm, 3 * float(array[0, 0]), rtol=1e-6
    )


def test_the_norm_of_zeros_is_zero():
    assert summarise(np.zeros(4, np.float32), whole=False).norm == 0.0


def test_integers_have_a_summary_too():
    record = summarise(np.array([1, 2, 2]), whole=False)
    assert (record.dtype, record.norm, record.maximum) == ("int64", 3.0, 2.0)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("model.0.weight", Address("data", "model.0.weight")),
        ("model.0.weight.grad", Address("grad", "model.0.weight")),
        ("adam/model.0.weight/exp_avg", Address("state", "model.0.weight", "adam", "exp_avg")),
        ("adam/lr", Address("hyperparameter", "", "adam", "lr")),
        ("loss", Address("loss", "loss")),
        ("loss.graph", Address("other", "loss.graph")),
        ("data.train", Address("other", "data.train")),
        ("generator", Address("other", "generator")),
    ],
)
def test_addresses_are_parsed(address, expected):
    assert parse(address, ("loss",)) == expected
