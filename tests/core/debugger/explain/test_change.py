"""Explanations: the terms of a parameter's last change add up, and the sentence is right."""

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.explain import step_change
from gradstep.debugger.shadow_program import StoppedError
from gradstep.errors import OperationError, ReplayError
from gradstep.program.operation import (
    ClipGradNorm,
    ClipGradValue,
    Freeze,
    LoadState,
    RebuildModule,
    ReplaceOptimizer,
    SetHyperparameter,
    Step,
)
from gradstep.program.schema.optimizers import OPTIMIZERS
from tests.core.debugger.conftest import LINE, NETWORK, changed, frozen, open_program

WEIGHT = "model.0.weight"


def line(value, loss="sum(x * x)", dtype="float64", **options):
    """Return a debugger of one tensor x, and SGD or another optimizer over it."""
    optimizer = {"kind": "SGD", "params": ["x"], **options}
    return open_program(
        changed(
            LINE,
            dtype=dtype,
            tensors={"x": {"value": value, "requires_grad": True}},
            losses={"loss": {"expression": loss}},
            optimizers={"optimizer": optimizer},
        )
    )


def values(debugger, name="x"):
    return debugger.snapshot.parameters[name].data.astype(np.float64)


def parts(explanation):
    return {term.name: term.value.tolist() for term in explanation.terms}


def added(explanation):
    return sum((term.value for term in explanation.terms), np.zeros(explanation.total.shape))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", sorted(set(OPTIMIZERS) - {"SparseAdam"}))  # see test_sparse_step
def test_the_terms_of_every_optimizer_add_up_to_the_true_change(kind, dtype):
    params = [WEIGHT, "model.3.weight"] if kind == "Muon" else ["model.*"]
    dbg = open_program(
        changed(
            NETWORK,
            dtype=dtype,
            optimizers={"optimizer": {"kind": kind, "params": params, "lr": 0.05}},
            loop=[*NETWORK["loop"], {"op": "scheduler_step", "scheduler": "decay"}],
        )
    )
    dbg.iterate(3)
    for _ in range(4):
        dbg.step_over()  # up to the step
    after = values(dbg, WEIGHT)
    why = dbg.explain(WEIGHT)
    dbg.back()
    before = values(dbg, WEIGHT)
    assert why.total.tobytes() == (after - before).tobytes()
    assert why.before.tobytes() == before.tobytes()
    np.testing.assert_allclose(added(why), why.total, rtol=1e-12, atol=0)
    rounding = [term.norm for term in why.terms if term.name == "rounding"]
    assert sum(rounding) <= 4 * np.finfo(dtype).eps * np.linalg.norm(before)
    assert sum(term.share for term in why.terms) == pytest.approx(1, rel=1e-9)
    assert why.optimizer == kind


@pytest.mark.parametrize("kind", ["SGD", "Adam", "Adafactor"])
def test_a_scalar_is_explained_as_a_scalar(kind):
    dbg = line(3.0, loss="x * x", kind=kind, lr=0.5)
    dbg.iterate(1)
    why = dbg.explain("x")
    assert why.total.shape == why.before.shape == added(why).shape == ()
    assert added(why) == why.total == values(dbg) - 3.0


def test_momentum_moves_a_parameter_whose_gradient_is_zero():
    dbg = line([1.0, 2.0], lr=0.25, momentum=0.5)
    dbg.iterate(1)
    dbg.zero_grad(set_to_none=False)
    dbg.step()
    why = dbg.explain("x")
    assert parts(why) == {"momentum memory": [-0.25, -0.5]}
    assert why.sentence == (
        "x moved by 0.559 (norm) in Event 6 although its gradient was zero: "
        "100 % momentum memory (loss, last step)."
    )


def test_a_parameter_without_gradient_is_skipped():
    dbg = line([1.0, 2.0], lr=0.25, momentum=0.5)
    dbg.iterate(1)
    dbg.zero_grad()
    dbg.step()
    why = dbg.explain("x")
    assert (why.event, why.terms, why.total.tolist()) == (6, (), [0.0, 0.0])
    assert why.factors == ()
    assert why.sentence == (
        "x did not move in Event 6: .grad was None, so step() skipped it; "
        "it last changed in Event 4."
    )


