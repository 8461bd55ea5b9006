"""Parameters that are pruned."""

from __future__ import annotations

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorIndexError
from gradstep_torch import nn
from gradstep_torch.nn.utils import prune


def halved(prune, layer):
    prune.l1_unstructured(layer, "weight", 0.5)
    prune.l1_unstructured(layer, "weight", amount=0.5)
    prune.random_unstructured(layer, name="bias", amount=2)


def sliced(prune, layer):
    prune.ln_structured(layer, "weight", amount=0.5, n=2, dim=0)
    prune.random_structured(layer, "weight", amount=1, dim=1)
    prune.random_unstructured(layer, "weight", 0.3)


def everywhere(prune, layer):
    places = [(layer, "weight"), (layer, "bias")]
    prune.global_unstructured(places, pruning_method=prune.L1Unstructured, amount=0.4)
    prune.global_unstructured(places, prune.RandomUnstructured, amount=3)


def undone(prune, layer):
    prune.ln_structured(layer, "weight", 2, n=1, dim=-1)
    prune.identity(layer, "bias")
    prune.remove(layer, "weight")


@pytest.mark.torch
@pytest.mark.parametrize("way", [halved, sliced, everywhere, undone])
def test_masks_and_training_match_torch(way):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch.nn.utils.prune")  # torch does not bring it by itself
    found = []
    for library in (gradstep_torch, torch):
        library.manual_seed(3)
        layer = library.nn.Linear(5, 6)
        optimizer = library.optim.SGD(layer.parameters(), lr=0.1)
        way(library.nn.utils.prune, layer)
        x = library.linspace(-1, 2, 10).reshape(2, 5)
        for _ in range(2):
            optimizer.zero_grad()
            (layer(x) ** 2).sum().backward()
            optimizer.step()
        found.append((repr(layer), {k: v.numpy() for k, v in layer.state_dict().items()}))
    ours, theirs = found
    assert ours[0] == theirs[0]
    assert list(ours[1]) == list(theirs[1])
    for key, value in ours[1].items():
        np.testing.assert_allclose(value, theirs[1][key], 1e-5, 1e-6, err_msg=key)


def test_pruned_elements_get_no_gradient_and_stay_zero():
    layer = prune.l1_unstructured(nn.Linear(4, 3), "weight", 6)
    layer(gradstep_torch.ones(1, 4)).sum().backward()
    assert layer.weight_orig.grad.tolist() == layer.weight_mask.tolist()
    assert (layer.weight == 0).sum().item() == 6
    assert [name for name, _ in layer.named_parameters()] == ["bias", "weight_orig"]


def test_the_pruning_history_of_a_parameter_is_in_its_hook():
    layer = nn.Linear(4, 3)
    prune.random_unstructured(layer, "weight", 2)
    prune.ln_structured(layer, "weight", 1, n=2, dim=0)
    (hook,) = layer._forward_pre_hooks.values()
    assert [type(method) for method in hook] == [prune.RandomUnstructured, prune.LnStructured]
    assert len(hook) == 2
    assert hook[1].n == 2


def test_permanent_pruning_restores_an_ordinary_parameter():
    model = nn.Sequential(nn.Linear(4, 3))
    parameter = model[0].weight
    assert not prune.is_pruned(model)
    prune.l1_unstructured(model[0], "weight", 0.5)
    assert prune.is_pruned(model)
    prune.remove(model[0], "weight")
    assert not prune.is_pruned(model)
    assert model[0].weight is parameter
    assert (parameter == 0).sum().item() == 6


class EverySecond(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def test_a_custom_method_prunes_the_remaining_elements():
    layer = nn.Linear(8, 1)
    EverySecond.apply(layer, "weight")
    EverySecond.apply(layer, "weight")
    assert layer.weight_mask.tolist() == [[0, 0, 0, 1, 0, 0, 0, 1]]
    assert EverySecond().prune(gradstep_torch.ones(4)).tolist() == [0, 1, 0, 1]


def test_pruning_uses_given_importance_scores():
    scores = gradstep_torch.tensor([[3.0, 1.0, 2.0]])
    layer = prune.l1_unstructured(nn.Linear(3, 1), "weight", 1, importance_scores=scores)
    assert layer.weight_mask.tolist() == [[1, 0, 1]]


class Odd(EverySecond):
    PRUNING_TYPE = "odd"


def odd():
    layer = nn.Linear(2, 2)
    Odd.apply(layer, "weight")
    Odd.apply(layer, "weight")


LAYER = nn.Linear(2, 2)
REJECTED = {
    "too much": (lambda: prune.l1_unstructured(LAYER, "weight", 5), ArgumentError, "amount=5"),
    "a share above 1": (
        lambda: prune.l1_unstructured(LAYER, "weight", 1.5),
        ArgumentError,
        r"range \[0, 1\]",
    ),
    "no number": (
        lambda: prune.l1_unstructured(LAYER, "weight", "all"),
        ArgumentTypeError,
        "int or float",
    ),
    "no parameter": (
        lambda: prune.identity(LAYER, "wait"),
        ArgumentError,
        "no parameter 'wait'",
    ),
    "slices of a vector": (
        lambda: prune.ln_structured(LAYER, "bias", 1, 2, 0),
        ArgumentError,
        "multidimensional",
    ),
    "no dimension": (
        lambda: prune.random_structured(LAYER, "weight", 1, 2),
        TensorIndexError,
        "Invalid index 2",
    ),
    "slices everywhere": (
        lambda: prune.global_unstructured([(LAYER, "weight")], prune.LnStructured, amount=1, n=2),
        ArgumentTypeError,
        "of type structured",
    ),
    "another mask": (
        lambda: prune.custom_from_mask(LAYER, "weight", gradstep_torch.ones(3)),
        ArgumentError,
        "the mask has shape",
    ),
    "other scores": (
        lambda: prune.l1_unstructured(LAYER, "weight", 1, gradstep_torch.ones(3)),
        ArgumentError,
        "importance_scores should",
    ),
    "an unknown type": (odd, ArgumentError, "PRUNING_TYPE odd"),
    "nothing to remove": (
        lambda: prune.remove(LAYER, "weight"),
        ArgumentError,
        "has to be pruned before",
    ),
    "no mask": (
        lambda: prune.BasePruningMethod.apply(LAYER, "weight"),
        NotImplementedError,
        "compute_mask",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), REJECTED.values(), ids=REJECTED)
def test_invalid_arguments_are_rejected_and_the_module_is_unchanged(call, error, message):
    with pytest.raises(error, match=message):
        call()
    assert list(LAYER.state_dict()) == ["weight", "bias"]
