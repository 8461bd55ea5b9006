"""Facts: each fires when its contract is broken, cites the Events, and is silent otherwise."""

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.diagnostics import REGISTRY
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    Forward,
    Freeze,
    RebuildModule,
    ReplaceOptimizer,
    SchedulerStep,
    SetHyperparameter,
    Step,
    ZeroGrad,
)


def test_a_right_loop_has_no_finding(dbg, found):
    dbg.iterate(30)
    assert dbg.findings == ()


def test_a_step_before_any_backward_did_nothing(dbg, found):
    dbg.step()
    assert found(dbg) == {"step-without-grad": (1,)}


def test_parameters_without_gradient_are_reported_as_information(make, layers):
    head = [{"kind": "Linear", "in_features": 2, "out_features": 1}]
    loss = {"data": "a", "criterion": {"kind": "BCEWithLogitsLoss"}}
    dbg = make(
        modules={"p": head, "q": head},
        losses={"first": {**loss, "chain": ["p"]}, "second": {**loss, "chain": ["q"]}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["p.*", "q.*"], "lr": 0.1}},
    )
    dbg.forward("first")
    dbg.backward("first")
    dbg.step()
    (finding,) = dbg.findings
    assert (finding.id, finding.severity) == ("step-partly-without-grad", "info")
    assert finding.subjects == ("q.0.weight", "q.0.bias")


def test_gradients_of_two_iterations_that_add_up(dbg, found):
    for _ in range(2):
        dbg.forward()
        dbg.backward()
        dbg.step()
    assert found(dbg) == {"grad-accumulated": (2, 5), "grad-reused": (2, 3, 6)}
    assert set(dbg.findings[0].subjects) == set(dbg.program.tensors)


def test_accumulation_within_an_iteration_is_not_a_mistake(dbg, found):
    dbg.zero_grad()
    for _ in range(3):
        dbg.forward()
        dbg.backward()
    dbg.step()
    assert found(dbg) == {}


@pytest.mark.parametrize("how", ["intent", "every"])
def test_declared_accumulation_is_silent(make, found, how):
    every = {"every": 4} if how == "every" else {}
    dbg = make(
        intent=["gradient_accumulation"] if how == "intent" else [],
        loop=[
            {"op": "forward"},
            {"op": "backward"},
            {"op": "step", **every},
            {"op": "zero_grad", "every": 4},
        ],
    )
    dbg.iterate(12)
    assert "grad-accumulated" not in found(dbg)
    assert "step-missing" not in found(dbg)


def test_one_gradient_used_by_two_steps(dbg, found):
    dbg.forward()
    dbg.backward()
    dbg.step()
    dbg.step()
    assert found(dbg) == {"grad-reused": (2, 3, 4)}


def test_a_gradient_thrown_away_unused(dbg, found):
    dbg.forward()
    dbg.backward()
    dbg.zero_grad()
    assert found(dbg) == {"grad-discarded": (2, 3)}


def test_a_step_of_no_optimizer_is_refused_also_after_gradients_of_zero(dbg):
    dbg.forward()
    dbg.backward()
    dbg.apply(ZeroGrad("optimizer", set_to_none=False))
    outcome = dbg.apply(Step("other")).outcome
    assert not outcome.ok
    assert "other" in outcome.message


def test_clearing_what_a_step_has_used_is_as_it_should_be(dbg, found):
    dbg.iterate(1)
    dbg.zero_grad()
    dbg.zero_grad()
    assert found(dbg) == {}


def test_an_iteration_without_backward_or_step(make, found):
    dbg = make(loop=[{"op": "forward"}, {"op": "zero_grad"}])
    dbg.iterate(2)
    assert found(dbg) == {"backward-missing": (1, 3)}
    dbg = make(loop=[{"op": "forward"}, {"op": "backward"}, {"op": "zero_grad"}])
    dbg.iterate(1)
    assert found(dbg) == {"step-missing": (2, 3), "grad-discarded": (2, 3)}