def test_gradient_momentum_memory_and_weight_decay_are_separate_terms():
    dbg = line([4.0], lr=0.5, momentum=0.5, weight_decay=0.25)
    dbg.iterate(2)
    # First step: 2 * 4 + 0.25 * 4 = 9, so x = -0.5; then 0.5 * 9 - 1 - 0.125 = 3.375.
    why = dbg.explain("x")
    assert parts(why) == {
        "gradient": [0.5],
        "momentum memory": [-2.25],
        "weight decay": [0.0625],
    }
    assert why.sentence == (
        "x moved by -1.69 in Event 8: 133 % momentum memory (119 % loss, 15 % weight decay; "
        "last step), -30 % gradient, -4 % weight decay."
    )
    assert why.terms[2].formula == (
        "decay = weight_decay * param; grad = grad + weight_decay * param; "
        "momentum_buffer = momentum * momentum_buffer + (1 - dampening) * grad; "
        "update = lr * momentum_buffer; param = param - update"
    )


def test_shares_of_parts_that_cancel_are_given_as_factors():
    dbg = line([-0.999], loss="sum(x)", lr=0.1, weight_decay=1.0)
    dbg.run(1)
    sentence = dbg.explain("x").sentence
    assert "1000 × gradient, -999 × weight decay" in sentence
    assert "%" not in sentence


def test_clipping_is_a_term_and_a_factor():
    dbg = line([3.0, 4.0], lr=1.0)
    dbg.forward()
    dbg.backward()
    dbg.apply(ClipGradNorm(2.5))
    dbg.step()
    why = dbg.explain("x")
    assert parts(why)["gradient"] == [-6.0, -8.0]
    np.testing.assert_allclose(parts(why)["clipping"], [4.5, 6.0], rtol=1e-6)
    assert [(item.name, round(item.value, 6)) for item in why.factors] == [("clipping", 0.25)]
    assert why.sentence == (
        "x moved by 2.5 (norm) in Event 4: 100 % gradient; clipping scaled the gradient by 0.25."
    )


def test_clipping_that_had_no_effect_is_not_mentioned():
    dbg = line([3.0, 4.0], lr=1.0)
    dbg.forward()
    dbg.backward()
    dbg.apply(ClipGradValue(100.0))
    dbg.step()
    why = dbg.explain("x")
    assert list(parts(why)) == ["gradient"]
    assert why.sentence == "x moved by 10 (norm) in Event 4: 100 % gradient."


def test_a_learning_rate_that_changed_is_a_term():
    dbg = line([4.0], loss="8 * x", lr=0.5, momentum=0.5)
    dbg.iterate(1)
    dbg.apply(SetHyperparameter("lr", 0.125))
    dbg.iterate(1)
    why = dbg.explain("x")
    assert parts(why) == {
        "gradient": [-4.0],
        "momentum memory": [-2.0],
        "learning-rate change": [4.5],
    }
    assert [(item.name, item.value) for item in why.factors] == [("learning rate", 0.25)]
    assert why.sentence == (
        "x moved by -1.5 in Event 9: 67 % gradient, 33 % momentum memory (loss, last step); "
        "the learning rate went from 0.5 to 0.125."
    )


def test_a_rate_that_was_set_before_the_optimizer_got_the_rebuilt_tensors_does_not_count():
    dbg = open_program(NETWORK)
    dbg.iterate(1)
    dbg.apply(RebuildModule("model"))
    dbg.apply(SetHyperparameter("lr", 0.01))
    dbg.apply(ReplaceOptimizer("SGD", rebind=True))
    dbg.iterate(1)
    why = dbg.explain(WEIGHT)
    assert set(parts(why)) == {"gradient", "rounding"}
    assert "went from" not in why.sentence


def test_a_rate_counts_though_another_optimizer_was_replaced():
    dbg = open_program(
        changed(
            LINE,
            tensors={name: {"value": 4.0, "requires_grad": True} for name in "xy"},
            losses={"loss": {"expression": "8 * x + y"}},
            optimizers={
                "a": {"kind": "SGD", "params": ["x"], "lr": 0.5},
                "b": {"kind": "SGD", "params": ["y"], "lr": 0.5},
            },
        )
    )
    dbg.iterate(1)
    dbg.apply(SetHyperparameter("lr", 0.125, "a"))
    dbg.apply(ReplaceOptimizer("Adam", "b"))
    dbg.iterate(1)
    assert dbg.explain("x").sentence.endswith("the learning rate went from 0.5 to 0.125.")


