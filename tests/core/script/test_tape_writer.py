"""What an agent sends becomes the Operations of a training loop."""

from __future__ import annotations

import math

import pytest

from gradstep.errors import ScriptError
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    Forward,
    SchedulerStep,
    ScriptCall,
    SetMode,
    Step,
    ZeroGrad,
)
from gradstep.script.mirrored_modules import MirroredModules
from tests.core.script.held_script import HeldScript
from tests.core.script.sent_frames import SQUARES, Sent, descent, frame, take


def test_a_loop_becomes_its_four_operations_with_their_lines():
    tape = take(descent(1).stream)
    assert [row.operation for row in tape.rows] == [
        ZeroGrad(at="train.py:5"),
        Forward("loss", at="train.py:7"),
        Backward("loss", at="train.py:7"),
        Step(at="train.py:8"),
    ]
    forward, backward, step = tape.rows[1:]
    assert (forward.loss, forward.reads, forward.writes) == (5.0, ("w",), ("loss", "loss.graph"))
    assert (backward.reads, backward.writes) == (("loss.graph",), ("w.grad", "loss.graph"))
    assert step.reads == ("optimizer/lr", "optimizer/momentum", "w", "w.grad")
    assert step.writes == ("w",)


def test_a_backward_that_adds_to_a_gradient_reads_it():
    tape = take(descent(2, clears=False).stream)
    backwards = [row for row in tape.rows if isinstance(row.operation, Backward)]
    assert [row.reads for row in backwards] == [("loss.graph",), ("loss.graph", "w.grad")]


def test_the_call_of_the_model_before_a_backward_is_the_forward_of_its_loss():
    sent = Sent()
    sent.tensor("model.weight", [1.0])
    sent.event("forward", "model", 10)
    sent.event("forward", "criterion", 11)
    sent.event("backward", "loss", 12, {"model.weight.grad": [2.0]}, loss=3.0)
    assert [row.operation for row in take(sent.stream).rows] == [
        Forward("loss", at="train.py:10"),
        Backward("loss", at="train.py:12"),
    ]


def test_without_a_model_the_forward_is_at_the_line_that_computes_the_loss():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.graph("loss", *SQUARES, file="/home/ada/train.py", line=12, loss_line=10)
    for line in (12, 22):
        sent.event("backward", "loss", line, {"w.grad": [2.0]}, loss=3.0)
    lines = [row.operation.at for row in take(sent.stream).rows]
    assert lines == ["train.py:10", "train.py:12", "train.py:22", "train.py:22"]


def test_so_it_is_where_the_criterion_has_weights():
    sent = Sent()
    sent.tensor("model.weight", [1.0])
    sent.tensor("criterion.weight", [1.0, 2.0], buffer=True)
    sent.event("forward", "model", 10)
    sent.event("forward", "criterion", 11)
    sent.event("backward", "loss", 12, {"model.weight.grad": [2.0]}, loss=3.0)
    operations = [row.operation for row in take(sent.stream).rows]
    assert operations == [Forward("loss", at="train.py:10"), Backward("loss", at="train.py:12")]


COMPUTED = {"loss": "loss", "loss_line": 11}
"""The detail of a Zero Grad that comes after `loss = criterion(model(x), y)`."""


def cleared_between(sent, *, with_model=True, backward=True):
    """Send an iteration that computes the loss, clears the gradients twice, and goes backward."""
    if with_model:
        sent.event("forward", "model", 10)
        sent.event("forward", "criterion", 11)
    sent.event("zero_grad", "first", 12, {"model.weight.grad": None}, detail=COMPUTED)
    sent.event("zero_grad", "second", 13, detail=COMPUTED)
    if backward:
        sent.event("backward", "loss", 14, {"model.weight.grad": [2.0]}, loss=3.0 + sent.iteration)
    sent.event("step", "first", 15, {"model.weight": [0.5]})
    sent.iteration += 1


def two_optimizers():
    sent = Sent()
    for name in ("model", "other"):
        sent.tensor(f"{name}.weight", [1.0])
    sent.optimizer("first", "SGD", ["model.weight"], lr=0.5)
    sent.optimizer("second", "SGD", ["other.weight"], lr=0.5)
    return sent


@pytest.mark.parametrize(("with_model", "line"), [(True, 10), (False, 11)])
def test_a_loss_that_is_computed_before_the_gradients_are_cleared_has_its_forward_first(
    with_model, line
):
    sent = two_optimizers()
    for _ in range(3):
        cleared_between(sent, with_model=with_model)
    sent.bye()
    rows = take(sent.stream).rows
    assert [row.operation for row in rows] == 3 * [
        Forward("loss", at=f"train.py:{line}"),
        ZeroGrad("first", at="train.py:12"),
        ZeroGrad("second", at="train.py:13"),
        Backward("loss", at="train.py:14"),
        Step("first", at="train.py:15"),
    ]
    assert [row.loss for row in rows[::5]] == [3.0, 4.0, 5.0]
    assert [row.iteration for row in rows] == [0] * 5 + [1] * 5 + [2] * 5


