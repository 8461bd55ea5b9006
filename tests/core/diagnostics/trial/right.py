"""Right programs of many kinds, of which nothing may be reported in an ordinary run."""

from __future__ import annotations

from tests.core.diagnostics.trial.programs import (
    ADAM,
    IRIS,
    ITERATION,
    LINE,
    MOONS,
    SGD,
    SIGMOID,
    TANH,
    free,
    gan,
    linear,
    mlp,
    passes,
    program,
)

CROSS, LOGITS = "CrossEntropyLoss", "BCEWithLogitsLoss"
SINE = {"kind": "sine", "samples": 100, "noise": 0.05, "batch_size": 20, "shuffle": True}
DIGITS = {"kind": "digits", "limit": 300, "batch_size": 50, "shuffle": True, "standardize": True}
BLOBS = {
    "kind": "blobs",
    "samples": 120,
    "centers": 4,
    "standardize": True,
    "batch_size": 30,
    "shuffle": True,
}
DIABETES = {"kind": "diabetes", "standardize": True, "batch_size": 64, "shuffle": True}
CIRCLES = {"kind": "circles", "samples": 100, "noise": 0.05}
SPIRALS = {"kind": "spirals", "samples": 150, "classes": 3, "batch_size": 25, "shuffle": True}
XOR = {"kind": "xor", "samples": 64, "noise": 0.1}
MOMENTUM = {**SGD, "momentum": 0.9}
CLIP = {"op": "clip_grad_norm", "max_norm": 1.0}
DROPOUT = {"kind": "Dropout", "p": 0.2}
NORM = {"kind": "BatchNorm1d", "num_features": 16}
BARE = {**linear(4, 16), "bias": False}


def scheduled(**schedule: object) -> dict[str, object]:
    """Return a scheduler and a loop that steps it."""
    step = {"op": "scheduler_step", "scheduler": "decay", "every": 5}
    return {"schedulers": {"decay": schedule}, "loop": [*ITERATION, step]}


def held_out(document: dict[str, object]) -> dict[str, object]:
    """Return a program that evaluates its loss on held-out rows in every fifth iteration."""
    evaluation = [
        {"op": "set_mode", "training": False},
        {"op": "forward", "loss": "held_out"},
        {"op": "set_mode", "training": True},
    ]
    losses = {
        **document["losses"],
        "held_out": {**document["losses"]["loss"], "rows": "validation"},
    }
    data = {"a": {**document["data"]["a"], "validation": 0.3}}
    loop = [*ITERATION, *({**line, "every": 5} for line in evaluation)]
    return {**document, "losses": losses, "data": data, "loop": loop}


def accumulating(every: int) -> list[dict[str, object]]:
    """Return a loop that steps only in some of its iterations."""
    return [
        *ITERATION[1:3],
        {"op": "step", "every": every},
        {"op": "zero_grad", "every": every},
    ]


