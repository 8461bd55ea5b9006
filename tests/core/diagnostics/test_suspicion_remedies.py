"""The remedy of each suspicion, applied to real programs, clears it for good and adds no other."""

from __future__ import annotations

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.what_if.remedies import NO_REMEDY
from gradstep.diagnostics import REGISTRY
from gradstep.errors import OperationError
from gradstep.program.document.codec import decode
from gradstep.program.operation import SetValue
from tests.core.debugger.what_if.applying import applied
from tests.core.diagnostics.trial.planted import PLANTED
from tests.core.diagnostics.trial.programs import (
    ADAM,
    IRIS,
    LINE,
    MOONS,
    RELU,
    SGD,
    SIGMOID,
    TANH,
    changed,
    free,
    gan,
    linear,
    mlp,
    passes,
    program,
)

NORMAL = {"kind": "normal_", "std": 30.0}
FULL = {**MOONS, "batch_size": None}
SLOW = program(FULL, mlp(2, 8, 1), "BCEWithLogitsLoss", {**SGD, "lr": 1e-7})
BINARY = {"criterion": {"kind": "BCEWithLogitsLoss"}, "data": "a"}
TWO_RATES = program(
    MOONS,
    [],
    "BCEWithLogitsLoss",
    modules={"p": [linear(2, 1)], "q": [linear(2, 1)]},
    losses={name: {**BINARY, "chain": [name[-1]]} for name in ("loss_p", "loss_q")},
    optimizers={
        "moving": {"kind": "SGD", "params": ["p.*"], "lr": 0.1},
        "still": {"kind": "SGD", "params": ["q.*"], "lr": 1e-9},
    },
)
del TWO_RATES["loop"]


