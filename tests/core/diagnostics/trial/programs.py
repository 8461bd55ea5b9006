"""The parts that the programs of the trial are made of."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

Document = dict[str, Any]

ITERATION = [{"op": kind} for kind in ("zero_grad", "forward", "backward", "step")]
IRIS = {"kind": "iris", "batch_size": 30, "shuffle": True, "standardize": True}
MOONS = {"kind": "moons", "samples": 100, "noise": 0.1, "batch_size": 20, "shuffle": True}
LINE = {"kind": "line", "samples": 50, "slope": 2, "noise": 0.1}
SGD = {"kind": "SGD", "params": ["*"], "lr": 0.1}
ADAM = {"kind": "Adam", "params": ["*"], "lr": 0.01}
RELU, TANH, SIGMOID = ({"kind": kind} for kind in ("ReLU", "Tanh", "Sigmoid"))


def linear(inputs: int, outputs: int) -> Document:
    """Return a fully connected layer."""
    return {"kind": "Linear", "in_features": inputs, "out_features": outputs}


def mlp(*widths: int, activation: Document = RELU) -> list[Document]:
    """Return fully connected layers with an activation between them."""
    layers: list[Document] = []
    for inputs, outputs in pairwise(widths):
        layers += [linear(inputs, outputs), activation]
    return layers[:-1]


def program(
    data: Document,
    model: list[Document],
    criterion: Document | str,
    optimizer: Document = SGD,
    **changes: Any,
) -> Document:
    """Return a program of one data set, one model, one loss and one optimizer.

    Args:
        data: The data set.
        model: The layers.
        criterion: The kind of a criterion, its options, or an expression.
        optimizer: The optimizer.
        changes: Other sections of the document.
    """
    loss: Document = {"data": "a", "chain": ["model"]}
    if isinstance(criterion, dict):
        loss["criterion"] = criterion
    elif criterion.isidentifier():
        loss["criterion"] = {"kind": criterion}
    else:
        loss["expression"] = criterion
    return {
        "gradstep": 1,
        "seed": 1,
        "data": {"a": data},
        "modules": {"model": model},
        "losses": {"loss": loss},
        "optimizers": {"optimizer": optimizer},
        "loop": ITERATION,
        **changes,
    }


def free(expression: str, optimizer: Document, **tensors: Any) -> Document:
    """Return a program that minimizes an expression of free tensors."""
    return {
        "gradstep": 1,
        "seed": 1,
        "tensors": {
            name: {"value": value, "requires_grad": True} for name, value in tensors.items()
        },
        "losses": {"loss": {"expression": expression}},
        "optimizers": {"optimizer": {**optimizer, "params": ["*"]}},
        "loop": ITERATION,
    }


def passes(*losses: str) -> list[Document]:
    """Return the loop lines that compute losses and their gradients."""
    return [{"op": kind, "loss": loss} for loss in losses for kind in ("forward", "backward")]


def changed(document: Document, section: str, **entries: Any) -> Document:
    """Return a program with options added to the first entry of a section."""
    name, entry = next(iter(document[section].items()))
    return {**document, section: {**document[section], name: {**entry, **entries}}}


def gan(**changes: Any) -> Document:
    """Return a right generative adversarial network, by default one that declares no intent."""
    score = "mean(log(1 + exp({}output)))"
    chains = {"real": ["judge"], "made": ["maker", "judge"], "fooled": ["maker", "judge"]}
    signs = {"real": "-", "made": "", "fooled": "-"}
    return {
        "gradstep": 1,
        "seed": 1,
        "data": {"a": {"kind": "gaussian", "samples": 64, "inputs": 2, "batch_size": 16}},
        "modules": {"maker": mlp(2, 8, 2), "judge": mlp(2, 8, 1, activation={"kind": "LeakyReLU"})},
        "losses": {
            name: {"data": "a", "chain": chain, "expression": score.format(signs[name])}
            for name, chain in chains.items()
        },
        "optimizers": {
            f"{name}_optimizer": {"kind": "Adam", "params": [f"{name}.*"], "lr": 0.0002}
            for name in ("maker", "judge")
        },
        "loop": [
            {"op": "zero_grad", "optimizer": "judge_optimizer"},
            *passes("real", "made"),
            {"op": "step", "optimizer": "judge_optimizer"},
            {"op": "zero_grad", "optimizer": "maker_optimizer"},
            *passes("fooled"),
            {"op": "step", "optimizer": "maker_optimizer"},
        ],
        **changes,
    }
