"""Of several suspicions with one cause, only the likeliest is reported."""

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.suspicions.likelihood import likeliest
from gradstep.program.document.codec import decode
from tests.core.diagnostics.trial.programs import (
    ADAM,
    MOONS,
    SGD,
    TANH,
    mlp,
    program,
)

LOGITS = "BCEWithLogitsLoss"
MOMENTUM = {**SGD, "momentum": 0.9}
CIRCLES = {"kind": "circles", "samples": 100, "noise": 0.05}
XOR = {"kind": "xor", "samples": 64, "noise": 0.1}
SINE = {"kind": "sine", "samples": 100, "noise": 0.05, "batch_size": 20, "shuffle": True}

ONE_CAUSE = {
    "Adam with a rate of 5": (
        program(MOONS, mlp(2, 16, 1), LOGITS, {**ADAM, "lr": 5}, seed=2), "dead-relu"
    ),
    "momentum with a rate of 2": (
        program(MOONS, mlp(2, 16, 1), LOGITS, {**MOMENTUM, "lr": 2}, seed=1), "dead-relu"
    ),
    "two layers that die": (
        program(MOONS, mlp(2, 16, 16, 1), LOGITS, {**MOMENTUM, "lr": 0.5}, seed=0), "dead-relu"
    ),
    "a swinging loss with dead units": (
        program(CIRCLES, mlp(2, 32, 1), LOGITS, {**SGD, "lr": 20}, seed=1), "loss-oscillating"
    ),
    "a swinging loss with weights at rest": (
        program(XOR, mlp(2, 8, 1, activation=TANH), LOGITS, {**ADAM, "lr": 2}, seed=0),
        "loss-oscillating",
    ),
    "small updates that turn out to be too small": (
        program(SINE, mlp(1, 32, 1), "MSELoss", {**ADAM, "kind": "RMSprop", "lr": 1e-5}, seed=0),
        "small-steps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ONE_CAUSE)
def test_one_cause_is_reported_once(case):
    document, expected = ONE_CAUSE[case]
    dbg = Debugger(decode(json.dumps(document).encode()))
    dbg.iterate(300)
    assert [item.id for item in dbg.findings if item.severity == "suspicion"] == [expected]


def test_what_turns_out_to_be_a_consequence_is_shown_only_at_earlier_events():
    document, _ = ONE_CAUSE["small updates that turn out to be too small"]
    dbg = Debugger(decode(json.dumps(document).encode()))
    dbg.iterate(300)
    end, small = len(dbg.events), dbg.findings[0]
    dbg.seek(small.events[0] - 1)
    assert [item.id for item in dbg.findings] == ["update-ratio"]
    dbg.seek(end)
    assert dbg.findings == (small,)


@pytest.fixture
def two_models(make):
    """A program of two models that share nothing."""
    parts = {"one": mlp(2, 4, 1), "two": mlp(2, 4, 1)}
    losses = {
        f"{name}_loss": {"data": "a", "chain": [name], "criterion": {"kind": LOGITS}}
        for name in parts
    }
    params = {"kind": "SGD", "params": ["*"], "lr": 0.1}
    return make(modules=parts, losses=losses, optimizers={"sgd": params}).program


@pytest.mark.parametrize(
    ("found", "left"),
    [
        ([("vanishing-gradient", "one.0.weight"), ("dead-relu", "one.1")], [1]),
        ([("dead-relu", "one.1"), ("dead-relu", "two.1")], [0, 1]),
        ([("loss-not-decreasing", "two_loss"), ("dead-relu", "one.1")], [0, 1]),
        ([("unchanged-parameter", "two.0.weight"), ("weight-decay", "sgd")], [1]),
        ([("small-steps", "one_loss"), ("loss-diverging", "one_loss")], [0, 1]),
        ([("small-steps", "one_loss"), ("update-ratio", "one.0.weight")], [0]),
        ([("input-scale", "one_loss"), ("loss-diverging", "one_loss")], [0, 1]),
    ],
)
def test_a_suspicion_explains_those_that_follow_from_it_in_the_same_model(two_models, found, left):
    items = [Observation(name, (subject,)) for name, subject in found]
    assert likeliest(two_models, items) == [items[at] for at in left]


def test_a_suspicion_that_was_reported_explains_what_is_found_later(two_models):
    known = [Observation("dead-relu", ("one.1",))]
    later = [Observation("dead-relu", ("one.3",)), Observation("unchanged-parameter", ("two.0",))]
    assert likeliest(two_models, later, known) == later[1:]
