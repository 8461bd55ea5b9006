"""What is a mistake in a person's own script, and what only looks like one."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.script.mirror import Mirror
from tests.core.diagnostics.facts.sent_loops import NAMES, Loop, debug, fact, found, repeat
from tests.core.script.sent_frames import frame, take

CLEARED = {"changed": ["model.bias.grad"]}

# -- what is sound -----------------------------------------------------------------------------


def test_a_usual_loop_has_no_facts():
    assert found(repeat(4, lambda loop: loop.zero().call().backward().step())) == []


@pytest.mark.parametrize("every", [2, 3])
def test_gradients_that_add_up_before_a_step_are_no_mistake(every):
    def turn(loop):
        loop.call().backward()
        if loop.iteration % every == every - 1:
            loop.step().zero()

    assert found(repeat(7, turn)) == []


def test_a_gradient_that_another_backward_left_and_zero_grad_cleared_is_no_mistake():
    def turn(loop):  # a GAN: the generator's Backward also writes what the discriminator holds
        loop.zero().backward(*NAMES).step()
        loop.backward("g", *NAMES).step("opt_g", ["g"]).zero("opt_g", names=["g"])

    loop = Loop("g")
    loop.optimizer("opt_g", "SGD", ["g"], lr=1.0)
    assert found(repeat(4, turn, loop)) == []


def test_two_optimizers_of_one_parameter_by_turns_are_no_mistake():
    loop = Loop()
    loop.optimizer("other", "SGD", list(NAMES), lr=1.0)

    def turn(loop):
        name = ("optimizer", "other")[loop.iteration // 2]
        loop.zero(name).backward().step(name)

    assert found(repeat(4, turn, loop)) == []


def test_gradients_that_are_only_looked_at_are_no_mistake():
    loop = repeat(2, lambda loop: loop.zero().backward().step())
    for iteration in range(2, 5):
        loop.then(iteration).zero().backward()
    assert found(loop) == []


def test_a_step_that_a_scaler_leaves_out_is_no_mistake():
    loop = Loop()
    for iteration in range(3):
        loop.then(iteration).zero().backward()
        if iteration:
            loop.step(depth=1)
        loop.event("scaler_step", "scaler", 9, detail={"scale": 4.0})
        loop.event("scheduler_step", "scheduler", 10, detail={"optimizer": "optimizer"})
    assert found(loop) == []


def test_infinite_gradients_that_a_scaler_sees_to_are_no_mistake():
    loop = Loop()
    loop.source("/home/ada/train.py", "scaler = torch.amp.GradScaler('cpu')")
    loop.zero().event("backward", "loss", 7, {"model.weight.grad": [np.inf, 1.0]}, loss=np.inf)
    loop.event("scaler_step", "scaler", 9, detail={"scale": 4.0})
    assert found(loop) == []


def test_an_infinite_buffer_is_no_mistake():
    loop = Loop()
    loop.tensor("model.mask", [0.0, -np.inf], buffer=True, trained=False)
    assert found(repeat(3, lambda loop: loop.zero().backward().step(), loop)) == []


def test_parameters_left_out_of_the_optimizer_are_no_mistake():
    def turn(loop):
        loop.zero(names=NAMES[:1]).backward().step(held=NAMES[:1])

    assert found(repeat(3, turn, Loop(held=NAMES[:1]))) == []


def test_a_plot_of_a_schedule_is_no_mistake():
    def turn(loop):
        loop.step().event("scheduler_step", "s", 9, detail={"optimizer": "optimizer"})

    assert found(repeat(4, turn)) == []


def test_a_scheduler_that_is_taken_to_where_it_was_is_no_mistake():
    loop = Loop()
    for _ in range(3):
        loop.event("scheduler_step", "s", 3, detail={"optimizer": "optimizer"})
    for iteration in range(3):
        loop.then(iteration).zero().backward().step()
        loop.event("scheduler_step", "s", 9, detail={"optimizer": "optimizer"})
    assert found(loop) == []


@pytest.mark.parametrize("cleared", [None, [0.0, 0.0]])
def test_updates_and_clearing_by_hand_are_a_step_and_a_zero_grad(cleared):
    def turn(loop):
        loop.backward("w").by_hand("update", w=[1.0 - loop.iteration, 2.0])
        loop.by_hand("clear", w__grad=cleared).grads.clear()

    loop = Loop("w", held=())
    assert found(repeat(4, turn, loop)) == []


def test_gradients_that_are_changed_by_hand_are_the_persons_own_matter():
    def turn(loop):
        loop.backward().by_hand("gradient", model__weight__grad=[0.5, 0.5])
        loop.by_hand("gradient", model__bias__grad=[0.5, 0.5]).step()

    assert found(repeat(3, turn)) == []


def test_a_model_that_is_evaluated_and_trained_again_is_no_mistake():
    def turn(loop):
        loop.zero().call().backward().step().call(training=False)

    assert found(repeat(3, turn)) == []


def test_a_step_of_an_own_optimizer_class_needs_no_gradient():
    loop = Loop(kind="Evolution", module="train")
    assert found(repeat(3, lambda loop: loop.zero().call().step(), loop)) == []


def test_a_line_that_trains_two_models_by_turns_without_values_is_no_mistake():
    loop = Loop("net.weight", level="events")
    loop.optimizer("other", "SGD", ["net.weight"], lr=1.0)
    for iteration in range(12):
        name = ("optimizer", "other")[iteration // 3 % 2]
        loop.then(iteration).event("zero_grad", name, 5)
        loop.event("forward", "model", 6, detail={"training": True, "grad": True})
        loop.event("backward", "loss", 7, loss=1.0)
        loop.event("step", name, 8)
    assert found(loop) == []


def test_steps_inside_a_backward_are_no_loss_without_parameters():
    loop = Loop()
    for number in range(3):
        loop.then(number).call()
        loop.event("step", "optimizer", 4, {name: [number, 1.0] for name in NAMES}, depth=1)
        loop.event("backward", "loss", 7, loss=1.0)
    debugger = debug(loop)
    assert debugger.findings == ()
    assert debugger.program.tensors["model.bias"]._array.tolist() == [2.0, 1.0]


def test_losses_whose_gradients_are_combined_by_hand_are_no_mistake():
    def turn(loop):
        loop.zero().backward().zero().backward().zero()
        loop.by_hand("gradient", model__weight__grad=[1.0, 1.0], model__bias__grad=[1.0, 1.0])
        loop.grads = {name: np.ones(2, np.float32) for name in NAMES}
        loop.step()

    assert found(repeat(4, turn)) == []


def test_a_new_model_by_the_same_name_has_gradients_of_its_own():
    def fold(loop):
        loop.call().backward().step().call(training=False)
        for name, value in loop.values.items():
            loop.tensor(name, value)
        loop.grads.clear()

    assert found(repeat(3, fold)) == []


def test_an_error_inside_an_operation_that_it_does_not_leave_is_none():
    loop = Loop()
    loop.zero().event("forward", "model", 6, depth=1, error="_StopRecomputationError: ")
    loop.backward().step()
    assert found(repeat(2, lambda loop: loop.zero().backward().step(), loop)) == []


# -- what is wrong -----------------------------------------------------------------------------


def test_a_forgotten_zero_grad_is_found_at_its_lines():
    finding = fact(repeat(3, lambda loop: loop.call().backward().step()))
    assert (finding.id, finding.events) == ("grad-accumulated", (3, 5, 6, 8, 9))
    assert finding.detail == (
        "Step #3 (train.py:8) had used .grad of model.weight and model.bias. Backward #5 "
        "(train.py:7) added to it. Step #6 (train.py:8) used the sum of an old and a new "
        "gradient: nothing cleared it in between."
    )
    assert finding.remedy == (
        "Clear them before the first Backward of each update (train.py:7): call "
        "optimizer.zero_grad(). If the "
        "sum is intended, note it in a comment: # gradstep: gradient_accumulation"
    )
    assert finding.trial == ""


def test_of_several_losses_of_an_update_the_first_backward_is_named():
    finding = fact(repeat(3, lambda loop: loop.backward().backward().step()))
    assert (finding.id, finding.events[:3]) == ("grad-accumulated", (5, 7, 10))


def test_the_backward_of_another_loss_between_two_updates_is_not_the_one_to_clear_before():
    def turn(loop):  # the loss of an actor also writes what the critic holds
        loop.backward().step()
        loop.event("backward", "actor_loss", 9, loop.gradients("actor", *NAMES), loss=1.0)
        loop.step("actor_optimizer", ["actor"], line=10).zero("actor_optimizer", names=["actor"])

    loop = Loop("actor")
    loop.optimizer("actor_optimizer", "SGD", ["actor"], lr=1.0)
    finding = fact(repeat(3, turn, loop))
    assert (finding.id, finding.events[:3]) == ("grad-accumulated", (3, 9, 10))
    assert "): call optimizer.zero_grad(). " in finding.remedy


def test_gradients_that_a_scaler_unscales_inside_of_a_step_are_followed():
    def turn(loop):
        loop.call().backward()
        unscaled = {f"{name}.grad": loop.grads[name] for name in NAMES}
        moved = {name: loop.values[name] - loop.iteration for name in NAMES}
        loop.event("step", "optimizer", 8, {**unscaled, **moved})

    finding = fact(repeat(3, turn))
    assert (finding.id, finding.events[:3]) == ("grad-accumulated", (3, 5, 6))


def test_a_comment_of_the_script_says_that_a_sum_is_meant():
    loop = Loop()
    loop.source("/home/ada/train.py", "# gradstep: gradient_accumulation\nimport torch\n")
    assert found(repeat(3, lambda loop: loop.call().backward().step(), loop)) == []


def test_a_raw_tensor_whose_gradient_is_not_cleared_is_found():
    loop = Loop("w", held=())
    finding = fact(repeat(3, lambda loop: loop.backward("w").by_hand("update", w=[5.0, 5.0]), loop))
    assert finding.id == "grad-accumulated"
    assert finding.detail.startswith(
        "The update by hand #3 (before train.py:7) had used .grad of w."
    )
    assert "): set .grad of w to None. " in finding.remedy


def test_a_zero_grad_between_backward_and_step_is_found():
    for to_none in (True, False):
        loop = repeat(3, lambda loop, to=to_none: loop.call().backward().zero(to_none=to).step())
        finding = fact(loop)
        assert (finding.id, finding.events[:3]) == ("grad-discarded", (2, 3, 4))
        assert "Move the line that clears them (train.py:5) before the Backward" in finding.remedy


def test_a_loop_without_step_is_found():
    finding = fact(repeat(9, lambda loop: loop.zero().call().backward()))
    assert (finding.id, finding.events[:3]) == ("step-missing", (3, 21, 22))
    assert "optimizer.step() was not called" in finding.detail
    assert finding.remedy == "Call optimizer.step() after the Backward (train.py:7)."


def test_a_step_that_is_written_and_never_reached_is_named():
    loop = Loop()
    loop.source("/home/ada/train.py", "import torch\n\nif n % 40 == 0:\n    optimizer.step()\n")
    finding = fact(repeat(9, lambda loop: loop.zero().call().backward(), loop))
    assert "optimizer.step() (train.py:4) was not reached" in finding.detail
    assert finding.remedy.startswith("Check what optimizer.step() (train.py:4) depends on")
    assert finding.edit == ""


def test_a_loop_without_step_and_zero_grad_is_found_at_its_end():
    loop = repeat(8, lambda loop: loop.call().backward())
    assert found(loop) == []
    loop.bye()
    finding = fact(loop)
    assert (finding.id, finding.events) == ("step-missing", (2, 16))
    assert "up to #16 (train.py:7) no Step had used it" in finding.detail


@pytest.mark.parametrize(("times", "status"), [(5, 0), (8, 1)])
def test_a_short_loop_or_an_error_may_have_come_before_the_first_step(times, status):
    loop = repeat(times, lambda loop: loop.call().backward())
    loop.bye(status)
    assert found(loop) == []


def test_no_window_of_accumulation_has_a_hundred_iterations():
    finding = fact(repeat(102, lambda loop: loop.call().backward()))
    assert (finding.id, finding.events[:2]) == ("step-missing", (2, 202))


def of_two_optimizers(text, *, steps_other=False):
    """Return a script with a second optimizer, of the bias, that is cleared in each iteration."""
    loop = Loop(held=NAMES[:1])
    loop.optimizer("other", "SGD", ["model.bias"], lr=1.0)
    loop.source("/home/ada/train.py", text)

    def turn(loop):
        loop.zero(names=NAMES[:1]).zero("other", names=NAMES[1:]).call().backward()
        loop.step(held=NAMES[:1])
        if steps_other and loop.iteration == 7:
            loop.step("other", NAMES[1:])

    return repeat(9, turn, loop)


def test_one_of_two_optimizers_that_no_line_steps_is_found():
    finding = fact(of_two_optimizers("optimizer.step()\n"))
    assert (finding.id, finding.subjects) == ("step-missing", ("model.bias",))
    assert "other.step() was not called" in finding.detail


@pytest.mark.parametrize("text", ["optimizer.step()\nother.step()\n", "for o in all: o.step()\n"])
def test_one_that_a_line_may_step_later_is_not(text):
    assert found(of_two_optimizers(text)) == []
    assert found(of_two_optimizers("optimizer.step()\n", steps_other=True)) != []


def test_one_by_means_of_which_a_wrapper_steps_is_not():
    loop = Loop(held=())
    loop.source("train.py", "opt.step()\n")
    loop.optimizer("opt.base", "SGD", list(NAMES), lr=1.0)
    loop.optimizer("opt", "Lookahead", list(NAMES), module="__main__", lr=1.0)
    assert found(repeat(9, lambda loop: loop.zero("opt.base").backward().step("opt"), loop)) == []


def test_a_step_before_its_backward_is_one_fact():
    finding = fact(repeat(3, lambda loop: loop.zero().call().step().backward()))
    assert (finding.id, finding.events) == ("step-without-grad", (3, 8, 13))


def test_the_second_of_two_steps_may_be_meant_for_the_optimizer_that_never_steps():
    loop = Loop(held=NAMES[:1])
    loop.optimizer("other", "SGD", ["model.bias"], lr=1.0)

    def turn(loop):
        loop.zero().backward().step(held=NAMES[:1]).step(held=NAMES[:1], line=9)

    finding = fact(repeat(2, turn, loop))
    assert finding.id == "grad-reused"
    assert finding.remedy.endswith("other was not stepped: it may be meant instead.")


def test_a_loop_without_backward_is_found():
    finding = fact(repeat(3, lambda loop: loop.zero().call().step()))
    assert (finding.id, finding.events) == ("step-without-grad", (3, 6, 9))


def test_two_steps_with_one_gradient_are_found():
    finding = fact(repeat(3, lambda loop: loop.zero().backward().step().step(line=9)))
    assert (finding.id, finding.events[:3]) == ("grad-reused", (3, 4, 5))


def test_two_optimizers_that_use_one_gradient_are_found():
    loop = Loop()
    loop.optimizer("other", "Adam", ["model.bias"], lr=1.0)
    turn = lambda loop: loop.zero().backward().step().step("other", ["model.bias"])  # noqa: E731
    finding = fact(repeat(3, turn, loop))
    assert (finding.id, finding.subjects) == ("optimizer-duplicate", ("model.bias",))
    assert "by optimizer and other" in finding.detail


def test_the_parameters_of_another_model_are_found():
    loop = Loop("old.weight", held=["old.weight"])
    finding = fact(repeat(3, lambda loop: loop.zero().call().backward().step(held=()), loop))
    assert (finding.id, finding.subjects) == ("optimizer-foreign", NAMES)
    assert "Pass the parameters of the model that computes the loss to optimizer." in finding.remedy


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("out = model(x).detach()", "detach() in train.py:3 cuts the graph: it has the values "),
        ("out = model(x)", "If out is computed by a model, look in the lines before train.py:7 "),
        ("other = model(x)", "Pass the parameters of the model that computes the loss to opt"),
    ],
)
def test_a_leaf_that_a_script_makes_of_an_output_is_not_said_to_be_a_parameter(line, remedy):
    loop = Loop("out")
    code = f"import torch\nfor x in data:\n    {line}\n    loss = f(out)\n\n\n    loss.backward()\n"
    loop.source("train.py", code)
    finding = fact(repeat(3, lambda loop: loop.zero().call().backward("out").step(held=()), loop))
    assert (finding.id, finding.subjects) == ("optimizer-foreign", ("out",))
    assert finding.remedy.startswith(remedy)
    assert "Pass the parameters of the model that computes the loss to opt" in finding.remedy


def test_an_optimizer_that_holds_what_another_loss_trains_is_found():
    loop = Loop("net.weight")
    loop.optimizer("other", "SGD", list(NAMES), lr=1.0)

    def turn(loop):
        loop.zero().call().backward().step().zero("other")
        loop.event("backward", "second", 11, loop.gradients("net.weight"), loss=1.0)
        loop.step("other", (), line=12)

    finding = fact(repeat(3, turn, loop))
    assert (finding.id, finding.subjects) == ("optimizer-foreign", ("net.weight",))
    assert "other holds other parameters, which it did not reach" in finding.detail


@pytest.mark.parametrize("old", ["tensor", "model.weight"])
def test_an_optimizer_of_replaced_layers_is_found(old):
    held = (old, "model.bias")
    new = "model.weight (2)" if old in NAMES else "model.weight"
    loop = Loop(*{old, new}.difference(NAMES), held=held)
    turn = lambda loop: loop.zero(names=held).backward(new, "model.bias").step(held=held)  # noqa: E731
    finding = fact(repeat(3, turn, loop))
    assert (finding.id, finding.subjects) == ("optimizer-stale", (new,))
    assert finding.remedy.startswith("Create optimizer after the model is complete")


def test_an_optimizer_of_which_every_parameter_was_replaced_is_found():
    new = tuple(f"{name} (2)" for name in NAMES)
    turn = lambda loop: loop.zero().call().backward(*new).step(held=())  # noqa: E731
    debugger = debug(repeat(9, turn, Loop(*new)))
    (finding,) = [item for item in debugger.findings if item.severity != "suspicion"]
    assert (finding.id, finding.subjects) == ("optimizer-stale", new)


def test_a_loss_that_reaches_nothing_is_found():
    loop = Loop()
    loop.zero().call().event("backward", "loss", 7, {}, loss=1.0)
    finding = fact(loop.step())
    assert (finding.id, finding.events) == ("not-connected", (3,))


LOSS = """import torch
torch.set_grad_enabled(False)
with torch.no_grad():
    v = model(x)
