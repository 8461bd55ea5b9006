"""Weights that are computed from others: weight norm, spectral norm, parametrizations."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import (
    ArgumentError,
    SerializationError,
    TensorError,
    TensorIndexError,
)
from gradstep_torch import nn
from gradstep_torch.nn import utils
from gradstep_torch.nn.utils import parametrizations, parametrize

MADE = {
    "weight_norm": lambda nn: nn.utils.weight_norm(nn.Linear(3, 4)),
    "weight_norm of columns": lambda nn: nn.utils.weight_norm(nn.Conv2d(2, 3, 3), dim=1),
    "weight_norm of the whole": lambda nn: nn.utils.weight_norm(nn.Linear(3, 4), dim=None),
    "spectral_norm": lambda nn: nn.utils.spectral_norm(nn.Conv2d(2, 3, 3)),
    "spectral_norm turned": lambda nn: nn.utils.spectral_norm(nn.ConvTranspose2d(2, 3, 3)),
    "spectral_norm twice": lambda nn: nn.utils.spectral_norm(nn.Linear(3, 4), n_power_iterations=2),
    "new weight_norm": lambda nn: nn.utils.parametrizations.weight_norm(nn.Conv1d(2, 3, 2)),
    "new weight_norm of the whole": lambda nn: nn.utils.parametrizations.weight_norm(
        nn.Linear(3, 4), dim=None
    ),
    "new spectral_norm": lambda nn: nn.utils.parametrizations.spectral_norm(nn.Linear(3, 4)),
    "new spectral_norm of a vector": lambda nn: nn.utils.parametrizations.spectral_norm(
        nn.LayerNorm(3)
    ),
}
SHAPES = {"Conv2d": (2, 2, 5, 5), "ConvTranspose2d": (2, 2, 5, 5), "Conv1d": (2, 2, 5)}


@pytest.mark.torch
@pytest.mark.parametrize("name", MADE)
def test_values_gradients_and_states_match_torch_while_training(name):
    torch = pytest.importorskip("torch")
    found = []
    for library in (gradstep_torch, torch):
        library.manual_seed(3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = MADE[name](library.nn)
        shape = SHAPES.get(type(module).__name__.removeprefix("Parametrized"), (2, 3))
        x = library.linspace(-1, 2, int(np.prod(shape))).reshape(shape)
        optimizer = library.optim.SGD(module.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = (module(x) ** 2).sum()
            loss.backward()
            optimizer.step()
        module.eval()
        with library.no_grad():
            out = module(x)
        state = {key: value.numpy() for key, value in module.state_dict().items()}
        found.append((repr(module), loss.item(), out.numpy(), state))
    ours, theirs = found
    assert ours[0] == theirs[0]
    assert ours[1] == pytest.approx(theirs[1], 1e-4)
    np.testing.assert_allclose(ours[2], theirs[2], 1e-3, 1e-4)
    assert list(ours[3]) == list(theirs[3])
    for key, value in ours[3].items():
        np.testing.assert_allclose(value, theirs[3][key], 1e-3, 1e-4, err_msg=key)


@pytest.fixture
def old():
    with pytest.warns(FutureWarning, match="parametrizations.weight_norm"):
        return utils.weight_norm(nn.Linear(3, 2))


def test_removing_a_norm_keeps_the_weight(old):
    before = old.weight.tolist()
    plain = utils.remove_weight_norm(old)
    np.testing.assert_allclose(plain.weight.tolist(), before, 1e-6)
    assert [name for name, _ in plain.named_parameters()] == ["bias", "weight"]
    layer = utils.spectral_norm(nn.Linear(3, 2)).eval()
    layer(gradstep_torch.ones(1, 3))
    before = layer.weight.tolist()
    plain = utils.remove_spectral_norm(layer.train())
    assert plain.training
    np.testing.assert_allclose(plain.weight.tolist(), before, 1e-6)
    assert list(plain.state_dict()) == ["bias", "weight"]


def test_spectral_norm_keeps_the_parameter_an_optimizer_holds():
    layer = nn.Linear(3, 2)
    weight = layer.weight
    assert utils.spectral_norm(layer).weight_orig is weight


def test_the_spectral_norm_converges_to_one():
    layer = parametrizations.spectral_norm(nn.Linear(8, 6))
    for _ in range(50):
        layer(gradstep_torch.ones(1, 8))
    largest = gradstep_torch.linalg.matrix_norm(layer.weight, 2).item()
    assert largest == pytest.approx(1, abs=1e-2)


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T

    def right_inverse(self, x):
        return x.triu()


class Doubled(nn.Module):
    def forward(self, x):
        return 2 * x


def test_parametrizations_compute_the_parameter_from_the_original():
    layer = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    parametrize.register_parametrization(layer, "weight", Doubled())
    original = layer.parametrizations.weight.original
    assert layer.weight.tolist() == (2 * Symmetric()(original)).tolist()
    layer(gradstep_torch.ones(1, 3)).sum().backward()
    assert original.grad is not None
    assert parametrize.is_parametrized(layer, "weight")
    assert not parametrize.is_parametrized(layer, "bias")
    assert parametrize.type_before_parametrizations(layer) is nn.Linear
    assert isinstance(layer, nn.Linear)


def test_a_value_can_be_assigned_with_a_right_inverse():
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    value = gradstep_torch.tensor([[1.0, 2.0], [2.0, 3.0]])
    layer.weight = value
    assert layer.weight.tolist() == value.tolist()
    parametrize.register_parametrization(layer, "weight", Doubled())
    with pytest.raises(TensorError, match="Doubled does not implement right_inverse"):
        layer.weight = value


@pytest.mark.parametrize("computed", [True, False])
def test_a_parametrization_can_be_removed(computed):
    layer = nn.Linear(2, 2)
    before = layer.weight.tolist()
    parametrize.register_parametrization(layer, "weight", Doubled())
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=computed)
    factor = 2 if computed else 1
    assert layer.weight.tolist() == (factor * gradstep_torch.tensor(before)).tolist()
    assert type(layer) is nn.Linear
    assert list(layer.state_dict()) == ["bias", "weight"]


def test_a_pair_of_originals_becomes_one_parameter_again():
    layer = parametrizations.weight_norm(nn.Linear(3, 2))
    before = layer.weight.tolist()
    with pytest.raises(ArgumentError, match="sequence of tensors"):
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    parametrize.remove_parametrizations(layer, "weight")
    assert isinstance(layer.weight, nn.Parameter)
    assert layer.weight.tolist() == before


def test_cached_computes_a_tensor_once():
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Doubled())
    assert layer.weight is not layer.weight
    with parametrize.cached():
        assert layer.weight is layer.weight
    assert layer.weight is not layer.weight


def test_a_copy_has_its_own_originals():
    layer = parametrizations.weight_norm(nn.Linear(3, 2))
    copied = copy.deepcopy(layer)
    copied.parametrizations.weight.original0.data.zero_()
    assert copied.weight.abs().sum().item() == 0
    assert layer.weight.abs().sum().item() > 0
    with pytest.raises(SerializationError, match="state_dict"):
        gradstep_torch.save(layer, "/dev/null")


class Cut(nn.Module):
    def forward(self, x):
        return x[:1]


class Wide(nn.Module):
    def forward(self, x):
        return x.double()


class Nothing(nn.Module):
    def forward(self, _):
        return None


class Number(nn.Module):
    def forward(self, x):
        return x

    def right_inverse(self, _):
        return 3


def twice():
    layer = utils.spectral_norm(nn.Linear(2, 2))
    return utils.spectral_norm(layer)


def register(parametrization, name="weight"):
    return parametrize.register_parametrization(nn.Linear(2, 2), name, parametrization)


REJECTED = {
    "another shape": (lambda: register(Cut()), ArgumentError, "may not change the shape"),
    "another type": (lambda: register(Wide()), ArgumentError, "may not change the dtype"),
    "no tensor": (lambda: register(Nothing()), ArgumentError, "must return a tensor, got NoneType"),
    "no way back": (lambda: register(Number()), ArgumentError, "Got int"),
    "no such name": (lambda: register(Doubled(), "wait"), ArgumentError, "with name 'wait'"),
    "nothing to remove": (
        lambda: parametrize.remove_parametrizations(nn.Linear(2, 2), "weight"),
        ArgumentError,
        "does not have a parametrization on weight",
    ),
    "no norm to remove": (
        lambda: utils.remove_weight_norm(nn.Linear(2, 2)),
        ArgumentError,
        "weight_norm of 'weight' not found",
    ),
    "a norm twice": (twice, TensorError, "two spectral_norm hooks"),
    "no parameter": (
        lambda: utils.spectral_norm(nn.ReLU()),
        ArgumentError,
        "ReLU has no parameter 'weight'",
    ),
    "no shape yet": (
        lambda: utils.spectral_norm(nn.LazyLinear(2)),
        ArgumentError,
        "uninitialized",
    ),
    "no iterations": (
        lambda: utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0),
        ArgumentError,
        "positive",
    ),
    "no new iterations": (
        lambda: parametrizations.spectral_norm(nn.Linear(2, 2), n_power_iterations=0),
        ArgumentError,
        "positive",
    ),
    "no such dimension": (
        lambda: parametrizations.spectral_norm(nn.Linear(2, 2), dim=2),
        TensorIndexError,
        r"\[-2, 1\], but got 2",
    ),
    "no weight": (
        lambda: parametrizations.spectral_norm(nn.ReLU()),
        ArgumentError,
        "no parameter or buffer",
    ),
    "what is not here": (
        lambda: parametrizations.orthogonal,
        AttributeError,
        "only part of torch's names",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), REJECTED.values(), ids=REJECTED)
def test_invalid_arguments_are_rejected_with_a_reason(call, error, message):
    with pytest.raises(error, match=message):
        call()
