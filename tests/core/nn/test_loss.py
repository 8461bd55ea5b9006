"""Losses as modules: torch's values and gradients under every option, and rejected options."""

import numpy as np
import pytest

import gradstep
import gradstep_torch
from gradstep.errors import ArgumentError

_draw = np.random.default_rng(0)
SCORES = _draw.normal(size=(4, 3))
CLASSES = np.array([0, 2, 1, 1])
SHARES = _draw.dirichlet(np.ones(3), 4)
CHANCES = _draw.uniform(0.1, 0.9, (4, 3))
COINS = (_draw.random((4, 3)) < 0.5).astype(float)
WEIGHTS = np.array([0.5, 1.0, 2.0])

LOSSES = [
    ("L1Loss", SCORES, CHANCES, {}),
    ("MSELoss", SCORES, CHANCES, {}),
    ("NLLLoss", np.log(SHARES), CLASSES, {}),
    ("NLLLoss", np.log(SHARES), CLASSES, {"weight": WEIGHTS, "ignore_index": 2}),
    ("CrossEntropyLoss", SCORES, CLASSES, {}),
    ("CrossEntropyLoss", SCORES, CLASSES, {"weight": WEIGHTS, "label_smoothing": 0.2}),
    ("CrossEntropyLoss", SCORES, CLASSES, {"ignore_index": 1}),
    ("CrossEntropyLoss", SCORES, SHARES, {"weight": WEIGHTS}),
    ("BCELoss", CHANCES, COINS, {}),
    ("BCELoss", CHANCES, COINS, {"weight": WEIGHTS}),
    ("BCEWithLogitsLoss", SCORES, COINS, {}),
    ("BCEWithLogitsLoss", SCORES, COINS, {"weight": WEIGHTS, "pos_weight": WEIGHTS}),
    ("SmoothL1Loss", SCORES, CHANCES, {"beta": 0.5}),
    ("HuberLoss", SCORES, CHANCES, {"delta": 0.7}),
    ("KLDivLoss", np.log(SHARES), SHARES, {}),
]
IDS = [f"{name}-{number}" for number, (name, *_) in enumerate(LOSSES)]


def value_and_gradient(library, name, input_array, target, options, reduction):
    tensors = {
        key: library.tensor(value) if isinstance(value, np.ndarray) else value
        for key, value in options.items()
    }
    loss = getattr(library.nn, name)(reduction=reduction, **tensors)
    x = library.tensor(input_array, requires_grad=True)
    value = loss(x, library.tensor(target))
    value.sum().backward()
    return value.detach().numpy(), x.grad.numpy()


@pytest.mark.torch
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize(("name", "given", "target", "options"), LOSSES, ids=IDS)
@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
def test_values_and_gradients_are_torchs(name, given, target, options, reduction):
    torch = pytest.importorskip("torch")
    ours, theirs = (
        value_and_gradient(library, name, given, target, options, reduction)
        for library in (gradstep_torch, torch)
    )
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-14)


def test_the_mean_squared_error_is_the_formula():
    value, gradient = value_and_gradient(
        gradstep, "MSELoss", np.array([1.0, 3.0]), np.array([0.0, 1.0]), {}, "mean"
    )
    assert value == 2.5
    assert gradient.tolist() == [1.0, 2.0]


def test_the_cross_entropy_of_even_scores_is_the_logarithm_of_their_number():
    value, gradient = value_and_gradient(
        gradstep, "CrossEntropyLoss", np.zeros((1, 4)), np.array([1]), {}, "mean"
    )
    assert value == pytest.approx(np.log(4))
    np.testing.assert_allclose(gradient, [[0.25, -0.75, 0.25, 0.25]])


def test_weights_are_buffers_and_follow_the_module():
    loss = gradstep.nn.CrossEntropyLoss(weight=gradstep.tensor(WEIGHTS))
    assert list(loss.state_dict()) == ["weight"]
    assert loss.float().weight.dtype == gradstep.float32
    assert list(loss.parameters()) == []


def test_former_names_of_reductions_are_understood():
    assert gradstep.nn.MSELoss(reduce=False).reduction == "none"
    assert gradstep.nn.MSELoss(size_average=False).reduction == "sum"


def test_a_loss_module_rejects_an_unknown_reduction():
    with pytest.raises(ArgumentError, match="median is not a valid value for reduction"):
        gradstep.nn.L1Loss(reduction="median")