def test_adam_reports_by_how_much_it_scaled_the_gradient():
    dbg = line([1e-3, 2e-3], kind="Adam", lr=0.1, eps=0.0)
    dbg.iterate(1)
    (scale,) = dbg.explain("x").factors
    # Each element moves by lr, whatever the size of its gradient.
    assert (scale.name, scale.formula) == (
        "adaptive scale",
        "norm(change by grad) / norm(lr * grad)",
    )
    assert scale.value == pytest.approx(0.1 * 2**0.5 / (0.1 * np.hypot(2e-3, 4e-3)))


def test_gradients_of_several_losses_are_named():
    dbg = open_program(
        changed(
            LINE,
            losses={"a": {"expression": "sum(x)"}, "b": {"expression": "sum(3 * x)"}},
            optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.5}},
        )
    )
    for name in ("a", "b"):
        dbg.forward(name)
        dbg.backward(name)
    dbg.step()
    why = dbg.explain("x")
    assert parts(why) == {"gradient of a": [-0.5, -0.5], "gradient of b": [-1.5, -1.5]}
    assert why.sentence == (
        "x moved by 2.83 (norm) in Event 5: 75 % gradient of b, 25 % gradient of a."
    )


def test_a_gradient_that_an_earlier_step_has_used_is_old():
    dbg = line([1.0], loss="x", lr=0.5)
    for _ in range(2):
        dbg.forward()
        dbg.backward()
        dbg.step()
    why = dbg.explain("x")
    assert parts(why) == {"gradient": [-0.5], "old gradient": [-0.5]}
    assert why.sentence == (
        "x moved by -1 in Event 6: 50 % old gradient, 50 % gradient; "
        "an earlier step had already used the old gradient."
    )


def test_a_frozen_parameter_that_moves_is_called_so():
    dbg = line([1.0], loss="x", lr=0.5, momentum=0.5)
    dbg.iterate(1)
    dbg.zero_grad(set_to_none=False)
    dbg.apply(Freeze("x"))
    dbg.step()
    assert dbg.explain("x").sentence == (
        "x moved by -0.25 in Event 7 although it is frozen (requires_grad is False) and "
        "its gradient was zero: 100 % momentum memory (loss, last step)."
    )


@pytest.mark.parametrize(
    ("options", "loss", "reason"),
    [
        ({"lr": 0.0}, "x", "the learning rate was 0"),
        ({"lr": 0.5}, "x - x", "its gradient was zero, and there was neither momentum nor decay"),
    ],
)
def test_a_step_without_effect_gives_the_reason(options, loss, reason):
    dbg = line([1.0], loss=loss, **options)
    dbg.iterate(1)
    assert dbg.explain("x").sentence == f"x did not move in Event 4: {reason}."


def test_a_step_below_the_precision_is_all_rounding():
    dbg = line([1.0], loss="x", dtype="float32", lr=1e-9)
    dbg.iterate(1)
    why = dbg.explain("x")
    assert why.total.tolist() == [0.0]
    assert list(parts(why)) == ["gradient", "rounding"]
    assert added(why).tolist() == [0.0]
    assert "too small for its precision" in why.sentence


def test_a_parameter_that_became_nan_names_the_cause():
    dbg = line([1.0, 4.0], loss="sum(x / (x - x))", lr=0.5)
    dbg.iterate(1)
    assert dbg.explain("x").sentence == (
        "x became NaN or infinite in Event 4: its gradient was NaN or infinite in 2 of 2 elements."
    )


def test_a_parameter_that_nothing_changed_is_reported_as_such():
    dbg = line([1.0], lr=0.5)
    dbg.forward()
    why = dbg.explain("x")
    assert (why.event, why.operation, why.sentence) == (None, None, "x has not changed yet.")


def test_an_orphan_is_reported_as_moved_by_no_step():
    dbg = open_program(changed(LINE, optimizers={}))
    assert dbg.explain("x").sentence == (
        "x has not changed yet; no optimizer holds it, so no step moves it."
    )


