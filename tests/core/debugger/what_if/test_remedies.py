"""Remedies tried as what-ifs: the new branch no longer has the finding."""

from __future__ import annotations

import re

import pytest

from gradstep.debugger.shadow_program import StoppedError
from gradstep.errors import OperationError
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    Forward,
    Freeze,
    LoadState,
    RebuildModule,
    ReplaceOptimizer,
    SetHyperparameter,
    SetMode,
    SetValue,
    Step,
)
from tests.core.debugger.what_if.applying import applied

LOOPS = {
    "grad-accumulated": [{"op": "forward"}, {"op": "backward"}, {"op": "step"}],
    "clip-after-step": [
        {"op": "zero_grad"},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "step"},
        {"op": "clip_grad_norm", "max_norm": 0.01},
    ],
    "clip-per-microbatch": [
        {"op": "zero_grad"},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "clip_grad_norm", "max_norm": 0.01},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "clip_grad_norm", "max_norm": 0.01},
        {"op": "step"},
    ],
}


def found(debugger, name):
    return next((item for item in debugger.findings if item.id == name), None)


def tried(debugger, name):
    """Try the remedy of a finding, and return what is found on the new branch."""
    return found(applied(debugger, debugger.remedies(found(debugger, name))[0]), name)


@pytest.mark.parametrize("name", LOOPS)
def test_trying_a_remedy_removes_the_fact(make, name):
    network = make(loop=LOOPS[name])
    network.iterate(4)
    assert found(network, name).trial
    again = tried(network, name)
    # The Events before the fork stay: the first iteration is shared.
    assert again is None or max(again.events) <= network.branches.current.forked_at
    assert network.program.iteration == 4
    assert network.branches.current.name.startswith("with ")
    assert all(event.outcome.ok for event in network.events)


def test_a_loss_that_diverges_is_tried_with_a_tenth_of_the_learning_rate(make):
    line = make(
        "line",
        losses={"loss": {"expression": "sum(x * x)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 1.1}},
    )
    line.iterate(60)
    slower = line.remedies(found(line, "learning-rate"))[0].edits.set
    assert slower == {"optimizer[0].lr": pytest.approx(0.11)}
    assert tried(line, "learning-rate") is None
    assert line.snapshot.loss < 1


def test_a_resume_is_tried_with_the_whole_state(make):
    network = make()
    network.iterate(2)
    network.apply(LoadState(4, ("modules",)))
    network.iterate(2)
    losses = [event.loss for event in network.events if event.loss is not None]
    assert tried(network, "resume-incomplete") is None
    resumed = [event.loss for event in network.events if event.loss is not None]
    assert resumed[2] == losses[1] != losses[2]


@pytest.mark.parametrize("name", ["mode-left-eval", "mode-left-train"])
def test_a_mode_is_tried_the_other_way(make, name):
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    network = make(
        data={"a": {"kind": "moons", "samples": 32, "batch_size": 8, "validation": 0.25}},
        losses={"loss": loss, "held_out": {**loss, "rows": "validation"}},
        loop=[
            {"op": "forward", "loss": "held_out"},
            {"op": "set_mode", "training": name == "mode-left-train"},
            {"op": "zero_grad"},
            {"op": "forward", "loss": "loss"},
            {"op": "backward", "loss": "loss"},
            {"op": "step"},
        ],
    )
    network.iterate(3)
    assert found(network, name).trial
    assert tried(network, name) is None
    assert network.program.iteration == 3


def test_a_write_to_data_is_tried_before_forward_where_the_whole_branch_runs(make):
    network = make()
    network.forward()
    network.apply(SetValue("model.3.weight", 1.0, through_data=True))
    assert network.backward().outcome.ok
    assert tried(network, "data-bypass") is None
    assert all(event.outcome.ok for event in network.events)
    assert [finding.id for finding in network.findings] == []


def test_a_number_that_appears_at_any_rate_has_no_remedy_that_clears_it(make):
    line = make("line", losses={"loss": {"expression": "sum(log(x - 10))"}})
    line.iterate(2)
    words = "no remedy clears non-finite in this run; tried: with a tenth .*; and 2 more$"
    with pytest.raises(OperationError, match="no remedy clears non-finite") as caught:
        line.remedies(found(line, "non-finite"))
    assert re.search(words, caught.value.message)


def test_a_rate_that_is_far_too_high_is_divided_until_the_loss_stays_finite(make):
    network = make(optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 1000}})
    network.iterate(40)
    (remedy,) = network.remedies(found(network, "learning-rate"))
    assert remedy.title == "with a hundredth of the learning rate from the start"
    assert remedy.edits.set == {"optimizer[0].lr": 10.0}
    assert remedy.outcome.is_clean


