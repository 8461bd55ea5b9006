"""A script that is held before each Operation is debugged while it runs."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.errors import OperationError
from gradstep.history.records.breakpoints import BreakpointSpec
from gradstep.program.operation import Backward, Forward, ScriptCall, Step, ZeroGrad
from gradstep.script.mirror import Mirror
from tests.core.script.held_script import HeldScript
from tests.core.script.sent_frames import SQUARES, Sent, descent, take


def apply_next(debugger):
    return debugger.apply(debugger.program.next_operation)


def model_loop(iterations=3):
    """A loop that begins with the call of its model, and forgets nothing."""
    sent = Sent()
    sent.tensor("model.weight", [1.0])
    sent.optimizer("optimizer", "SGD", ["model.weight"], lr=0.5)
    weight = 1.0
    for iteration in range(iterations):
        sent.iteration = iteration
        sent.event("forward", "model", 5)
        if not iteration:
            sent.graph("loss", (0, "A", [1], ""), (1, "AccumulateGrad", [], "model.weight"))
        grad, loss = weight, weight
        sent.event("backward", "loss", 6, {"model.weight.grad": [grad]}, loss=loss)
        weight -= 0.5 * grad
        sent.event("step", "optimizer", 7, {"model.weight": [weight]})
        sent.event("zero_grad", "optimizer", 8, {"model.weight.grad": None})
    sent.bye()
    return sent


def test_it_is_held_before_its_first_operation():
    live = LiveScript(HeldScript(descent(2)))
    assert live.debugger.program.next_operation == ZeroGrad(at="train.py:5")
    assert len(live.debugger.events) == 0


def test_each_operation_happens_when_it_is_applied():
    script = HeldScript(descent(2))
    live = LiveScript(script)
    seen = [live.carry_out(apply_next).operation for _ in range(4)]
    assert [type(operation) for operation in seen] == [ZeroGrad, Forward, Backward, Step]
    assert live.debugger.program.tensors["w"].tolist() == [0.5, 1.0]
    assert live.debugger.program.next_operation == ZeroGrad(at="train.py:5")
    assert len(script.tape.rows) == 4


def test_what_is_new_in_the_script_keeps_events_breakpoints_and_watches():
    live = LiveScript(HeldScript(model_loop(2)))
    first = live.debugger
    first.watch("event")
    first.break_when("iteration == 7")
    for _ in range(3):
        live.carry_out(apply_next)
    assert live.debugger is not first
    assert [watch.value for watch in live.debugger.watches] == [3]
    assert [point.expression for point in live.debugger.breakpoints] == ["iteration == 7"]
    assert [type(event.operation) for event in live.debugger.events] == [Forward, Backward, Step]


def test_numbers_counts_and_logged_lines_outlive_what_is_new_in_the_script():
    live = LiveScript(HeldScript(model_loop(3)))
    first = live.debugger
    first.breakpoints.remove(first.break_when("iteration == 7").id)
    first.breakpoints.add("event > 0", after="any", log="event {event}")
    first.watches.remove(first.watch("event").id)
    first.watch("loss")
    live.carry_out(lambda debugger: debugger.run())
    assert live.debugger is not first
    (point,) = live.debugger.breakpoints
    assert (point.id, point.count) == (2, 12)
    assert [line.text for line in live.debugger.breakpoints.lines] == [
        f"event {number}" for number in range(1, 13)
    ]
    assert [watch.id for watch in live.debugger.watches] == [2]
    assert live.debugger.break_when("iteration == 8").id == 3


def test_a_run_stops_at_a_breakpoint_and_goes_on_to_the_end():
    live = LiveScript(HeldScript(descent(4)))
    live.carry_out(lambda debugger: debugger.iterate(1))
    live.debugger.break_when("loss < 1")
    assert live.carry_out(lambda debugger: debugger.run()).kind == "breakpoint"
    assert live.debugger.position == (10, None)
    reason = live.carry_out(lambda debugger: debugger.run())
    assert (reason.sentence, live.debugger.program.iteration) == ("the script has ended", 4)
    with pytest.raises(OperationError, match="the script has ended"):
        live.carry_out(lambda debugger: debugger.run())


def test_in_its_past_stepping_goes_along_the_recording_and_then_on():
    live = LiveScript(HeldScript(descent(3)))
    live.carry_out(lambda debugger: debugger.iterate(2))
    live.debugger.seek(6)
    for _ in range(3):
        live.carry_out(apply_next)
    assert live.debugger.position == (9, None)
    assert len(live.debugger.branches) == 1


def test_another_operation_than_the_one_that_comes_is_not_recorded():
    live = LiveScript(HeldScript(descent(2)))
    with pytest.raises(OperationError, match=r"the next operation of the script is ZeroGrad"):
        live.carry_out(lambda debugger: debugger.apply(Backward()))
    assert len(live.debugger.events) == 0


def test_the_call_of_a_model_is_known_as_a_forward_from_the_second_pass_on():
    live = LiveScript(HeldScript(model_loop(2)))
    coming = []
    while (following := live.debugger.program.next_operation) is not None:
        coming.append(following)
        live.carry_out(apply_next)
    assert coming[0] == ScriptCall("forward", "model", at="train.py:5")
    assert coming[4] == Forward("loss", at="train.py:5")


@pytest.mark.parametrize("sent", [descent(3), descent(3, momentum=0.5), model_loop(3)])
def test_the_live_recording_is_that_of_a_script_that_was_never_held(sent):
    live = LiveScript(HeldScript(sent))
    live.carry_out(lambda debugger: debugger.run())
    recorded = Debugger(Mirror(take(sent.stream)))
    recorded.follow()

    def told(debugger):
        return [(e.iteration, e.operation, e.loss, e.checksum) for e in debugger.events]

    assert told(live.debugger) == told(recorded)
    for name in recorded.history.series.names:
        one, two = (each.history.series.column(name) for each in (live.debugger, recorded))
        assert all(
            np.array_equal(*parts, equal_nan=True) for parts in zip(one, two, strict=True)
        ), name


def test_a_script_that_raises_is_told_and_ends(tmp_path):
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.graph("loss", *SQUARES)
    sent.event("backward", "loss", 7, {"w.grad": [2.0]}, loss=1.0)
    sent.event("backward", "loss", 8, {}, detail={"again": True}, error="RuntimeError: freed")
    sent.bye(1, "RuntimeError: freed")
    live = LiveScript(HeldScript(sent))
    reason = live.carry_out(lambda debugger: debugger.run())
    assert (reason.kind, live.debugger.event.outcome.message) == ("failed", "RuntimeError: freed")
    live.debugger.save(tmp_path / "run.gradstep")
    assert len(Debugger.open(tmp_path / "run.gradstep").events) == 3


def test_a_breakpoint_at_a_line_stops_before_each_of_its_operations():
    live = LiveScript(HeldScript(descent(3)))
    live.debugger.breakpoints.put(BreakpointSpec.at_line("train.py:8"))
    reason = live.carry_out(lambda debugger: debugger.run())
    assert reason.sentence == "train.py:8, before step optimizer, after Event 3"
    assert live.carry_out(lambda debugger: debugger.run()).event == 7
    live.debugger.seek(0)
    assert live.carry_out(lambda debugger: debugger.run()).event == 3
    live.carry_out(lambda debugger: debugger.run())
    assert live.debugger.run_back().event == 3


def test_the_line_of_a_breakpoint_is_kept_in_a_session(tmp_path):
    live = LiveScript(HeldScript(descent(2)))
    live.debugger.breakpoints.put(BreakpointSpec.at_line("train.py:8"))
    live.debugger.save(tmp_path / "run.gradstep")
    (point,) = Debugger.open(tmp_path / "run.gradstep").breakpoints
    assert point.spec == BreakpointSpec.at_line("train.py:8")
