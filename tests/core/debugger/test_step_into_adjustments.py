"""Stepping into clipping and schedulers: the numbers, and the bits of a run."""

import numpy as np
import pytest

from gradstep.history.records.event import Event
from gradstep.program.operation import ClipGradNorm, ClipGradValue, SchedulerStep
from tests.core.formulas import evaluate

CLIPS = [
    ClipGradNorm(0.1),
    ClipGradNorm(100.0),
    ClipGradNorm(0.05, norm_type=float("inf")),
    ClipGradValue(0.01),
    SchedulerStep("decay"),
]
NAMES = [f"model.{layer}.{name}" for layer in (0, 3) for name in ("weight", "bias")]


@pytest.fixture
def twins(make):
    pair = make(), make()
    for dbg in pair:
        dbg.iterate(1)
        dbg.forward()
        dbg.backward()
    return pair


def walk_through(dbg, operation):
    steps = [dbg.step_into(operation)]
    while not isinstance(steps[-1], Event):
        steps.append(dbg.step_into())
    return steps[:-1], steps[-1]


@pytest.mark.parametrize("operation", CLIPS, ids=repr)
def test_stepping_inside_gives_the_bits_of_a_run(twins, state_of, operation):
    inside, through = twins
    steps, event = walk_through(inside, operation)
    assert steps
    assert event == through.apply(operation)
    assert state_of(inside) == state_of(through)


def test_clipping_by_norm_shows_the_norm_the_factor_and_each_gradient(twins):
    steps, event = walk_through(twins[0], ClipGradNorm(0.1))
    assert [step.title for step in steps] == ["total_norm", "factor", *NAMES]
    norm, factor, *scaled = steps
    every = np.concatenate([array.reshape(-1) for array in norm.inputs.values()])
    assert float(norm.outputs["total_norm"]) == pytest.approx(np.linalg.norm(every), rel=1e-6)
    for step in (factor, *scaled):
        made = step.outputs["factor" if step is factor else "grad"]
        np.testing.assert_allclose(made, evaluate(step.formula, step.inputs), rtol=1e-6)
    assert event.outcome.ok


def test_clipping_by_value_shows_each_gradient(twins):
    steps, _ = walk_through(twins[0], ClipGradValue(0.01))
    assert [step.title for step in steps] == NAMES
    for step in steps:
        np.testing.assert_allclose(step.outputs["grad"], evaluate(step.formula, step.inputs))


def test_a_scheduler_shows_the_rate_of_each_group_before_and_after(twins):
    (step,), _ = walk_through(twins[0], SchedulerStep("decay"))
    assert (step.kind, step.title, step.path) == ("group", "group 0", ("decay",))
    assert float(step.inputs["lr"]) == 0.05
    assert float(step.inputs["gamma"]) == 0.9
    assert float(step.outputs["lr"]) == pytest.approx(0.045)
    assert step.formula.text


def test_without_gradients_an_operation_has_no_micro_steps(make):
    event = make().step_into(ClipGradNorm(1.0))
    assert event.outcome.message == "nothing to clip: every .grad is None"


def test_an_operation_that_fails_in_a_run_fails_the_same_way_inside(twins):
    inside, through = twins
    assert inside.step_into(ClipGradNorm(-1.0)) == through.apply(ClipGradNorm(-1.0))