CLASSIFIED = program(MOONS, mlp(2, 16, 1), "BCEWithLogitsLoss")
SQUASHED = program(
    {**MOONS, "samples": 64, "batch_size": 32}, mlp(2, 8, 1, activation=TANH), "BCEWithLogitsLoss"
)
CLASSES = program(IRIS, mlp(4, 16, 3), "CrossEntropyLoss")
ENDING = program(IRIS, [*mlp(4, 16, 3), {"kind": "LogSoftmax", "dim": 1}], "CrossEntropyLoss")
TRIGGERS = {
    "loss-not-decreasing": [
        (free("sum((x - 10) ** 2)", {"kind": "SGD", "lr": 1e-6}, x=[0.001]), 60)
    ],
    "update-ratio": [(SLOW, 60)],
    "loss-diverging": [
        (program(MOONS, mlp(2, 16, 1), "MSELoss", {**SGD, "lr": 0.1, "momentum": 0.99}), 120)
    ],
    "learning-rate": [
        (program(LINE, [linear(1, 1)], "MSELoss", {**SGD, "momentum": 1.2}), 60),
        (program(MOONS, mlp(2, 16, 1), "BCEWithLogitsLoss", {**ADAM, "lr": 50}), 120),
        (PLANTED["a learning rate that is ten times too high for the rows"].document, 120),
    ],
    "poor-initialisation": [
        (
            {
                **program(MOONS, mlp(2, 8, 8, 1, activation=TANH), "BCEWithLogitsLoss"),
                "init": {"*": {"kind": "constant_", "val": 0.3}},
            },
            60,
        ),
        ({**SQUASHED, "init": {"model.0.weight": {"kind": "normal_", "std": 100.0}}}, 40),
    ],
    "vanishing-gradient": [
        (program(MOONS, mlp(2, *[8] * 8, 1, activation=SIGMOID), "BCEWithLogitsLoss"), 120),
        (program(MOONS, mlp(2, *[16] * 8, 1, activation=SIGMOID), "BCEWithLogitsLoss"), 120),
        (free("sum((x ** 2 - 1) ** 2)", {"kind": "SGD", "lr": 0.1}, x=[0.0]), 60),
        (free("sum((tanh(20 * x) + 1) ** 2)", {"kind": "SGD", "lr": 0.1}, x=[1.0]), 60),
        (free("sum(sigmoid(x))", {"kind": "SGD", "lr": 0.1}, x=[15.0]), 60),
    ],
    "exploding-gradient": [
        (
            {
                **program(LINE, mlp(1, 8, 1), "MSELoss", ADAM),
                "init": {"model.2.weight": {**NORMAL, "std": 100.0}},
            },
            60,
        )
    ],
    "dead-relu": [
        ({**CLASSIFIED, "init": {"model.0.bias": {"kind": "constant_", "val": -20.0}}}, 60),
        (
            program(MOONS, mlp(2, 16, 1), "BCEWithLogitsLoss", {**SGD, "lr": 2, "momentum": 0.9}),
            120,
        ),
    ],
    "saturated-activation": [
        ({**SQUASHED, "init": {"model.0.bias": {"kind": "constant_", "val": 12.0}}}, 20),
    ],
    "unchanged-parameter": [
        (TWO_RATES, 60),
    ],
    "loss-oscillating": [(PLANTED["steps from one side of a kink to the other"].document, 120)],
    "overfitting": [(PLANTED["a network that learns its few rows by heart"].document, 120)],
    "input-scale": [
        (program({**LINE, "slope": 500}, [linear(1, 1)], "MSELoss"), 60),
        (
            program(
                {**LINE, "slope": 500},
                [linear(1, 1)],
                {"kind": "MSELoss", "reduction": "sum"},
                {**SGD, "lr": 0.001},
            ),
            60,
        ),
        (
            program(
                {**LINE, "low": -500, "high": 500, "slope": 0.01},
                mlp(1, 16, 1, activation=TANH),
                "MSELoss",
            ),
            60,
        ),
    ],
    "criterion-mismatch": [
        (program(IRIS, [*mlp(4, 8, 3), {"kind": "Softmax", "dim": 1}], "NLLLoss"), 60),
        (program(IRIS, mlp(4, 8, 3), "NLLLoss"), 60),
        (PLANTED["BCELoss of logits"].document, 1),
        (PLANTED["Softmax over one unit"].document, 120),
        (program(IRIS, [*mlp(4, 16, 3), RELU], "CrossEntropyLoss"), 60),
        (changed(CLASSES, "losses", chain=[], output="log_softmax(model(input), 1)"), 60),
        (changed(CLASSES, "losses", chain=[], output="relu(model(input))"), 60),
        (changed(ENDING, "losses", chain=[], output="model(input)"), 60),
    ],
    "small-steps": [
        (PLANTED["a learning rate of 1e-6"].document, 120),
        (SLOW | {"seed": 3}, 120),
        (program(MOONS, mlp(2, 16, 1), "BCEWithLogitsLoss", {**ADAM, "lr": 0.0}), 120),
    ],
    "sum-reduction": [(PLANTED["a sum over the rows as the loss"].document, 120)],
    "weight-decay": [(PLANTED["weight decay of 1"].document, 300)],
    "clipping-too-tight": [(PLANTED["clipping to 1e-4"].document, 120)],
    "maximized-loss": [
        (PLANTED["maximize on a criterion"].document, 120),
        (PLANTED["maximize on a mean squared error that is an expression"].document, 120),
    ],
    "class-imbalance": [
        (PLANTED["147 of 150 rows in one class"].document, 120),
        (
            program(
                {
                    "kind": "inline",
                    "inputs": [[row / 100, (row * 7 % 13) / 13] for row in range(100)],
                    "targets": [[float(row > 95)] for row in range(100)],
                },
                mlp(2, 8, 1),
                "BCEWithLogitsLoss",
            ),
            60,
        ),
    ],
    "labels-from-one": [(PLANTED["labels from 1 to 3 with 4 outputs"].document, 120)],
    "constant-inputs": [(PLANTED["a constant column"].document, 120)],
    "duplicated-inputs": [(PLANTED["a duplicated column"].document, 120)],
    "sorted-rows": [(PLANTED["rows that are sorted by class"].document, 120)],
    "bias-before-batchnorm": [(PLANTED["a bias before BatchNorm in another module"].document, 120)],
    "dropout-before-batchnorm": [(PLANTED["Dropout before BatchNorm"].document, 120)],
}
CASES = [
    pytest.param(id_, *case, id=f"{id_}-{number}")
    for id_, cases in TRIGGERS.items()
    for number, case in enumerate(cases)
]


