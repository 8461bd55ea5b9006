"""Stepping into a Step: the same bits, terms and formulas for every optimizer."""

import numpy as np
import pytest

from gradstep import optim
from gradstep.history.records.event import Event
from gradstep.program.operation import Step
from gradstep.program.schema.optimizers import OPTIMIZERS
from tests.core.formulas import evaluate
from tests.core.optim.cases import CASES, WHOLE_CASES

IDS = [f"{kind}-{number}" for number, (kind, _) in enumerate(CASES)]
every_case = pytest.mark.parametrize(("kind", "options"), CASES, ids=IDS)
WORDS = {"eta", "eps1"}
"""Terms that nothing is computed for: read from the state, and from the type."""


def program(make, kind, options, iterations=2):
    dbg = make(
        optimizers={
            "optimizer": {
                "kind": kind,
                "params": [{"params": ["model.0.*"]}, {"params": ["model.3.weight"], "lr": 0.02}],
                **{key: list(v) if isinstance(v, tuple) else v for key, v in options.items()},
            }
        },
        schedulers={},
    )
    dbg.iterate(iterations)
    dbg.forward()
    dbg.backward()
    return dbg


def walk_through(dbg):
    steps = [dbg.step_into(Step())]
    while not isinstance(steps[-1], Event):
        steps.append(dbg.step_into())
    return steps[:-1], steps[-1]


def test_every_optimizer_a_program_can_name_has_a_case_here_or_tests_of_its_own():
    assert set(OPTIMIZERS) - {kind for kind, _ in CASES} <= {"Muon", "LBFGS", "SparseAdam"}


@every_case
def test_stepping_inside_gives_the_bits_of_a_step(make, state_of, kind, options):
    inside, through = program(make, kind, options), program(make, kind, options)
    for dbg in (inside, through):
        dbg.seek(len(dbg.events))
    steps, event = walk_through(inside)
    assert event == through.step()
    assert state_of(inside) == state_of(through)
    shown = inside.snapshot.parameters
    last = {step.path[-1]: step for step in steps if step.title == "param"}
    assert set(last) == {"model.0.weight", "model.0.bias", "model.3.weight"}
    for name, step in last.items():
        assert step.outputs["param"].tobytes() == shown[name].data.tobytes()


@every_case
def test_groups_hold_parameters_and_parameters_hold_the_terms_of_the_optimizer(make, kind, options):
    dbg = program(make, kind, options)
    terms = [visit.term for visit in dbg.program.optimizers["optimizer"].visits()]
    dbg = program(make, kind, options)
    steps, _ = walk_through(dbg)
    assert [step.title for step in steps if step.kind == "term"] == terms
    assert [(step.kind, step.title) for step in steps if step.kind != "term"] == [
        ("group", "group 0"),
        ("parameter", "model.0.weight"),
        ("parameter", "model.0.bias"),
        ("group", "group 1"),
        ("parameter", "model.3.weight"),
    ]
    assert (
        float(steps[0].inputs["lr"])
        == dbg.snapshot.optimizers["optimizer"].groups[0].hyperparameters["lr"]
    )
    for step in steps:
        assert step.depth == {"group": 1, "parameter": 2, "term": 3}[step.kind]


@every_case
def test_every_formula_gives_its_term_from_the_numbers_bound_to_its_symbols(make, kind, options):
    for dbg in (program(make, kind, options, iterations=0), program(make, kind, options)):
        for step in walk_through(dbg)[0]:
            if step.kind == "term" and step.title not in WORDS:
                assert set(step.formula.names) <= set(step.inputs)
                np.testing.assert_allclose(
                    step.outputs[step.title],
                    evaluate(step.formula, step.inputs),
                    rtol=2e-4,
                    atol=1e-6,
                    err_msg=step.title,
                )


def test_a_muon_step_is_seen_inside_as_well(make, state_of):
    changes = {
        "optimizers": {
            "optimizer": {"kind": "Muon", "params": ["model.0.weight"], "nesterov": False}
        },
        "schedulers": {},
    }
    inside, through = make(**changes), make(**changes)
    for dbg in (inside, through):
        dbg.forward()
        dbg.backward()
    steps, event = walk_through(inside)
    assert event == through.step()
    assert state_of(inside) == state_of(through)
    named = {step.title: step for step in steps}
    assert named["momentum_buffer"].inputs["momentum_buffer"].tolist() == [[0, 0]] * 4
    first = next(step for step in steps if step.title == "ortho_grad")
    assert (
        first.inputs["momentum_buffer"].tolist()
        == named["momentum_buffer"].outputs["momentum_buffer"].tolist()
    )


@pytest.mark.parametrize("options", [options for kind, options in WHOLE_CASES if kind == "Muon"])
def test_the_formulas_of_muon_give_its_terms(make, options):
    dbg = make(
        optimizers={"optimizer": {"kind": "Muon", "params": ["model.0.weight"], **options}},
        schedulers={},
    )
    dbg.forward()
    dbg.backward()
    evaluated = []
    for step in walk_through(dbg)[0]:
        if step.kind == "term":
            rounds = step.title in {"ortho_grad", "gram_matrix", "gram_update"}  # to bfloat16
            np.testing.assert_allclose(
                step.outputs[step.title],
                evaluate(step.formula, step.inputs),
                rtol=2**-8 if rounds else 1e-5,
                atol=2**-8 if rounds else 1e-7,
            )
            evaluated.append(step.title)
    assert evaluated.count("gram_update") == 5
    assert {"momentum_buffer", "orthogonalized", "adjusted_lr", "update", "param"} <= set(evaluated)


def test_state_that_a_first_step_makes_is_bound_to_its_first_value(make):
    dbg = make()
    dbg.forward()
    dbg.backward()
    steps, _ = walk_through(dbg)
    parameter, exp_avg = steps[1], next(step for step in steps if step.title == "exp_avg")
    assert parameter.inputs["exp_avg"].tolist() == [[0, 0]] * 4
    assert float(parameter.inputs["step"]) == 0
    assert float(next(s for s in steps if s.title == "bias_correction1").inputs["step"]) == 1
    assert exp_avg.inputs["beta1"].tolist() == 0.9


def test_the_first_momentum_buffer_is_the_gradient_whatever_the_dampening(make):
    options = {"lr": 0.1, "momentum": 0.9, "dampening": 0.5}
    first, second = (program(make, "SGD", options, iterations=count) for count in (0, 1))
    texts = []
    for dbg in (first, second):
        terms = {step.title: step for step in walk_through(dbg)[0] if step.kind == "term"}
        texts.append([terms[name].formula.text for name in ("momentum_buffer", "update")])
    assert texts == [
        ["grad", "lr * momentum_buffer"],
        ["momentum * momentum_buffer + (1 - dampening) * grad", "lr * momentum_buffer"],
    ]


def test_parameters_without_a_gradient_have_no_step(make):
    dbg = make()
    event = dbg.step_into(Step())
    assert event.outcome.message == "nothing to step: every .grad is None"
    assert isinstance(dbg.program.optimizers["optimizer"], optim.Adam)
