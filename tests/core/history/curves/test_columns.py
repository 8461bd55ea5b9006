"""Columns: chunks, widening and sharing."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradstep.history.curves import columns as module
from gradstep.history.curves.columns import CHUNK, Columns
from gradstep.spill import SpillFile


@pytest.fixture(autouse=True, params=["in memory", "in a file"])
def place(request, monkeypatch):
    """Full chunks stay in memory, or leave it at once; narrow tables have no larger ones."""
    monkeypatch.setattr(module, "NARROW", CHUNK)
    if request.param == "in a file":
        monkeypatch.setattr(module, "IN_MEMORY", 0)


def filled(count, width=2):
    columns = Columns(width, np.float64, SpillFile())
    for row in range(count):
        columns.append([row * 10.0 + at for at in range(width)])
    return columns


def test_rows_over_several_chunks_come_back_in_order():
    columns = filled(2 * CHUNK + 5)
    assert len(columns) == 2 * CHUNK + 5
    np.testing.assert_array_equal(columns.column(1), np.arange(2 * CHUNK + 5) * 10.0 + 1)
    assert columns.row(-1).tolist() == [(2 * CHUNK + 4) * 10.0, (2 * CHUNK + 4) * 10.0 + 1]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.integers(0, 2 * CHUNK + 20), stop=st.integers(0, 2 * CHUNK + 20))
def test_any_range_equals_that_part_of_the_column(start, stop):
    columns = LONG
    expected = columns.column(0)[start : max(start, stop)]
    np.testing.assert_array_equal(columns.column(0, start, stop), expected)
    np.testing.assert_array_equal(columns.rows(start)[:, 0], columns.column(0)[start:])


LONG = filled(2 * CHUNK + 7, width=40)


def test_a_fork_grows_on_its_own_and_shares_full_chunks():
    columns = filled(2 * CHUNK + 5)
    fork = columns.fork(CHUNK + 3)
    fork.append([-1.0, -2.0])
    assert len(fork) == CHUNK + 4
    assert fork.row(-1).tolist() == [-1.0, -2.0]
    assert columns.row(CHUNK + 3).tolist() == [(CHUNK + 3) * 10.0, (CHUNK + 3) * 10.0 + 1]
    assert fork._chunks[0] is columns._chunks[0]


def test_a_fork_at_the_end_of_a_full_chunk_does_not_write_into_it():
    columns = filled(CHUNK)
    fork = columns.fork(CHUNK)
    fork.append([-1.0, -2.0])
    columns.append([1.0, 2.0])
    assert columns.row(CHUNK).tolist() == [1.0, 2.0]
    assert fork.row(CHUNK).tolist() == [-1.0, -2.0]


@pytest.mark.parametrize("rows", [CHUNK, 2 * CHUNK, 2 * CHUNK + 5])
@pytest.mark.parametrize("length", [CHUNK, 2 * CHUNK])
def test_a_fork_at_a_full_chunk_has_every_row_and_leaves_those_of_the_other(rows, length):
    columns = filled(rows)
    before = columns.rows()
    fork = columns.fork(length)
    np.testing.assert_array_equal(fork.rows(), before[:length])
    fork.append([-1.0, -2.0])
    np.testing.assert_array_equal(fork.rows(), [*before[:length], [-1.0, -2.0]])
    np.testing.assert_array_equal(columns.rows(), before)


def test_a_column_added_later_is_nan_before():
    columns = filled(CHUNK + 2)
    columns.widen(3)
    columns.append([1.0, 2.0, 3.0])
    column = columns.column(2)
    assert np.isnan(column[:-1]).all()
    assert column[-1] == 3.0
    assert np.isnan(columns.rows()[0, 2])
    assert np.isnan(columns.fork(CHUNK).column(2)).all()


@pytest.mark.parametrize("count", [3, CHUNK, CHUNK + 2])
def test_integers_are_zero_in_a_column_that_is_added_later(count):
    columns = Columns(1, np.int64, SpillFile())
    columns.extend(np.arange(count).reshape(-1, 1))
    columns.widen(2)
    columns.append([-1, -2])
    assert columns.column(1).tolist() == [0] * count + [-2]
    assert columns.fork(count).rows().tolist() == [[at, 0] for at in range(count)]


def test_an_early_row_is_as_wide_as_the_columns_are_now():
    columns = filled(CHUNK + 1)
    columns.widen(3)
    columns.append([1.0, 2.0, 3.0])
    for index in (0, CHUNK - 1, CHUNK, CHUNK + 1):
        np.testing.assert_array_equal(columns.row(index), columns.rows()[index])


def test_a_long_run_takes_a_bounded_amount_of_memory():
    columns = Columns(40, np.float64, SpillFile())
    for _ in range(50):
        columns.extend(np.zeros((CHUNK, 40)))
    assert columns.nbytes <= module.IN_MEMORY + 2 * CHUNK * 40 * 8


def test_rows_up_to_a_value_are_counted_as_by_a_search_of_the_whole_column():
    columns = Columns(2, np.int64, SpillFile())
    values = np.repeat(np.arange(0, 3 * CHUNK, 3), 2)
    columns.extend(np.stack([values, values], axis=1))
    for value in (-1, 0, 1, 2, 3, 1500, 1536, 3 * CHUNK - 3, 10**6):
        expected = np.searchsorted(values, value, side="right")
        assert columns.rows_up_to(value, 1) == expected
    assert Columns(1, np.int64, SpillFile()).rows_up_to(5, 0) == 0


@pytest.fixture
def narrow(monkeypatch):
    """Chunks of narrow tables have four times the rows."""
    monkeypatch.setattr(module, "NARROW", 4 * CHUNK)


@pytest.mark.usefixtures("narrow")
def test_a_table_of_few_columns_has_larger_and_fewer_chunks():
    few, many = filled(9 * CHUNK), filled(9 * CHUNK, width=40)
    assert (len(few._chunks), len(many._chunks)) == (2, 8)
    np.testing.assert_array_equal(few.rows(), many.rows()[:, :2])
    fork = few.fork(5 * CHUNK)
    fork.append([-1.0, -2.0])
    np.testing.assert_array_equal(fork.rows()[:-1], few.rows()[: 5 * CHUNK])
    assert few.rows_up_to(50_000.0, 0) == 5001


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("count", [0, 7, CHUNK, CHUNK + 1, 4 * CHUNK, 5 * CHUNK])
def test_a_table_that_becomes_wide_keeps_its_rows(count):
    columns = filled(count)
    columns.widen(40)
    columns.extend(np.ones((2 * CHUNK, 40)))
    assert len(columns) == count + 2 * CHUNK
    assert columns._rows == (CHUNK if count <= CHUNK else 4 * CHUNK)
    np.testing.assert_array_equal(columns.rows()[:count, :2], filled(count).rows())
    np.testing.assert_array_equal(columns.rows()[count:], np.ones((2 * CHUNK, 40)))
    fork = columns.fork(count + 3)
    fork.append(np.zeros(40))
    np.testing.assert_array_equal(fork.rows()[:-1], columns.rows()[: count + 3])