@pytest.mark.parametrize("with_model", [True, False])
def test_a_script_that_is_held_between_its_loss_and_its_backward_gets_the_same_tape(with_model):
    sent = two_optimizers()
    for _ in range(3):
        cleared_between(sent, with_model=with_model)
    sent.bye()
    held = HeldScript(sent)
    held.hold()
    while not held.tape.has_ended:
        before = len(held.tape.rows)
        held.advance()
        assert len(held.tape.rows) > before
    taken = take(sent.stream)
    assert held.tape.rows == taken.rows
    for at in range(len(taken.rows)):
        assert held.tape.moments.event_at(at) == taken.moments.event_at(at)


@pytest.mark.parametrize("detail", [None, COMPUTED])
def test_a_forward_belongs_to_the_pass_that_is_counted_by_what_comes_after_it(detail):
    sent = two_optimizers()
    for at, kind in ((10, "forward"), (12, "zero_grad"), (14, "backward")):
        sent.event(kind, "loss" if at == 14 else "model", at, detail=detail if at == 12 else None)
    sent.event("forward", "model", 10)
    sent.iteration = sent.epoch = 1
    if detail:
        sent.event("zero_grad", "first", 12, detail=detail)
    sent.event("backward", "loss", 14)
    rows = [row for row in take(sent.stream).rows if isinstance(row.operation, Forward)]
    assert [(row.iteration, row.epoch) for row in rows] == [(0, 0), (1, 1)]


def test_a_loss_without_a_backward_is_computed_anew_in_the_next_iteration():
    sent = two_optimizers()
    cleared_between(sent, backward=False)
    cleared_between(sent)
    rows = take(sent.stream).rows
    kinds = [type(row.operation) for row in rows]
    assert kinds == [Forward, ZeroGrad, ZeroGrad, Step, Forward, ZeroGrad, ZeroGrad, Backward, Step]
    assert [row.loss for row in rows if isinstance(row.operation, Forward)] == [None, 4.0]


def test_another_model_that_is_called_after_the_zero_grad_is_not_the_forward():
    sent = two_optimizers()
    sent.event("forward", "model", 10)
    sent.event("zero_grad", "first", 12, detail=COMPUTED)
    sent.event("forward", "other", 13)
    sent.event("backward", "loss", 14, {"model.weight.grad": [2.0]}, loss=3.0)
    rows = take(sent.stream).rows
    assert [row.operation for row in rows] == [
        Forward("loss", at="train.py:10"),
        ZeroGrad("first", at="train.py:12"),
        ScriptCall("forward", "other", at="train.py:13"),
        Backward("loss", at="train.py:14"),
    ]
    assert rows[0].loss == 3.0


def test_what_waits_for_a_backward_is_written_when_the_script_ends_or_does_much_else():
    sent = two_optimizers()
    sent.event("forward", "model", 10)
    sent.event("zero_grad", "first", 12, detail=COMPUTED)
    for _ in range(100):
        sent.event("step", "second", 15)
    rows = take(sent.stream).rows
    assert [type(row.operation) for row in rows] == [Forward, ZeroGrad, *100 * [Step]]
    assert rows[0].loss is None


def test_a_tensor_that_is_new_in_the_graph_of_a_loss_is_new_before_its_forward():
    sent = two_optimizers()
    sent.tensor("x", [1.0])
    sent.event("forward", "model", 10)
    sent.event("zero_grad", "first", 12, detail=COMPUTED)
    sent.tensor("x", [2.0])  # which its Backward has found
    sent.event("backward", "loss", 14, {"x.grad": [2.0]}, loss=3.0)
    rows = take(sent.stream).rows
    assert [getattr(row.operation, "call", "") for row in rows] == ["new_tensors", "", "", ""]
    assert [type(row.operation) for row in rows[1:]] == [Forward, ZeroGrad, Backward]
    assert rows[1].loss == 3.0


def test_an_option_that_changes_before_the_backward_changes_after_the_forward():
    sent = two_optimizers()
    sent.event("forward", "model", 10)
    sent.event("zero_grad", "first", 12, detail=COMPUTED)
    sent.optimizer("first", "SGD", ["model.weight"], lr=0.25)
    sent.event("scheduler_step", "scheduler", 13, detail={"optimizer": "first"})
    sent.event("backward", "loss", 14, {"model.weight.grad": [2.0]}, loss=3.0)
    kinds = [type(row.operation) for row in take(sent.stream).rows]
    assert kinds == [Forward, ZeroGrad, SchedulerStep, Backward]