def test_a_rebuilt_module_explains_its_new_values():
    dbg = open_program(NETWORK)
    dbg.iterate(1)
    dbg.apply(RebuildModule("model"))
    dbg.iterate(1)
    why = dbg.explain(WEIGHT)
    assert [term.name for term in why.terms] == ["new initial values"]
    assert why.sentence == (
        "model.0.weight was replaced in Event 5: model was rebuilt; "
        "optimizer still holds the old tensor, so no step moves it."
    )


def test_a_loaded_state_is_explained_by_its_event():
    dbg = line([1.0], loss="x", lr=0.5)
    dbg.iterate(3)
    dbg.apply(LoadState(4))
    why = dbg.explain("x")
    assert parts(why) == {"values of Event 4": [1.0]}
    assert why.sentence == "x was set in Event 13 to its value after Event 4."


def test_running_averages_follow_the_batch():
    modules = {
        "model": [
            {"kind": "Linear", "in_features": 2, "out_features": 1},
            {"kind": "BatchNorm1d", "num_features": 1},
        ]
    }
    dbg = open_program(changed(NETWORK, modules=modules))
    dbg.iterate(1)
    why = dbg.explain("model.1.running_mean")
    assert [term.name for term in why.terms] == ["running average"]
    assert why.sentence == "model.1.running_mean was updated from the batch of loss in Event 2."


def test_it_looks_from_the_cursor_and_leaves_the_moment_as_it_was():
    dbg = open_program(NETWORK)
    dbg.iterate(5)
    dbg.seek(11)
    state, snapshot = frozen(dbg.program.capture()), dbg.snapshot
    assert dbg.explain(WEIGHT).event == 8
    assert frozen(dbg.program.capture()) == state
    assert dbg.snapshot is snapshot
    assert dbg.position == (11, None)


def test_inside_an_operation_it_explains_the_event_before():
    dbg = open_program(NETWORK)
    dbg.iterate(1)
    dbg.step_into()
    where = dbg.position
    assert dbg.explain(WEIGHT).event == 4
    assert dbg.position == where


def test_each_branch_has_its_own_explanation():
    dbg = line([4.0], loss="8 * x", lr=0.5)
    dbg.iterate(1)
    dbg.seek(3)
    dbg.apply(SetHyperparameter("lr", 0.25))
    dbg.step()
    assert dbg.explain("x").total.tolist() == [-2.0]
    dbg.checkout(0)
    assert dbg.explain("x").total.tolist() == [-4.0]


def test_a_session_that_was_saved_explains_the_same(tmp_path):
    dbg = open_program(NETWORK)
    dbg.iterate(4)
    dbg.save(tmp_path / "run.gradstep")
    again = Debugger.open(tmp_path / "run.gradstep")
    one, two = dbg.explain(WEIGHT), again.explain(WEIGHT)
    assert one.sentence == two.sentence
    assert parts(one) == parts(two)


def test_an_unknown_parameter_is_rejected_with_the_nearest_name():
    with pytest.raises(OperationError, match=r"no tensor 'model.0.wieght'; did you mean"):
        open_program(NETWORK).explain("model.0.wieght")


def test_an_explanation_can_be_stopped_and_started_again():
    dbg = open_program(NETWORK)
    dbg.iterate(3)
    with pytest.raises(StoppedError):
        dbg.explain(WEIGHT, should_stop=lambda: True)
    assert dbg.explain(WEIGHT).event == 12


def test_a_gradient_that_another_step_has_used_counts_as_old():
    dbg = line([1.0, 2.0], lr=0.1)
    dbg.iterate(1)
    dbg.apply(Step(out_of_loop=True))
    assert "an earlier step had already used the old gradient" in dbg.explain("x").sentence


def test_a_step_whose_gradient_a_damaged_state_has_lost_is_not_explained(monkeypatch):
    debugger = line([1.0, 2.0])
    debugger.iterate(2)

    def lose_gradient(shadow, history, event, parameter):
        shadow.go(history, event)
        shadow.program.tensors[parameter].grad = None
        return ()

    monkeypatch.setattr(step_change, "contributions", lose_gradient)
    with pytest.raises(ReplayError, match="which has no gradient in the state before it"):
        debugger.explain("x")
