"""Stepping inside an Operation by the window's own actions, with a real Debugger."""

from pathlib import Path

import pytest
from PySide6.QtGui import QAction

from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, Forward
from tests.gui.triggering import TIMEOUT_S, trigger


@pytest.fixture
def window(real_window):
    return real_window


def shown(window):
    step = window.controller.snapshot.micro_step
    return None if step is None else (step.kind, step.title)


def before_backward(window):
    trigger(window, "debug.zero_grad", "debug.forward")


def usable(window):
    names = ("step_into", "step_over", "step_out", "back")
    return [window.findChild(QAction, f"debug.{name}").isEnabled() for name in names]


def test_stepping_into_backward_visits_nodes_up_to_the_leaf_and_ends_at_the_event(window):
    before_backward(window)
    trigger(window, "debug.step_into")
    assert shown(window) == ("node", "SumBackward0")
    trigger(window, "debug.step_into")
    assert shown(window) == ("node", "MulBackward0")
    assert window.controller.snapshot.parameters["x"].gradient is None
    trigger(window, "debug.step_into")
    assert shown(window) == ("accumulate", "x.grad")
    moment = window.controller.snapshot
    assert moment.micro_step.outputs["after"].tolist() == [100.0, 100.0]
    assert moment.parameters["x"].gradient.maximum == 100.0
    assert window.status_line.text("event") == "Inside Backward, micro-step 3"
    trigger(window, "debug.step_out")
    assert shown(window) is None
    assert window.status_line.text("event") == "Event 3 of 3"
    assert window.controller.snapshot.event.writes == ("x.grad", "loss.graph")


def test_the_step_after_the_last_one_is_the_event(window):
    before_backward(window)
    trigger(window, *["debug.step_into"] * 4)
    assert window.status_line.text("event") == "Event 3 of 3"


def test_step_back_goes_back_by_micro_steps_and_then_leaves_the_operation(window):
    before_backward(window)
    trigger(window, "debug.step_into", "debug.step_into", "debug.back")
    assert shown(window) == ("node", "SumBackward0")
    assert window.status_line.text("event") == "Inside Backward, micro-step 1"
    trigger(window, "debug.back")
    assert shown(window) is None
    assert window.status_line.text("event") == "Event 2 of 2"


def test_step_over_a_parameter_passes_by_its_terms(window):
    before_backward(window)
    trigger(window, "debug.backward", "debug.step_into", "debug.step_into")
    assert shown(window) == ("parameter", "x")
    trigger(window, "debug.step_over")
    assert window.status_line.text("event") == "Event 4 of 4"


def test_another_button_leaves_the_operation_as_if_it_had_not_been_entered(window):
    before_backward(window)
    trigger(window, *["debug.step_into"] * 3)
    trigger(window, "debug.forward")
    moment = window.controller.snapshot
    assert moment.inside is None
    assert moment.parameters["x"].gradient is None
    events = window.controller.debugger.events
    assert [type(event.operation) for event in events][2:] == [Forward]


def test_out_can_be_used_only_inside_and_back_out_of_the_first_operation(window):
    assert usable(window) == [True, True, False, False]
    trigger(window, "debug.step_into")
    assert usable(window) == [True, True, True, True]
    trigger(window, "debug.back")
    assert usable(window) == [True, True, False, False]


def test_the_dock_is_raised_when_an_operation_is_entered(window):
    view = window.docks["inside"].widget()
    before_backward(window)
    trigger(window, "debug.step_into", "debug.step_into", "debug.step_into")
    assert not window.docks["inside"].visibleRegion().isEmpty()
    assert view.path.toolTip().startswith("Backward > loss > x.grad\n")
    assert view.formula.text == "after = added"
    assert view.numbers.text == ""  # the number is only handed on
    window.docks["findings"].raise_()
    trigger(window, "debug.back")
    assert window.docks["inside"].visibleRegion().isEmpty()


def test_any_operation_can_be_entered_whatever_comes_next(window):
    before_backward(window)
    trigger(window, "debug.backward", "debug.into_backward", "debug.step_into")
    step = window.controller.snapshot.micro_step
    assert step.title == "MulBackward0"
    assert "second time" in step.error
    trigger(window, "debug.step_into")
    assert not window.controller.snapshot.event.outcome.ok


def test_step_into_and_over_act_on_the_chosen_targets(window):
    path = next(item.path for item in scenarios() if "two" in item.path.stem.replace("-", "_"))
    window.controller.open(Path(path), as_copy=True)
    assert window.controller.wait_idle(TIMEOUT_S)
    losses, optimizers = window.targets.losses, window.targets.optimizers
    window.targets.choose_loss(losses[-1])
    window.targets.choose_optimizer(optimizers[-1])
    trigger(window, "debug.zero_grad", "debug.forward")
    window.targets.set_options(hold=True)
    trigger(window, "debug.zero_grad")
    while type(window.controller.snapshot.next_operation) is not Forward:
        trigger(window, "debug.step_over")
    trigger(window, "debug.step_into")
    assert window.controller.snapshot.inside == Forward(losses[-1], "held")
    trigger(window, "debug.back", "debug.step_over")
    assert window.controller.snapshot.event.operation == Forward(losses[-1], "held")


def test_in_the_past_step_into_enters_the_recorded_operation(window):
    trigger(
        window,
        "debug.zero_grad",
        "debug.forward",
        "debug.backward",
        "debug.backward",
        "debug.start",
    )
    count = window.controller.events_count()
    trigger(window, "debug.step_over", "debug.step_over", "debug.step_over", "debug.step_into")
    assert type(window.controller.snapshot.inside) is Backward
    while window.controller.snapshot.inside is not None:
        trigger(window, "debug.step_into")
    assert window.controller.snapshot.event_index == count == window.controller.events_count()


def test_a_failure_is_reported_once_however_many_steps_follow(window):
    controller = window.controller
    controller.apply(Backward("loss"))
    assert controller.wait_idle(TIMEOUT_S)
    failed = [
        message
        for message in window.messages.history
        if "has not been computed yet" in message.text
    ]
    assert len(failed) == 1
    trigger(window, "debug.step_into", "debug.step_into")
    assert [
        message
        for message in window.messages.history
        if "has not been computed yet" in message.text
    ] == failed
