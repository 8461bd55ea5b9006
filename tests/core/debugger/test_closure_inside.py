"""Stepping through the evaluations of an L-BFGS step: Zero Grad, Forward and Backward."""

from gradstep.history.records.event import Event
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from tests.core.debugger.test_closure_step import network, searches, state_of


@searches
def test_an_evaluation_is_walked_as_its_operations_are(options):
    """The first evaluation has the micro-steps of Zero Grad, Forward and Backward."""
    inside, by_hand = network(**options), network(**options)
    step = inside.step_into(Step())
    while step.title != "optimizer.zero_grad()":
        step = inside.step_into()
    micro_steps = {}
    while step.title != "loss":
        if step.kind == "operation":
            found = micro_steps[step.within] = []
        elif step.within is not None:
            path = step.path[4:]
            found.append((step.kind, step.title, path, step.formula, arrays(step), step.node))
        step = inside.step_into()
    assert [type(operation) for operation in micro_steps] == [ZeroGrad, Forward, Backward]
    for operation, found in micro_steps.items():
        steps, step = [], by_hand.step_into(operation)
        while not isinstance(step, Event):
            steps.append(
                (step.kind, step.title, step.path[1:], step.formula, arrays(step), step.node)
            )
            step = by_hand.step_into()
        assert found == steps


def arrays(step):
    return [
        (name, array.tobytes())
        for named in (step.inputs, step.outputs)
        for name, array in named.items()
    ]


def test_the_graph_follows_a_walk_through_an_evaluation():
    dbg = network(line_search_fn="strong_wolfe")
    step, seen = dbg.step_into(Step()), []
    while step.title != "evaluation 3":
        step = dbg.step_into()
        snapshot = dbg.capture_snapshot(("loss.graph",))
        walked = snapshot.walked
        if step.within is None or step.kind == "operation":
            continue
        assert walked is step.within
        if isinstance(walked, (Forward, Backward)):
            graph = snapshot.graphs["loss"]
            assert graph.progress.current == step.node
            if step.node is not None:
                assert graph.nodes[step.node].name.startswith(
                    step.title if step.kind in {"op", "node"} else "AccumulateGrad"
                )
                seen.append((type(walked).__name__, len(graph.progress.done)))
    count = len(dbg.capture_snapshot(("loss.graph",)).graphs["loss"].nodes)
    assert seen.count(("Backward", 1)) == seen.count(("Forward", 1)) == 2
    assert seen.count(("Backward", count)) == 2


@searches
def test_over_out_and_back_work_inside_evaluations_too(options):
    dbg = network(**options)
    start = state_of(dbg)
    step = dbg.step_into(Step())
    while step.kind != "operation":
        step = dbg.step_into()
    titles = [step.title]
    while step.kind == "operation":
        step = dbg.step_over()
        titles.append(step.title)
    assert titles == ["optimizer.zero_grad()", "loss = forward()", "loss.backward()", "loss"]
    forth = {}
    while step.title != "iteration 2":
        step = dbg.step_into()
        forth[dbg.position[1]] = (step.title, arrays(step), state_of(dbg))
    evaluation = next(at for at, item in forth.items() if item[0] == "evaluation 2")
    for at in range(dbg.position[1] - 1, evaluation, -1):
        dbg.back()
        step = dbg.micro_step
        assert (step.title, arrays(step), state_of(dbg)) == forth[at]
    dbg.step_into()
    assert dbg.step_out().depth <= 4
    while dbg.position[1] is not None:
        dbg.step_out()
    dbg.back()
    dbg.seek(0)
    assert state_of(dbg) == start