@pytest.mark.parametrize(
    "detail",
    [
        {"loss": 3, "loss_line": 1},
        {"loss": "a/b", "loss_line": 1},
        {"loss": "l" * 300, "loss_line": 1},
        {"loss": "loss"},
        {"loss": "loss", "loss_line": "1"},
    ],
)
def test_a_loss_before_a_zero_grad_that_cannot_be_true_is_rejected(detail):
    sent = two_optimizers()
    sent.event("forward", "model", 10)
    sent.event("zero_grad", "first", 12, detail=detail)
    with pytest.raises(ScriptError, match="loss"):
        take(sent.stream)


def test_a_call_without_gradients_is_not_the_forward_of_a_loss():
    sent = two_optimizers()
    sent.event("forward", "model", 10)
    sent.event("forward", "other", 11, detail={"grad": False})
    sent.event("forward", "criterion", 12)
    sent.event("backward", "loss", 13, {"model.weight.grad": [2.0]}, loss=3.0)
    assert [row.operation for row in take(sent.stream).rows] == [
        ScriptCall("forward", "model", at="train.py:10"),
        ScriptCall("forward", "other", has_grad=False, at="train.py:11"),
        Forward("loss", at="train.py:12"),
        Backward("loss", at="train.py:13"),
    ]


def test_what_was_done_by_hand_comes_before_the_call_of_the_model_after_which_it_is_noticed():
    sent = two_optimizers()
    sent.event("forward", "model", 10)
    hand = {"changed": ["model.weight"]}
    sent.event("update_by_hand", "", 12, {"model.weight": [0.5]}, detail=hand)
    sent.event("backward", "loss", 12, {"model.weight.grad": [2.0]}, loss=3.0)
    tape = take(sent.stream)
    assert [row.operation for row in tape.rows] == [
        ScriptCall("update_by_hand", at="train.py:12"),
        Forward("loss", at="train.py:10"),
        Backward("loss", at="train.py:12"),
    ]
    assert [tape.moments.event_at(at) for at in range(3)] == [None, 0, 2]


def test_a_change_by_hand_is_at_its_own_line_where_the_agent_knows_it():
    sent = two_optimizers()
    for line, detail in ((8, {"is_line_known": True}), (9, {"is_line_known": False}), (10, {})):
        sent.event("update_by_hand", "", line, {"model.weight": [float(line)]}, detail=detail)
    assert [row.operation for row in take(sent.stream).rows] == [
        ScriptCall("update_by_hand", at="train.py:8", is_line_known=True),
        ScriptCall("update_by_hand", at="train.py:9"),
        ScriptCall("update_by_hand", at="train.py:10"),
    ]


def test_calls_whose_output_no_backward_used_are_calls():
    sent = Sent()
    sent.tensor("net.weight", [1.0])
    sent.event("forward", "net", 10)
    sent.event("forward", "net", 11)
    sent.event("backward", "loss", 12, {"net.weight.grad": [2.0]}, loss=3.0)
    sent.event("forward", "net", 20)
    assert [row.operation for row in take(sent.stream).rows] == [
        ScriptCall("forward", "net", at="train.py:10"),
        Forward("loss", at="train.py:11"),
        Backward("loss", at="train.py:12"),
        ScriptCall("forward", "net", at="train.py:20"),
    ]


def test_a_pending_call_that_cannot_be_true_is_left_out_when_the_connection_ends():
    sent = Sent()
    sent.tensor("net.weight", [1.0])
    sent.event("zero_grad", "net", 9)
    sent.event("forward", "net", 10, {"net.running_mean": [0.5]})
    tape = take(sent.stream)
    assert [row.operation.at for row in tape.rows] == ["train.py:9"]
    assert tape.has_ended
    assert "unknown tensor net.running_mean" in tape.run.lost


@pytest.mark.parametrize("address", ["w", "w.grad"])
@pytest.mark.parametrize("value", [[1.0, 2.0], 1.0])
def test_a_value_of_another_shape_than_its_tensor_is_rejected(address, value):
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.event("backward", "loss", 7, {address: value}, loss=1.0)
    with pytest.raises(ScriptError, match="the tensor w with another shape or element type"):
        take(sent.stream)


def test_a_new_tensor_of_another_shape_by_a_known_name_is_rejected():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.tensor("w", [1.0, 2.0])
    with pytest.raises(ScriptError, match="the tensor w with another shape or element type"):
        take(sent.stream)


def test_an_optimizer_still_holds_what_it_held_before_a_group_was_added():
    sent = Sent()
    for name in ("old", "new", "more"):
        sent.tensor(name, [1.0])
    sent.optimizer("sgd", "SGD", ["old"])
    groups = [{"params": [name], "options": {}} for name in ("new", "more")]
    header = {"type": "optimizer", "name": "sgd", "kind": "SGD", "module": "torch.optim"}
    sent.stream += frame({**header, "groups": groups})
    assert take(sent.stream).run.optimizers["sgd"].groups == (("old", "new"), ("more",))


