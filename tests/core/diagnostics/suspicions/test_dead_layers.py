"""Which layer of a script gives only 0, by the gradients around it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.diagnostics.facts.sent_loops import debug
from tests.core.script.sent_frames import Sent

SHAPES = {
    "model.0.weight": (2, 2),
    "model.0.bias": (2,),
    "model.2.weight": (1, 2),
    "model.2.bias": (1,),
}
FIRST, SECOND = ("model.0.weight", "model.0.bias"), ("model.2.weight", "model.2.bias")
RELU = ("1", "ReLU", "", True)


def script(
    *slopes, loss=3.0, middle="Relu", last="MseLoss", layer=RELU, iterations=21, clear_rows=0
):
    """Return a script whose named gradients are not 0: Linear, ReLU, Linear, and a criterion."""
    sent = Sent()
    sent.module(
        "model", ["", "Net", "", True], ["0", "Linear", "", True], layer, ["2", "L", "", True]
    )
    for name, shape in SHAPES.items():
        sent.tensor(name, np.ones(shape))
    sent.optimizer("optimizer", "SGD", list(SHAPES), lr=1.0)
    leaves = [[number, "A", [], name] for number, name in zip((6, 7, 8, 9), SHAPES, strict=True)]
    sent.graph(
        "loss",
        *((0, f"{last}Backward0", [1], ""), (1, "AddmmBackward0", [9, 2, 3], "")),
        *((2, f"{middle}Backward0", [4], ""), (3, "TBackward0", [8], "")),
        *((4, "AddmmBackward0", [7, 5], ""), (5, "TBackward0", [6], ""), *leaves),
    )
    for iteration in range(iterations):
        sent.iteration = iteration
        sent.event("forward", "model", 4, detail={"training": True, "grad": True})
        steep = iteration < clear_rows
        written = {
            f"{name}.grad": np.full(shape, float(steep or name in slopes))
            for name, shape in SHAPES.items()
        }
        sent.event("backward", "loss", 5, written, loss=loss)
        moved = {
            name: np.full(shape, 1.0 + 0.1 * iteration * (name in slopes))
            for name, shape in SHAPES.items()
        }
        sent.event("step", "optimizer", 6, moved)
        cleared = {f"{name}.grad": None for name in SHAPES}
        sent.event("zero_grad", "optimizer", 7, cleared)
    return sent


def dead(sent):
    return [item for item in debug(sent).findings if item.id == "dead-relu"]


def test_a_relu_before_a_layer_whose_bias_alone_has_a_gradient_gave_only_0():
    (finding,) = dead(script("model.2.bias"))
    assert (finding.severity, finding.subjects, finding.value) == ("suspicion", ("model.1",), 100.0)
    assert finding.detail.startswith(
        "For 20 iterations, the gradient of model.2.weight, model.0.bias and model.0.weight was "
        "exactly 0, though that of model.2.bias was not: model.1 gave 0 in every row of every "
    )
    assert "LeakyReLU" in finding.remedy


def test_a_relu_that_is_a_function_is_named_by_the_layer_before_it():
    (finding,) = dead(script("model.2.bias", layer=("1", "Dropout", "p=0", True)))
    assert finding.subjects == ("model.0",)
    assert "the ReLU behind model.0 gave 0" in finding.detail


@pytest.mark.parametrize(
    "sent",
    [
        script("model.2.bias", middle="Tanh"),
        script("model.2.bias", "model.2.weight"),
        script("model.2.bias", "model.0.weight"),
        script("model.2.weight", "model.0.bias"),
        script("model.2.bias", clear_rows=5),
        script("model.2.bias", iterations=15),
        script(),
        script(last="Relu", loss=0.0),
    ],
    ids=("tanh", "weight", "before", "bias", "lately", "short", "flat", "hinge"),
)
def test_no_layer_is_dead_where_the_gradients_have_another_reason(sent):
    assert dead(sent) == []


def test_a_relu_as_the_last_layer_leaves_a_loss_without_any_gradient():
    (finding,) = dead(script(last="Relu"))
    assert finding.detail.startswith("For 20 iterations, the gradient of model.2.bias, ")
    assert "the ReLU behind model.2 gave 0" in finding.detail