RIGHT = {
    "a line by SGD": program(LINE, [linear(1, 1)], "MSELoss"),
    "a line by an expression": program(LINE, [linear(1, 1)], "mean((output - target) ** 2)"),
    "a line by Adam": program(LINE, [linear(1, 1)], "L1Loss", {**ADAM, "lr": 0.05}),
    "a line by Adam, until it steps around the minimum": {
        **program(LINE, [linear(1, 1)], "L1Loss", {**ADAM, "lr": 0.05}),
        "seed": 0,
    },
    "a line by RMSprop": program(LINE, [linear(1, 1)], "HuberLoss", {**ADAM, "kind": "RMSprop"}),
    "a line in sorted mini-batches": program(
        {**LINE, "batch_size": 10}, [linear(1, 1)], "MSELoss", {**SGD, "lr": 0.05}
    ),
    "a line of noise": program({**LINE, "noise": 1.0}, [linear(1, 1)], "MSELoss"),
    "a line of noise in small batches, with momentum": program(
        {**LINE, "noise": 1.0, "batch_size": 5, "shuffle": True}, [linear(1, 1)], "MSELoss",
        {**MOMENTUM, "lr": 0.05},
    ),
    "a line of noise in batches": program(
        {**LINE, "noise": 1.0, "batch_size": 10, "shuffle": True}, [linear(1, 1)], "MSELoss"
    ),
    "noisy moons in batches of five": program(
        {**MOONS, "batch_size": 5, "noise": 0.3}, mlp(2, 16, 1), LOGITS
    ),
    "noisy moons in batches of ten by Adam": program(
        {**MOONS, "batch_size": 10, "noise": 0.3}, mlp(2, 16, 1), LOGITS, ADAM
    ),
    "iris in batches of ten, with momentum": program(
        {**IRIS, "batch_size": 10}, mlp(4, 16, 3), CROSS, {**MOMENTUM, "lr": 0.05}
    ),
    "digits in batches of twenty": program({**DIGITS, "batch_size": 20}, mlp(64, 32, 10), CROSS),
    "spirals in batches of ten": program(
        {**SPIRALS, "batch_size": 10}, mlp(2, 32, 32, 3), CROSS, ADAM
    ),
    "iris in batches of ten, with Dropout": program(
        {**IRIS, "batch_size": 10},
        [linear(4, 16), {"kind": "ReLU"}, {"kind": "Dropout", "p": 0.5}, linear(16, 3)], CROSS,
    ),
    "a sine by Adam": program(SINE, mlp(1, 32, 32, 1, activation=TANH), "MSELoss", ADAM),
    "a sine by SGD with momentum": program(
        SINE, mlp(1, 32, 1, activation=TANH), "MSELoss", {**MOMENTUM, "lr": 0.05}
    ),
    "a sum with a small learning rate": program(
        SINE, mlp(1, 32, 1, activation=TANH), {"kind": "MSELoss", "reduction": "sum"},
        {**SGD, "lr": 1e-3},
    ),
    "diabetes by Adam": program(
        {**DIABETES}, [linear(10, 1)], "mean(((output - target) / 100) ** 2)", {**ADAM, "lr": 0.1}
    ),
    "iris by SGD": program(IRIS, mlp(4, 16, 3), CROSS),
    "iris by Adam": program(IRIS, mlp(4, 16, 3), CROSS, ADAM),
    "iris by AdamW": program(IRIS, mlp(4, 16, 3), CROSS, {**ADAM, "kind": "AdamW"}),
    "iris, all rows": program({"kind": "iris", "standardize": True}, mlp(4, 16, 3), CROSS),
    "iris by logistic regression": program(IRIS, [linear(4, 3)], CROSS),
    "iris with log-probabilities": program(
        IRIS, [*mlp(4, 16, 3), {"kind": "LogSoftmax", "dim": 1}], "NLLLoss"
    ),
    "iris with weighted classes": program(
        IRIS, mlp(4, 16, 3), {"kind": CROSS, "weight": [1.0, 2.0, 2.0]}
    ),
    "iris with BatchNorm and Dropout": held_out(
        program(IRIS, [BARE, NORM, {"kind": "ReLU"}, DROPOUT, linear(16, 3)], CROSS, ADAM)
    ),
    "iris with weight decay": held_out(
        program(IRIS, mlp(4, 16, 3), CROSS, {**MOMENTUM, "lr": 0.02, "weight_decay": 0.01})
    ),
    "moons by SGD": program(MOONS, mlp(2, 16, 1), LOGITS),
    "moons by Adam": program(MOONS, mlp(2, 16, 16, 1), LOGITS, ADAM),
    "moons with probabilities": program(MOONS, [*mlp(2, 16, 1), SIGMOID], "BCELoss", ADAM),
    "moons until saturated": program(
        {**MOONS, "noise": 0.0},
        [*mlp(2, 32, 1, activation=TANH), SIGMOID],
        "BCELoss",
        {**ADAM, "lr": 0.1},
    ),
    "moons with clipping": program(
        MOONS, mlp(2, 16, 1), LOGITS, ADAM, loop=[*ITERATION[:3], CLIP, ITERATION[3]]
    ),
    "moons with tight clipping and Adam": program(
        MOONS, mlp(2, 16, 1), LOGITS, ADAM,
        loop=[*ITERATION[:3], {**CLIP, "max_norm": 1e-3}, ITERATION[3]],
    ),
    "blobs by SGD": program(BLOBS, mlp(2, 16, 4), CROSS, {**SGD, "lr": 0.02}),
    "circles, all rows": program(CIRCLES, mlp(2, 32, 1), LOGITS, {**ADAM, "lr": 0.02}),
    "spirals by Adam": program(SPIRALS, mlp(2, 32, 32, 3), CROSS, ADAM),
    "exclusive or": program(XOR, mlp(2, 8, 1, activation=TANH), LOGITS, {**SGD, "lr": 0.5}),
    "digits by SGD": program(DIGITS, mlp(64, 32, 10), CROSS),
    "digits by a step schedule": program(
        DIGITS, mlp(64, 32, 10), CROSS, MOMENTUM | {"lr": 0.05},
        **scheduled(kind="StepLR", step_size=10, gamma=0.5),
    ),
    "moons by a cosine schedule": program(
        MOONS, mlp(2, 16, 1), LOGITS, {**SGD, "lr": 0.3},
        **scheduled(kind="CosineAnnealingLR", T_max=80),
    ),
    "accumulation over four batches": program(
        IRIS, mlp(4, 16, 3), "mean((output - 1) ** 2) / 4",
        intent=["gradient_accumulation"], loop=accumulating(4),
    ),
    "a head on a frozen backbone": program(
        IRIS, [], CROSS,
        {**MOMENTUM, "params": ["head.*"], "lr": 0.05},
        intent=["frozen_backbone"],
        modules={"body": [linear(4, 16), {"kind": "ReLU"}], "head": [linear(16, 3)]},
        losses={"loss": {"data": "a", "chain": ["body", "head"], "criterion": {"kind": CROSS}}},
    ),
    "two heads and one optimizer": program(
        IRIS, [], CROSS, {**SGD, "lr": 0.02},
        modules={"body": mlp(4, 16), "one": [linear(16, 3)], "two": [linear(16, 1)]},
        losses={
            "one_loss": {"data": "a", "chain": ["body", "one"], "criterion": {"kind": CROSS}},
            "two_loss": {
                "data": "a", "chain": ["body", "two"], "expression": "mean((output - 1) ** 2)"
            },
        },
        loop=[ITERATION[0], *passes("one_loss", "two_loss"), ITERATION[3]],
    ),
    "a sum with a penalty that grows": {
        **program(IRIS, mlp(4, 16, 3), CROSS, SGD),
        "losses": {
            "task": {"data": "a", "chain": ["model"], "criterion": {"kind": CROSS}},
            "penalty": {"expression": "sum(tensor('model.0.weight') ** 2)"},
            "sum": {"data": "a", "expression": "task + 0.001 * penalty"},
        },
        "loop": [
            {"op": "zero_grad"},
            *passes("sum"),
            {"op": "step"},
        ],
    },
    "a GAN that declares itself": gan(intent=["adversarial"]),
    "a GAN that declares nothing": gan(),
    "maximize an expression": free(
        "3 - sum((x - 1) ** 2)", {**SGD, "maximize": True, "lr": 0.05}, x=[3.0, -2.0]
    ),
    "maximize a likelihood": program(
        LINE, [linear(1, 1)], "-mean((output - target) ** 2)", {**SGD, "lr": 0.1, "maximize": True}
    ),
    "maximize what is left of an error": program(
        LINE, [linear(1, 1)], "3 - mean(abs(target - output))",
        {**SGD, "lr": 0.1, "maximize": True},
    ),
    "maximize an agreement": program(
        LINE, [linear(1, 1)], "mean(output * target) - mean(output ** 2)",
        {**SGD, "lr": 0.1, "maximize": True},
    ),
    "blobs that are learned to the last digit": program(
        {"kind": "blobs", "samples": 60, "centers": 2, "spread": 0.3},
        [*mlp(2, 8, 1, activation=TANH), SIGMOID], "BCELoss", {**ADAM, "lr": 0.3},
    ),
    "a minimum of 5": free("5 + 0.01 * sum(x ** 2)", {**SGD, "lr": 10.0}, x=[3.0]),
    "a valley by Adam": free(
        "(1 - x) ** 2 + 100 * (y - x ** 2) ** 2", {**ADAM, "lr": 0.02}, x=-1.0, y=1.0
    ),
    "a bowl by L-BFGS": {
        **free("sum((x - 1) ** 2)", {"kind": "LBFGS", "lr": 1.0}, x=[3.0, -2.0]),
        "loop": [{"op": "step"}],
    },
    "a negative loss": free("sum(x ** 2) - 5", {**SGD, "lr": 0.1}, x=[3.0, -2.0]),
    "an autoencoder": program(
        {"kind": "gaussian", "samples": 100, "inputs": 8, "batch_size": 20, "shuffle": True},
        mlp(8, 6, 8, activation=TANH), "mean((output - input) ** 2)", ADAM,
    ),
    "outputs beside a row of centers": program(
        {**LINE, "batch_size": 5}, [linear(1, 1)],
        "mean((output - target) ** 2) + 0.001 * mean((output - centers) ** 2)",
        tensors={"centers": {"value": [0.0, 1.0, 2.0, 3.0, 4.0], "requires_grad": True}},
    ),
}  # fmt: skip
"""By what they do."""
