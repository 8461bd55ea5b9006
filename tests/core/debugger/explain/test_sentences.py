"""The sentences of explanations, made of moves that are written out here."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gradstep.debugger.explain import sentences
from gradstep.debugger.explain.step_change import CLIPPING, StepChange
from gradstep.history.records.explanation import MomentumPart, Term
from gradstep.optim.attribution import MEMORY, Share
from gradstep.program.operation import AddLoss, Forward, LoadState, RebuildModule, SetValue, Step
from gradstep.program.runtime.descriptions import STALE

HELD = SimpleNamespace(
    buffers=(), optimizer_tensors=(SimpleNamespace(address="x", optimizer="sgd"),)
)
REBUILT = SimpleNamespace(
    buffers=("running_mean",),
    optimizer_tensors=(
        SimpleNamespace(address=f"x{STALE}", optimizer="adam"),
        SimpleNamespace(address="z", optimizer="sgd"),
    ),
)


def array(*values):
    return np.array(values, np.float64)


def share(*values):
    return Share(array(*values), ())


def move(shares=None, **changes):
    shares = shares or {}
    total = sum((part.value for part in shares.values()), np.zeros(2))
    made = {
        "event": 4,
        "optimizer": "SGD",
        "requires_grad": True,
        "gradient": array(1, 1),
        "before": array(0, 0),
        "total": total,
        "shares": shares,
        "terms": (),
        "rates": (0.1, 0.1),
        "clipped": None,
        "factors": (),
    }
    return StepChange(**made | changes)


def part(step, *values, share=0.1, loss="loss", kind="gradient"):
    return MomentumPart(kind, step, step, loss, value=array(*values), share=share)


def momentum(*parts):
    """Return the words about a move that is half gradient and half momentum of these parts."""
    half = {"gradient": share(1, 0), MEMORY: share(1, 0)}
    made = move(half, terms=(Term(MEMORY, (), array(1, 0), 0.5, parts),))
    return sentences.stepped("x", made).partition("50 % momentum memory")[2]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (RebuildModule("model"), "x was replaced in Event 1,234: model was rebuilt."),
        (LoadState(1000), "x was set in Event 1,234 to its value after Event 1,000."),
        (Forward("first"), "x was updated from the batch of first in Event 1,234."),
        (AddLoss("first", "x"), "first was added to x in Event 1,234."),
        (Step(), "x was updated from the batch of the Step in Event 1,234."),
        (SetValue("x", 1.0), "x was written by hand in Event 1,234."),
    ],
)
def test_what_wrote_a_parameter_is_named(operation, expected):
    assert sentences.written(HELD, "x", 1234, operation) == expected


def test_a_parameter_that_no_step_will_move_has_a_note():
    assert sentences.never(HELD, "x") == "x has not changed yet."
    assert sentences.never(REBUILT, "running_mean") == "running_mean has not changed yet."
    assert sentences.never(REBUILT, "x") == (
        "x has not changed yet; adam still holds the old tensor, so no step moves it."
    )
    assert sentences.never(REBUILT, "y") == (
        "y has not changed yet; no optimizer holds it, so no step moves it."
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rates": (0.1, 0.0)}, "the learning rate was 0"),
        ({"search": "it stopped at once"}, "no iteration moved it"),
        (
            {"gradient": array(0, 0)},
            "its gradient was zero, and there was neither momentum nor decay",
        ),
        ({}, "SGD made no update from its gradient"),
        (
            {"shares": {"gradient": share(0.5, 0), "weight decay": share(-0.5, 0)}},
            "the parts of the step (the largest was 0.5) cancelled out, or were too small for its "
            "precision",
        ),
    ],
)
def test_a_parameter_that_did_not_move_has_a_reason(changes, reason):
    sentence = sentences.stepped("x", move(**changes))
    where = f"in Event 4 ({changes['search']})" if "search" in changes else "in Event 4"
    assert sentence == f"x did not move {where}: {reason}."


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"gradient": array(np.nan, 1)}, "its gradient was NaN or infinite in 1 of 2 elements"),
        (
            {"shares": {MEMORY: share(np.inf, 1), "gradient": share(1, 1)}},
            "the values came from its momentum memory",
        ),
        (
            {"shares": {MEMORY: share(np.inf, 1), "weight decay": share(np.nan, 1)}},
            "the values came from its momentum memory and weight decay",
        ),
        ({}, "the step was too large"),
    ],
)
def test_a_parameter_that_became_infinite_has_a_cause(changes, cause):
    made = move(**{"total": array(np.inf, 0)} | changes)
    assert sentences.stepped("x", made) == f"x became NaN or infinite in Event 4: {cause}."


def test_values_that_were_broken_before_are_not_blamed_on_the_step():
    made = move(before=array(np.nan, 0), total=array(np.nan, 0))
    assert sentences.stepped("x", made) == "x was already NaN or infinite before Event 4."


def test_the_shares_of_a_move_are_listed_from_the_largest():
    made = move({"weight decay": share(1, 0), "gradient": share(3, 0)})
    assert sentences.stepped("x", made) == (
        "x moved by 4 (norm) in Event 4: 75 % gradient, 25 % weight decay."
    )


def test_a_share_across_the_direction_of_the_move_is_not_listed():
    made = move({"gradient": share(3, 0), "weight decay": share(0, 0)})
    assert sentences.stepped("x", made).endswith(": 100 % gradient.")


def test_clipping_is_taken_off_the_gradients_that_it_scaled():
    shares = {"gradient": share(4, 0), CLIPPING: share(-2, 0), "weight decay": share(2, 0)}
    assert sentences.stepped("x", move(shares, clipped=0.5)) == (
        "x moved by 4 (norm) in Event 4: 50 % gradient, 50 % weight decay; clipping scaled the "
        "gradient by 0.5."
    )


def test_oddities_of_a_move_are_mentioned():
    made = move({MEMORY: share(3, 4)}, requires_grad=False, gradient=array(0, 0), rates=(0.1, 0.01))
    assert sentences.stepped("x", made) == (
        "x moved by 5 (norm) in Event 4 although it is frozen (requires_grad is False) and its "
        "gradient was zero: 100 % momentum memory; the learning rate went from 0.1 to 0.01."
    )


def test_momentum_of_one_step_is_from_the_last_step():
    assert momentum(part(3, 1, 0)) == " (loss, last step)."


def test_momentum_of_two_steps_is_from_the_last_2_steps():
    assert momentum(part(3, 1, 0), part(2, 1, 0)) == " (loss, last 2 steps)."


def test_steps_that_add_next_to_nothing_are_not_counted():
    assert momentum(part(3, 0.97, 0), part(2, 0.03, 0)) == " (loss, last step)."


def test_momentum_of_several_losses_is_split():
    found = momentum(part(3, 3, 0, share=0.3), part(2, 2, 0, share=0.2, loss="second"))
    assert found == " (30 % loss, 20 % second; last 2 steps)."


def test_steps_too_long_ago_to_be_separated_are_the_earlier_steps():
    earlier = MomentumPart("earlier", value=array(5, 0), share=0.25)
    assert momentum(part(3, 1, 0, share=0.25), part(2, 1, 0, share=0.0), earlier) == (
        " (25 % loss, 25 % earlier steps; more than 2 steps)."
    )


def test_parts_without_a_share_count_nothing():
    parts = part(3, 1, 0, share=None, loss="second"), part(2, 1, 0, share=0.5)
    assert momentum(*parts) == " (loss, last 2 steps)."