def test_a_second_backward_from_the_same_tensor_has_no_forward_of_its_own():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.graph("loss", *SQUARES)
    sent.event("backward", "loss", 7, {"w.grad": [2.0]}, loss=1.0)
    sent.event("backward", "loss", 8, {}, detail={"again": True}, error="RuntimeError: freed")
    rows = take(sent.stream).rows
    assert [type(row.operation) for row in rows] == [Forward, Backward, Backward]
    assert [(row.failed, row.message) for row in rows[1:]] == [
        (False, ""),
        (True, "RuntimeError: freed"),
    ]


def test_what_happens_inside_a_step_belongs_to_the_step():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("optimizer", "LBFGS", ["w"], lr=1)
    sent.event("zero_grad", "optimizer", 5, {}, depth=1)
    sent.event("backward", "loss", 6, {"w.grad": [2.0]}, depth=1, loss=1.5)
    sent.event("step", "optimizer", 9, {"w": [0.5]})
    (row,) = take(sent.stream).rows
    assert row.operation == Step(at="train.py:9")
    assert row.loss == 1.5
    assert set(row.writes) == {"w.grad", "w", "loss"}


def test_options_that_a_scheduler_sets_are_written_by_its_step():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("optimizer", "SGD", ["w"], lr=0.5, momentum=0.9)
    sent.optimizer("optimizer", "SGD", ["w"], lr=0.25, momentum=0.9)
    sent.event("scheduler_step", "scheduler", 9, detail={"optimizer": "optimizer"})
    tape = take(sent.stream)
    (row,) = tape.rows
    assert row.operation == SchedulerStep(at="train.py:9")
    assert row.writes == ("optimizer/lr",)
    assert row.message == "lr 0.5 -> 0.25"
    assert row.options == {"optimizer": [{"lr": 0.25, "momentum": 0.9}]}
    assert tape.run.schedulers == {"scheduler": "optimizer"}


def test_so_they_are_where_a_model_was_called_before_it():
    sent = Sent()
    sent.tensor("model.weight", [1.0])
    sent.optimizer("optimizer", "SGD", ["model.weight"], lr=0.5)
    sent.event("forward", "model", 8, detail={"grad": False})
    sent.optimizer("optimizer", "SGD", ["model.weight"], lr=0.25)
    sent.event("scheduler_step", "scheduler", 9, detail={"optimizer": "optimizer"})
    rows = take(sent.stream).rows
    assert [type(row.operation) for row in rows] == [ScriptCall, SchedulerStep]
    assert rows[1].message == "lr 0.5 -> 0.25"


def test_an_optimizer_whose_tensors_have_new_names_leaves_the_call_before_a_backward_its_forward():
    sent = two_optimizers()
    sent.event("forward", "model", 8)
    sent.tensor("model.weight (2)", [1.0, 2.0])
    sent.optimizer("first", "SGD", ["model.weight (2)"], lr=0.5)
    sent.event("backward", "loss", 9, {"model.weight (2).grad": [1.0, 2.0]}, loss=3.0)
    assert [type(row.operation) for row in take(sent.stream).rows] == [Forward, Backward]


def test_options_that_the_script_sets_itself_are_an_event_before_the_next():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("optimizer", "SGD", ["w"], lr=0.5)
    sent.optimizer("optimizer", "SGD", ["w"], lr=0.25)
    sent.event("step", "optimizer", 9)
    rows = take(sent.stream).rows
    assert [row.operation for row in rows] == [
        ScriptCall("options_by_hand"),
        Step(at="train.py:9"),
    ]


def test_a_module_that_is_cleared_is_cleared_for_the_optimizer_that_holds_it():
    sent = Sent()
    sent.tensor("model.weight", [1.0])
    sent.event("zero_grad", "model", 4)
    sent.optimizer("optimizer", "SGD", ["model.weight"], lr=0.5)
    sent.event("zero_grad", "model", 5, {"model.weight.grad": None})
    assert [row.operation for row in take(sent.stream).rows] == [
        ScriptCall("zero_grad", "model", at="train.py:4"),
        ZeroGrad(at="train.py:5"),
    ]


def test_a_call_in_another_mode_shows_that_the_mode_was_set():
    sent = Sent()
    sent.module("net", ["", "Net", "", True])
    sent.tensor("net.weight", [1.0])
    for training in (True, False, False, True):
        sent.event("forward", "net", 6, detail={"training": training, "grad": training})
    rows = take(sent.stream).rows
    assert [row.operation for row in rows if isinstance(row.operation, SetMode)] == [
        SetMode(training=False, module="net"),
        SetMode(training=True, module="net"),
    ]
    assert rows[1].writes == ("net.training",)


def test_a_mode_is_set_in_the_iteration_of_the_call_that_shows_it():
    sent = Sent()
    sent.module("net", ["", "Net", "", True])
    sent.tensor("net.weight", [1.0])
    for sent.iteration in (0, 1):
        sent.event("backward", "loss", 7, {"net.weight.grad": [1.0]}, loss=2.0)
        sent.event("forward", "net", 9, detail={"training": False, "grad": False})
        sent.event("forward", "net", 6, detail={"training": True, "grad": True})
    rows = take(sent.stream).rows
    assert [(type(row.operation), row.iteration) for row in rows] == [
        (Forward, 0),
        (Backward, 0),
        (SetMode, 0),
        (ScriptCall, 0),
        (SetMode, 1),  # the agent counts the call to iteration 0: the Backward begins the next
        (Forward, 1),
        (Backward, 1),
        (SetMode, 1),
        (ScriptCall, 1),
        (SetMode, 1),
        (ScriptCall, 1),
    ]


