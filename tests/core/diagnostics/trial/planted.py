"""Programs with one planted mistake each, and the findings that they must have, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.core.diagnostics.trial.programs import (
    ADAM,
    IRIS,
    ITERATION,
    LINE,
    MOONS,
    RELU,
    SGD,
    TANH,
    changed,
    free,
    linear,
    mlp,
    program,
)

_RANDOM = np.random.default_rng(0)
_ROWS = _RANDOM.normal(size=(150, 4)).round(3)
_CLASSES = (_ROWS[:, 0] > 0).astype(int) + (_ROWS[:, 1] > 0)


def _inline(targets: Any, **options: Any) -> dict[str, Any]:
    targets = np.asarray(targets).tolist()
    return {"kind": "inline", "inputs": _ROWS.tolist(), "targets": targets, **options}


@dataclass(frozen=True, slots=True)
class Planted:
    """A program with a mistake.

    Attributes:
        document: The program.
        expected: The ids of the findings that it must have after a run; infos count where expected.
        says: Words that a finding must contain: the cause.
        iterations: How many are run.
        scale: The initial weights are multiplied by this.
    """

    document: dict[str, Any]
    expected: frozenset[str]
    says: str = ""
    iterations: int = 120
    scale: float = 1.0


def _planted(document: dict[str, Any], *expected: str, **options: Any) -> Planted:
    return Planted(document, frozenset(expected), **options)


CLASSIFIER = program(IRIS, mlp(4, 16, 3), "CrossEntropyLoss")
CLIP = {"op": "clip_grad_norm", "max_norm": 1.0}
DIGITS = {"kind": "digits", "limit": 300, "batch_size": 50, "shuffle": True, "standardize": True}
SINE = {"kind": "sine", "samples": 100, "noise": 0.05, "batch_size": 20, "shuffle": True}
SHUFFLED = {"batch_size": 30, "shuffle": True}

PLANTED = {
    "an expression that broadcasts a column against a row": _planted(
        program(MOONS, mlp(2, 8, 1), "mean((output - target) ** 2)"), "broadcast-loss"
    ),
    "an expression that broadcasts inside a function": _planted(
        program(MOONS, mlp(2, 8, 1), "mean(maximum(target, output))"), "broadcast-loss"
    ),
    "a loss that leaps at the first step of Adam": _planted(
        program(MOONS, mlp(2, 16, 1), "BCEWithLogitsLoss", {**ADAM, "lr": 50}), "learning-rate"
    ),
    "maximize on a criterion": _planted(
        program(LINE, [linear(1, 1)], "MSELoss", {**SGD, "lr": 0.01, "maximize": True}),
        "maximized-loss",
    ),
    "maximize on a mean squared error that is an expression": _planted(
        program(
            LINE,
            [linear(1, 1)],
            "0.5 * mean((output - target) ** 2) + 0.01 * sum(tensor('model.0.weight') ** 2)",
            {**SGD, "lr": 0.01, "maximize": True},
        ),
        "maximized-loss",
        says="grows with the error",
    ),
    "a gradient that is 0 at a saddle point": _planted(
        free("sum((x ** 2 - 1) ** 2)", {"kind": "SGD", "lr": 0.1}, x=[0.0]),
        "vanishing-gradient",
        says="exactly 0",
    ),
    "a gradient that vanishes in a free tensor": _planted(
        free("sigmoid(x) + 1", {"kind": "SGD", "lr": 0.1}, x=-30.0), "vanishing-gradient"
    ),
    "a gradient that explodes in a free tensor": _planted(
        free("sum(exp(x))", {"kind": "SGD", "lr": 1e-12}, x=[16.0, 17.0]), "exploding-gradient"
    ),
    "initial weights of a hundred times the usual size": _planted(
        program(MOONS, mlp(2, 32, 32, 1), "BCEWithLogitsLoss", {**SGD, "lr": 1e-6}),
        "poor-initialisation",
        scale=30.0,
    ),
    "LogSoftmax before CrossEntropyLoss": _planted(
        program(IRIS, [*mlp(4, 8, 3), {"kind": "LogSoftmax", "dim": 1}], "CrossEntropyLoss"),
        "criterion-mismatch",
        says="LogSoftmax",
    ),
    "ReLU before CrossEntropyLoss": _planted(
        program(IRIS, [*mlp(4, 16, 3), RELU], "CrossEntropyLoss"), "criterion-mismatch", says="ReLU"
    ),
    "ReLU before BCEWithLogitsLoss": _planted(
        program(MOONS, [*mlp(2, 16, 1), RELU], "BCEWithLogitsLoss"), "criterion-mismatch"
    ),
    "Softmax over one unit": _planted(
        program(MOONS, [*mlp(2, 8, 1), {"kind": "Softmax", "dim": 1}], "MSELoss"),
        "criterion-mismatch",
        says="always 1",
    ),
    "BCELoss of logits": _planted(
        program(MOONS, mlp(2, 8, 1), "BCELoss", seed=0),
        "criterion-mismatch",
        says="Sigmoid",
        iterations=1,
    ),
    "Dropout before BatchNorm": _planted(
        program(
            MOONS,
            [
                {**linear(2, 8), "bias": False},
                {"kind": "Dropout", "p": 0.2},
                {"kind": "BatchNorm1d", "num_features": 8},
                RELU,
                linear(8, 1),
            ],
            "BCEWithLogitsLoss",
        ),
        "dropout-before-batchnorm",
    ),
    "inputs of a thousand": _planted(
        program(
            {**LINE, "low": 900, "high": 1000, "slope": 0.001},
            [linear(1, 1)],
            "MSELoss",
            {**SGD, "lr": 1e-7},
        ),
        "input-scale",
    ),
    "a network that learns its few rows by heart": _planted(
        program(
            {"kind": "gaussian", "samples": 24, "inputs": 8, "validation": 0.5},
            mlp(8, 32, 1, activation={"kind": "Tanh"}),
            "MSELoss",
            {**ADAM, "lr": 0.02},
            losses={
                name: {
                    "data": "a",
                    "chain": ["model"],
                    "criterion": {"kind": "MSELoss"},
                    "rows": rows,
                }
                for name, rows in (("loss", "training"), ("held_out", "validation"))
            },
            loop=[*ITERATION, {"op": "forward", "loss": "held_out"}],
        ),
        "overfitting",
    ),
    "steps from one side of a kink to the other": _planted(
        free("sum(abs(x)) + 20", {"kind": "SGD", "lr": 1.1}, x=[10.0] * 20), "loss-oscillating"
    ),
    "a bias before BatchNorm in another module": _planted(
        program(
            MOONS,
            [],
            "BCEWithLogitsLoss",
            modules={
                "body": [linear(2, 8)],
                "head": [{"kind": "BatchNorm1d", "num_features": 8}, RELU, linear(8, 1)],
            },
            losses={
                "loss": {
                    "data": "a",
                    "chain": ["body", "head"],
                    "criterion": {"kind": "BCEWithLogitsLoss"},
                }
            },
        ),
        "bias-before-batchnorm",
    ),
    "steps so long in mini-batches that the loss leaps about": _planted(
        program(IRIS, mlp(4, 16, 3), "CrossEntropyLoss", {**SGD, "lr": 20}),
        "learning-rate",
        "non-finite",
    ),
    "Adam with steps as long as the weights, in mini-batches": _planted(
        program(IRIS, mlp(4, 16, 16, 3), "CrossEntropyLoss", {**ADAM, "lr": 3}), "learning-rate"
    ),
    "momentum that drives the weights to many times their size": _planted(
        program(IRIS, mlp(4, 16, 3), "CrossEntropyLoss", {**SGD, "momentum": 0.9, "lr": 10}),
        "learning-rate",
        iterations=300,
    ),
    "a learning rate of 1e-4 where 0.1 is right": _planted(
        program(LINE, [linear(1, 1)], "MSELoss", {**SGD, "lr": 1e-4}), "small-steps"
    ),
    "a learning rate of 1e-4 where 0.1 is right, in mini-batches": _planted(
        program(IRIS, mlp(4, 16, 3), "CrossEntropyLoss", {**SGD, "lr": 1e-4}),
        "small-steps",
    ),
    "a learning rate of 1e-6": _planted(
        program(MOONS, mlp(2, 32, 32, 1), "BCEWithLogitsLoss", {**SGD, "lr": 1e-6}),
        "small-steps",
    ),
    "clipping to 1e-4": _planted(
        program(
            MOONS,
            mlp(2, 32, 32, 1),
            "BCEWithLogitsLoss",
            loop=[*ITERATION[:3], {"op": "clip_grad_norm", "max_norm": 1e-4}, ITERATION[3]],
        ),
        "clipping-too-tight",
    ),
    "clipping before Backward": _planted(
        {**CLASSIFIER, "loop": [*ITERATION[:2], CLIP, *ITERATION[2:]]}, "clip-before-backward"
    ),
    "clipping of gradients that are zero, before Backward": _planted(
        {
            **CLASSIFIER,
            "loop": [{"op": "zero_grad", "set_to_none": False}, CLIP, *ITERATION[1:]],
        },
        "clip-before-backward",
    ),
    "an optimizer that is rebuilt in every iteration": _planted(
        {
            **changed(CLASSIFIER, "optimizers", **ADAM),
            "loop": [
                {"op": "replace_optimizer", "kind": "Adam", "options": {"lr": 0.01}},
                *ITERATION,
            ],
        },
        "optimizer-rebuilt",
    ),
    "a scheduler that no line steps": _planted(
        {**CLASSIFIER, "schedulers": {"decay": {"kind": "StepLR", "step_size": 10}}},
        "scheduler-idle",
    ),
    "a loss that no line computes": _planted(
        {
            **CLASSIFIER,
            "losses": {
                **CLASSIFIER["losses"],
                "penalty": {"expression": 'sum(tensor("model.0.weight") ** 2)'},
            },
        },
        "loss-idle",
    ),
    "a frozen layer that the optimizer holds": _planted(
        {
            **CLASSIFIER,
            "loop": [{"op": "freeze", "pattern": "model.0.*"}, *ITERATION],
        },
        "frozen-but-held",
    ),
    "random labels": _planted(
        program(_inline(_RANDOM.integers(0, 3, 150), **SHUFFLED), mlp(4, 8, 3), "CrossEntropyLoss"),
        "chance-level-loss",
        says="same label",
    ),
    "inputs that are all zero": _planted(
        program(
            {
                "kind": "inline",
                "inputs": np.zeros((150, 4)).tolist(),
                "targets": _CLASSES.tolist(),
                **SHUFFLED,
            },
            mlp(4, 8, 3),
            "CrossEntropyLoss",
        ),
        "constant-inputs",
    ),
    "147 of 150 rows in one class": _planted(
        program(_inline([0] * 147 + [1, 2, 1], **SHUFFLED), mlp(4, 8, 3), "CrossEntropyLoss"),
        "class-imbalance",
    ),
    "labels from 1 to 3 with 4 outputs": _planted(
        program(_inline(_CLASSES + 1, **SHUFFLED), mlp(4, 16, 4), "CrossEntropyLoss"),
        "labels-from-one",
    ),
    "a constant column": _planted(
        program(
            {
                **_inline(_CLASSES, **SHUFFLED),
                "inputs": np.column_stack([_ROWS, np.full(150, 0.5)]).tolist(),
            },
            mlp(5, 16, 3),
            "CrossEntropyLoss",
        ),
        "constant-inputs",
    ),
    "a duplicated column": _planted(
        program(
            {
                **_inline(_CLASSES, **SHUFFLED),
                "inputs": np.column_stack([_ROWS, _ROWS[:, 2]]).tolist(),
            },
            mlp(5, 16, 3),
            "CrossEntropyLoss",
        ),
        "duplicated-inputs",
    ),
    "a loss behind detach": _planted(
        program(LINE, [linear(1, 1)], "mean((detach(output) - target) ** 2)"),
        "not-connected",
        says="only through detach",
        iterations=1,
    ),
    "a loss that counts mistakes": _planted(
        program(
            IRIS,
            mlp(4, 8, 3),
            "mean(argmax(output, 1) != target)",
        ),
        "not-connected",
        says="only through a comparison and argmax",
        iterations=1,
    ),
    "Zero Grad between Backward and Step": _planted(
        {**CLASSIFIER, "loop": [ITERATION[at] for at in (1, 2, 0, 3)]},
        "grad-discarded",
        "step-without-grad",
    ),
    "a loss that uses no parameter": _planted(
        program(LINE, [linear(1, 1)], "mean((input - target) ** 2)"), "not-connected", iterations=1
    ),
    "a sum over the rows as the loss": _planted(
        program(
            {**MOONS, "batch_size": 50},
            mlp(2, 32, 32, 1),
            {"kind": "MSELoss", "reduction": "sum"},
        ),
        "sum-reduction",
        "non-finite",
    ),
    **{
        f"weight decay of 1 by {kind}{note}": _planted(
            program(
                {**IRIS, "batch_size": 15},
                mlp(4, 16, 16, 3),
                "CrossEntropyLoss",
                {"kind": kind, "params": ["*"], "lr": rate, "weight_decay": 1.0, **options},
            ),
            "weight-decay",
        )
        for kind, note, rate, options in (
            ("SGD", "", 0.1, {}),
            ("SGD", " with momentum", 0.1, {"momentum": 0.9}),
            ("Adam", "", 0.05, {}),
            ("RMSprop", "", 0.05, {}),
        )
    },
    "weight decay of 1 and a rate that falls": _planted(
        program(
            {**IRIS, "batch_size": 15},
            mlp(4, 16, 16, 3),
            "CrossEntropyLoss",
            {**SGD, "lr": 0.5, "weight_decay": 1.0},
            schedulers={"decay": {"kind": "ExponentialLR", "gamma": 0.98}},
            loop=[*ITERATION, {"op": "scheduler_step", "scheduler": "decay"}],
        ),
        "weight-decay",
    ),
    "a line in batches, with steps of twice what is stable": _planted(
        program(
            {**LINE, "batch_size": 10, "shuffle": True},
            [linear(1, 1)],
            "MSELoss",
            {**SGD, "lr": 1.2},
        ),
        "learning-rate",
    ),
    "moons in batches, with a learning rate of 10": _planted(
        program(
            MOONS, mlp(2, 16, 1, activation=TANH), "BCEWithLogitsLoss", {**SGD, "lr": 10}, seed=0
        ),
        "learning-rate",
    ),
    "moons in batches, with long steps and momentum": _planted(
        program(
            MOONS,
            mlp(2, 16, 1, activation=TANH),
            "BCEWithLogitsLoss",
            {**SGD, "lr": 2, "momentum": 0.9},
            seed=0,
        ),
        "loss-oscillating",
        says="mean of loss over the epoch",
    ),
    "iris in batches, with a learning rate of 5": _planted(
        program(IRIS, mlp(4, 16, 3, activation=TANH), "CrossEntropyLoss", {**SGD, "lr": 5}),
        "loss-oscillating",
    ),
    "digits in batches, by Adam with 0.3": _planted(
        program(DIGITS, mlp(64, 32, 10), "CrossEntropyLoss", {**ADAM, "lr": 0.3}),
        "loss-oscillating",
    ),
    "a sine in batches, with a learning rate of 0.3": _planted(
        program(SINE, mlp(1, 32, 1, activation=TANH), "MSELoss", {**SGD, "lr": 0.3}),
        "learning-rate",
        "non-finite",
    ),
    "weight decay of 1": _planted(
        program(MOONS, mlp(2, 32, 32, 32, 1), "BCEWithLogitsLoss", {**SGD, "weight_decay": 1.0}),
        "weight-decay",
        iterations=300,
    ),
    "no step": _planted({**CLASSIFIER, "loop": ITERATION[:3]}, "step-missing", "grad-discarded"),
    "the wrong model": _planted(
        {
            **CLASSIFIER,
            "modules": {**CLASSIFIER["modules"], "other": mlp(4, 16, 3)},
            "optimizers": {"optimizer": {**SGD, "params": ["other.*"]}},
        },
        "optimizer-foreign",
        "optimizer-orphan",
        "step-without-grad",
        "grad-accumulated",
    ),
    "rows that are sorted by class": _planted(
        program(
            {**IRIS, "shuffle": False}, mlp(4, 16, 3), "CrossEntropyLoss", {**SGD, "momentum": 0.9}
        ),
        "sorted-rows",
    ),
    "a learning rate that is ten times too high for the rows": _planted(
        program({**LINE, "slope": 3}, [linear(1, 1)], "MSELoss", {**SGD, "lr": 3}),
        "learning-rate",
        "non-finite",
    ),
}
"""By the mistake."""
