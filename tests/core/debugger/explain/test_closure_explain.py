"""Explanations of L-BFGS steps: terms that add up, gradients, and parameters that did not move."""

import numpy as np
import pytest

from gradstep.program.operation import Freeze
from tests.core.debugger.any_program import PROGRAMS
from tests.core.debugger.conftest import LINE, changed, open_program
from tests.core.debugger.test_closure_step import network, searches, valley


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@searches
def test_the_terms_of_its_last_change_add_up_to_it(options, dtype):
    dbg = network(dtype, max_iter=6, **options)
    for _ in range(3):
        before = {name: item.data.copy() for name, item in dbg.snapshot.parameters.items()}
        dbg.step()
        for name, item in dbg.snapshot.parameters.items():
            why = dbg.explain(name)
            true = item.data.astype(np.float64) - before[name]
            added = sum((term.value for term in why.terms), np.zeros(true.shape))
            np.testing.assert_allclose(added, true, rtol=1e-12, atol=1e-18)
            named = {term.name: term.value for term in why.terms}
            left = np.abs(named.pop("rounding", np.zeros(1))).max()
            if dtype == "float64":
                assert left <= 1e-12 * np.abs(true).max()
            assert set(named) <= {"gradient", "curvature memory"}
            assert "iterations" in why.sentence


def test_gradients_of_several_losses_are_separate_terms():
    dbg = open_program(
        changed(
            LINE,
            dtype="float64",
            tensors={"x": {"value": [3, 1], "requires_grad": True}},
            losses={"a": {"expression": "sum(x * x)"}, "b": {"expression": "x[0] * x[1]"}},
            optimizers={"lbfgs": {"kind": "LBFGS", "params": ["x"], "max_iter": 3}},
        )
    )
    event = dbg.step()
    assert event.loss == 13.0
    assert (dbg.snapshot.losses["a"], dbg.snapshot.losses["b"]) == (10.0, 3.0)
    why = dbg.explain("x")
    assert [term.name for term in why.terms[:3]] == [
        "gradient of a", "gradient of b", "curvature memory"
    ]  # fmt: skip
    np.testing.assert_allclose(sum(term.value for term in why.terms), why.total, rtol=1e-12)
    assert dbg.history.series.column("loss/b")[1][-1] == 3.0


def test_a_running_mean_follows_what_a_step_evaluates():
    dbg = open_program(PROGRAMS["L-BFGS over batch norm"])
    dbg.iterate(2)
    assert "frozen-but-moved" not in {finding.id for finding in dbg.findings}
    mean = dbg.snapshot.parameters["trunk.1.running_mean"].data
    why = dbg.explain("trunk.1.running_mean")
    assert [term.name for term in why.terms] == ["running average"]
    assert why.before + why.total == pytest.approx(mean)
    assert why.sentence == (
        "trunk.1.running_mean was updated from the batch of the Step in Event 2."
    )


def test_a_gradient_left_by_a_step_comes_from_its_last_evaluation():
    dbg = valley()
    dbg.step()
    (part,) = dbg.provenance("x")
    assert (part.event, part.kind, part.loss) == (1, "step", "loss")
    assert part.value.tolist() == dbg.snapshot.parameters["x"].grad.tolist()
    dbg.forward()
    dbg.backward()
    assert [item.kind for item in dbg.provenance("x")] == ["step", "backward"]


def test_a_frozen_parameter_does_not_move_and_the_explanation_gives_the_reason():
    dbg = network()
    dbg.apply(Freeze("model.0.*"))
    dbg.iterate(2)
    assert "model.0.weight" not in dbg.events[-1].writes
    assert "computed in the step, gave it no gradient" in dbg.explain("model.0.weight").sentence
    assert {item.id for item in dbg.findings} == set()