def test_finding_a_remedy_leaves_the_recording_as_it_is(make, state_of):
    network = make(loop=LOOPS["grad-accumulated"])
    network.iterate(3)
    before = state_of(network), len(network.events), len(network.branches), network.position
    network.remedies(found(network, "grad-accumulated"))
    after = state_of(network), len(network.events), len(network.branches), network.position
    assert after == before


def test_the_search_for_a_remedy_can_be_cancelled(make):
    network = make(loop=LOOPS["grad-accumulated"])
    network.iterate(3)
    counted = []
    with pytest.raises(StoppedError):
        network.remedies(
            found(network, "grad-accumulated"),
            progress=lambda done, total: counted.append((done, total)),
            should_stop=lambda: len(counted) >= 4,
        )
    assert counted == [(1, 9), (2, 9), (3, 9), (4, 9)]


def only_remedy(debugger, name):
    (remedy,) = debugger.remedies(found(debugger, name))
    return remedy


def test_a_rate_that_was_set_too_high_during_the_run_is_not_set(make):
    line = make("line", losses={"loss": {"expression": "sum(x * x) + 1"}})
    line.iterate(20)
    line.apply(SetHyperparameter("lr", 1.2))
    line.iterate(40)
    remedy = only_remedy(line, "learning-rate")
    assert remedy.title == "with the optimizers as declared, without what was set during the run"
    assert remedy.edits.skip == (81,)
    assert tried(line, "learning-rate") is None


def test_a_schedule_that_raises_the_rate_too_far_is_not_stepped(make):
    line = make(
        "line",
        losses={"loss": {"expression": "sum(x * x) + 1"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.01}},
        schedulers={"growth": {"kind": "ExponentialLR", "gamma": 3.0}},
        loop=[
            *({"op": kind} for kind in ("zero_grad", "forward", "backward", "step")),
            {"op": "scheduler_step", "scheduler": "growth"},
        ],
    )
    line.iterate(20)
    name = next(item.id for item in line.findings)
    remedy = only_remedy(line, name)
    assert remedy.title == "without the steps of the schedulers"
    assert tried(line, name) is None


def test_a_value_that_was_set_to_infinity_is_not_set(make):
    network = make()
    network.iterate(2)
    network.apply(SetValue("model.0.weight", 1e38))
    network.iterate(2)
    remedy = only_remedy(network, "non-finite")
    assert remedy.title == "without the values that were set"
    assert remedy.edits.skip == (9,)
    assert tried(network, "non-finite") is None


def test_a_failed_load_of_a_later_state_fails_again_in_an_edited_document(make):
    network = make(optimizers={"optimizer": {"kind": "SGD", "params": ["model.0.*"], "lr": 0.1}})
    assert not network.apply(LoadState(9)).outcome.ok
    network.iterate(2)
    remedy = network.remedies(found(network, "optimizer-orphan"))[0]
    cured = network.with_document(remedy.document[1])
    assert [event.outcome.ok for event in cured.events] == [False] + [True] * 8
    assert found(cured, "optimizer-orphan") is None


def test_where_no_repair_clears_a_fact_its_events_are_omitted(make):
    network = make()
    network.forward()
    network.apply(Freeze("*"))
    network.forward()
    network.step()
    (remedy,) = network.remedies(found(network, "step-without-grad"))
    assert remedy.title == "without the events that the finding cites"
    assert remedy.edits.skip == (4,)


