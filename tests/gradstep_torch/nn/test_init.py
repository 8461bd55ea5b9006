"""Initializations that only scripts use."""

import pytest

import gradstep_torch
from gradstep.errors import ArgumentError
from gradstep_torch import nn


def test_a_dirac_convolution_preserves_its_channels():
    layer = nn.Conv2d(2, 4, 3, padding=1, groups=2, bias=False)
    nn.init.dirac_(layer.weight, groups=2)
    x = gradstep_torch.rand(1, 2, 5, 5)
    assert layer(x)[:, ::2].tolist() == x.tolist()
    assert layer(x)[:, 1::2].abs().sum().item() == 0
    with pytest.raises(ArgumentError, match="3, 4, or 5"):
        nn.init.dirac_(gradstep_torch.empty(3, 3))
    with pytest.raises(ArgumentError, match="divisible by groups"):
        nn.init.dirac_(gradstep_torch.empty(3, 3, 3), 2)
    with pytest.raises(ArgumentError, match="2 dimensions"):
        nn.init.sparse_(gradstep_torch.empty(3), 0.1)


def test_deprecated_names_work_with_a_warning():
    gradstep_torch.manual_seed(0)
    expected = nn.init.xavier_uniform_(gradstep_torch.empty(3, 2)).tolist()
    gradstep_torch.manual_seed(0)
    with pytest.warns(FutureWarning, match="xavier_uniform_"):
        assert nn.init.xavier_uniform(gradstep_torch.empty(3, 2)).tolist() == expected
