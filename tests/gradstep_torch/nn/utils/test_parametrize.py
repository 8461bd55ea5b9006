import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, TensorError
from gradstep_torch import nn
from gradstep_torch.nn.utils import parametrizations, parametrize


class Doubled(nn.Module):
    def forward(self, value):
        return 2 * value


class Halved(nn.Module):
    def forward(self, value):
        return value[:1]


def test_a_tensor_without_right_inverse_cannot_be_assigned_to():
    layer = parametrize.register_parametrization(nn.Linear(1, 1), "weight", Doubled())
    with pytest.raises(TensorError, match="does not implement right_inverse"):
        layer.weight = gradstep_torch.ones(1, 1)


def test_a_parametrization_may_not_change_the_shape():
    layer = nn.Linear(1, 2)
    with pytest.raises(ArgumentError, match="may not change the shape"):
        parametrize.register_parametrization(layer, "weight", Halved())
    assert type(layer) is nn.Linear
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]


def test_the_parameter_that_an_optimizer_holds_stays_the_same():
    layer = nn.Linear(1, 1)
    weight = layer.weight
    parametrize.register_parametrization(layer, "weight", Doubled())
    assert layer.parametrizations.weight.original is weight
    parametrize.remove_parametrizations(layer, "weight")
    assert layer.weight is weight
    assert type(layer) is nn.Linear


def test_other_layers_of_the_class_are_unchanged():
    parametrize.register_parametrization(nn.Linear(1, 1), "weight", Doubled())
    assert isinstance(nn.Linear(1, 1).weight, nn.Parameter)


def test_spectral_norm_divides_by_the_largest_singular_value():
    gradstep_torch.manual_seed(0)
    layer = parametrizations.spectral_norm(nn.Linear(3, 2))
    layer.eval()
    assert gradstep_torch.linalg.svdvals(layer.weight)[0].item() == pytest.approx(1.0, abs=1e-3)


def test_a_weight_has_at_most_one_hook_of_each_kind():
    layer = nn.utils.spectral_norm(nn.Linear(1, 1))
    with pytest.raises(TensorError, match="Cannot register two spectral_norm hooks"):
        nn.utils.spectral_norm(layer)
    with pytest.raises(ArgumentError, match="weight_norm of 'weight' not found"):
        nn.utils.remove_weight_norm(layer)
