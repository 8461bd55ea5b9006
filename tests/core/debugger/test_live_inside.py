"""Inside the Operations of a script that runs: Backward node by node, Forward module by module."""

from __future__ import annotations

import pytest

from gradstep.debugger.live_script import LiveScript
from gradstep.errors import OperationError, ScriptError
from gradstep.history.records.graph import LOSS
from gradstep.program.operation import Backward, Forward, ScriptCall, Step, ZeroGrad
from gradstep.script.mirror import Mirror
from tests.core.script.held_script import HeldScript, graph, micro
from tests.core.script.sent_frames import SQUARES, Sent, descent


def backward_of(w, grad):
    """What happens inside the Backward of the sum of w**2, whose gradient a leaf adds up."""
    return [
        graph("loss", *SQUARES),
        micro("node", "SumBackward0", number=0, incoming_0=1.0, outgoing_0=[1.0, 1.0]),
        micro(
            "node", "PowBackward0", number=1, incoming_0=[1.0, 1.0], outgoing_0=[2 * x for x in w]
        ),
        micro(
            "node",
            "torch::autograd::AccumulateGrad",
            number=2,
            incoming_0=[2 * x for x in w],
            after=grad,
        ),
    ]


@pytest.fixture
def live():
    """Return a script in its second Backward; it forgets to zero its gradients."""
    script = HeldScript(descent(3, clears=False), {3: backward_of([0.5, 1.0], [3.0, 6.0])})
    live = LiveScript(script)
    live.carry_out(lambda debugger: debugger.iterate(1))
    live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    return live


def into(live):
    return live.carry_out(lambda debugger: debugger.step_into())


def test_backward_goes_node_by_node_with_the_gradients_of_the_script(live):
    steps = [into(live) for _ in range(3)]
    assert [(step.kind, step.title, step.node) for step in steps] == [
        ("node", "SumBackward0", 0),
        ("node", "PowBackward0", 1),
        ("accumulate", "w.grad", 2),
    ]
    assert steps[1].inputs["incoming"].tolist() == [1.0, 1.0]
    assert steps[1].outputs["w"].tolist() == [1.0, 2.0]
    assert {key: value.tolist() for key, value in steps[2].inputs.items()} == {
        "before": [2.0, 4.0],
        "added": [1.0, 2.0],
    }
    assert live.debugger.snapshot.parameters["w"].grad.tolist() == [3.0, 6.0]
    progress = live.debugger.snapshot.graphs["loss"].progress
    assert sorted(progress.done) == [0, 1, 2]
    assert progress.gradients[LOSS, 0][0].array.tolist() == 1.0
    assert progress.gradients[1, 2][0].array.tolist() == [1.0, 2.0]


def test_the_inside_ends_with_the_event_of_the_whole_operation(live):
    steps = [into(live) for _ in range(4)]
    assert steps[3].operation == Backward("loss", at="train.py:7")
    assert live.debugger.next_operation == Step(at="train.py:8")
    assert live.debugger.snapshot.inside is None


@pytest.mark.parametrize("leave", ["step_over", "step_out", "run"])
def test_a_script_that_was_entered_goes_on_as_if_it_had_not_been(live, leave):
    straight = LiveScript(HeldScript(descent(3, clears=False)))
    straight.carry_out(lambda debugger: debugger.run())
    into(live)
    live.carry_out(lambda debugger: getattr(debugger, leave)())
    while live.debugger.next_operation is not None:
        live.carry_out(lambda debugger: debugger.run())
    assert [(e.operation, e.checksum) for e in live.debugger.events] == [
        (e.operation, e.checksum) for e in straight.debugger.events
    ]


def test_stepping_back_shows_what_was_seen_and_out_of_the_first_part_leaves(live):
    for _ in range(3):
        into(live)
    live.debugger.back()
    assert live.debugger.micro_step.title == "PowBackward0"
    assert live.debugger.program.tensors["w"].grad.tolist() == [2.0, 4.0]
    live.debugger.back()
    live.debugger.back()
    assert live.debugger.position == (4, None)
    assert [into(live).title for _ in range(3)] == ["SumBackward0", "PowBackward0", "w.grad"]
    assert live.debugger.program.tensors["w"].grad.tolist() == [3.0, 6.0]


def test_an_operation_that_was_gone_through_can_be_entered_again_in_the_past(live):
    for _ in range(4):
        into(live)
    live.carry_out(lambda debugger: debugger.iterate(1))
    live.debugger.seek(4)
    assert live.debugger.program.abilities.inside(Backward()) == ""
    assert into(live).title == "SumBackward0"
    live.debugger.seek(1)
    assert "was not recorded" in live.debugger.program.abilities.inside(Backward())


def test_zero_grad_and_step_go_by_gradsteps_own_formulas():
    live = LiveScript(HeldScript(descent(3, momentum=0.5)))
    live.carry_out(lambda debugger: debugger.iterate(1))
    assert into(live).inputs["grad"].tolist() == [2.0, 4.0]
    assert live.carry_out(lambda debugger: debugger.step_out()).operation == ZeroGrad(
        at="train.py:5"
    )
    for _ in range(2):
        live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    titles = [into(live).title for _ in range(5)]
    assert titles == ["group 0", "w", "momentum_buffer", "update", "param"]
    predicted = live.debugger.micro_step.outputs["param"].tolist()
    live.carry_out(lambda debugger: debugger.step_out())
    assert live.debugger.program.tensors["w"].tolist() == predicted


