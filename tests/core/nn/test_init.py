"""Initial values: torch's, bit for bit, and what cannot be initialised."""

from math import sqrt

import numpy as np
import pytest

import gradstep
import gradstep_torch
from gradstep import nn
from gradstep.errors import ArgumentError, TensorError

FILLS = [
    ("uniform_", {"a": -0.3, "b": 0.7}),
    ("normal_", {"mean": 0.5, "std": 0.2}),
    ("xavier_uniform_", {"gain": 1.5}),
    ("xavier_normal_", {}),
    ("kaiming_uniform_", {"a": sqrt(5)}),
    ("kaiming_uniform_", {"nonlinearity": "relu", "mode": "fan_out"}),
    ("kaiming_normal_", {}),
    ("kaiming_normal_", {"a": 0.1, "mode": "fan_out"}),
    ("constant_", {"val": 3.5}),
    ("ones_", {}),
    ("zeros_", {}),
]


@pytest.mark.torch
@pytest.mark.parametrize("shape", [(3, 2), (4, 4), (7, 30), (5, 3, 2, 2)])
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize(("name", "options"), FILLS)
def test_values_are_torchs_bit_for_bit(name, options, kind, shape):
    torch = pytest.importorskip("torch")
    found = []
    for library in (gradstep, torch):
        library.manual_seed(3)
        tensor = library.empty(*shape, dtype=getattr(library, kind))
        assert getattr(library.nn.init, name)(tensor, **options) is tensor
        found.append(tensor.numpy())
    if kind == "float64" and "normal" in name:  # the system's logarithm, or the compiler's
        np.testing.assert_allclose(*found, rtol=1e-14, atol=1e-16)
    else:
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("fill", "deviation"),
    [
        (nn.init.xavier_normal_, sqrt(2 / 500)),
        (nn.init.kaiming_normal_, sqrt(2 / 300)),
        (nn.init.xavier_uniform_, sqrt(2 / 500)),
        (nn.init.kaiming_uniform_, sqrt(2 / 300)),
    ],
)
def test_deviations_are_those_of_the_formulas(fill, deviation):
    gradstep.manual_seed(0)
    drawn = fill(gradstep.empty(200, 300)).numpy()
    assert drawn.mean() == pytest.approx(0.0, abs=1e-3)
    assert drawn.std() == pytest.approx(deviation, rel=0.01)


def test_filling_is_not_recorded_but_counted():
    weight = nn.Parameter(gradstep.empty(2, 2))
    before = weight._version
    nn.init.ones_(weight)
    assert weight.requires_grad
    assert weight.grad_fn is None
    assert weight._version > before


def test_an_eye_has_ones_on_its_diagonal():
    assert nn.init.eye_(gradstep.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("linear", 1.0), ("tanh", 5 / 3), ("relu", sqrt(2)), ("leaky_relu", sqrt(2 / 1.0001))],
)
def test_gains_are_those_of_the_nonlinearity(name, expected):
    assert nn.init.calculate_gain(name) == pytest.approx(expected)


def test_initializers_reject_tensors_and_arguments_that_do_not_fit():
    with pytest.raises(ArgumentError, match="fewer than 2 dimensions"):
        nn.init.xavier_uniform_(gradstep.empty(3))
    with pytest.raises(ArgumentError, match="Unsupported nonlinearity swish"):
        nn.init.calculate_gain("swish")
    with pytest.raises(TensorError, match="expects std >= 0"):
        nn.init.normal_(gradstep.empty(3), std=-1)
    with pytest.raises(ArgumentError, match="fan_both"):
        nn.init.kaiming_normal_(gradstep.empty(3, 3), mode="fan_both")


@pytest.mark.torch
@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (2, 3, 2)])
def test_orthogonal_rows_are_torchs(shape):
    torch = pytest.importorskip("torch")
    found = []
    for library in (gradstep, torch):
        library.manual_seed(3)
        found.append(library.nn.init.orthogonal_(library.empty(*shape), gain=2.0).numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4, atol=1e-5)


def test_orthogonal_needs_a_matrix():
    with pytest.raises(ArgumentError, match="2 or more dimensions"):
        nn.init.orthogonal_(gradstep.empty(3))


@pytest.mark.torch
@pytest.mark.parametrize(
    "fill",
    [
        lambda init, x: init.trunc_normal_(x, std=1.5),
        lambda init, x: init.trunc_normal_(x, a=1.0, b=2.0),
        lambda init, x: init.trunc_normal_(x.double(), 0.5, 0.3, 0.9, 1.0),
        lambda init, x: init.sparse_(x, 0.4),
    ],
)
def test_restricted_numbers_are_torchs(fill):
    torch = pytest.importorskip("torch")
    found = []
    for library in (gradstep_torch, torch):
        library.manual_seed(3)
        found.append(fill(library.nn.init, library.empty(40, 5)).numpy())
    np.testing.assert_array_equal(*found)


def test_truncated_numbers_are_within_their_bounds():
    for low, high in ((-0.5, 0.5), (2.0, 2.5)):
        x = nn.init.trunc_normal_(gradstep.empty(500), a=low, b=high)
        assert low <= x.min().item() <= x.max().item() <= high
    with pytest.warns(UserWarning, match="more than 2 std"):
        nn.init.trunc_normal_(gradstep.empty(3), mean=3.1, std=0.5)