def test_a_step_inside_a_scalers_is_the_step_of_its_optimizer():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("opt", "SGD", ["w"], lr=0.5)
    sent.event("step", "opt", 0, {"w": [0.5]}, depth=1)
    sent.event("scaler_step", "scaler", 9)
    sent.event("scaler_step", "scaler", 9)
    rows = take(sent.stream).rows
    assert [row.operation for row in rows] == [
        Step("opt", at="train.py:9"),
        ScriptCall("scaler_step", "scaler", at="train.py:9"),
    ]
    assert rows[0].writes == ("w",)


def test_a_new_tensor_by_an_old_name_is_written_when_it_is_met():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.event("backward", "loss", 7, {"w.grad": [2.0]}, loss=1.0)
    sent.tensor("w", [5.0])
    sent.event("backward", "loss", 7, {"w.grad": [3.0]}, loss=1.0)
    tape = take(sent.stream)
    assert tape.run.initial["w"].tolist() == [1.0]
    assert [row.operation for row in tape.rows[2:3]] == [ScriptCall("new_tensors")]
    assert tape.rows[2].values["w"].tolist() == [5.0]
    assert tape.rows[2].values["w.grad"] is None
    assert tape.rows[4].reads == ("loss.graph",)


def test_an_optimizer_that_is_made_anew_has_no_state_and_options_of_its_own():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("opt", "SGD", ["w"], new=True, lr=0.5, momentum=0.9)
    sent.event("step", "opt", 8, {"w": [0.5], "opt/w/momentum_buffer": [1.0]})
    sent.optimizer("opt", "SGD", ["w"], new=True, lr=0.25, momentum=0.9)
    sent.event("step", "opt", 8, {"w": [0.25], "opt/w/momentum_buffer": [1.0]})
    rows = take(sent.stream).rows
    assert [row.operation for row in rows] == [
        Step("opt", at="train.py:8"),
        ScriptCall("new_optimizer", "opt"),
        Step("opt", at="train.py:8"),
    ]
    assert rows[1].values == {"opt/w/momentum_buffer": None}
    assert rows[1].writes == ("opt/w/momentum_buffer", "opt/lr")
    assert rows[1].options == {"opt": [{"lr": 0.25, "momentum": 0.9}]}


def test_an_optimizer_that_is_made_anew_just_as_it_was_is_no_event():
    sent = Sent()
    sent.tensor("w", [1.0])
    for _ in range(2):
        sent.optimizer("opt", "SGD", ["w"], new=True, lr=0.5)
        sent.event("step", "opt", 8, {"w": [0.5]})
    assert [type(row.operation) for row in take(sent.stream).rows] == [Step, Step]


def test_an_optimizer_that_is_made_anew_leaves_the_call_before_a_backward_its_forward():
    sent = two_optimizers()
    sent.event("forward", "model", 8)
    sent.optimizer("first", "SGD", ["model.weight"], new=True, lr=0.25)
    sent.event("backward", "loss", 9, {"model.weight.grad": [1.0]}, loss=3.0)
    rows = take(sent.stream).rows
    assert [row.operation for row in rows[:1]] == [ScriptCall("new_optimizer", "first")]
    assert [type(row.operation) for row in rows[1:]] == [Forward, Backward]


def test_an_optimizer_is_known_with_all_that_it_ever_holds():
    sent = Sent()
    for name in ("a", "b"):
        sent.tensor(name, [1.0])
        sent.optimizer("opt", "SGD", [name], lr=0.5)
    assert take(sent.stream).run.optimizers["opt"].groups == (("a", "b"),)


def test_a_tensor_that_has_changed_its_group_is_in_one():
    sent = Sent()
    for name in ("head", "body"):
        sent.tensor(name, [1.0])
    sent.optimizer("opt", "SGD", ["head"], lr=0.5)
    groups = [{"params": [name], "options": {"lr": 0.25}} for name in ("body", "head")]
    header = {"type": "optimizer", "name": "opt", "kind": "SGD", "module": "torch.optim"}
    sent.stream += frame({**header, "groups": groups})
    assert take(sent.stream).run.optimizers["opt"].groups == (("body",), ("head",))
    groups = [{"params": ["body"], "options": {}} for _ in range(2)]
    sent.stream += frame({**header, "groups": groups})
    with pytest.raises(ScriptError, match="opt holds a tensor in two groups"):
        take(sent.stream)