def test_several_optimizers_of_a_rebuilt_module_are_created_again(make):
    network = make(
        optimizers={
            name: {"kind": "SGD", "params": [f"model.{at}.*"], "lr": 0.1}
            for name, at in (("lower", 0), ("upper", 3))
        },
        schedulers={},
        loop=[
            *({"op": "zero_grad", "optimizer": name} for name in ("lower", "upper")),
            {"op": "forward"},
            {"op": "backward"},
            *({"op": "step", "optimizer": name} for name in ("lower", "upper")),
        ],
    )
    network.iterate(1)
    network.apply(RebuildModule("model"))
    network.iterate(1)
    (remedy,) = network.remedies(found(network, "optimizer-stale"))
    assert [operation.optimizer for _, operation in remedy.edits.insert] == ["lower", "upper"]
    assert remedy.outcome.is_cleared


def test_a_repair_that_shows_another_fact_comes_before_leaving_the_events_out(make):
    network = make(
        tensors={"extra": {"value": 1.0}},
        losses={"loss": {"expression": "extra * extra"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
        schedulers={},
    )
    network.apply(Freeze("extra", frozen=False))
    network.apply(Freeze("extra"))
    network.forward()
    network.backward()
    (remedy,) = network.remedies(found(network, "not-connected"))
    assert remedy.title == "with no parameter frozen"
    assert [item.id for item in remedy.outcome.added] == ["optimizer-orphan"]


def test_a_remedy_that_leaves_an_earlier_occurrence_does_not_clear_the_finding(make):
    network = make()
    network.apply(RebuildModule("model"))
    network.iterate(1)
    network.apply(Step("optimizer"))
    assert found(network, "step-without-grad").events == (5, 6)
    (remedy,) = network.remedies(found(network, "step-without-grad"))
    assert remedy.title == "with the optimizer created again after each rebuild"
    assert [item.id for item in remedy.outcome.added] == ["grad-reused"]
    assert found(applied(network, remedy), "step-without-grad") is None


@pytest.mark.parametrize("name", ["step-without-grad", "grad-accumulated"])
def test_a_fact_that_follows_from_a_rebuild_has_the_remedy_of_its_cause(make, name):
    network = make()
    network.iterate(1)
    network.apply(RebuildModule("model"))
    network.iterate(3)
    remedy = network.remedies(found(network, name))[0]
    assert remedy.title == "with the optimizer created again after each rebuild"
    assert remedy.outcome.is_clean


def test_gradients_that_accumulate_where_no_optimizer_clears_them_are_given_to_one(make):
    network = make(
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.3.*"], "lr": 0.1}}, schedulers={}
    )
    network.iterate(3)
    remedy = network.remedies(found(network, "grad-accumulated"))[0]
    assert remedy.outcome.is_clean
    assert found(applied(network, remedy), "grad-accumulated") is None


def test_the_mode_is_set_for_steps_that_evaluate_the_loss(make):
    network = make(
        optimizers={"optimizer": {"kind": "LBFGS", "params": ["model.*"], "lr": 0.1}},
        schedulers={},
        loop=[{"op": "step"}],
    )
    network.iterate(1)
    network.apply(SetMode(training=False))
    network.iterate(2)
    assert found(network, "mode-left-eval").events == (2, 3, 4)
    remedy = network.remedies(found(network, "mode-left-eval"))[0]
    assert remedy.edits.insert == ((3, SetMode(True, "model")), (4, SetMode(True, "model")))
    assert found(applied(network, remedy), "mode-left-eval") is None


PASS = ("forward", "backward", "step")

CLIPPED_LATE = {
    "twice after a step": ((ClipGradNorm(0.01), ClipGradNorm(0.01)), ((5, 4), (6, 4))),
    "after two steps": ((Step("optimizer"), ClipGradNorm(0.01)), ((6, 4),)),
}


@pytest.mark.parametrize("case", CLIPPED_LATE)
def test_each_clipping_is_moved_before_the_first_step_with_the_gradients(make, case):
    operations, moved = CLIPPED_LATE[case]
    network = make(schedulers={}, loop=[{"op": op} for op in ("zero_grad", *PASS)])
    network.iterate(1)
    for operation in operations:
        network.apply(operation)
    remedy = network.remedies(found(network, "clip-after-step"))[0]
    assert remedy.edits.move == moved
    assert found(applied(network, remedy), "clip-after-step") is None


def test_a_clipping_between_backward_and_step_stays_where_it_is(make):
    clip = {"op": "clip_grad_norm", "max_norm": 0.01}
    loop = [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, clip, {"op": "step"}]
    network = make(schedulers={}, loop=loop)
    network.iterate(2)
    network.apply(ClipGradNorm(0.001))
    network.iterate(1)
    remedy = network.remedies(found(network, "clip-after-step"))[0]
    assert remedy.edits.move == ((11, 10),)


def test_a_remedy_with_which_the_run_fails_is_named_as_such(make):
    network = make(schedulers={}, loop=[{"op": op} for op in ("zero_grad", *PASS)])
    network.apply(RebuildModule("model"))
    network.iterate(1)
    network.apply(Forward(batch="held"))
    network.apply(Step("optimizer"))
    network.apply(Backward())
    words = "tried: with the optimizer created again after each rebuild (the run then fails)"
    with pytest.raises(OperationError, match=re.escape(words)):
        network.remedies(found(network, "optimizer-stale"))


@pytest.mark.parametrize("name", ["grad-discarded", "step-without-grad"])
def test_a_zero_grad_between_backward_and_step_is_moved_before_forward(make, name):
    loop = [{"op": op} for op in ("forward", "backward", "zero_grad", "step")]
    network = make(schedulers={}, loop=loop)
    network.iterate(3)
    remedy = network.remedies(found(network, name))[0]
    assert remedy.title == "with each Zero Grad before Forward"
    assert remedy.edits.move == ((3, 1), (7, 5), (11, 9))
    assert remedy.outcome.is_clean
    assert applied(network, remedy).findings == ()


def test_a_state_of_another_optimizer_is_loaded_after_that_is_back(make):
    network = make(schedulers={})
    network.iterate(3)
    network.apply(ReplaceOptimizer("LBFGS"))
    network.apply(LoadState(1, ("modules",)))
    remedy = network.remedies(found(network, "resume-incomplete"))[0]
    assert remedy.title == "with the optimizers of that time, and the whole state loaded"
    assert type(network.program.optimizers["optimizer"]).__name__ == "LBFGS"
    cured = applied(network, remedy)
    assert type(cured.program.optimizers["optimizer"]).__name__ == "Adam"
    assert cured.findings == ()


DETACHED = {
    "mean(detach(output) ** 2)": "mean(output ** 2)",
    "mean((detach(output - 1) - target) ** 2)": "mean(((output - 1) - target) ** 2)",
    "0.5 * mean(detach(detach(output)))": "0.5 * mean(output)",
}


@pytest.mark.parametrize("expression", DETACHED)
def test_a_loss_that_is_detached_is_computed_without_detach(make, expression):
    network = make(
        losses={"loss": {"data": "a", "chain": ["model"], "expression": expression}}, schedulers={}
    )
    network.iterate(1)
    finding = found(network, "not-connected")
    assert "only through detach, where no gradient passes" in finding.detail
    assert finding.remedy.startswith("Compute loss without detach. ")
    remedy = network.remedies(finding)[0]
    assert remedy.title == "with no detach in the formula of the loss"
    assert DETACHED[expression] in remedy.difference
    assert remedy.outcome.is_clean


def test_a_detached_part_of_a_sum_is_connected(make):
    part = {"data": "a", "chain": ["model"]}
    network = make(
        losses={
            "error": {**part, "expression": "mean((detach(output) - target) ** 2)"},
            "size": {**part, "expression": "mean(detach(output) ** 2)"},
            "loss": {"data": "a", "expression": "error + 0.1 * size"},
        },
        schedulers={},
    )
    network.iterate(1)
    remedy = network.remedies(found(network, "not-connected"))[0]
    assert remedy.difference.count("detach") == 2
    assert found(applied(network, remedy), "not-connected") is None


def test_a_value_that_makes_the_loss_leap_is_not_set(make):
    network = make(
        schedulers={},
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
    )
    network.apply(SetValue("model.0.weight", 1000.0))
    network.iterate(60)
    (remedy,) = network.remedies(found(network, "learning-rate"))
    assert remedy.title == "without the values that were set"
    assert remedy.edits.skip == (1,)
