"""Stepping into Operations: every micro-step, in order, with the real numbers."""

from itertools import pairwise

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import OperationError, TensorError
from gradstep.history.records.event import Event
from gradstep.nn import module_hooks
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, Forward, Freeze, Step, ZeroGrad
from tests.core.formulas import evaluate

SCENARIOS = [scenario.path for scenario in scenarios()]


def walk_through(dbg, operation=None):
    """Step into an Operation until it is done; return its micro-steps and its Event."""
    seen = [dbg.step_into(operation)]
    while not isinstance(seen[-1], Event):
        seen.append(dbg.step_into())
    return seen[:-1], seen[-1]


def of_kind(steps, kind):
    return [step for step in steps if step.kind == kind]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_stepping_inside_and_running_through_give_the_same_bits(path, state_of):
    inside, through = Debugger.open(path), Debugger.open(path)
    for operation in through.program.loop_operations():
        count = 0
        step = inside.step_into()
        while not isinstance(step, Event):
            count += 1
            assert inside.position == (len(inside.events), count)
            step = inside.step_into()
        assert step == through.apply(operation)
        assert state_of(inside) == state_of(through)
    assert tuple(inside.events) == tuple(through.events)
    assert inside.findings == through.findings


def test_the_last_micro_step_leaves_the_numbers_of_the_event(network):
    network.forward()
    for operation in (Backward(), Step(), ZeroGrad()):
        steps = [network.step_into(operation)]
        half_way = network.snapshot
        while not isinstance(step := network.step_into(), Event):
            steps.append(step)
            half_way = network.snapshot
        after = network.snapshot
        assert half_way.micro_step is steps[-1]
        assert after.micro_step is None
        for name, parameter in after.parameters.items():
            then = half_way.parameters[name]
            assert then.data.tobytes() == parameter.data.tobytes()
            assert (then.grad is None) == (parameter.grad is None)
            if parameter.grad is not None:
                assert then.grad.tobytes() == parameter.grad.tobytes()


def test_a_forward_is_seen_module_by_module_and_op_by_op(network):
    network.zero_grad()
    steps, event = walk_through(network)
    assert [(step.kind, step.title) for step in steps] == [
        ("module", "model"),
        ("module", "model.0"),
        ("op", "T"),
        ("op", "Addmm"),
        ("module", "model.1"),
        ("op", "Relu"),
        ("module", "model.2"),
        ("op", "NativeDropout"),
        ("module", "model.3"),
        ("op", "T"),
        ("op", "Addmm"),
        ("module", "criterion"),
        ("op", "BinaryCrossEntropyWithLogits"),
    ]
    layers = of_kind(steps, "module")[1:]
    for one, following in pairwise(layers):
        assert one.outputs["output"].tolist() == following.inputs["input"].tolist()
    assert list(steps[-2].inputs) == ["input", "target"]
    transposed, linear = steps[2:4]
    weight, bias = (network.snapshot.parameters[f"model.0.{n}"].data for n in ("weight", "bias"))
    assert list(transposed.inputs) == ["model.0.weight"]
    assert transposed.outputs["output"].tolist() == weight.T.tolist()
    assert linear.path == ("loss", "model", "model.0")
    assert linear.inputs["model.0.weight"].tolist() == weight.tolist()
    np.testing.assert_allclose(
        linear.outputs["output"], linear.inputs["input"] @ weight.T + bias, rtol=1e-6
    )
    assert linear.formula.text == "input @ weight.T + bias"
    bound = linear.bound(linear.formula)
    np.testing.assert_allclose(linear.outputs["output"], evaluate(linear.formula, bound), rtol=1e-6)
    assert float(steps[-1].outputs["output"]) == event.loss