y = model({})
loss = y{}
loss.backward()
"""
UNCONNECTED = "RuntimeError: element 0 of tensors does not require grad"


@pytest.mark.parametrize(
    ("taken", "end", "line", "detail", "remedy"),
    [
        ("x", "", 5, "gradients were disabled when model was called (train.py:5).",
         "set_grad_enabled(False) in train.py:2 stays in force: evaluate inside of with"),
        ("v", "", 4, "gradients were disabled when model was called (train.py:4).",
         "Compute the loss outside of what disables gradients in train.py:3. "),
        ("x", ".item()", 4, "the graph of loss leads back to none.",
         "item() in train.py:6 cuts the graph: it returns a number without a graph, so "),
        ("x", "", 4, "the graph of loss leads back to none.",
         "Look in the lines before train.py:7 for what cuts the graph: item(), "),
    ],
)  # fmt: skip
def test_what_cut_the_graph_of_a_loss_is_said(taken, end, line, detail, remedy):
    loop = Loop().zero()
    loop.source("train.py", LOSS.format(taken, end))
    loop.event("forward", "model", line, detail={"training": True, "grad": False})
    finding = fact(loop.backward(error=UNCONNECTED))
    assert finding.id == "not-connected"
    assert finding.detail.endswith(f"from loss reached no parameter: {detail}")
    assert finding.remedy.startswith(remedy)
    assert finding.remedy.endswith("Setting requires_grad on the loss itself connects nothing.")


def test_a_loss_of_frozen_parameters_is_said_to_be_one():
    class Frozen(Loop):
        def tensor(self, name, value):
            super().tensor(name, value, trained=False)

    finding = fact(Frozen(held=()).call().backward(error=UNCONNECTED))
    assert ": all parameters of model are frozen (requires_grad is False)." in finding.detail
    assert finding.remedy.startswith("Freeze only the parameters of model that are to keep")


@pytest.mark.parametrize(
    ("message", "id_"),
    [
        ("Trying to backward through the graph a second time", "graph-freed"),
        ("element 0 of tensors does not require grad", "not-connected"),
        ("modified by an inplace operation: [4] is at version 2. Hint: x", "inplace-after-save"),
    ],
)
def test_a_backward_that_fails_is_explained(message, id_):
    finding = fact(Loop().zero().call().backward(error=f"RuntimeError: {message}"))
    assert finding.id == id_
    assert "Backward #3 (train.py:7)" in finding.detail
    assert "Hint" not in finding.detail


@pytest.mark.parametrize(
    ("message", "what", "name", "reason", "remedy"),
    [
        ("a second time", "carried", "hidden", "that Backward had freed", "Detach hidden after ea"),
        ("inplace operation", "carried", "hidden", "a Step had changed", "Detach hidden after eac"),
        ("a second time", "kept", "features", "that Backward had freed", "Compute features again"),
        ("a second time", "carried", "loss", "that Backward had freed", "Call backward() on the l"),
    ],
)
def test_what_brings_an_earlier_graph_into_a_backward_is_named(message, what, name, reason, remedy):
    loop = Loop().zero().call().backward().step().then(1).zero().call()
    loop.stream += frame({"type": "noticed", "what": what, "name": name, "target": "loss"})
    finding = fact(loop.backward(error=f"RuntimeError: {message}"))
    assert (finding.id, finding.subjects) == ("graph-carried", (name,))
    assert f"went back through {name} into the graph of an earlier Backward" in finding.detail
    assert reason in finding.detail
    assert finding.remedy.startswith(remedy)


def test_what_was_noticed_at_an_earlier_backward_does_not_explain_a_later_one():
    loop = Loop().zero().call()
    loop.stream += frame({"type": "noticed", "what": "kept", "name": "h", "target": "loss"})
    loop.backward().step().then(1).zero().call()
    assert fact(loop.backward(error="RuntimeError: a second time")).id == "graph-freed"


@pytest.mark.parametrize(
    ("lost", "is_found"),
    [([3, 3, 3], True), ([3, 3], False), ([3, 1, 3, 1], False), ([0, 0, 0, 0], False)],
)
def test_sums_that_are_cleared_in_each_iteration_are_found(lost, is_found):
    loop = Loop()
    iteration = 0
    for count in lost:
        for _ in range(count + 1):
            loop.then(iteration).zero().call().backward()
            iteration += 1
        loop.step()
    assert ("sum-cleared" in [item.id for item in debug(loop).findings]) == is_found


def test_a_backward_of_which_only_a_part_is_cleared_is_not_lost():
    def turn(loop):  # as where a layer is not to train at first
        loop.zero().call().backward()
        loop.event("clear_by_hand", "", 9, {"model.bias.grad": None}, detail=CLEARED)
        loop.grads.pop("model.bias")
        loop.step()

    assert found(repeat(6, turn)) == []


def test_a_result_that_took_the_name_of_a_parameter_is_found():
    loop = Loop().zero().call().backward().step().then(1).zero().call()
    loop.stream += frame({"type": "noticed", "what": "rebound", "name": "w", "target": "loss"})
    finding = fact(loop.backward(error="RuntimeError: element 0 does not require grad"))
    assert (finding.id, finding.subjects) == ("parameter-rebound", ("w",))
    assert "was assigned to w, and took the place of the parameter" in finding.detail
    assert "no parameter was reached from loss by Backward #" in finding.detail


def test_a_result_that_took_the_name_of_a_parameter_is_found_where_its_gradient_is_missing():
    loop = Loop().zero().call().backward()
    debugger = debug(loop)
    assert not [item for item in debugger.findings if item.id == "parameter-rebound"]
    loop.stream += frame({"type": "noticed", "what": "rebound", "name": "w", "target": ""})
    finding = fact(loop)
    assert (finding.id, finding.subjects, finding.count) == ("parameter-rebound", ("w",), 1)
    assert "its .grad is None, and the script ended with an error after #" in finding.detail


def ended(loop, what, name, line, code):
    """Return the fact of an error that ended a script."""
    loop.source("train.py", code)
    header = {"type": "noticed", "what": what, "name": name, "target": f"train.py:{line}"}
    loop.stream += frame(header)
    return fact(loop)


def test_a_result_with_a_graph_that_took_the_name_of_a_parameter_is_found():
    code = "import torch\nfor x in data:\n    loss(x).backward()\n    w = w - w.grad\n"
    finding = ended(Loop().zero().call().backward(), "result", "w", 4, code)
    assert (finding.id, finding.subjects, finding.count) == ("parameter-rebound", ("w",), 1)
    assert "A result was assigned to w, and took the place of the parameter" in finding.detail
    assert "in .grad of a result, and train.py:4 failed after #" in finding.detail
    assert "+        w -= w.grad" in finding.edit.splitlines()


def test_a_result_that_never_was_a_leaf_is_found():
    code = "w = torch.ones(2, requires_grad=True) / 2\nw.grad.zero_()\n"
    finding = ended(Loop().zero().call().backward(), "result", "w", 2, code)
    assert (finding.id, finding.subjects) == ("gradient-of-result", ("w",))
    assert "w is the result of an operation (train.py:1), not a leaf" in finding.detail
    assert "So train.py:2 failed." in finding.detail
    assert "+w = (torch.ones(2) / 2).requires_grad_()" in finding.edit.splitlines()
    finding = ended(Loop().zero().call().backward(), "result", "w", 2, "f(w)\nw.grad.zero_()\n")
    assert "w is the result of an operation, not a leaf" in finding.detail
    assert finding.edit == ""


def test_a_leaf_that_was_changed_in_place_is_found_also_before_any_event(tmp_path):
    code = "import torch\nw -= w.grad\n"
    finding = ended(Loop().zero().call().backward(), "in_place", "w", 2, code)
    assert (finding.id, finding.subjects) == ("leaf-changed-in-place", ("w",))
    assert finding.detail.startswith("train.py:2 changed w in place, and failed")
    assert "+    w -= w.grad" in finding.edit.splitlines()
    loop = Loop()
    assert ended(loop, "in_place", "w", 2, code).events == ()
    debug(loop).save(tmp_path / "run.gradstep")
    assert [item.id for item in Debugger.open(tmp_path / "run.gradstep").findings] == [finding.id]


def test_a_criterion_that_was_given_no_probabilities_is_found():
    code = "loss = nn.BCELoss()(model(x), y)\n"
    finding = ended(Loop().zero().call(), "outside", "loss", 1, code)
    assert (finding.id, finding.subjects) == ("criterion-out-of-range", ("loss",))
    assert finding.detail.startswith("train.py:1 was to compute loss, and failed: BCELoss expects")
    assert "+loss = nn.BCEWithLogitsLoss()(model(x), y)" in finding.edit.splitlines()


ALIAS = """target = model
for x in data:
    best = target(x)
    other = model(x)

    loss = criterion(model(x), best)
    target.load_state_dict(model.state_dict())
