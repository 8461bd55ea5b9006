"""Gradients by themselves: next to nothing, huge, or doubling, unless the loss comes down."""

from types import SimpleNamespace

import numpy as np
import pytest

from gradstep.diagnostics.suspicions.gradient_norms import gradient_suspicions
from gradstep.history.curves.series import Series


@pytest.fixture
def suspect():
    """Return what is suspected of one weight of four elements whose gradients are given."""

    def suspected(gradients, *, learns=False):
        weight = SimpleNamespace(_array=np.ones((2, 2)), _grad=None)
        source = SimpleNamespace(
            tensors={"m.0.weight": weight},
            losses={},
            output_losses=dict,
            iteration=0,
            unrecorded=frozenset(),
        )
        series = Series(source)
        for row, gradient in enumerate(gradients, start=1):
            source.iteration = row
            weight._grad = SimpleNamespace(_array=np.full((2, 2), float(gradient)))
            series.sample_gradients(source)
            series.close(source, row)
        rows = series.tail(20)
        return list(gradient_suspicions(series, rows, 80, ["m.0.weight"], learns=learns))

    return suspected


def test_a_gradient_that_is_next_to_nothing_all_the_time_has_vanished(suspect):
    (fact,) = suspect([9e-8] * 20)
    assert (fact.id, fact.subjects, fact.threshold) == ("vanishing-gradient", ("m.0.weight",), 1e-7)
    assert fact.value == pytest.approx(9e-8)
    assert suspect([9e-8] * 19 + [2e-7]) == []
    assert suspect([0.0] * 20) == []


def test_a_huge_gradient_has_exploded(suspect):
    (fact,) = suspect([3e6] * 20)  # its norm over the number of elements is half of that
    assert (fact.id, fact.threshold) == ("exploding-gradient", 1e6)
    assert fact.value == pytest.approx(1.5e6)
    assert suspect([9e5] * 20) == []


def test_a_gradient_that_doubles_five_times_in_a_row_explodes(suspect):
    (fact,) = suspect([1.0] * 10 + [2.5**power for power in range(1, 6)] + [1.0] * 5)
    assert (fact.id, fact.threshold) == ("exploding-gradient", 2.0)
    assert fact.value == pytest.approx(2.5)
    assert "grew from 2 to 195 in 5 iterations" in fact.note
    assert suspect([1.0] * 10 + [2.5**power for power in range(1, 5)] + [1.0] * 6) == []


def test_noise_of_batches_does_not_explode(suspect):
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert suspect(np.exp(rng.normal(size=20))) == []


def test_while_a_loss_comes_down_its_gradients_may_be_of_any_size(suspect):
    assert suspect([9e-8] * 20, learns=True) == []
    assert suspect([3e6] * 20, learns=True) == []


def test_a_gradient_that_is_not_finite_is_left_to_the_fact(suspect):
    assert suspect([1.0] * 10 + [np.inf] * 10) == []
    assert suspect([np.nan] * 20) == []
