"""Linear: its sizes, its first values, and what it computes."""

import numpy as np
import pytest

import gradstep
from gradstep import nn
from gradstep.errors import ArgumentTypeError, TensorError


def test_the_first_values_follow_the_seed():
    gradstep.manual_seed(0)
    layer = nn.Linear(2, 1)
    assert layer.weight.tolist() == [[-0.005293981172144413, 0.37932288646698]]
    assert layer.bias.tolist() == [-0.5819807648658752]


def test_it_maps_the_last_dimension():
    layer = nn.Linear(3, 2)
    x = gradstep.randn(4, 5, 3)
    expected = x.numpy() @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
    np.testing.assert_allclose(layer(x).detach().numpy(), expected, rtol=1e-5)


def test_without_bias_it_has_one_parameter():
    assert [name for name, _ in nn.Linear(3, 2, bias=False).named_parameters()] == ["weight"]


def test_sizes_must_be_whole_numbers():
    with pytest.raises(TensorError, match="negative dimension -1: in_features"):
        nn.Linear(-1, 2)
    with pytest.raises(ArgumentTypeError, match=r"Invalid out_features: 2\.5"):
        nn.Linear(1, 2.5)


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_first_values_are_torchs_bit_for_bit(dtype):
    torch = pytest.importorskip("torch")
    for sizes in ((1, 1), (3, 5), (100, 30)):
        torch.manual_seed(7)
        gradstep.manual_seed(7)
        theirs = torch.nn.Linear(*sizes, dtype=getattr(torch, dtype))
        ours = nn.Linear(*sizes, dtype=getattr(gradstep, dtype))
        np.testing.assert_array_equal(theirs.weight.detach().numpy(), ours.weight.detach().numpy())
        np.testing.assert_array_equal(theirs.bias.detach().numpy(), ours.bias.detach().numpy())