"""


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        (ALIAS, 3, ["network-aliased"]),
        (ALIAS.replace("= model\n", "= copy.deepcopy(model)\n"), 3, []),
        (ALIAS, 4, []),
        (ALIAS.replace("model.state", "other.state"), 3, []),
    ],
)
def test_a_target_network_that_is_the_network_itself_is_found(code, line, expected):
    loop = Loop()
    loop.source("train.py", code)
    for iteration in range(3):
        loop.then(iteration).zero()
        loop.event("forward", "model", line, detail={"training": True, "grad": False})
        loop.call().backward().step()
    facts = [item for item in found(loop) if item.severity == "fact"]
    assert [item.id for item in facts] == expected
    for finding in facts:
        assert finding.subjects == ("target",)
        assert finding.detail.startswith("target and model are two names of one module, because ")


def test_an_iterator_that_was_used_up_before_a_clipping_is_found():
    loop = Loop().zero().call().backward()
    header = {"type": "noticed", "what": "used_up", "name": "params", "target": "clip_grad_norm_"}
    loop.stream += frame(header)
    loop.event("clip_grad_norm", "", 9, {}, detail={"limit": 1.0})
    finding = fact(loop.step())
    assert (finding.id, finding.subjects) == ("clip-of-nothing", ("params",))
    assert finding.remedy.startswith("Pass the parameters to clip_grad_norm_ themselves")


def test_a_layer_that_is_made_in_each_iteration_is_no_plain_list():
    loop, late = Loop("model.late.weight"), "model.late.weight"

    def turn(loop):
        loop.tensor(late, loop.values[late])
        loop.zero().call().backward(*NAMES, late).step()

    finding = fact(repeat(6, turn, loop))
    assert (finding.id, finding.subjects) == ("made-anew", (late,))
    assert "but model.late is made anew in each iteration" in finding.detail


SCALED = "\n" * 7 + "scaler.step(optimizer)\n"


def scaled(loop, *, unscales, line=8):
    """Do an iteration with a GradScaler whose Step stands in a line."""
    loop.zero().call().backward()
    if unscales:
        loop.event("scaler_unscale", "scaler", 6, loop.gradients(*NAMES))
    loop.clip(0.1, 4)
    loop.step(depth=1)
    loop.event("scaler_step", "scaler", line)
    loop.event("scaler_update", "scaler", 9)


@pytest.mark.parametrize(
    ("unscales", "text", "is_found"),
    [
        (False, SCALED, True),
        (True, SCALED, False),
        (False, SCALED.replace("scaler.step(optimizer)", "accelerator.step()"), False),
        (False, SCALED.replace("\n" * 4, "\n" * 3 + "clip(norm * scaler.get_scale())\n"), False),
    ],
)
def test_clipping_scaled_gradients_is_found(unscales, text, is_found):
    loop = Loop()
    loop.source("train.py", text)
    facts = found(repeat(2, lambda loop: scaled(loop, unscales=unscales), loop))
    assert [item.id for item in facts] == ["clip-before-unscale"] * is_found
    if is_found:
        assert facts[0].remedy.startswith("Call scaler.unscale_(optimizer) after the Backward")


def test_clipping_in_the_wrong_place_is_found():
    turns = {
        "clip-before-backward": lambda loop: loop.zero().clip(0.1, 4).call().backward().step(),
        "clip-after-step": lambda loop: loop.zero().call().backward().step().clip(0.1),
        "clip-per-microbatch": lambda loop: loop.zero().backward().clip(0.1).backward().step(),
    }
    for id_, turn in turns.items():
        assert fact(repeat(2, turn)).id == id_


def test_a_scheduler_before_its_optimizer_is_found():
    def turn(loop):
        loop.event("scheduler_step", "s", 4, detail={"optimizer": "optimizer"})
        loop.zero().call().backward().step()

    finding = fact(repeat(3, turn))
    assert (finding.id, finding.events) == ("scheduler-first", (1, 5))
    assert finding.remedy == (
        "Move the step of s (train.py:4) after the Step of optimizer (train.py:8)."
    )


def schedule_of_another(loop, *, held=NAMES, scheduled=()):
    """Let the scheduler of one optimizer step beside the Steps of another one."""
    loop.optimizer("old", "SGD", list(held), lr=1.0)

    def turn(loop):
        loop.zero().call().backward().step()
        for name, optimizer in (("s", "old"), *scheduled):
            loop.event("scheduler_step", name, 9, detail={"optimizer": optimizer})

    return repeat(4, turn, loop)


def test_a_scheduler_whose_optimizer_does_not_step_is_found():
    finding = fact(schedule_of_another(Loop()))
    assert (finding.id, finding.subjects, finding.count) == (
        *("scheduler-of-idle-optimizer", ("s",)),
        2,
    )
    assert finding.events[:3] == (5, 14, 15)
    assert finding.detail.startswith("s changes the learning rate of old, which has never stepped.")
    assert finding.remedy == "Create s with optimizer, after optimizer is created."


@pytest.mark.parametrize(
    ("loop", "held", "scheduled"),
    [
        (Loop(kind="Lookahead", module="__main__"), NAMES, ()),  # it may step by means of the other
        (Loop("other"), ["other"], ()),
        (Loop(), NAMES, [("t", "optimizer")]),
    ],
)
def test_a_scheduler_whose_optimizer_may_step_otherwise_or_later_is_no_mistake(
    loop, held, scheduled
):
    assert found(schedule_of_another(loop, held=held, scheduled=scheduled)) == []


def test_a_scheduler_that_waits_for_its_optimizer_is_no_mistake():
    def turn(loop):
        loop.event("scheduler_step", "s", 4, detail={"optimizer": "optimizer"})
        if loop.iteration > 1:
            loop.zero().call().backward().step()

    assert found(repeat(4, turn)) == []


REBOUND_ITEM = """import torch
model = Net()
for x in data:
    loss = model(x)
    model.zero_grad()

    loss.backward()
    for p in model.parameters():
        p = p - lr * p.grad
