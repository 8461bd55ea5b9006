"""Momentum memory, split by the losses, batches and steps that it comes from."""

import numpy as np
import pytest

from gradstep.program.operation import (
    ClipGradNorm,
    LoadState,
    ReplaceOptimizer,
    SetHyperparameter,
)
from tests.core.debugger.conftest import LINE, NETWORK, changed, open_program


def two_losses(**options):
    """Return a debugger of one tensor with two losses: the gradient of a is 8, that of b is 2."""
    return open_program(
        changed(
            LINE,
            dtype="float64",
            tensors={"x": {"value": 0.0, "requires_grad": True}},
            losses={"a": {"expression": "8 * x"}, "b": {"expression": "2 * x"}},
            optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 1.0, **options}},
            loop=[{"op": "zero_grad"}, {"op": "forward", "loss": "a"}],
        )
    )


def add_gradient(dbg, loss):
    dbg.forward(loss)
    dbg.backward(loss)


def train(dbg, *losses):
    dbg.zero_grad()
    for loss in losses:
        add_gradient(dbg, loss)
    dbg.step()


def memory(why):
    return next(term for term in why.terms if term.name == "momentum memory")


def parts_of(why):
    return [(part.kind, part.loss, part.step, part.value.item()) for part in memory(why).parts]


def test_momentum_is_split_by_the_losses_that_took_turns():
    dbg = two_losses(momentum=0.5)
    for loss in "abab":
        train(dbg, loss)
    # 8 * 0.5**2 + 2 * 0.5**1 ... : a from two steps ago, b from three.
    why = dbg.explain("x")
    assert parts_of(why) == [
        ("gradient", "a", 12, -4.0),
        ("gradient", "b", 8, -0.5),
        ("gradient", "a", 4, -1.0),
    ]
    assert [part.event for part in memory(why).parts] == [11, 7, 3]
    assert why.sentence == (
        "x moved by -7.5 in Event 16: 73 % momentum memory (67 % a, 7 % b; last 3 steps), "
        "27 % gradient."
    )


def test_one_gradient_of_two_losses_is_split_between_them():
    dbg = two_losses(momentum=0.5)
    train(dbg, "a", "b")
    train(dbg, "b")
    assert parts_of(dbg.explain("x")) == [
        ("gradient", "b", 6, -1.0),
        ("gradient", "a", 6, -4.0),
    ]


def test_clipping_scales_what_reaches_the_momentum():
    dbg = two_losses(momentum=0.5)
    dbg.zero_grad()
    for loss in "ab":
        add_gradient(dbg, loss)
    dbg.apply(ClipGradNorm(1.0))
    dbg.step()
    train(dbg, "b")
    assert [(loss, pytest.approx(value)) for _, loss, _, value in parts_of(dbg.explain("x"))] == [
        ("b", -0.1),
        ("a", -0.4),
    ]


def test_steps_that_momentum_has_forgotten_are_one_part():
    dbg = two_losses(momentum=0.5)
    for _ in range(12):
        train(dbg, "a")
    parts = memory(dbg.explain("x")).parts
    assert [part.kind for part in parts] == ["gradient"] * 7 + ["earlier"]
    assert parts[-1].step is None
    assert parts[-1].value.item() == pytest.approx(-8 * sum(0.5**age for age in range(8, 12)))


def test_weight_decay_that_joined_the_gradient_stays_in_the_momentum():
    dbg = two_losses(momentum=0.5, weight_decay=0.5)
    for _ in range(3):
        train(dbg, "a")
    assert {part.kind for part in memory(dbg.explain("x")).parts} == {"gradient", "weight decay"}


def test_an_accumulated_gradient_names_every_backward():
    dbg = two_losses(momentum=0.5)
    for loss in "ab":
        add_gradient(dbg, loss)
        dbg.step()
    train(dbg, "b")
    # b's Step used a's old gradient too: 8 and 2, one step ago; 8 two steps ago.
    assert parts_of(dbg.explain("x")) == [
        ("gradient", "b", 6, -1.0),
        ("gradient", "a", 6, -4.0),
        ("gradient", "a", 3, -2.0),
    ]


@pytest.mark.parametrize(
    ("operation", "parts"),
    [
        (ReplaceOptimizer("SGD", options={"momentum": 0.5}), []),
        (LoadState(event=4), [("earlier", "", None, -4.0)]),
    ],
)
def test_momentum_that_was_dropped_or_loaded_has_no_older_parts(operation, parts):
    dbg = two_losses(momentum=0.5)
    for _ in range(2):
        train(dbg, "a")
    dbg.apply(operation)
    train(dbg, "b")
    found = [part for term in dbg.explain("x").terms for part in term.parts]
    assert [(part.kind, part.loss, part.step, part.value.item()) for part in found] == parts


def test_a_parameter_without_momentum_has_no_parts():
    dbg = two_losses(momentum=0.0)
    for _ in range(3):
        train(dbg, "a")
    assert [term.parts for term in dbg.explain("x").terms] == [()]


def test_batches_are_named_and_the_parts_add_up():
    dbg = open_program(NETWORK)
    dbg.iterate(9)
    term = memory(dbg.explain("model.0.weight"))
    assert {part.batch.number for part in term.parts if part.batch} == {1, 2, 3}
    assert len(term.parts) == 8
    added = sum(part.value for part in term.parts)
    np.testing.assert_allclose(added, term.value, rtol=1e-4, atol=1e-9)
    assert sum(part.share for part in term.parts) == pytest.approx(term.share, rel=1e-4)


def test_parts_add_up_where_the_learning_rate_has_changed():
    dbg = two_losses(momentum=0.5)
    for _ in range(3):
        train(dbg, "a")
    dbg.apply(SetHyperparameter("lr", 0.25))
    train(dbg, "b")
    term = memory(dbg.explain("x"))
    assert sum(part.value for part in term.parts).item() == pytest.approx(term.value.item())
    assert term.value.item() == -0.5 * (8 + 4 + 2)


def test_following_a_gradient_that_is_never_cleared_is_limited():
    dbg = two_losses(momentum=0.99)
    for _ in range(60):
        dbg.forward("a")
        dbg.backward("a")
        dbg.step()
    parts = memory(dbg.explain("x")).parts
    assert parts[-1].kind == "earlier"
    assert len({part.step for part in parts}) < 10
    added = sum(part.value for part in parts).item()
    assert added == pytest.approx(memory(dbg.explain("x")).value.item())