def test_an_iteration_may_begin_with_the_step_that_uses_the_last_gradient(make, found):
    rotated = [{"op": kind} for kind in ("step", "zero_grad", "forward", "backward")]
    dbg = make(loop=rotated)
    dbg.iterate(50)
    assert found(dbg) == {"step-without-grad": (1,)}


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        (("zero_grad", "forward", "backward"), (3, 4)),
        (("forward", "backward"), (2, 4)),
    ],
)
def test_a_gradient_that_is_left_is_missed_by_a_step_once_it_cannot_be_used(
    make, found, kinds, shown
):
    dbg = make(loop=[{"op": kind} for kind in kinds])
    dbg.iterate(1)
    assert "step-missing" not in found(dbg)
    dbg.iterate(1)
    assert found(dbg)["step-missing"] == shown


def test_a_second_backward_names_three_remedies(dbg, found):
    dbg.forward()
    dbg.backward()
    dbg.backward()
    assert found(dbg) == {"graph-freed": (3,)}
    (finding,) = dbg.findings
    for remedy in ("Forward again", "retain_graph", "add the losses"):
        assert remedy in finding.remedy


def test_a_loss_that_nothing_is_connected_to(dbg, found):
    dbg.apply(Freeze("model.*"))
    dbg.forward()
    dbg.backward()
    assert found(dbg) == {"not-connected": (3,)}


def test_requires_grad_set_on_the_loss_itself_connects_nothing(dbg, found):
    dbg.apply(Freeze("model.*"))
    dbg.forward()
    dbg.program.losses["loss"].requires_grad_()
    assert dbg.backward().outcome.ok
    assert found(dbg) == {"not-connected": (3,)}


def test_parameters_that_no_optimizer_holds(make, found):
    dbg = make(optimizers={"optimizer": {"kind": "SGD", "params": ["model.2.*"], "lr": 0.1}})
    dbg.iterate(1)
    assert found(dbg) == {"optimizer-orphan": (3,)}
    assert set(dbg.findings[0].subjects) == {"model.0.weight", "model.0.bias"}
    silent = make(
        intent=["frozen_backbone"],
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.2.*"], "lr": 0.1}},
    )
    silent.iterate(1)
    assert "optimizer-orphan" not in found(silent)


def test_an_optimizer_that_holds_another_model(make, found, layers):
    dbg = make(
        modules={"model": layers, "other": layers},
        optimizers={
            "right": {"kind": "SGD", "params": ["model.*"], "lr": 0.1},
            "wrong": {"kind": "SGD", "params": ["other.*"], "lr": 0.1},
        },
    )
    assert found(dbg) == {"optimizer-foreign": ()}
    assert dbg.findings[0].subjects == tuple(f"other.{n}" for n in NAMES)
    assert "wrong" in dbg.findings[0].detail


NAMES = ("0.weight", "0.bias", "2.weight", "2.bias")


def test_an_optimizer_that_holds_replaced_tensors(dbg, found):
    dbg.iterate(1)
    dbg.apply(RebuildModule("model"))
    assert found(dbg) == {}
    dbg.step()
    assert found(dbg)["optimizer-stale"] == (5, 6)
    (stale,) = (item for item in dbg.findings if item.id == "optimizer-stale")
    assert stale.subjects == tuple(f"model.{n}" for n in NAMES)
    dbg.back()
    assert found(dbg) == {}


def test_an_optimizer_that_is_created_again_before_it_steps_is_not_stale(dbg, found):
    dbg.iterate(1)
    dbg.apply(RebuildModule("model"))
    dbg.apply(ReplaceOptimizer("SGD", "optimizer", rebind=True))
    dbg.iterate(2)
    assert found(dbg) == {}


def test_a_parameter_in_two_optimizers(make, found):
    dbg = make(
        optimizers={
            name: {"kind": "SGD", "params": ["model.*"], "lr": 0.1} for name in ("one", "two")
        }
    )
    assert found(dbg) == {"optimizer-duplicate": ()}
    assert "by one and two" in dbg.findings[0].detail


def test_a_frozen_parameter_that_moves(dbg, found):
    dbg.zero_grad()
    dbg.forward()
    dbg.backward()
    dbg.apply(Freeze("model.0.*"))
    dbg.step()
    assert found(dbg) == {"frozen-but-moved": (5,)}
    assert dbg.findings[0].subjects == ("model.0.weight", "model.0.bias")