def test_a_group_that_is_added_has_its_own_first_options():
    sent = Sent()
    for name in ("a", "b"):
        sent.tensor(name, [1.0])
    sent.optimizer("opt", "SGD", ["a"], lr=0.5)
    groups = [{"params": [name], "options": {"lr": lr}} for name, lr in (("a", 0.25), ("b", 0.125))]
    header = {"type": "optimizer", "name": "opt", "kind": "SGD", "module": "torch.optim"}
    sent.stream += frame({**header, "groups": groups})
    (known,) = take(sent.stream).run.optimizers.values()
    assert known.groups == (("a",), ("b",))
    assert known.options == ({"lr": 0.5}, {"lr": 0.125})


def test_iterations_without_values_write_what_the_line_wrote_before():
    sent = descent(1, ends=False)
    sent.stream += frame({"type": "interval", "iterations": 2})
    sent.iteration = 1
    sent.event("zero_grad", "optimizer", 5)
    sent.event("backward", "loss", 7, loss=1.0)
    sent.event("step", "optimizer", 8)
    rows = take(sent.stream).rows[4:]
    assert [row.writes for row in rows] == [
        ("w.grad",), ("loss", "loss.graph"), ("w.grad", "loss.graph"), ("w",)
    ]  # fmt: skip
    assert rows[3].reads == ("optimizer/lr", "optimizer/momentum", "w", "w.grad")
    assert [row.values for row in rows] == [{"w.grad": None}, {}, {}, {}]


@pytest.mark.parametrize("kind", ["step", "scaler_step"])
def test_a_step_without_values_also_writes_what_has_had_a_gradient_only_since(kind):
    sent = Sent()
    for name in ("a", "b"):
        sent.tensor(name, [1.0])
    sent.optimizer("optimizer", "SGD", ["a", "b"], lr=1.0)
    for iteration, reached in enumerate((["a"], ["a", "b"])):
        sent.iteration = iteration
        taken = not iteration
        sent.graph("loss", *[(n, "A", [], name) for n, name in enumerate(reached)])
        detail = {"leaves": reached}
        sent.event("backward", "loss", 7, {"a.grad": [1.0]} if taken else {}, detail=detail)
        sent.event("step", "optimizer", 8, {"a": [0.0]} if taken else {}, depth=kind != "step")
        if kind != "step":
            sent.event("scaler_step", "scaler", 8)
        sent.stream += frame({"type": "interval", "iterations": 2})
    rows = take(sent.stream).rows
    assert [row.writes for row in rows if isinstance(row.operation, Step)] == [("a",), ("a", "b")]


def two_networks():
    """Return a script with two networks, at the level of events."""
    sent = Sent("events")
    for name in ("a", "b"):
        sent.tensor(name, [1.0])
    return sent


def written_by_backwards(sent):
    """Return what each Backward wrote, and what the Forward of its loss read."""
    rows = take(sent.stream).rows
    backwards = [row.writes[0] for row in rows if isinstance(row.operation, Backward)]
    forwards = [row.reads for row in rows if isinstance(row.operation, Forward)]
    return backwards, forwards


def test_a_backward_on_a_line_with_several_graphs_says_which_leaves_it_reaches():
    sent = two_networks()
    for turn in range(4):
        name = "ab"[turn % 2]
        if turn < 2:
            sent.graph("loss", (0, "A", [], name), file="/home/ada/train.py", line=7)
        sent.event("backward", "loss", 7, loss=1.0, detail={"leaves": [name]})
    assert written_by_backwards(sent) == (
        ["a.grad", "b.grad", "a.grad", "b.grad"], [("a",), ("b",), ("a",), ("b",)]
    )  # fmt: skip


def test_losses_of_one_name_have_the_graphs_of_their_lines():
    sent = two_networks()
    for name, line in (("a", 7), ("b", 9)):
        sent.graph("loss", (0, "A", [], name), file="/home/ada/train.py", line=line)
        sent.event("backward", "loss", line, loss=1.0)
    for line in (7, 9):
        sent.event("backward", "loss", line, loss=1.0)
    assert written_by_backwards(sent) == (
        ["a.grad", "b.grad", "a.grad", "b.grad"], [("a",), ("b",), ("a",), ("b",)]
    )  # fmt: skip


def test_a_graph_that_was_sent_while_the_script_was_held_is_that_of_the_next_backward():
    sent = two_networks()
    for name, line in (("a", 7), ("b", 9)):
        sent.graph("loss", (0, "A", [], name), file="/home/ada/train.py", line=line)
        sent.event("backward", "loss", line, loss=1.0)
    sent.graph("loss", (0, "B", [], "b"))
    sent.event("backward", "loss", 7, loss=1.0)
    assert written_by_backwards(sent) == (["a.grad", "b.grad", "b.grad"], [("a",), ("b",), ("b",)])


def test_an_error_inside_an_operation_is_not_the_one_of_the_event_before():
    sent = descent(1, ends=False)
    sent.event("forward", "block", 3, depth=1, error="StopRecomputation: early")
    assert [row.failed for row in take(sent.stream).rows] == [False] * 4