def test_ops_and_nodes_name_their_place_in_the_graph(network):
    network.zero_grad()
    ops = of_kind(walk_through(network)[0], "op")
    nodes = network.snapshot.graph.nodes
    assert [nodes[op.node].name.partition("Backward")[0] for op in ops] == [op.title for op in ops]
    visited = of_kind(walk_through(network)[0], "node")
    assert [nodes[step.node].name for step in visited] == [step.title for step in visited]
    assert [step.node for step in visited] == [op.node for op in reversed(ops)]
    assert [step.formula.text for step in visited[-2:]] == [
        "bias: sum(grad, 0); weight.T: input.T @ grad",
        "input: grad.T",
    ]
    assert visited[-2].formula.latex.endswith(r"\bar{W^\top} = x^\top\,g")


def test_a_snapshot_from_inside_a_backward_shows_what_is_freed_already(network):
    network.forward()
    visited, freed = [], []
    step = network.step_into(Backward())
    while not isinstance(step, Event):
        shown = network.snapshot
        assert shown.micro_step is step
        if step.kind == "node":
            visited.append(step.node)
            freed.append([node.id for node in shown.graph.nodes if node.freed])
        step = network.step_into()
    saved_none = {3, 4, 9}  # dropout keeps its mask, and a transposition needs no values
    assert visited == [0, 1, 4, 3, 5, 7, 9]
    assert freed == [
        [node for node in sorted(visited[: at + 1]) if node not in saved_none] for at in range(7)
    ]


def test_a_backward_shows_the_rule_what_comes_in_and_what_goes_out(line):
    line.forward()
    steps, event = walk_through(line, Backward())
    assert [step.title for step in steps] == ["SumBackward0", "MulBackward0", "x.grad"]
    total, product, arrival = steps
    assert float(total.inputs["incoming"]) == 1.0
    assert total.outputs["MulBackward0 #1"].tolist() == [1, 1]
    assert product.inputs["incoming"].tolist() == [1, 1]
    assert product.outputs["x"].tolist() == [100, 100]
    assert [float(product.inputs[name]) for name in product.inputs if name != "incoming"] == [100]
    assert product.formula.text == "input: grad * other"
    assert product.symbols == {"grad": "incoming", "other": "100"}
    assert product.rules["x"].latex == r"\bar{x} = g \cdot y"
    assert (arrival.kind, arrival.formula.text) == ("accumulate", "added")
    assert list(arrival.inputs) == ["added"]
    assert arrival.none == (("before",), ())
    assert arrival.outputs["after"].tolist() == [100, 100]
    assert event.writes == ("x.grad", "loss.graph")


def test_the_gradient_before_plus_the_addend_is_the_gradient_after(network):
    network.forward()
    network.backward()
    network.forward()
    arrivals = of_kind(walk_through(network, Backward())[0], "accumulate")
    assert len(arrivals) == 4
    for step in arrivals:
        before, added, after = step.inputs["before"], step.inputs["added"], step.outputs["after"]
        assert (before + added).tobytes() == after.tobytes()
        assert np.any(before)


def test_gradients_arrive_one_leaf_after_the_other(network):
    network.zero_grad()
    network.forward()
    present = set()
    step = network.step_into()
    while not isinstance(step, Event):
        if step.kind == "accumulate":
            present.add(step.title.removesuffix(".grad"))
        shown = network.snapshot.parameters
        assert {name for name in shown if shown[name].grad is not None} == present
        step = network.step_into()
    assert len(present) == 4


@pytest.mark.parametrize("to_none", [True, False])
def test_zero_grad_shows_which_gradient_it_clears_and_to_what(line, to_none):
    assert walk_through(line, ZeroGrad("optimizer", to_none))[0][0].formula.text == (
        "grad was already None"
    )
    line.forward()
    line.backward()
    (step,), _ = walk_through(line, ZeroGrad("optimizer", to_none))
    assert (step.kind, step.title) == ("parameter", "x")
    assert step.inputs["grad"].tolist() == [100, 100]
    assert step.formula.text == ("grad = None" if to_none else "grad = 0")
    assert {k: v.tolist() for k, v in step.outputs.items()} == (
        {} if to_none else {"grad": [0.0, 0.0]}
    )
    assert step.none == ((), ("grad",) if to_none else ())