def test_a_parameter_that_moves_without_gradient_is_moved_by_momentum(make, found):
    dbg = make(
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1, "momentum": 0.9}}
    )
    dbg.iterate(1)
    dbg.zero_grad(set_to_none=False)
    dbg.step()
    assert found(dbg) == {"moved-without-gradient": (5, 6)}
    assert "memory of earlier gradients" in dbg.findings[0].detail


def test_findings_that_are_asked_for_elsewhere_in_time_name_what_was_there(make):
    dbg = make(
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1, "momentum": 0.9}}
    )
    dbg.iterate(1)
    dbg.zero_grad(set_to_none=False)
    dbg.step()
    dbg.seek(0)
    assert dbg.findings == ()
    dbg.seek(6)
    assert [finding.id for finding in dbg.findings] == ["moved-without-gradient"]
    assert "memory of earlier gradients" in dbg.findings[0].detail


def test_a_scheduler_that_steps_first(make, found):
    schedulers = {"decay": {"kind": "StepLR", "optimizer": "optimizer", "step_size": 1}}
    dbg = make(schedulers=schedulers)
    dbg.apply(SchedulerStep("decay"))
    assert found(dbg) == {"scheduler-first": (1,)}
    right = make(schedulers=schedulers)
    right.iterate(1)
    right.apply(SchedulerStep("decay"))
    assert found(right) == {}


def test_clipping_after_the_step(dbg, found):
    dbg.iterate(1)
    dbg.apply(ClipGradNorm(0.01))
    assert found(dbg) == {"clip-after-step": (4, 5)}


def test_clipping_before_the_step_is_as_it_should_be(make, found):
    dbg = make(
        loop=[
            {"op": "zero_grad"},
            {"op": "forward"},
            {"op": "backward"},
            {"op": "clip_grad_norm", "max_norm": 0.01},
            {"op": "step"},
        ]
    )
    dbg.iterate(3)
    assert found(dbg) == {}


def test_the_first_event_with_nan_or_infinity(dbg, found):
    dbg.iterate(1)
    dbg.apply(SetHyperparameter("lr", 1e38))
    dbg.iterate(4)
    events = found(dbg)["non-finite"]
    assert len(events) == 1
    dbg.seek(events[0] - 1)
    assert "non-finite" not in found(dbg)
    everything = [
        array
        for parameter in dbg.snapshot.parameters.values()
        for array in (parameter.data, parameter.grad)
        if array is not None
    ]
    assert all(np.isfinite(array).all() for array in everything)