def test_clipping_names_the_optimizer_of_the_clipped_gradients():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("opt", "SGD", ["w"], lr=0.5)
    sent.event("clip_grad_norm", "", 6, {"w.grad": [1.0]}, detail={"limit": 1})
    (row,) = take(sent.stream).rows
    assert row.operation == ClipGradNorm(1.0, "opt", at="train.py:6")


@pytest.mark.parametrize(
    ("sent_type", "operation"),
    [
        (1, ClipGradNorm(1.0, "opt", 1.0, at="train.py:6")),
        ("inf", ClipGradNorm(1.0, "opt", math.inf, at="train.py:6")),
        (0, ScriptCall("clip_grad_norm", "", at="train.py:6")),
        ("two", ScriptCall("clip_grad_norm", "", at="train.py:6")),
    ],
)
def test_clipping_by_another_norm_is_told_as_such(sent_type, operation):
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("opt", "SGD", ["w"], lr=0.5)
    detail = {"limit": 1, "norm_type": sent_type}
    sent.event("clip_grad_norm", "", 6, {"w.grad": [1.0]}, detail=detail)
    (row,) = take(sent.stream).rows
    assert row.operation == operation


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (lambda sent: sent.event("step", "o", 1, {"stranger": [1.0]}), "unknown tensor stranger"),
        (lambda sent: sent.event("step", "o", 1, {"x.grad": [1.0]}), "unknown tensor x.grad"),
        (lambda sent: sent.event("step", "o", 1, {"o/w/step": 1}), "unknown tensor o/w/step"),
        (lambda sent: sent.optimizer("o", "SGD", ["stranger"]), "unknown tensor stranger"),
        (lambda sent: sent.graph("loss", (0, "A", [0], "")), "the graph of loss"),
        (
            lambda sent: sent.graph("loss", (0, "A", [1], ""), (1, "B", [1], "")),
            "which has a cycle",
        ),
        (lambda sent: sent.graph("loss", (0, "A", [], "stranger")), "unknown tensor stranger"),
        (
            lambda sent: sent.event("backward", "loss", 1, detail={"leaves": ["w"]}),
            "the leaves of loss",
        ),
    ],
)
def test_what_refers_to_something_that_was_never_sent_is_rejected(break_it, reason):
    sent = Sent()
    break_it(sent)
    with pytest.raises(ScriptError, match=reason):
        take(sent.stream)


def test_a_graph_in_which_a_later_node_points_to_an_earlier_one_is_put_in_order():
    sent = Sent()
    sent.tensor("w", [1.0])
    nodes = ((0, "Add", [1, 3], ""), (1, "Mul", [2], ""), (2, "Leaf", [], "w"), (3, "Exp", [2], ""))
    sent.graph("loss", *nodes)
    (graph,) = take(sent.stream).run.graphs
    assert graph == (("Add", (2, 1), ""), ("Exp", (3,), ""), ("Mul", (3,), ""), ("Leaf", (), "w"))


def test_a_script_of_another_protocol_is_rejected():
    stream = bytes(Sent().stream).replace(b'"protocol": 1', b'"protocol": 9')
    with pytest.raises(ScriptError, match="protocol 9 instead of 1"):
        take(stream)


def test_a_tensor_that_an_optimizer_holds_twice_is_held_once():
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("opt", "SGD", ["w", "w"], lr=0.5)
    assert take(sent.stream).run.optimizers["opt"].groups == (("w",),)


# -- modes that are set ------------------------------------------------------------------------

PATHS = ("", "body", "body.norm", "head")


def network(sent, *, name="model", training=True):
    sent.module(name, *([path, "Module", "", training] for path in PATHS))
    if f"{name}.head.weight" not in sent.known:
        sent.known.add(f"{name}.head.weight")
        sent.tensor(f"{name}.head.weight", [1.0])


def with_network(**more):
    sent = Sent()
    sent.known = set()
    network(sent, **more)
    return sent


def set_modes(sent, line, **modes):
    """Send that a line has left the model in these modes; "model" stands for its root."""
    rows = [[path.replace("model", "").replace("_", "."), mode] for path, mode in modes.items()]
    header = {"type": "modes", "name": "model", "file": "/home/ada/train.py", "line": line}
    sent.stream += frame({**header, "modes": rows})


def trained(sent, *, training=True, meanwhile=lambda: None):
    sent.event("forward", "model", 10, detail={"training": training, "grad": True})
    meanwhile()
    sent.event("backward", "loss", 12, {"model.head.weight.grad": [2.0]}, loss=3.0)


def operations(sent):
    return [row.operation for row in take(sent.stream).rows]


FORWARD, BACKWARD = Forward("loss", at="train.py:10"), Backward("loss", at="train.py:12")


