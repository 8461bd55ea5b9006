"""What stands after each line of a script: what it was the last to write, as it is now."""

from __future__ import annotations

import dataclasses

import pytest

from gradstep.history.records.event import Event, Outcome
from gradstep.program.listing import LineSpan, Listing
from gradstep.program.operation import Backward, Forward, SchedulerStep, Step, ZeroGrad
from gradstep_gui.views.program.inline_values import inline_values, value_line
from tests.gui.factory import optimizer, parameter, snapshot

ZERO, FORWARD, BACKWARD, STEP = range(4)
OPERATIONS = (ZeroGrad(), Forward(), Backward(), Step())
WRITES = (("x.grad",), ("loss", "loss.graph"), ("x.grad", "loss.graph"), ("x",))
LISTING = Listing(
    "tiny",
    "",
    "",
    tuple(LineSpan(operation, at, at) for at, operation in enumerate(OPERATIONS, 2)),
)


def done(*lines):
    """Return the Events of some lines, one after the other."""
    return [
        Event(index, (index - 1) // 4, OPERATIONS[line], writes=WRITES[line])
        for index, line in enumerate(lines, 1)
    ]


def moment(grad=None, next_line=0, loss=300.0, **fields):
    return snapshot(
        parameter("x", [0.9, 1.9], grad), losses={"loss": loss}, next_line=next_line, **fields
    )


def texts(events, at, listing=LISTING):
    return inline_values(listing, at, reversed(events)).texts


def test_before_the_first_event_there_is_no_value():
    assert texts([], moment(loss=None)) == {}


def test_each_line_has_what_it_wrote_last():
    found = texts(done(ZERO, FORWARD, BACKWARD, STEP), moment(grad=[100, 100]))
    assert found == {FORWARD: "loss = 300", BACKWARD: "x.grad = [100, 100]", STEP: "x = [0.9, 1.9]"}


def test_a_value_stands_after_the_line_that_wrote_it_last_only():
    events = done(ZERO, FORWARD, BACKWARD, STEP, ZERO)
    found = texts(events, moment(next_line=1))
    assert found[ZERO] == "x.grad = None"
    assert BACKWARD not in found


def test_of_two_lines_that_do_the_same_the_one_that_ran_last_has_the_value():
    twice = dataclasses.replace(
        LISTING, spans=(*LISTING.spans[:3], LineSpan(Backward(), 5, 5), LineSpan(Step(), 6, 6))
    )
    events = done(ZERO, FORWARD, BACKWARD)
    assert texts(events, moment(grad=[1, 1], next_line=3), twice)[2] == "x.grad = [1, 1]"
    events = done(ZERO, FORWARD, BACKWARD, BACKWARD)
    found = texts(events, moment(grad=[2, 2], next_line=4), twice)
    assert (found.get(2), found[3]) == (None, "x.grad = [2, 2]")


def test_an_operation_that_failed_wrote_nothing():
    events = done(ZERO, FORWARD, BACKWARD)
    events[2] = Event(3, 0, Backward(), Outcome(ok=False, message="no graph"), writes=("x.grad",))
    assert texts(events, moment(next_line=2)) == {ZERO: "x.grad = None", FORWARD: "loss = 300"}


def test_a_large_tensor_has_its_norm_and_a_small_one_is_requested_with_its_values():
    large = snapshot(
        parameter("w", [[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]], keep=False),
        parameter("b", [1.0], keep=False),
        next_line=0,
    )
    step = Event(1, 0, Step(), writes=("w", "b"))
    found = inline_values(LISTING, large, [step])
    assert found.texts == {STEP: "|w| = 5, b = [1]"}
    assert found.wanted == ("b",)


def test_a_tensor_with_nan_says_so():
    broken = snapshot(parameter("w", [float("nan"), 1, 2, 2, 4], keep=False), next_line=0)
    found = texts([Event(1, 0, Step(), writes=("w",))], broken)
    assert found == {STEP: "w: 1 NaN, norm 5"}


def test_a_scheduler_step_shows_the_learning_rate():
    listing = Listing("", "", "", (LineSpan(SchedulerStep(), 1, 1),))
    at = snapshot(
        parameter("x", [1.0]), optimizers={"optimizer": optimizer("x", lr=0.05)}, next_line=0
    )
    event = Event(1, 0, SchedulerStep(), writes=("optimizer/lr", "scheduler"))
    assert texts([event], at, listing) == {0: "lr = 0.05"}


@pytest.mark.parametrize("file", ["train.py", "engine.py"])
def test_lines_of_a_script_are_known_by_their_place(file):
    step = Step(at=f"{file}:7")
    listing = Listing("", "", "", (LineSpan(step, 7, 7, file=file),), files={file: ""})
    event = Event(1, 0, another(step), writes=("x",))
    assert texts([event], moment(next_line=None), listing) == {0: "x = [0.9, 1.9]"}


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("out = model(x)\nassert loss == 0\nloss = mse(out, y)\nloss.backward()", 3),
        ("loss = mse(model(x), y)\nloss = loss / 2", 1),
        ("return mse(model(x), y)\ndef train():\n    loss = compute()", 1),
        ("total += model(x)\nloss.backward()", 1),
    ],
)
def test_the_loss_of_a_script_stands_where_it_is_assigned(code, line):
    span = LineSpan(Forward(at="train.py:1"), 1, 1, file="train.py")
    assert value_line(Listing("", "", code, (span,), files={"train.py": code}), span) == line


def test_the_loss_of_a_program_stands_after_the_last_line_of_its_forward():
    assert value_line(LISTING, LineSpan(Forward(), 2, 5)) == 5


def another(operation):
    """Return an equal Operation that is another object, as each Event of a script has."""
    return type(operation)(operation.optimizer, at=operation.at)
