"""Every remedy clears the finding of the programs that trigger it, and adds no fact."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.what_if.remedies import _REMEDIES, NO_REMEDY
from gradstep.diagnostics import REGISTRY
from gradstep.diagnostics.tables.fact_table import FACTS
from gradstep.program.operation import RebuildModule
from tests.core.debugger.what_if.applying import applied
from tests.core.diagnostics.test_fact_table import CASES, LINEAR, LOSS, MOONS, SGD

TRIGGERS = [
    pytest.param(id_, changes, operations, id=f"{id_}-{number}")
    for id_, cases in CASES.items()
    for number, (changes, operations, events) in enumerate(cases)
    if events is not None and id_ not in {*NO_REMEDY, "optimizer-stale"}
]


def facts_of(debugger):
    return {item.id for item in debugger.findings if item.severity == "fact"}


def finding_of(debugger, id_):
    return next(item for item in debugger.findings if item.id == id_)


def remedied(debugger, id_):
    """Carry out the remedy of a finding; return the Debugger that shows the result."""
    remedy = debugger.remedies(finding_of(debugger, id_))[0]
    if remedy.document is not None:
        assert remedy.difference
    return applied(debugger, remedy)


SHOWN_BY_THE_REMEDY = {
    "not-connected": {"optimizer-orphan"},  # the tensor that was to connect the loss
    "step-missing": {"optimizer-stale"},  # the Step comes after a module was rebuilt
}


@pytest.mark.slow
@pytest.mark.parametrize(("id_", "changes", "operations"), TRIGGERS)
def test_a_remedy_clears_its_fact_and_adds_none(make, id_, changes, operations):
    program = {"data": {"a": MOONS}, "modules": {"model": [LINEAR]}, "losses": {"loss": LOSS}}
    debugger = make(**{**program, "optimizers": {"optimizer": SGD}, **changes})
    for operation in operations:
        debugger.apply(operation)
    before = facts_of(debugger)
    cured = remedied(debugger, id_)
    after = facts_of(cured)
    assert id_ not in after
    assert after <= before | SHOWN_BY_THE_REMEDY.get(id_, set())
    failed = [item for item in cured.events if not item.outcome.ok]
    assert failed == []


def test_a_remedy_that_is_that_of_its_cause_is_named_after_the_cause(scenarios):
    (path,) = (path for path in scenarios if "wrong_model" in path.name)
    debugger = Debugger.open(path)
    debugger.iterate(3)
    for id_ in ("grad-accumulated", "step-without-grad", "optimizer-foreign"):
        remedy = debugger.remedies(finding_of(debugger, id_))[0]
        assert remedy.title == "with the optimizers holding the parameters of the losses"
        assert '+    "optimizer": {"kind": "SGD", "params": ["model.*"]' in remedy.difference


def test_every_diagnostic_has_a_remedy_or_a_reason_for_none():
    offered = {entry.id for entry in REGISTRY.values() if entry.trial}
    assert offered == set(_REMEDIES)
    assert set(REGISTRY) - offered == set(NO_REMEDY)


def test_every_fact_with_a_remedy_has_a_program_that_it_is_tried_on():
    tried = {case.values[0] for case in TRIGGERS}
    assert {entry.id for entry in FACTS if entry.trial} == tried | {"optimizer-stale"}


@pytest.mark.slow
def test_an_optimizer_that_is_created_again_holds_the_present_tensors_from_then_on(make):
    debugger = make()
    debugger.iterate(2)
    debugger.apply(RebuildModule("model"))
    debugger.iterate(3)
    assert {"optimizer-stale", "optimizer-orphan"} <= facts_of(debugger)
    cured = remedied(debugger, "optimizer-stale")
    assert facts_of(cured) == set()
    assert not any(item.stale for item in cured.program.optimizer_tensors)
    assert cured.program.iteration == 5


LOOPS = {
    "step-without-grad": ("zero_grad", "forward", "step"),
    "backward-missing": ("zero_grad", "forward", "step"),
    "grad-discarded": ("forward", "backward", "zero_grad", "step"),
    "step-missing": ("zero_grad", "forward", "backward"),
    "grad-accumulated": ("forward", "backward", "step"),
    "grad-reused": ("zero_grad", "forward", "backward", "step", "step"),
    "clip-after-step": ("zero_grad", "forward", "backward", "step", "clip_grad_norm"),
    "scheduler-first": ("zero_grad", "forward", "backward", "scheduler_step", "step"),
}


@pytest.mark.slow
@pytest.mark.parametrize("id_", LOOPS)
def test_a_remedy_clears_the_fact_in_every_iteration_of_a_loop(make, id_):
    options = {"clip_grad_norm": {"max_norm": 0.01}, "scheduler_step": {"scheduler": "decay"}}
    decay = {"decay": {"kind": "StepLR", "step_size": 3}} if id_ == "scheduler-first" else {}
    debugger = make(
        loop=[{"op": kind, **options.get(kind, {})} for kind in LOOPS[id_]], schedulers=decay
    )
    debugger.iterate(6)
    before = facts_of(debugger)
    cured = remedied(debugger, id_)
    assert facts_of(cured) <= before - {id_}
    assert cured.program.iteration == 6
    assert all(item.outcome.ok for item in cured.events)


TRAINED = {
    "maximized-loss": {"optimizers": {"optimizer": {**SGD, "maximize": True}}},
    "small-steps": {"optimizers": {"optimizer": {**SGD, "lr": 0.0001}}},
}


@pytest.mark.parametrize("id_", TRAINED)
def test_the_remedy_of_a_suspicion_about_the_optimizer_clears_it(make, id_):
    debugger = make(**TRAINED[id_])
    debugger.iterate(100)
    before = {item.id for item in debugger.findings}
    assert id_ in before
    cured = remedied(debugger, id_)
    assert {item.id for item in cured.findings} <= before - {id_}


PAIR = {"kind": "Linear", "in_features": 2, "out_features": 4}
HEAD = {"kind": "Linear", "in_features": 4, "out_features": 2}
NORM = {"kind": "BatchNorm1d", "num_features": 4}
CLASSES = {"loss": {**LOSS, "criterion": {"kind": "CrossEntropyLoss"}}}
FAR = [[100.0 * row, 50.0 - row] for row in range(8)]
DESIGNS = {
    "bias-before-batchnorm": {"modules": {"model": [PAIR, NORM, HEAD]}, "losses": CLASSES},
    "dropout-before-batchnorm": {
        "modules": {"model": [{"kind": "Dropout"}, {**PAIR, "bias": False}, NORM, HEAD]},
        "losses": CLASSES,
    },
    "criterion-mismatch": {
        "modules": {"model": [PAIR, {"kind": "Tanh"}, HEAD, {"kind": "Softmax", "dim": 1}]},
        "losses": CLASSES,
    },
    "input-scale": {
        "data": {"a": {"kind": "inline", "inputs": FAR, "targets": [[0.5]] * 8}},
        "modules": {"model": [LINEAR]},
        "losses": {"loss": {**LOSS, "criterion": {"kind": "MSELoss"}}},
    },
}


@pytest.mark.parametrize("id_", DESIGNS)
def test_the_remedy_of_a_suspicion_about_the_program_clears_it(make, id_):
    debugger = make(**DESIGNS[id_])
    debugger.iterate(1)
    before = {item.id for item in debugger.findings}
    assert id_ in before
    cured = remedied(debugger, id_)
    assert {item.id for item in cured.findings} <= before - {id_}
    assert cured.program.iteration == 1
