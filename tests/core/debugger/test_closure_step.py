"""L-BFGS in a program: a Step that evaluates its loss, applied, stepped through, and replayed."""

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.comparing.difference import first_difference, values_of
from gradstep.errors import OperationError, ProgramError
from gradstep.history.records.event import Event
from gradstep.program.operation import (
    Freeze,
    RebuildModule,
    ReplaceOptimizer,
    SetHyperparameter,
    Skip,
    Step,
)
from tests.core.debugger.conftest import LINE, NETWORK, changed, frozen, open_program
from tests.core.formulas import evaluate

SEARCHES = [{"lr": 0.1}, {"line_search_fn": "strong_wolfe", "history_size": 3}]
searches = pytest.mark.parametrize("options", SEARCHES, ids=["plain", "strong_wolfe"])
VALLEY = "(1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2"


def valley(**options):
    return open_program(
        changed(
            LINE,
            dtype="float64",
            tensors={"x": {"value": [-1.2, 1.0], "requires_grad": True}},
            losses={"loss": {"expression": VALLEY}},
            optimizers={"lbfgs": {"kind": "LBFGS", "params": ["x"], "max_iter": 5, **options}},
        )
    )


def network(dtype="float64", losses=None, **options):
    optimizer = {"kind": "LBFGS", "params": ["model.*"], "lr": 0.1, "max_iter": 4, **options}
    document = changed(NETWORK, schedulers={}, loop=None, dtype=dtype)
    document["optimizers"] = {"optimizer": optimizer}
    document["losses"] = losses or document["losses"]
    return open_program(document)


def walk_through(dbg):
    steps = [dbg.step_into(Step("lbfgs" if "lbfgs" in dbg.program.optimizers else "optimizer"))]
    while not isinstance(steps[-1], Event):
        steps.append(dbg.step_into())
    return steps[:-1], steps[-1]


def state_of(dbg):
    return frozen(dbg.program.capture())


def test_the_loop_is_its_step_alone_and_it_finds_the_minimum():
    dbg = valley(line_search_fn="strong_wolfe")
    assert dbg.program.loop_operations() == (Step("lbfgs"),)
    dbg.iterate(20)
    np.testing.assert_allclose(dbg.snapshot.parameters["x"].data, [1, 1], atol=1e-4)
    assert dbg.program.iteration == 20
    assert dbg.findings == ()


def test_an_event_lists_the_loss_that_step_returns_and_all_reads_and_writes():
    dbg = valley()
    event = dbg.step()
    assert event.loss == dbg.snapshot.loss == dbg.snapshot.losses["loss"] == pytest.approx(24.2)
    assert event.outcome.message == "5 iterations, 5 evaluations of the loss"
    assert {"lbfgs/lr", "x"} <= set(event.reads)
    assert {"x", "x.grad", "loss", "loss.graph", "lbfgs/x/old_dirs"} <= set(event.writes)
    assert "lbfgs/x/d" in dbg.step().reads
    assert dbg.snapshot.optimizers["lbfgs"].steps == 2
    assert dbg.history.series.column("loss/loss")[1][1:].tolist() == [
        item.loss for item in dbg.events
    ]


def test_other_optimizers_still_need_their_forward_and_backward():
    tensors = {name: {"value": 1, "requires_grad": True} for name in "xyz"}
    dbg = open_program(
        changed(
            LINE,
            tensors=tensors,
            losses={"a": {"expression": "x * x + y * y"}, "b": {"expression": "z * z"}},
            optimizers={
                "sgd": {"kind": "SGD", "params": ["x"]},
                "on_a": {"kind": "LBFGS", "params": ["y"]},
                "on_b": {"kind": "LBFGS", "params": ["z"]},
            },
        )
    )
    lines = [repr(item) for item in dbg.program.loop_operations()]
    assert lines == [
        "ZeroGrad(optimizer='sgd', set_to_none=True)",
        "Forward(loss='a', batch='next')",
        "Backward(loss='a', retain_graph=False)",
        "Step(optimizer='sgd')",
        "Step(optimizer='on_a')",
        "Step(optimizer='on_b')",
    ]
    dbg.iterate(30)
    assert [item.id for item in dbg.findings if item.severity == "fact"] == []


def test_a_step_takes_the_batch_of_the_last_forward_and_else_the_next():
    dbg = network()
    shown = dbg.forward().rows
    steps = [dbg.step().rows, dbg.step().rows, dbg.apply(Step(batch="held")).rows]
    assert steps[0] == shown
    assert steps[1] != shown
    assert steps[2] == steps[1]
    assert set(steps[0]).isdisjoint(steps[1])
    assert [item.id for item in dbg.findings] == []


@pytest.mark.parametrize(
    "loop", [["forward", "step"], ["forward", "backward", "step"], ["step", "zero_grad"]]
)
def test_operations_around_the_step_are_not_a_mistake(loop):
    base = changed(NETWORK, schedulers={}, loop=[{"op": name} for name in loop])
    base["optimizers"]["optimizer"] = {"kind": "LBFGS", "params": ["model.*"]}
    dbg = open_program(base)
    dbg.iterate(25)
    assert [item.id for item in dbg.findings if item.severity == "fact"] == []


