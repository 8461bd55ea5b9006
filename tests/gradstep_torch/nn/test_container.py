"""Sequential, ModuleList, ModuleDict: their members, their order, and rejected members."""

from collections import OrderedDict

import pytest

import gradstep_torch
from gradstep_torch import nn


def kinds(container):
    return [type(module).__name__ for module in container]


def test_a_sequence_runs_its_members_in_order():
    model = nn.Sequential(nn.Identity(), nn.ReLU(), nn.Flatten(0))
    assert model(gradstep_torch.tensor([[-1.0, 2.0]])).tolist() == [0.0, 2.0]
    assert kinds(model) == ["Identity", "ReLU", "Flatten"]
    assert kinds(model[1:]) == ["ReLU", "Flatten"]
    assert model[-1] is model[2]
    assert len(model) == 3


def test_a_sequence_is_changed_like_a_list():
    model = nn.Sequential(nn.ReLU())
    model.append(nn.Tanh()).insert(0, nn.Identity()).extend([nn.Sigmoid()])
    assert kinds(model) == ["Identity", "ReLU", "Tanh", "Sigmoid"]
    model[1] = nn.ELU()
    del model[0]
    assert kinds(model) == ["ELU", "Tanh", "Sigmoid"]
    assert [name for name, _ in model.named_children()] == ["0", "1", "2"]
    assert kinds(model + nn.Sequential(nn.GELU())) == ["ELU", "Tanh", "Sigmoid", "GELU"]


def test_a_sequence_accepts_named_modules():
    model = nn.Sequential(OrderedDict([("inner", nn.Linear(1, 2)), ("act", nn.ReLU())]))
    assert isinstance(model.inner, nn.Linear)
    assert list(model.state_dict()) == ["inner.weight", "inner.bias"]


def test_a_list_registers_its_members():
    layers = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
    layers.insert(1, nn.ReLU())
    assert kinds(layers) == ["Linear", "ReLU", "Linear", "Linear"]
    assert len(list(layers.parameters())) == 6
    layers += [nn.Tanh()]
    assert kinds(layers[3:]) == ["Linear", "Tanh"]
    assert type(layers.pop(-1)).__name__ == "Tanh"
    with pytest.raises(IndexError, match="out of range"):
        layers[4]


def test_a_dict_keeps_its_order_and_its_parameters():
    choices = nn.ModuleDict({"conv": nn.Linear(1, 1), "pool": nn.ReLU()})
    choices["tanh"] = nn.Tanh()
    choices.update({"pool": nn.GELU(), "last": nn.Identity()})
    assert list(choices) == ["conv", "pool", "tanh", "last"]
    assert "tanh" in choices
    assert type(choices.pop("pool")).__name__ == "GELU"
    del choices["tanh"]
    assert [name for name, _ in choices.items()] == ["conv", "last"]
    assert list(choices.state_dict()) == ["conv.weight", "conv.bias"]
    choices.clear()
    assert len(choices) == 0


def test_members_must_be_modules():
    with pytest.raises(TypeError, match="is not a Module subclass"):
        nn.Sequential(3)
    with pytest.raises(TypeError, match="is not a Module subclass"):
        nn.ModuleList([None, 3])
    with pytest.raises(TypeError, match="should be called with an iterable of key/value pairs"):
        nn.ModuleDict().update(3)


def test_parameter_lists_hold_print_and_save_their_parameters():
    weights = nn.ParameterList([gradstep_torch.ones(2)])
    weights += [nn.Parameter(gradstep_torch.ones(2, 3))]
    weights[0] = nn.Parameter(gradstep_torch.zeros(2))
    assert weights[-1].shape == (2, 3)
    assert [len(weights), len(weights[1:])] == [2, 1]
    assert list(weights.state_dict()) == ["0", "1"]
    assert repr(weights).splitlines()[1] == (
        "    (0): Parameter containing: [gradstep.float32 of size 2]"
    )
    with pytest.raises(IndexError, match="out of range"):
        weights[5]
    named = nn.ParameterDict({"a": gradstep_torch.ones(1)})
    del named["a"]
    assert list(named) == []


def test_lists_and_dicts_hold_their_modules():
    layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    layers.insert(1, nn.Sigmoid())
    assert [type(layer).__name__ for layer in layers] == ["ReLU", "Sigmoid", "Tanh"]
    del layers[0]
    assert [name for name, _ in layers.named_children()] == ["0", "1"]
    named = nn.ModuleDict({"a": nn.ReLU()})
    named["b"] = nn.Tanh()
    assert list(named.keys()) == ["a", "b"]
    assert list(
        nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1)))[1:].state_dict()
    ) == ["2.0.weight", "2.0.bias"]