def opened(document):
    return Debugger(decode(json.dumps(document).encode()))


def wrong(debugger):
    return {item.id for item in debugger.findings if item.severity != "info"}


def finding_of(debugger, id_):
    return next(item for item in debugger.findings if item.id == id_)


@pytest.mark.slow
@pytest.mark.parametrize(("id_", "document", "iterations"), CASES)
def test_a_remedy_clears_its_suspicion_while_the_run_continues(id_, document, iterations):
    debugger = opened(document)
    debugger.iterate(iterations)
    before = wrong(debugger)
    assert id_ in before
    remedy = debugger.remedies(finding_of(debugger, id_))[0]
    assert remedy.outcome.is_clean
    cured = applied(debugger, remedy)
    assert wrong(cured) <= before - {id_}
    assert cured.event.outcome.ok
    if id_ != "overfitting":  # its remedy is to stop
        cured.iterate(min(iterations, 100))
        assert wrong(cured) <= before - {id_}


UNCLEARED = {
    "a gradient that explodes in a free tensor",
    "random labels",
    "inputs that are all zero",
    "a loss that counts mistakes",
    "a loss that uses no parameter",
}
"""Mistakes that neither an Operation nor an edit of the document mends."""


@pytest.mark.slow
@pytest.mark.parametrize("mistake", PLANTED)
def test_what_is_offered_for_a_planted_mistake_does_what_its_trial_found(mistake):
    planted = PLANTED[mistake]
    debugger = opened(planted.document)
    if planted.scale != 1:
        for name, tensor in debugger.snapshot.parameters.items():
            if name.endswith("weight"):
                debugger.apply(SetValue(name, (planted.scale * tensor.data).tolist()))
    debugger.iterate(planted.iterations)
    before = wrong(debugger)
    main = debugger.branches.current
    for finding in (item for item in debugger.findings if item.id in planted.expected):
        if mistake in UNCLEARED:
            with pytest.raises(OperationError, match="no remedy"):
                debugger.remedies(finding)
            continue
        for remedy in debugger.remedies(finding):
            cured = applied(debugger, remedy)
            found = wrong(cured)
            assert finding.id not in found
            assert found - before <= {item.id for item in remedy.outcome.added}
            debugger.checkout(main)


def test_every_suspicion_has_a_remedy_that_is_tried_on_a_program_or_a_reason_for_none():
    suspicions = {entry.id for entry in REGISTRY.values() if entry.severity == "suspicion"}
    without = {
        *("chance-level-loss", "learning-rate-loaded", "schedule-per-batch", "schedule-per-epoch"),
        "sampler-epoch-not-set",
        *("unreached-parameter", "unshuffled-batches"),
    }
    assert suspicions - set(TRIGGERS) == suspicions & set(NO_REMEDY) == without


def test_a_remedy_that_overshoots_is_not_offered():
    # Sigmoid after Sigmoid: with ReLU alone half of the units are dead from the start.
    debugger = opened(program(MOONS, mlp(2, *[8] * 8, 1, activation=SIGMOID), "BCEWithLogitsLoss"))
    debugger.iterate(120)
    (remedy,) = debugger.remedies(finding_of(debugger, "vanishing-gradient"))
    assert remedy.title == "with ReLU between the layers, and Kaiming's initial weights"
    assert '"kaiming_normal_"' in remedy.difference