def test_a_mode_is_set_at_its_line_before_what_came_next():
    sent = with_network()
    set_modes(sent, 7, model=False)
    sent.event("zero_grad", "model", 8)
    trained(sent, training=False)
    assert operations(sent) == [
        SetMode(training=False, module="model", at="train.py:7"),
        ScriptCall("zero_grad", "model", at="train.py:8"),
        FORWARD,
        BACKWARD,
    ]


def test_a_mode_that_is_set_between_a_call_and_its_backward_is_set_there():
    sent = with_network()
    trained(sent, meanwhile=lambda: set_modes(sent, 11, model=False))
    set_modes(sent, 13, model=True)
    trained(sent)
    off = SetMode(training=False, module="model", at="train.py:11")
    on = SetMode(training=True, module="model", at="train.py:13")
    assert operations(sent) == [FORWARD, off, BACKWARD, on, FORWARD, BACKWARD]


def test_a_mode_that_is_set_inside_a_step_is_set_before_it():
    sent = with_network()
    sent.optimizer("optimizer", "SGD", ["model.head.weight"], lr=0.5)
    sent.event("forward", "model", 10, depth=1, detail={"training": True, "grad": True})
    set_modes(sent, 11, model=False)
    sent.event("backward", "loss", 12, depth=1)
    sent.event("step", "optimizer", 14)
    off = SetMode(training=False, module="model", at="train.py:11")
    assert operations(sent) == [off, Step(at="train.py:14")]


def test_parts_that_are_left_in_another_mode_are_set_back_in_one_event():
    sent = with_network(training=False)
    set_modes(sent, 7, model=True, body_norm=False, head=False)
    sent.event("zero_grad", "model", 8)
    set_modes(sent, 9, model=True, head=False)
    trained(sent)
    whole, parts, norm = take(sent.stream).rows[0], *take(sent.stream).rows[1:4:2]
    assert whole.operation == SetMode(training=True, module="model", at="train.py:7")
    assert whole.writes == ("model.training",)
    assert parts.operation == SetMode(training=False, module="model.body.norm", at="train.py:7")
    assert parts.writes == ("model.body.norm.training", "model.head.training")
    assert norm.operation == SetMode(training=True, module="model.body.norm", at="train.py:9")


def test_a_part_that_is_called_alone_is_in_the_mode_that_the_whole_was_put_in():
    sent = with_network()
    detail = {"training": False, "grad": False}
    set_modes(sent, 7, model=False)
    sent.event("forward", "model.body", 8, detail=detail)
    sent.event("forward", "model", 9, detail=detail)
    off, *calls = operations(sent)
    assert off == SetMode(training=False, module="model", at="train.py:7")
    assert [call.name for call in calls] == ["model.body", "model"]


def test_modes_that_the_modules_are_in_are_no_event():
    sent = with_network()
    set_modes(sent, 7, model=True)
    trained(sent)
    assert operations(sent) == [FORWARD, BACKWARD]


def test_the_last_mode_is_set_when_the_script_ends():
    sent = with_network()
    trained(sent)
    set_modes(sent, 14, model=False)
    sent.bye()
    assert operations(sent)[2:] == [SetMode(training=False, module="model", at="train.py:14")]


def test_a_new_model_by_a_known_name_is_in_the_modes_that_it_is_met_in():
    sent = with_network()
    trained(sent)
    set_modes(sent, 14, model=False)
    sent.event("forward", "model", 15, detail={"training": False, "grad": False})
    network(sent)
    trained(sent)
    assert operations(sent)[3:] == [
        ScriptCall("forward", "model", has_grad=False, at="train.py:15"),
        SetMode(training=True, module="model"),
        FORWARD,
        BACKWARD,
    ]


def test_what_is_met_after_a_mode_was_set_is_met_after_that_event():
    sent = with_network()
    trained(sent)
    set_modes(sent, 14, model=False)
    sent.tensor("late", [1.0])
    assert take(sent.stream).run.met == {"late": 3}


def test_a_module_that_is_met_in_evaluation_mode_is_noticed():
    assert take(with_network().stream).run.notices == []
    (notice,) = take(with_network(training=False).stream).run.notices
    assert (notice.what, notice.name, notice.event) == ("evaluation", "model", 1)


def test_the_modes_of_a_module_that_was_never_described_are_rejected():
    sent = Sent()
    set_modes(sent, 7, model=False)
    with pytest.raises(ScriptError, match="the modes of the unknown module model"):
        take(sent.stream)


def test_the_module_trees_show_the_modes_at_each_moment():
    sent = with_network()
    set_modes(sent, 7, model=False, head=True)
    trained(sent, training=False)
    tape = take(sent.stream)
    modules = MirroredModules(tape, tape.run.modules, ())

    def modes(position):
        (model,) = modules.described(position)
        body, head = model.children
        return [part.training for part in (model, body, *body.children, head)]

    assert [row.operation.training for row in tape.rows[:2]] == [False, True]
    assert [modes(position) for position in range(3)] == [
        [True] * 4,
        [False] * 4,
        [False, False, False, True],
    ]