def test_stepping_over_a_parameter_goes_to_the_next(network):
    network.iterate()
    network.forward()
    network.backward()
    assert network.step_into(Step()).kind == "group"
    titles = [network.step_into().title]
    while not isinstance(step := network.step_over(), Event):
        titles.append(step.title)
    assert titles == [f"model.{layer}.{name}" for layer in (0, 3) for name in ("weight", "bias")]
    assert step == network.event


def test_stepping_out_of_a_term_goes_to_the_next_parameter_and_finally_to_the_event(network):
    network.iterate()
    network.forward()
    network.backward()
    step = network.step_into(Step())
    titles = []
    while not isinstance(step, Event):
        while step.kind != "term":
            step = network.step_into()
        step = network.step_out()
        titles.append("" if isinstance(step, Event) else step.title)
    assert titles == ["model.0.bias", "model.3.weight", "model.3.bias", ""]


def test_stepping_out_of_an_op_goes_past_its_module(network):
    network.zero_grad()
    titles = [network.step_into().title for _ in range(4)]
    assert titles == ["model", "model.0", "T", "Addmm"]
    assert network.step_out().title == "model.1"
    assert network.step_out().title == "criterion"
    assert network.step_out().operation == Forward()


def test_stepping_over_what_was_not_entered_applies_it(network):
    assert network.step_over().operation == ZeroGrad()
    assert network.step_over().operation == Forward()
    assert network.position == (2, None)


def test_an_error_inside_is_the_outcome_of_the_event(make, state_of):
    inside, through = make("line"), make("line")
    for dbg in (inside, through):
        dbg.forward()
        dbg.backward()
    before = state_of(inside)
    steps, event = walk_through(inside, Backward())
    assert [step.title for step in steps] == ["SumBackward0", "MulBackward0"]
    assert [step.error for step in steps] == [
        "",
        f"{event.outcome.message}; {event.outcome.remedy}",
    ]
    assert steps[-1].inputs["incoming"].tolist() == [1, 1]
    assert inside.snapshot.graph.nodes[steps[-1].node].name == "MulBackward0"
    assert event == through.backward()
    assert "second time" in event.outcome.message
    assert state_of(inside) == before
    assert not inside.step_into(Step("nobody")).outcome.ok


def test_a_forward_that_fails_shows_what_came_before(network, state_of, monkeypatch):
    before = state_of(network)
    assert not network.step_into(Forward(batch="held")).outcome.ok

    def fail(_):
        raise TensorError("broken")

    monkeypatch.setattr(network.program.modules["model"][1], "forward", fail)
    steps, event = walk_through(network, Forward())
    assert [step.title for step in steps] == ["model", "model.0", "T", "Addmm", "model.1"]
    assert [len(step.outputs) for step in steps] == [0, 1, 1, 1, 0]
    assert event.outcome.message == "broken"
    assert [step.error for step in steps] == ["", "", "", "", "broken"]
    assert state_of(network) == before


def test_an_operation_without_an_inside_is_done_at_once(network):
    event = network.step_into(Freeze("model.0.*"))
    assert event.operation == Freeze("model.0.*")
    assert event.outcome.ok
    assert network.position == (1, None)


def test_there_must_be_something_to_step_into_and_out_of(make):
    dbg = make("line", losses={}, optimizers={})
    with pytest.raises(OperationError, match="no loop"):
        dbg.step_into()
    with pytest.raises(OperationError, match="no loop"):
        dbg.step_over()
    with pytest.raises(OperationError, match="no Operation was entered"):
        dbg.step_out()


def test_module_calls_are_fast_again_after_a_forward_was_walked_through(network):
    before = module_hooks.global_hooks
    walk_through(network, Forward())
    assert module_hooks.global_hooks is before
