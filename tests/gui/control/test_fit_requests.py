"""Predictions through the controller on a real program: asked for, or followed during runs."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep_gui.worker import commands

LINE = {
    "gradstep": 1,
    "data": {"d": {"kind": "line", "samples": 12, "batch_size": 4, "shuffle": True}},
    "modules": {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
    "losses": {"loss": {"data": "d", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
    "loop": [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}],
}


@pytest.fixture
def controller(opened):
    return opened(LINE, 3)


@pytest.fixture
def answers(controller):
    found = []
    controller.fit_requests.answered.connect(found.append)
    return found


def test_the_answer_is_of_the_moment_in_which_it_was_asked(controller, answers):
    controller.fit_requests.ask("")
    assert controller.wait_idle(60)
    controller.seek(4)
    controller.fit_requests.ask("loss")
    assert controller.wait_idle(60)
    assert [fit.event for fit in answers] == [12, 4]
    assert answers[0].predicted.tolist() != answers[1].predicted.tolist()
    expected = controller.debugger.fit.read().predicted
    assert answers[1].predicted.tobytes() == expected.tobytes()


def test_a_loss_of_another_program_stands_for_the_first(controller, answers):
    controller.fit_requests.ask("lost")
    assert controller.wait_idle(60)
    assert [fit.loss for fit in answers] == ["loss"]


def test_a_request_that_is_superseded_gives_no_answer(controller, answers):
    assert commands.read_fit(controller.debugger, "", lambda: True) is None
    assert answers == []


def test_a_followed_run_is_answered_on_its_way_and_another_is_not(controller, answers):
    controller.iterate(200)
    assert controller.wait_idle(60)
    assert answers == []
    controller.fit_requests.follow("loss")
    events = []
    controller.fit_requests.answered.connect(
        lambda fit: events.append((fit.event, controller.snapshot.event_index))
    )
    done = controller.snapshot.iteration
    while not answers:  # a machine under load may show no picture of a short run
        controller.iterate(500)
        assert controller.wait_idle(60)
        done += 500
    assert controller.snapshot.iteration == done
    assert all(12 < event <= controller.snapshot.event_index for event, _ in events)
    controller.fit_requests.follow(None)
    assert controller.wait_idle(60)
    count = len(answers)
    controller.iterate(500)
    assert controller.wait_idle(60)
    assert len(answers) == count


def test_following_changes_nothing_that_is_computed(controller, opened):
    controller.fit_requests.follow("loss")
    controller.iterate(100)
    assert controller.wait_idle(60)
    followed = controller.debugger.program.tensors["model.0.weight"]._array.copy()
    other = opened(LINE, 3)
    other.iterate(100)
    assert other.wait_idle(60)
    np.testing.assert_array_equal(followed, other.debugger.program.tensors["model.0.weight"]._array)
    assert [event.checksum for event in controller.debugger.events] == [
        event.checksum for event in other.debugger.events
    ]
