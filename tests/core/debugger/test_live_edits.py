"""A script that is held is changed, does something out of turn, and leaves something out."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.errors import OperationError
from gradstep.program.operation import (
    Backward,
    Forward,
    Freeze,
    SetHyperparameter,
    SetMode,
    SetValue,
    Skip,
    Step,
    ZeroGrad,
)
from tests.core.debugger.test_live_inside import calls
from tests.core.debugger.test_live_script import model_loop
from tests.core.script.held_script import HeldScript, answer, refused
from tests.core.script.sent_frames import Sent, descent

ASIDE = {"detail": {"aside": True}}


def held(*answers, sent=None):
    """Return a script that has done one iteration."""
    live = LiveScript(HeldScript(sent or descent(3), answers=answers))
    live.carry_out(lambda debugger: debugger.iterate(1))
    return live


def apply(live, operation):
    return live.carry_out(lambda debugger: debugger.apply(operation))


def test_an_option_is_set_in_the_script_and_its_event_says_what_it_was():
    live = held(
        answer(
            "set_option",
            ("optimizer", "optimizer", "SGD", ["w"], {"lr": 0.5, "momentum": 0.0}),
            ("event", "set_option", "optimizer", 5, ASIDE),
        )
    )
    event = apply(live, SetHyperparameter("lr", 0.5))
    assert live.process.commands == [
        {"action": "set_option", "target": "optimizer", "group": 0, "option": "lr", "value": 0.5}
    ]
    assert event.operation == SetHyperparameter("lr", 0.5, at="train.py:5", out_of_loop=True)
    assert (event.outcome.message, event.writes[:1]) == ("lr 0.25 -> 0.5", ("optimizer/lr",))
    assert live.debugger.program.optimizers["optimizer"].param_groups[0]["lr"] == 0.5
    assert live.debugger.next_operation == ZeroGrad(at="train.py:5")
    live.debugger.seek(4)
    assert live.debugger.program.optimizers["optimizer"].param_groups[0]["lr"] == 0.25


def test_a_change_between_two_iterations_leaves_no_gap_in_the_curves():
    change = answer(
        "set_option",
        ("optimizer", "optimizer", "SGD", ["model.weight"], {"lr": 0.25}),
        ("event", "set_option", "optimizer", 5, ASIDE),
        iteration=1,
    )
    live = held(change, sent=model_loop(3))  # which begins with the call of its model
    assert apply(live, SetHyperparameter("lr", 0.25)).iteration == 1
    live.carry_out(lambda debugger: debugger.run())
    iterations, losses = live.debugger.history.series.column("loss/loss")
    assert iterations.tolist() == [0, 1, 2, 3]
    assert np.isfinite(losses[1:]).all()


def test_an_element_is_set_by_its_index(tmp_path):
    live = held(answer("set_values", ("event", "set_values", "w", 5, {"w": [0.5, 9.0]}, ASIDE)))
    event = apply(live, SetValue("w", 9.0, (1,)))
    assert live.process.commands[0]["index"] == 1
    assert event.outcome.message == "w[1] 1 -> 9"
    assert live.debugger.program.tensors["w"].tolist() == [0.5, 9.0]
    live.debugger.save(tmp_path / "run.gradstep")
    found = Debugger.open(tmp_path / "run.gradstep")
    assert found.events[-1].operation == SetValue("w", 9.0, (1,), at="train.py:5", out_of_loop=True)
    assert found.program.tensors["w"].tolist() == [0.5, 9.0]


def test_what_is_not_a_number_is_sent_as_text():
    live = held(answer("set_values", ("event", "set_values", "w", 5, {"w": [0.5, 9.0]}, ASIDE)))
    apply(live, SetValue("w", float("nan"), (0,)))
    assert live.process.commands[0]["value"] == "nan"


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (SetValue("nothing", 1.0, (0,)), "the script has no tensor 'nothing'"),
        (SetValue("w", 1.0, (2,)), r"w has no element \[2\]"),
        (SetValue("w", [1.0, 2.0]), "set element by element"),
        (Freeze("nothing.*"), "0 tensors match"),
        (Backward(), "the next operation of the script is ZeroGrad"),
        (Forward(), "the next operation of the script is ZeroGrad"),
    ],
)
def test_what_a_script_cannot_be_asked_for_is_not_recorded(operation, reason):
    live = held()
    with pytest.raises(OperationError, match=reason):
        apply(live, operation)
    assert len(live.debugger.events) == 4
    assert live.process.commands == []


def test_what_the_script_refuses_is_not_recorded_either():
    live = held(refused("step", "RuntimeError: not yet"))
    with pytest.raises(OperationError, match="RuntimeError: not yet"):
        apply(live, Step())
    assert len(live.debugger.events) == 4
    assert live.debugger.next_operation == ZeroGrad(at="train.py:5")


def test_a_tensor_is_frozen_and_its_past_is_not():
    live = held(answer("freeze", ("event", "freeze", "w", 5, {"detail": {"aside": True}})))
    event = apply(live, Freeze("w"))
    assert event.outcome.message == "frozen: w"
    assert not live.debugger.snapshot.parameters["w"].requires_grad
    live.debugger.seek(4)
    assert live.debugger.snapshot.parameters["w"].requires_grad


def test_the_mode_of_a_module_holds_from_there_on():
    detail = {"detail": {"aside": True, "training": False}}
    sent = answer("train", ("event", "train_mode", "model", 5, detail))
    live = LiveScript(HeldScript(calls(), answers=[sent]))
    live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))

    def modes():
        (tree,) = live.debugger.snapshot.modules
        return [tree.training, *(child.training for child in tree.children)]

    assert modes() == [True, True, True]
    event = apply(live, SetMode(False, "model"))
    assert event.operation == SetMode(False, "model", at="train.py:5", out_of_loop=True)
    assert modes() == [False, False, False]
    live.debugger.seek(1)
    assert modes() == [True, True, True]


def test_a_step_out_of_turn_is_done_aside_and_the_loop_goes_on():
    live = held(answer("step", ("event", "step", "optimizer", 5, {"w": [0.0, 0.0]}, ASIDE)))
    event = apply(live, Step())
    assert event.operation == Step(at="train.py:5", out_of_loop=True)
    assert live.debugger.program.tensors["w"].tolist() == [0.0, 0.0]
    assert live.debugger.next_operation == ZeroGrad(at="train.py:5")
    assert live.debugger.program.iteration == 1
    done_by_lines = [span.operation for span in live.debugger.listing.spans]
    assert done_by_lines == [
        ZeroGrad(at="train.py:5"),
        *(Forward(at="train.py:7"), Backward(at="train.py:7"), Step(at="train.py:8")),
    ]


def test_an_operation_is_left_out_and_does_not_become_what_the_line_does():
    sent, skipped = Sent(), {"detail": {"skipped": True}}
    sent.tensor("w", [1.0])
    sent.optimizer("optimizer", "SGD", ["w"], lr=0.5)
    sent.graph("loss", (0, "A", [1], ""), (1, "AccumulateGrad", [], "w"))
    for iteration in range(2):
        sent.iteration = iteration
        sent.event("backward", "loss", 6, {"w.grad": [1.0]}, loss=1.0)
        sent.event("step", "optimizer", 7, **({} if iteration else skipped))
    sent.bye()
    live = LiveScript(HeldScript(sent))
    for _ in range(2):
        live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    event = live.carry_out(lambda debugger: debugger.apply(Skip(debugger.next_operation)))
    assert event.operation == Skip(Step(at="train.py:7"), at="train.py:7")
    assert live.debugger.program.tensors["w"].tolist() == [1.0]
    for _ in range(2):
        live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    assert live.debugger.next_operation == Step(at="train.py:7")


def test_what_a_script_needs_cannot_be_skipped():
    live = LiveScript(HeldScript(calls()))
    skip = live.debugger.program.abilities.skip
    assert skip == "The script needs what this operation returns: it cannot be skipped."


def test_abilities_say_where_a_script_can_be_changed():
    live = held()

    def why():
        found = live.debugger.program.abilities
        return found.edit, found.out_of_loop, found.skip

    assert why() == ("", "", "")
    live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    assert set(why()) == {"The script has done the next operation already: step over it first."}
    live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    assert why() == ("", "", "")
    live.debugger.seek(2)
    assert set(why()) == {
        "A running script can be changed only at its latest event: go there first."
    }
    live.carry_out(lambda debugger: debugger.run())
    live.debugger.seek(12)
    assert set(why()) == {"The script has ended."}
