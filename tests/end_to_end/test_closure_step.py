"""L-BFGS in the window: its Step applied alone, after a Forward, stepped through, and explained."""

from __future__ import annotations

import json

import pytest

from gradstep.program.operation import Step
from gradstep_gui.views.inside.symbol_table import NAME

DOCUMENT = {
    "gradstep": 1,
    "name": "Moons by L-BFGS",
    "seed": 3,
    "data": {"a": {"kind": "moons", "samples": 60, "noise": 0.1, "batch_size": 20}},
    "modules": {
        "net": [
            {"kind": "Linear", "in_features": 2, "out_features": 4},
            {"kind": "Tanh"},
            {"kind": "Linear", "in_features": 4, "out_features": 1},
        ]
    },
    "losses": {"loss": {"data": "a", "chain": ["net"], "criterion": {"kind": "BCEWithLogitsLoss"}}},
    "optimizers": {
        "lbfgs": {
            "kind": "LBFGS",
            "params": ["net.*"],
            "max_iter": 3,
            "line_search_fn": "strong_wolfe",
        }
    },
}


@pytest.fixture
def opened(make_driver, tmp_path):
    path = tmp_path / "lbfgs.json"
    path.write_text(json.dumps(DOCUMENT))
    driver = make_driver(path)
    driver.settle()
    return driver


def test_its_step_alone_trains_and_takes_the_batch_that_forward_has_shown(opened):
    opened.press("debug.step", "debug.step", "debug.forward", "debug.step")
    events = list(opened.debugger.events)
    assert [type(event.operation).__name__ for event in events] == [
        "Step", "Step", "Forward", "Step"
    ]  # fmt: skip
    assert events[0].rows != events[1].rows
    assert events[3].rows == events[2].rows
    assert opened.snapshot.iteration == 3
    assert events[3].loss == events[2].loss == opened.snapshot.loss
    assert opened.snapshot.findings == ()
    assert opened.message == ""


def test_a_held_batch_is_held_by_the_step_as_well(opened):
    opened.press("debug.step")
    opened.trigger("debug.hold_batch")
    opened.press("debug.step")
    opened.iterate(1)
    events = list(opened.debugger.events)
    assert [event.operation for event in events] == [
        Step("lbfgs"), Step("lbfgs", "held"), Step("lbfgs", "held")
    ]  # fmt: skip
    assert len({event.rows for event in events}) == 1


@pytest.mark.slow
def test_stepping_inside_moves_between_evaluations_and_out(opened):
    opened.press("debug.step")
    inside = opened.window.docks["inside"].widget()
    titles = []
    while opened.snapshot.event_index == 1 and len(titles) < 400:
        opened.press("debug.step_into")
        if opened.snapshot.micro_step is not None:
            titles.append(opened.snapshot.micro_step.title)
    assert [title for title in titles if title.startswith(("iter", "eval"))][:3] == [
        "evaluation 1", "iteration 1", "evaluation 2"
    ]  # fmt: skip
    assert titles[-1] == "grad"
    count = len([title for title in titles if title.startswith("evaluation")])
    assert opened.snapshot.event.outcome.message.endswith(f"{count} evaluations of the loss")
    opened.press("debug.back")
    assert inside.table.topLevelItem(inside.table.topLevelItemCount() - 1).text(NAME) == "→ grad"
    opened.press("debug.step_out")
    assert opened.snapshot.event_index == 2


def test_a_change_is_explained_by_gradient_and_curvature(opened):
    opened.iterate(2)
    opened.trigger("view.explain")
    opened.settle()
    why = opened.debugger.explain("net.0.weight")
    assert {term.name for term in why.terms} == {"gradient", "curvature memory", "rounding"}
    assert "iterations" in why.sentence