def test_mistakes_around_the_step_are_reported():
    dbg = network()
    dbg.apply(RebuildModule("model"))
    dbg.step()
    assert "optimizer-stale" in {item.id for item in dbg.findings}


@searches
def test_stepping_inside_gives_the_bits_of_a_step(options):
    inside, through = valley(**options), valley(**options)
    for dbg in (inside, through):
        dbg.step()
    steps, event = walk_through(inside)
    assert event == through.step()
    assert state_of(inside) == state_of(through)
    last = [step for step in steps if step.title == "param"][-1]
    assert last.outputs["param"].tobytes() == inside.snapshot.parameters["x"].data.tobytes()
    assert [step.kind for step in steps].count("evaluation") == int(event.outcome.message[14])


def test_inside_are_evaluations_and_iterations_with_parameters_and_terms():
    dbg = network()
    steps, _ = walk_through(dbg)
    assert [(item.kind, item.title) for item in steps[:3]] == [
        ("group", "group 0"),
        ("evaluation", "evaluation 1"),
        ("operation", "optimizer.zero_grad()"),
    ]
    found = next(at for at, item in enumerate(steps) if item.title == "loss")
    assert [(item.kind, item.path[-1]) for item in steps[found : found + 2]] == [
        ("term", "group 0"),
        ("term", "model.0.weight"),
    ]
    first = next(at for at, item in enumerate(steps) if item.kind == "iteration")
    titles = [(item.title, item.path[2:]) for item in steps[first:] if item.depth < 4][:5]
    assert titles == [
        ("iteration 1", ()),
        ("slope", ("iteration 1",)),
        ("step_length", ("iteration 1",)),
        ("model.0.weight", ("iteration 1",)),
        ("model.0.bias", ("iteration 1",)),
    ]
    names = list(dbg.program.tensors)
    directions = [item.path for item in steps if item.title == "direction"]
    assert [path[-1] for path in directions if len(path) == 4] == names * 4
    pairs = [path[3] for path in directions if len(path) == 5]
    assert pairs == [
        f"pair {pair}" for kept in (1, 1, 2) for pair in range(1, kept + 1) for _ in names
    ]


@searches
def test_every_formula_gives_its_term_from_the_numbers_bound_to_its_symbols(options):
    evaluated = set()
    for dbg in (valley(**options), network(**{"max_iter": 3, **options})):
        dbg.iterate(1)
        for step in walk_through(dbg)[0]:
            if step.kind == "term" and step.formula.names:
                assert set(step.formula.names) <= set(step.inputs)
                np.testing.assert_allclose(
                    step.outputs[step.title], evaluate(step.formula, step.inputs), rtol=1e-9
                )
                evaluated.add(step.title)
    assert {"curvature", "hessian_scale", "alpha", "projected", "beta", "direction"} <= evaluated
    assert {"scaled", "slope", "param"} <= evaluated


def test_inside_the_state_is_that_of_the_evaluation_and_leaving_restores_it():
    dbg = valley(line_search_fn="strong_wolfe")
    dbg.step()
    before = state_of(dbg)
    step = dbg.step_into()
    while step.title != "evaluation 2":
        step = dbg.step_into()
    length = float(step.inputs["trial_length"])
    assert length
    step = dbg.step_over()
    assert dbg.snapshot.losses["loss"] == float(step.outputs["trial_loss"])
    assert state_of(dbg) != before
    dbg.seek(1)
    assert state_of(dbg) == before


@searches
def test_every_moment_is_restored_bit_for_bit(options):
    dbg = network(**{"max_iter": 3, **options})
    states = [state_of(dbg)]
    for _ in range(6):
        dbg.step()
        states.append(state_of(dbg))
    for index in (2, 5, 0, 3, 6):
        dbg.seek(index)
        assert state_of(dbg) == states[index]
    dbg.seek(3)
    dbg.apply(SetHyperparameter("lr", 0.05))
    dbg.step()
    assert dbg.branches.current.forked_at == 3
    dbg.checkout(0)
    assert state_of(dbg) == states[6]


def test_captured_states_share_memory_and_never_write_to_it():
    dbg = valley(history_size=4)
    dbg.iterate(3)
    early = dbg.program.capture()
    text = frozen(early)
    late = valley(history_size=4)
    late.iterate(3)
    dbg.iterate(5)
    kept = early.optimizers["lbfgs"]["state"]["x"]["old_dirs"]["items"]
    assert len(kept) == 4
    assert not any(array.flags.writeable for array in kept)
    assert frozen(early) == text == state_of(late)


def test_a_session_continues_where_it_was_saved(tmp_path):
    dbg = network()
    dbg.iterate(3)
    dbg.save(tmp_path / "one.gradstep")
    other = Debugger.open(tmp_path / "one.gradstep")
    assert other.step() == dbg.step()
    assert state_of(other) == state_of(dbg)