def test_a_target_that_broadcasts(make, found):
    dbg = make(
        data={
            "a": {
                "kind": "inline",
                "inputs": [[0.0, 1.0], [1.0, 0.0]],
                "targets": [0.5, 1.0],
                "batch_size": 2,
            }
        },
        losses={"loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
    )
    dbg.iterate(1)
    assert found(dbg) == {"broadcast-loss": (2,)}
    assert "(2, 1)" in dbg.findings[0].detail


def test_every_finding_is_in_the_registry_and_ends_with_a_remedy():
    for entry in REGISTRY.values():
        assert entry.remedy
        assert entry.title
        if entry.severity == "suspicion":
            assert entry.source


def test_a_fork_knows_what_its_parent_knew_and_no_more(dbg, found):
    dbg.iterate(2)
    dbg.forward()
    dbg.backward()
    dbg.step()
    dbg.step()
    assert found(dbg) == {
        "grad-accumulated": (7, 10),
        "grad-reused": (7, 8, 11, 12),
    }
    dbg.seek(11)
    assert found(dbg) == {"grad-accumulated": (7, 10), "grad-reused": (7, 8, 11)}
    dbg.zero_grad()
    dbg.iterate(1)
    assert found(dbg) == {"grad-accumulated": (7, 10), "grad-reused": (7, 8, 11)}
    dbg.seek(8)
    assert found(dbg) == {}
    dbg.iterate(1)
    assert found(dbg) == {}


WRONG = {
    "08_wrong_model": {"optimizer-foreign", "optimizer-orphan", "step-without-grad"},
    "12_scheduler_first": {"scheduler-first"},
    "13_accumulation_scale": {"accumulation-scale"},
    "15_eval_mode": {"mode-left-eval"},
    "17_clip_too_late": {"clip-after-step", "non-finite"},
    "20_running_total": {"total-keeps-graphs"},
    "26_zero_grad_too_late": {"grad-discarded", "step-without-grad"},
    "28_first_nan": {"non-finite"},
    "29_shapes_that_broadcast": {"broadcast-loss"},
}
"""The scenarios whose loop is wrong, and the facts that say so."""


def test_a_scenario_has_the_facts_of_its_mistake_and_no_other(scenarios):
    assert len(scenarios) >= 20
    for path in scenarios:
        dbg = Debugger.open(path)
        dbg.iterate(5 if "two_layer" in path.name else 60)
        facts = {item.id for item in dbg.findings if item.severity == "fact"}
        facts -= {"grad-accumulated"} if path.stem == "08_wrong_model" else set()
        assert (path.stem, facts) == (path.stem, WRONG.get(path.stem, set()))


@pytest.mark.slow
def test_the_scenarios_that_are_right_have_no_suspicion(scenarios, found):
    for path in scenarios:
        if path.stem not in WRONG:
            dbg = Debugger.open(path)
            dbg.iterate(5 if "two_layer" in path.name else 300)
            assert (path.stem, found(dbg)) == (path.stem, {})


def test_the_scenario_with_the_wrong_model_is_seen_through(scenarios, found):
    (path,) = (path for path in scenarios if "wrong_model" in path.name)
    dbg = Debugger.open(path)
    dbg.iterate(2)
    assert {"optimizer-foreign", "optimizer-orphan"} <= set(found(dbg))


def test_a_fork_between_two_occurrences_keeps_the_first(dbg, found):
    dbg.forward()
    dbg.step()
    dbg.iterate(2)
    dbg.zero_grad(set_to_none=False)
    dbg.forward()
    last = dbg.step().index
    assert found(dbg)["step-without-grad"] == (2, last - 2, last)
    dbg.seek(2)
    dbg.zero_grad()
    assert found(dbg) == {"step-without-grad": (2,)}


def test_what_is_told_of_frozen_parameters_stays_true_when_they_are_thawed(make):
    dbg = make()
    dbg.apply(Freeze("model.0.weight"))
    dbg.iterate(20)
    dbg.apply(Freeze("model.0.weight", frozen=False))
    dbg.iterate(5)
    (finding,) = (item for item in dbg.findings if item.id == "frozen-but-held")
    assert finding.detail == (
        "After 20 iterations (#81), optimizer held model.0.weight, which was frozen (requires_grad "
        "was False): no Backward writes the gradient of a frozen parameter."
    )
    assert finding.remedy.startswith("If still frozen, thaw it ")


UNCONNECTED = {
    "are frozen (requires_grad is False)": [Freeze("*"), Forward(), Backward()],
    "did not require a gradient when loss was computed": [
        Freeze("*"),
        Forward(),
        Freeze("*", frozen=False),
        Backward(),
    ],
    "loss is computed from none of them": [
        RebuildModule("model"),
        Freeze("*"),
        Forward(),
        Backward(),
    ],
}


@pytest.mark.parametrize("words", UNCONNECTED)
def test_why_a_backward_reached_no_parameter(make, words):
    dbg = make()
    for operation in UNCONNECTED[words]:
        dbg.apply(operation)
    (finding,) = (item for item in dbg.findings if item.id == "not-connected")
    assert words in finding.detail


def test_a_step_of_replaced_tensors_is_not_said_to_have_moved_them(make):
    dbg = make()
    dbg.iterate(1)
    dbg.apply(RebuildModule("model"))
    dbg.iterate(1)
    (finding,) = (item for item in dbg.findings if item.id == "optimizer-stale")
    assert finding.detail.endswith(": Step #9 updated those, not the new ones.")
    (still,) = (item for item in dbg.findings if item.id == "step-without-grad")
    assert still.detail.startswith("Step #9 moved nothing: ")
