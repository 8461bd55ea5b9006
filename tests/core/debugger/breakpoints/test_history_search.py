"""HistorySearch: where recorded Events make a condition true, failed and replacing ones too."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.program.operation import Backward, LoadState, RebuildModule, SetValue

LOOP = [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}]


@pytest.fixture
def bowl(make):
    """The loss x^2 from x = 4, each step of which makes x smaller by a fifth."""
    return make(
        "line",
        tensors={"x": {"value": [4.0], "requires_grad": True}},
        losses={"square": {"expression": "sum(x * x)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
        loop=[{**line, "loss": "square"} if "ward" in line["op"] else line for line in LOOP],
    )


def hits_back(debugger):
    """Return the Events at which running back stops."""
    found = []
    while (reason := debugger.run_back()).kind == "breakpoint":
        found.append(reason.event)
    return found


def test_loss_means_the_last_loss_by_whatever_name(bowl):
    bowl.iterate(4)
    bowl.break_when("loss < 8")
    assert hits_back(bowl) == [10]  # 16, 10.24, 6.55, 4.19: it becomes true in the third Forward


@pytest.mark.parametrize("condition", ["loss < 100", 'norm(grad("x")) > 0'])
def test_a_failed_operation_is_not_a_moment_of_a_condition_on_the_state(bowl, condition):
    bowl.iterate(1)
    assert not bowl.apply(Backward("square")).outcome.ok
    bowl.zero_grad()
    bowl.break_when(condition, after="backward")
    assert hits_back(bowl) == [3]


def test_a_failed_operation_is_a_moment_of_a_condition_on_the_event(bowl):
    bowl.iterate(1)
    bowl.apply(Backward("square"))
    bowl.zero_grad()
    bowl.break_when("raised", after="backward")
    assert hits_back(bowl) == [5]


@pytest.mark.parametrize("operation", [LoadState(0), RebuildModule("model")])
def test_an_operation_that_replaces_the_state_makes_conditions_true(network, operation):
    network.iterate(4)
    assert network.apply(operation).outcome.ok
    norm = np.linalg.norm(network.snapshot.parameters["model.0.weight"].data.astype(float))
    network.iterate(2)
    network.break_when(f'abs(norm(data("model.0.weight")) - {norm}) < 1e-6')
    assert network.run_back().event == 17


def test_the_first_event_counts_as_evaluated(bowl):
    bowl.apply(SetValue("x", 5.0))
    bowl.apply(SetValue("x", 6.0))
    point = bowl.break_when('data("x")[0] > 4.5')
    bowl.seek(1)
    assert bowl.run(1).kind == "iterations"
    assert point.count == 0


def test_the_first_event_is_a_hit_when_it_makes_a_condition_true(bowl):
    bowl.apply(SetValue("x", 5.0))
    bowl.apply(SetValue("x", 6.0))
    bowl.break_when('data("x")[0] > 4.5')
    assert hits_back(bowl) == [1]


def test_a_stop_before_an_operation_names_it(bowl):
    bowl.iterate(2)
    bowl.break_when("iteration == 1", before="backward")
    reason = bowl.run_back()
    assert reason.event == 6
    assert reason.sentence == "iteration == 1, before backward square, after Event 6"