def test_a_step_that_cannot_be_carried_out_leaves_everything_as_it_was():
    dbg = network()
    dbg.iterate(2)
    dbg.apply(Freeze("*"))
    before = state_of(dbg)
    event = dbg.step()
    assert not event.outcome.ok
    assert "does not require grad" in event.outcome.message
    assert state_of(dbg) == before
    alone = open_program(
        changed(
            LINE,
            tensors={name: {"value": 1, "requires_grad": True} for name in "xy"},
            optimizers={"lbfgs": {"kind": "LBFGS", "params": ["y"]}},
        )
    )
    with pytest.raises(OperationError, match="no training loss depends on the tensors"):
        alone.program.run(Step("lbfgs"))


def test_an_optimizer_may_become_one_and_another_again():
    dbg = open_program(changed(NETWORK, schedulers={}))
    dbg.iterate(2)
    assert dbg.apply(ReplaceOptimizer("LBFGS", options={"lr": 0.5, "max_iter": 3})).outcome.ok
    dbg.iterate(2)
    assert dbg.events[-1].outcome.message.startswith("3 iterations")
    dbg.apply(ReplaceOptimizer("SGD"))
    dbg.iterate(1)
    assert dbg.events[-1].loss is None
    end = state_of(dbg)
    dbg.seek(6)
    dbg.seek(len(dbg.events))
    assert state_of(dbg) == end


def test_a_what_if_can_change_or_skip_the_step():
    dbg = valley(line_search_fn="strong_wolfe")
    dbg.iterate(4)
    without = dbg.what_if(skip=(2,))
    assert without.history.log.operation(2) == Skip(Step("lbfgs"))
    assert dbg.compare(without).first_event == 2
    faster = dbg.what_if(3, set={"lbfgs.max_iter": 20, "lbfgs.max_eval": 25})
    assert faster.history.log.event(6).loss < dbg.history.log.event(4).loss


def test_breakpoints_and_watches_read_its_state():
    dbg = valley(line_search_fn="strong_wolfe")
    dbg.run_until('state("x", "n_iter") >= 12', max_iterations=20)
    assert dbg.snapshot.parameters["x"].state["n_iter"] >= 12
    dbg.watch('norm(state("x", "old_dirs"))')
    dbg.break_when("loss < 1e-3")
    dbg.run(50)
    assert dbg.snapshot.loss < 1e-3
    dbg.iterate(2)
    stop = dbg.run_back()
    assert stop is not None
    assert dbg.snapshot.loss < 1e-3


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"max_iter": 2.5}, "max_iter"),
        ({"history_size": 0}, "history_size"),
        ({"line_search_fn": "armijo"}, "line_search_fn"),
        ({"params": [{"params": ["x"]}, {"params": ["y"]}]}, "parameter groups"),
    ],
)
def test_invalid_documents_are_rejected_with_the_place(changes, place):
    with pytest.raises(ProgramError, match=place):
        open_program(
            changed(
                LINE,
                tensors={name: {"value": 1, "requires_grad": True} for name in "xy"},
                losses={"loss": {"expression": "x * y"}},
                optimizers={"optimizer": {"kind": "LBFGS", "params": ["x"], **changes}},
            )
        )


def test_a_batch_is_rejected_for_a_step_that_computes_no_loss():
    with pytest.raises(ProgramError, match=r"\$\.loop\[3\]\.batch: Adam computes no loss"):
        open_program(changed(NETWORK, loop=[*NETWORK["loop"][:3], {"op": "step", "batch": "held"}]))


def test_an_invalid_setting_is_rejected():
    dbg = valley()
    event = dbg.apply(SetHyperparameter("max_iter", 2.5, "lbfgs"))
    assert not event.outcome.ok
    assert dbg.apply(SetHyperparameter("max_iter", 2, "lbfgs")).outcome.ok
    assert dbg.step().outcome.message == "2 iterations, 2 evaluations of the loss"


def test_a_run_can_be_resumed_with_its_memory_and_not_without():
    dbg = valley(line_search_fn="strong_wolfe")
    dbg.iterate(6)
    found = dbg.resume_check(3)
    assert found.full.first_event is None
    without = next(run for run in found.resumptions if "optimizers" not in run.parts)
    assert without.first_event == 4


def test_a_difference_is_found_in_what_it_remembers():
    one, two = valley(), valley()
    for dbg in (one, two):
        dbg.iterate(2)
    kept = two.program.optimizers["lbfgs"].state[two.program.tensors["x"]]["old_dirs"]
    before, after = (values_of(dbg.program.capture()) for dbg in (one, two))
    assert first_difference(before, after) is None
    kept[1] = kept[0]
    found = first_difference(before, values_of(two.program.capture()))
    assert (found.address, found.element, found.count) == ("lbfgs/x/old_dirs", (1, 0), 2)
