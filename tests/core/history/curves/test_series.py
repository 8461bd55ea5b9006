"""Series: a row an iteration, and how rows are measured."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from gradstep.errors import GradStepError
from gradstep.history.curves.buffered import EARLY, EVERY, HUGE, ROWS, BufferedRows
from gradstep.history.curves.column_names import ELEMENTS
from gradstep.history.curves.probe import SMALL, Probe, norm
from gradstep.history.curves.series import Series
from gradstep.history.history import History
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad


def run(history, program, *operations):
    for operation in operations:
        history.record(program, operation)


def column(history, name):
    return history.series.column(name)[1].tolist()


def test_row_zero_is_the_state_before_any_event(program):
    history = History.start(program)
    assert history.series.column("norm/x")[0].tolist() == [0.0]
    assert column(history, "norm/x") == [math.sqrt(5.0)]
    assert column(history, "update/x") == [0.0]
    assert np.isnan(column(history, "loss/loss") + column(history, "norm/x.grad")).all()


def test_a_row_closes_with_an_iteration(program, loop):
    history = History.start(program)
    run(history, program, *loop, *loop[:3])
    assert column(history, "event") == [0.0, 4.0]
    run(history, program, loop[3])
    assert column(history, "event") == [0.0, 4.0, 8.0]
    assert history.series.column("loss/loss")[0].tolist() == [0.0, 1.0, 2.0]
    assert column(history, "loss/loss")[1:] == [2.5, 2.5 * 0.81]
    np.testing.assert_allclose(
        column(history, "norm/x.grad")[1:], [math.sqrt(5), math.sqrt(5) * 0.9], rtol=1e-12
    )
    np.testing.assert_allclose(column(history, "update/x")[1:], [0.1 * 5**0.5, 0.09 * 5**0.5])
    assert column(history, "element/x[1]")[:2] == [2.0, 1.8]
    assert column(history, "element/x.grad[1]")[1:] == [2.0, 1.8]


def test_the_gradient_of_a_row_is_that_of_backward_even_if_cleared_since(program):
    history = History.start(program)
    run(history, program, Forward(), Backward(), ZeroGrad("sgd"), Step("sgd"))
    assert column(history, "element/x.grad[0]")[1] == 1.0


def test_an_iteration_without_gradient_or_loss_leaves_gaps(program):
    history = History.start(program)
    run(history, program, Step("sgd"))
    assert math.isnan(column(history, "norm/x.grad")[1])
    assert math.isnan(column(history, "loss/loss")[1])


def test_rows_can_be_read_from_any_row_on(program, loop):
    history = History.start(program)
    run(history, program, *loop * 3)
    x, y = history.series.column("norm/x", since=2)
    assert x.tolist() == [2.0, 3.0]
    assert y.tolist() == column(history, "norm/x")[2:]
    assert len(history.series.column("norm/x", since=99)[0]) == 0


def test_an_unknown_column_is_rejected_by_name(program):
    with pytest.raises(GradStepError, match="no column 'norm/y'"):
        History.start(program).series.column("norm/y")


def test_a_chosen_element_has_a_column_from_then_on():
    big = SimpleNamespace(_array=np.arange(200.0).reshape(20, 10), _grad=None)
    source = SimpleNamespace(
        tensors={"w": big}, losses={}, output_losses=dict, iteration=0, unrecorded=frozenset()
    )
    series = Series(source)
    assert not any(name.startswith("element/") for name in series.names)
    name = series.choose("w", (2, 3))
    big._grad = SimpleNamespace(_array=-big._array)
    series.close(source, 4)
    assert name == "element/w[2,3]"
    assert np.isnan(series.column(name)[1][0])
    assert series.column(name)[1][1] == 23.0
    assert series.column("element/w.grad[2,3]")[1][1] == -23.0
    with pytest.raises(GradStepError, match=r"no element \[20, 0\]"):
        series.choose("w", (20, 0))
    with pytest.raises(GradStepError, match="no floating point tensor 'v'"):
        series.choose("v", (0,))


def test_chosen_elements_are_loaded_again():
    tensors = {
        "w": SimpleNamespace(_array=np.arange(200.0).reshape(20, 10), _grad=None),
        "v": SimpleNamespace(_array=np.arange(100.0), _grad=None),
    }
    source = SimpleNamespace(
        tensors=tensors, losses={}, output_losses=dict, iteration=0, unrecorded=frozenset()
    )
    stored = Series(source)
    chosen = [stored.choose("w", (2, 3)), stored.choose("v", (42,))]
    stored.close(source, 4)
    loaded = Series(source, prime=False)
    loaded.load(stored.names[1:], *stored.to_arrays())
    loaded.rebase(source)
    tensors["w"]._array[2, 3] = -1.0
    tensors["v"]._array[42] = -2.0
    loaded.close(source, 8)
    assert loaded.names == stored.names
    assert [loaded.column(name)[1].tolist()[1:] for name in chosen] == [[23.0, -1.0], [42.0, -2.0]]


def test_an_element_that_a_fork_chooses_is_not_a_column_of_the_other():
    big = SimpleNamespace(_array=np.arange(200.0), _grad=None)
    source = SimpleNamespace(
        tensors={"w": big}, losses={}, output_losses=dict, iteration=0, unrecorded=frozenset()
    )
    series = Series(source)
    names = series.names
    fork = series.fork(0, source)
    chosen = fork.choose("w", (7,))
    fork.rebase(source)
    fork.close(source, 1)
    assert fork.column(chosen)[1][-1] == 7.0
    assert series.names == names
    series.close(source, 1)
    assert series.choose("w", (8,)) != chosen
    with pytest.raises(GradStepError, match="there is no column"):
        series.column(chosen)


def test_elements_are_those_of_the_smallest_tensors_that_fit():
    sizes = {"a": 40, "b": 3, "c": 20, "d": 30}
    tensors = {
        name: SimpleNamespace(_array=np.zeros(size), _grad=None) for name, size in sizes.items()
    }
    series = Series(
        SimpleNamespace(
            tensors=tensors, losses={}, output_losses=dict, iteration=0, unrecorded=frozenset()
        )
    )
    kept = {name.partition("[")[0] for name in series.names if name.startswith("element/")}
    assert kept == {f"element/{name}{part}" for name in "bcd" for part in ("", ".grad")}
    assert sum(sizes[name] for name in "bcd") <= ELEMENTS


def test_stored_rows_fill_an_empty_series(program, loop):
    history = History.start(program)
    history.series.choose("x", (0,))
    run(history, program, *loop * 3)
    stored = history.series
    back = Series(program, prime=False)
    back.load(stored.names[1:], *stored.to_arrays())
    for name in stored.names:
        np.testing.assert_array_equal(back.column(name)[1], stored.column(name)[1])
    with pytest.raises(GradStepError, match="not those of this program"):
        Series(program, prime=False).load(("norm/y",), *stored.to_arrays())


def measured(first, second):
    """Return losses, norms, updates and norms of gradients of one row."""
    rows = BufferedRows(first, (), losses=0)
    rows.reset(first, 1)
    rows.sample_gradients(second)
    rows.close(second, (1, 1), ())
    return np.split(rows.take()[1][0], 3)


def test_norms_of_many_tensors_are_those_of_numpy():
    rng = np.random.default_rng(0)
    shapes = [(3, 4), (), (5,), (SMALL + 1,), (0,), (2, SMALL)]
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    norms, _, gradients = measured(arrays, arrays)
    np.testing.assert_allclose(norms, [np.linalg.norm(a.ravel()) for a in arrays], rtol=1e-5)
    assert norms.tolist() == gradients.tolist()
    probe = Probe(arrays, ((0, 5), (2, 0)))
    rows = probe.numbers([probe.gather(arrays)])
    assert probe.elements(rows).tolist() == [[arrays[0][1, 1], arrays[2][0]]]


def test_updates_are_measured_from_the_last_row():
    rng = np.random.default_rng(0)
    shapes = [(3, 4), (SMALL * 9,)]
    first = [rng.normal(size=shape) for shape in shapes]
    second = [array + 0.5 for array in first]
    rows = BufferedRows(first, (), losses=0)
    rows.reset(first, 1)
    for moment in ((1, 1), (2, 2)):
        rows.sample_gradients([None, None], absent=[0, 1])
        rows.close(second, moment, ())
    moments, values = rows.take()
    assert moments.tolist() == [[1, 1], [2, 2]]
    expected = [0.5 * math.sqrt(array.size) for array in first]
    np.testing.assert_allclose(values[0, 2:4], expected, rtol=1e-9)
    assert values[1, 2:4].tolist() == [0.0, 0.0]


def test_the_current_row_stays_when_closed_rows_are_taken():
    rows = BufferedRows([np.zeros(1)], (), losses=1)
    rows.reset([np.zeros(1)], 1)
    rows.sample_loss(0, 0.5)
    rows.sample_gradients([np.array([4.0])])
    rows.close([np.array([3.0])], (1, 1), ())
    rows.sample_loss(0, 0.25)
    rows.sample_gradients([np.array([2.0])])
    assert rows.take()[1].tolist() == [[0.5, 3.0, 3.0, 4.0]]
    rows.close([np.array([1.0])], (2, 2), ())
    assert rows.take()[1].tolist() == [[0.25, 1.0, 2.0, 2.0]]


def test_reading_rows_early_changes_no_row(make_program, loop):
    often, seldom = make_program(), make_program()
    read, unread = History.start(often), History.start(seldom)
    for _ in range(2 * ROWS + 3):
        run(read, often, *loop)
        run(unread, seldom, *loop)
        read.series.column("loss/loss")
    for name in read.series.names:
        np.testing.assert_array_equal(read.series.column(name)[1], unread.series.column(name)[1])


def test_updates_of_huge_tensors_are_measured_in_every_eighth_row():
    huge = SimpleNamespace(_array=np.ones(HUGE, np.float32), _grad=None)
    source = SimpleNamespace(
        tensors={"w": huge}, losses={}, output_losses=dict, iteration=0, unrecorded=frozenset()
    )
    series = Series(source)
    for row in range(1, EARLY + 2 * EVERY + 1):
        huge._array += np.float32(1 / 256)
        huge._grad = SimpleNamespace(_array=huge._array)
        source.iteration = row
        series.close(source, row)
    known = np.flatnonzero(np.isfinite(series.column("update/w")[1])).tolist()
    assert known == [*range(EARLY + 1), EARLY + EVERY, EARLY + 2 * EVERY]
    np.testing.assert_allclose(series.column("update/w")[1][known[1:]], 1.0, rtol=1e-3)
    assert np.isfinite(series.column("norm/w.grad")[1][1:]).all()
    assert np.isfinite(series.column("norm/w")[1]).all()


def test_large_float32_values_do_not_overflow_among_small_tensors():
    array = np.array([3e20, 4e20], np.float32)
    np.testing.assert_allclose(measured([array], [array])[0], [5e20], rtol=1e-6)
    assert norm(np.array([3.0, 4.0])) == 5.0


def test_sampling_reports_at_once_whether_all_is_finite():
    fine = [np.zeros(2), np.zeros(SMALL + 1)]
    rows = BufferedRows(fine, (), losses=0)
    rows.reset(fine, 1)
    for place in range(2):
        broken = [array.copy() for array in fine]
        broken[place][1] = np.inf
        assert rows.sample_gradients([None, None], absent=[0, 1])
        assert not rows.sample_gradients(broken)
        assert not rows.close(broken, (1, 1), ())
        assert rows.sample_gradients(fine)
        assert rows.close(fine, (2, 2), ())