def test_data_that_the_document_does_not_hold_are_to_be_edited_where_they_are():
    debugger = opened(PLANTED["inputs that are all zero"].document)
    debugger.iterate(20)
    with pytest.raises(OperationError, match="here: the document does not hold") as caught:
        debugger.remedies(finding_of(debugger, "constant-inputs"))
    assert caught.value.remedy == "remove these columns, or check how the file is read"


def test_labels_that_belong_to_no_row_have_no_remedy_to_try():
    debugger = opened(PLANTED["random labels"].document)
    debugger.iterate(120)
    finding = finding_of(debugger, "chance-level-loss")
    assert finding.trial == ""
    with pytest.raises(OperationError) as caught:
        debugger.remedies(finding)
    assert str(caught.value) == (
        "chance-level-loss has no remedy to try here: no setting makes labels belong to their "
        "rows; check that inputs and labels are in the same order, and that the label column is "
        "the right one"
    )


# --- intent -----------------------------------------------------------------------------------

NO_ZERO_GRAD = [{"op": kind} for kind in ("forward", "backward", "step")]
EXPLAINED = {
    "maximized-loss": (PLANTED["maximize on a criterion"].document, "adversarial"),
    "frozen-but-held": (
        PLANTED["a frozen layer that the optimizer holds"].document,
        "frozen_backbone",
    ),
    "step-missing": (PLANTED["no step"].document, "gradient_accumulation"),
    "optimizer-orphan": (
        changed(CLASSIFIED, "optimizers", params=["model.2.*"]),
        "frozen_backbone",
    ),
}


@pytest.mark.parametrize("id_", EXPLAINED)
def test_a_declared_intent_clears_the_finding_and_changes_no_number(id_):
    document, intent = EXPLAINED[id_]
    debugger = opened(document)
    debugger.iterate(30)
    before = {item.id for item in debugger.findings}
    assert id_ in before
    changing, *declaring = debugger.remedies(finding_of(debugger, id_))
    assert changing.title == finding_of(debugger, id_).trial
    (remedy,) = declaring
    assert remedy.title == f"with the intent declared: {intent}"
    assert f'+    "{intent}"' in remedy.difference
    cured = applied(debugger, remedy)
    assert {item.id for item in cured.findings} <= before - {id_}
    assert [item.loss for item in cured.events] == [item.loss for item in debugger.events]


def test_an_intent_that_is_broken_in_another_way_is_not_offered():
    twice = [{"op": kind} for kind in ("forward", "backward", "forward", "backward", "step")]
    debugger = opened({**CLASSIFIED, "loop": twice})
    debugger.iterate(6)
    # Declared accumulation would have to divide the loss by 2: accumulation-scale is a fact.
    (remedy,) = debugger.remedies(finding_of(debugger, "grad-accumulated"))
    assert remedy.title == "with the gradients zeroed at the start of each iteration"


def test_a_program_with_one_optimizer_is_not_offered_as_adversarial():
    debugger = opened(PLANTED["no step"].document)
    debugger.iterate(20)
    (remedy,) = debugger.remedies(finding_of(debugger, "grad-discarded"))
    assert remedy.title == "with a step for each gradient before it is cleared"


def test_two_models_whose_gradients_are_thrown_away_are_offered_as_adversarial():
    document = gan(
        loop=[
            {"op": "zero_grad", "optimizer": "maker_optimizer"},
            *passes("fooled"),
            {"op": "zero_grad", "optimizer": "judge_optimizer"},
            *passes("real"),
            {"op": "step", "optimizer": "judge_optimizer"},
            {"op": "step", "optimizer": "maker_optimizer"},
        ]
    )
    debugger = opened(document)
    debugger.iterate(20)
    finding = finding_of(debugger, "grad-discarded")
    remedy = debugger.remedies(finding)[-1]
    assert remedy.title == "with the intent declared: adversarial"
    cured = applied(debugger, remedy)
    assert wrong(cured) == set()
    assert [item.loss for item in cured.events] == [item.loss for item in debugger.events]