def calls(iterations=2):
    """A loop that calls a model with a block inside, whose Forward is seen as such afterwards."""
    sent = Sent()
    sent.tensor("model.0.weight", [1.0])
    sent.module(
        "model",
        ("", "Sequential", "", True),
        ("0", "Linear", "1, 1", True),
        ("1", "Sequential", "", True),
        ("1.0", "ReLU", "", True),
    )
    for iteration in range(iterations):
        sent.iteration = iteration
        sent.event("forward", "model", 5)
        sent.graph("loss", (0, "A", [1], ""), (1, "AccumulateGrad", [], "model.0.weight"))
        sent.event("backward", "loss", 6, {"model.0.weight.grad": [1.0]}, loss=1.0)
    sent.bye()
    return sent


CALL = [
    micro("module", "model.0", when="before", depth=1, incoming_0=[2.0]),
    micro("module", "model.0", depth=1, outgoing_0=[-2.0]),
    micro("module", "model.1", when="before", depth=1, incoming_0=[-2.0]),
    micro("module", "model.1.0", when="before", depth=2, incoming_0=[-2.0]),
    micro("module", "model.1.0", depth=2, outgoing_0=[0.0]),
    micro("module", "model.1", depth=1, outgoing_0=[0.0]),
]


def test_forward_goes_module_by_module_also_before_its_loss_is_known():
    live = LiveScript(HeldScript(calls(), {1: CALL, 3: CALL[:2]}))
    assert live.debugger.next_operation == ScriptCall("forward", "model", at="train.py:5")
    steps = [into(live) for _ in range(4)]
    assert [(step.title, step.path, step.formula.text) for step in steps] == [
        ("model.0", ("model",), "Linear(1, 1)"),
        ("model.1", ("model",), "Sequential()"),
        ("model.1.0", ("model", "model.1"), "ReLU()"),
        ("model.1", ("model",), "Sequential()"),
    ]
    assert (steps[0].inputs["input"].item(), steps[0].outputs["output"].item()) == (2.0, -2.0)
    assert (dict(steps[1].outputs), steps[3].outputs["output"].item()) == ({}, 0.0)
    first = live.debugger
    event = into(live)
    assert event.operation == Forward("loss", at="train.py:5")
    assert live.debugger is not first
    assert live.debugger.position == (1, None)


def test_what_is_too_large_to_be_sent_is_named(monkeypatch):
    large = ["outgoing 0"]
    call = [CALL[0], micro("module", "model.0", depth=1, omitted=large)]
    nodes = [graph("loss", *SQUARES), micro("node", "SumBackward0", number=0, omitted=large)]
    live = LiveScript(HeldScript(calls(), {1: call}))
    assert into(live).formula.text == (
        "Linear(1, 1); not shown, as it is larger than 16 MB: outgoing 0"
    )
    live = LiveScript(HeldScript(descent(1), {2: nodes}))
    live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    step = into(live)
    assert step.formula.text == "not shown, as it is larger than 16 MB: outgoing 0"
    monkeypatch.setattr("gradstep.script.inside.INSIDE_BYTES", 3)
    live = LiveScript(HeldScript(calls(), {1: CALL}))
    step = into(live)
    assert "no values from here on: they take more than 256 MB" in step.formula.text
    assert (dict(step.inputs), dict(step.outputs)) == ({}, {})


def test_over_a_module_goes_to_the_next_one_beside_it():
    live = LiveScript(HeldScript(calls(), {1: CALL}))
    into(live)
    into(live)
    step = live.carry_out(lambda debugger: debugger.step_over())
    assert (step.title, step.outputs["output"].item()) == ("model.1", 0.0)


def test_an_operation_without_parts_is_done_at_once():
    live = LiveScript(HeldScript(calls()))
    assert into(live).operation == Forward("loss", at="train.py:5")


def test_a_tensor_that_is_met_inside_keeps_the_place():
    script = HeldScript(calls(), {1: [*CALL[:2], None, *CALL[2:]]})
    more = Sent()
    more.tensor("model.1.scale", [3.0])
    script._insides[1][2] = list(HeldScript(more)._frames)[-1]
    live = LiveScript(script)
    assert [into(live).title for _ in range(2)] == ["model.0", "model.1"]
    assert live.debugger.position == (0, 2)
    assert live.debugger.program.tensors["model.1.scale"].tolist() == [3.0]


def test_a_saved_recording_is_left_and_entered_again(live, tmp_path):
    for _ in range(3):
        into(live)
    live.debugger.save(tmp_path / "run.gradstep")
    assert live.debugger.micro_step.title == "w.grad"
    assert live.debugger.program.tensors["w"].grad.tolist() == [3.0, 6.0]


def test_the_memory_of_what_is_inside_is_limited(live, monkeypatch):
    monkeypatch.setattr("gradstep.script.inside.INSIDE_BYTES", 20)
    steps = [into(live) for _ in range(3)]
    assert [len(step.outputs) for step in steps] == [1, 0, 0]
    assert live.debugger.program.tensors["w"].grad.tolist() == [2.0, 4.0]
    assert into(live).operation == Backward("loss", at="train.py:7")


def test_a_part_that_was_not_asked_for_ends_the_connection():
    script = HeldScript(descent(2))
    with pytest.raises(ScriptError, match="was not entered: SumBackward0"):
        script.writer.take(*micro("node", "SumBackward0", number=0))


def test_a_node_that_the_graph_does_not_have_ends_the_connection(live):
    into(live)
    with pytest.raises(ScriptError, match="the inside of loss: Other"):
        live.process.writer.take(*micro("node", "Other", number=9))


def test_the_inside_of_a_recording_is_not_known():
    tape = HeldScript(descent(2)).tape
    live = LiveScript(HeldScript(descent(2)))
    live.carry_out(lambda debugger: debugger.run())
    tape = live.process.tape
    tape.feed = None
    mirror = Mirror(tape)
    mirror.run(mirror.next_operation)
    with pytest.raises(OperationError, match="the inside of a script's Forward was not recorded"):
        mirror.walk(mirror.next_operation)