"""


@pytest.mark.parametrize(
    ("line", "times", "is_found"),
    [
        ("p = p - lr * p.grad", 8, True),
        ("p = p - lr * p.grad", 6, False),
        ("p -= lr * p.grad", 8, False),
        ("p = p - lr * p", 8, False),
        ("g = g + p.grad", 8, False),
    ],
)
def test_a_loop_over_parameters_that_updates_only_its_variable_is_found(line, times, is_found):
    loop = Loop(held=())
    loop.source("train.py", REBOUND_ITEM.replace("p = p - lr * p.grad", line))
    debugger = debug(repeat(times, lambda loop: loop.zero("model").call().backward(), loop))
    findings = [item for item in debugger.findings if item.severity != "suspicion"]
    assert [item.id for item in findings] == ["parameter-rebound"] * is_found
    if is_found:
        (finding,) = findings
        assert finding.subjects == ("p",)
        assert "the parameters keep their values" in finding.detail
        assert "+        p -= lr * p.grad" in finding.edit.splitlines()


@pytest.mark.parametrize(
    ("name", "attribute", "moved", "is_found"),
    [
        ("model", "requires_grad", NAMES, True),
        ("model.weight", "require_grad", NAMES, True),
        ("model.weight", "require_grad", NAMES[1:], False),
    ],
)
def test_freezing_that_has_no_effect_is_found(name, attribute, moved, is_found):
    loop = Loop(held=moved).zero().call()
    header = {"type": "noticed", "what": "unfrozen", "name": name, "target": attribute}
    loop.stream += frame(header)
    findings = found(loop.backward(*moved).step(held=moved))
    assert [item.id for item in findings] == ["freeze-without-effect"] * is_found
    if is_found:
        assert f"{name}.{attribute} = False freezes nothing: " in findings[0].detail
        assert f"Call requires_grad_(False) on {name}" in findings[0].remedy


@pytest.mark.parametrize(
    ("calls", "is_found"), [(("load_state_dict",), True), (("zero_grad", "load_state_dict"), False)]
)
def test_a_state_that_is_no_copy_is_found_where_it_is_loaded(calls, is_found):
    loop = Loop().zero().call().backward().step()
    loop.stream += frame({"type": "noticed", "what": "own_state", "name": "model", "target": ""})
    for call in calls:  # the one that it was noticed before comes first
        loop.event(call, "model", 20, {})
    findings = found(loop)
    assert [item.id for item in findings] == ["state-not-copied"] * is_found
    if is_found:
        assert "train.py:20" in findings[0].detail
        assert findings[0].remedy == "Keep a copy: copy.deepcopy(model.state_dict())."


def test_a_state_of_which_nothing_was_loaded_is_found_with_its_names():
    loop = Loop()
    header = {"type": "noticed", "what": "unmatched", "name": "model"}
    loop.stream += frame({**header, "target": "module.weight weight"})
    loop.event("load_state_dict", "model", 20, {})
    finding = fact(loop.zero().call().backward().step())
    assert (finding.id, finding.subjects, finding.events) == ("nothing-loaded", ("model",), (1,))
    assert "has names such as module.weight instead of weight, and" in finding.detail


@pytest.mark.parametrize(
    ("times", "reaches", "recorded", "is_found"),
    [(21, False, 21, True), (20, False, 20, False), (30, True, 30, False), (30, False, 9, False)],
)
def test_a_parameter_that_no_backward_reaches_is_suspected(times, reaches, recorded, is_found):
    def turn(loop):
        if loop.iteration < recorded:
            loop.zero().call().backward(*(NAMES if reaches and loop.iteration == 3 else NAMES[:1]))
            loop.step()
            return
        if loop.iteration == recorded:
            loop.stream += frame({"type": "interval", "iterations": 64})
        loop.event("zero_grad", "optimizer", 5)
        loop.call().event("backward", "loss", 7, loss=2.0)
        loop.event("step", "optimizer", 8)

    findings = debug(repeat(times, turn)).findings
    suspected = [item for item in findings if item.id == "unreached-parameter"]
    assert len(suspected) == is_found
    if is_found:
        assert (suspected[0].subjects, suspected[0].value) == (("model.bias",), 20)
        assert "though optimizer holds it" in suspected[0].detail


def test_a_value_that_is_not_finite_is_found_at_its_line():
    finding = fact(Loop().zero().call().backward(loss=np.inf))
    assert (finding.id, finding.events) == ("non-finite", (2,))
    assert "#2 (train.py:6)" in finding.detail


def test_a_learning_rate_that_stays_zero_is_found():
    loop = Loop(held=())
    loop.optimizer("optimizer", "SGD", list(NAMES), lr=0.0)

    def turn(loop):
        loop.zero().call().backward().event("step", "optimizer", 8, dict(loop.values))

    assert found(repeat(2, turn, Loop())) == []
    finding = fact(repeat(3, turn, loop))
    assert (finding.id, finding.events) == ("step-without-grad", (4, 8, 12))
    assert finding.remedy == "Give optimizer a learning rate above 0 (train.py:8)."


def test_a_schedule_that_keeps_the_learning_rate_at_zero_is_named():
    loop = Loop(held=())
    loop.optimizer("optimizer", "SGD", list(NAMES), lr=0.0, initial_lr=0.1)

    def turn(loop):
        loop.zero().call().backward().event("step", "optimizer", 8, dict(loop.values))
        loop.event("scheduler_step", "warm_up", 9, detail={"optimizer": "optimizer"})

    finding = fact(repeat(3, turn, loop))
    assert (finding.id, finding.events) == ("step-without-grad", (4, 9, 14))
    assert finding.detail.endswith("It began with 0.1 (initial_lr), and warm_up sets it.")
    assert finding.remedy == (
        "Change what warm_up computes, or end the training where it stays 0 (train.py:8)."
    )


@pytest.mark.parametrize(("epochs", "is_found"), [(1, False), (2, False), (3, True)])
def test_a_schedule_may_have_a_learning_rate_of_zero_for_an_epoch(epochs, is_found):
    loop = Loop(held=())

    def epoch(loop, lr):
        loop.optimizer("optimizer", "SGD", list(NAMES), lr=lr, initial_lr=0.1)
        for _ in range(4):
            moved = {name: value - lr for name, value in loop.values.items()}
            loop.values.update(moved)
            loop.zero().call().backward().event("step", "optimizer", 8, moved)
        loop.event("scheduler_step", "cosine", 10, detail={"optimizer": "optimizer"})

    for lr in (0.125, *epochs * [0.0], 0.125):
        epoch(loop, np.float32(lr).item())
    assert bool(found(loop)) == is_found


def test_a_target_that_is_broadcast_is_found():
    loop = Loop()
    nodes = ((0, "Mse", [1], ""), (1, "Expand", [2], ""), (2, "Leaf", [], "model.weight"))
    loop.graph("loss", *nodes, broadcast="from [2, 1] to [2, 2]")
    finding = fact(loop.zero().call().backward().step())
    assert (finding.id, finding.events) == ("broadcast-loss", (2,))
    assert "expanded the output from [2, 1] to [2, 2]" in finding.detail


@pytest.mark.parametrize(
    ("shape", "advice"),
    [
        ("[2, 1]", "output.squeeze(1) or target.reshape(-1, 1)"),
        ("[2]", "output.unsqueeze(1) or target.squeeze(1)"),
        ("[1, 2]", "target.reshape(1, -1)"),
    ],
)
def test_the_remedy_of_a_broadcast_depends_on_the_shape_of_the_output(shape, advice):
    loop = Loop()
    nodes = ((0, "Mse", [1], ""), (1, "Expand", [2], ""), (2, "Leaf", [], "model.weight"))
    loop.graph("loss", *nodes, broadcast=f"from {shape} to [2, 2]")
    assert fact(loop.zero().call().backward().step()).remedy == (
        "Give the output and the target the same shape before the loss is computed, as with "
        f"{advice}."
    )


@pytest.mark.parametrize(
    "turn",
    [
        lambda loop: loop.call().backward().step(),
        lambda loop: loop.zero().call().backward().step().step(),
        lambda loop: loop.zero().call().step(),
    ],
)
def test_a_session_that_is_opened_has_the_same_findings(turn, tmp_path):
    loop = Loop()
    nodes = ((0, "Mse", [1], ""), (1, "Leaf", [], "model.weight"))
    loop.graph("loss", *nodes, broadcast="from [2, 1] to [2, 2]")
    debugger = Debugger(Mirror(take(repeat(3, turn, loop).stream)))
    debugger.follow()
    debugger.save(tmp_path / "run.gradstep")
    assert Debugger.open(tmp_path / "run.gradstep").findings == debugger.findings != ()


def test_every_remedy_is_a_change_of_the_script():
    for turn in (
        lambda loop: loop.call().backward().step(),
        lambda loop: loop.zero().call().backward().step().step(),
        lambda loop: loop.zero().backward().step().step(),
    ):
        remedy = fact(repeat(3, turn)).remedy
        assert "train.py:" in remedy
        assert not {"document", "declare", "Debug >"} & set(remedy.split())


def test_values_that_were_not_recorded_make_no_facts():
    loop = Loop()
    loop.zero().call().backward().step()
    loop.stream += frame({"type": "interval", "iterations": 4})
    for iteration in range(1, 4):
        loop.then(iteration)
        for kind, target, line in (("zero_grad", "optimizer", 5), ("step", "optimizer", 8)):
            if kind == "step":
                loop.event("backward", "loss", 7, loss=2.0)
            loop.event(kind, target, line)
    assert found(loop) == []
