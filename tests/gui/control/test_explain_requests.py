"""Questions why: answered by the worker, and taken back by whatever comes after them."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.shadow_program import StoppedError
from gradstep.program.operation import ZeroGrad
from gradstep_gui.controller import Controller
from gradstep_gui.messages import Messages

TIMEOUT_S = 60.0


@pytest.fixture
def messages(qapp):
    return Messages()


@pytest.fixture
def ask(messages):
    """Return a controller over an engine, and the list of answers it gives."""
    made = []

    def make(opener, path):
        controller = Controller(messages, opener)
        made.append(controller)
        answers = []
        controller.explain_requests.answered.connect(answers.append)
        controller.open(path)
        assert controller.wait_idle(TIMEOUT_S)
        return controller, answers

    yield make
    for controller in made:
        controller.close()


class Waiting:
    """Signals that it was called, and gives up when it is cancelled."""

    def __init__(self):
        self.begun = threading.Event()

    def explain(self, parameter, *, should_stop):
        self.begun.set()
        while not should_stop():
            pass
        raise StoppedError


def test_an_answer_has_the_event_the_change_the_gradient_and_the_bindings(ask, tmp_path):
    path = tmp_path / "line.json"
    program = {
        "gradstep": 1,
        "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
        "losses": {"loss": {"expression": "sum(100 * x)"}},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.5}},
    }
    path.write_text(json.dumps(program))
    controller, answers = ask(Debugger.open, path)
    controller.iterate(1)
    controller.explain_requests.ask("x")
    assert controller.wait_idle(TIMEOUT_S)
    (why,) = answers
    assert (why.event, why.explanation.total.tolist()) == (4, [-50.0, -50.0])
    assert [(part.event, part.value.tolist()) for part in why.provenance] == [(3, [100.0, 100.0])]
    assert [item.status for item in why.bindings] == ["held"]


@pytest.mark.parametrize("command", [lambda c: c.apply(ZeroGrad()), lambda c: c.iterate(1)])
def test_a_command_takes_an_open_question_back(ask, open_fake, messages, command):
    controller, answers = ask(open_fake, Path("parabola.json"))
    waiting = Waiting()
    controller.debugger.explain = waiting.explain
    controller.explain_requests.ask("x")
    assert waiting.begun.wait(TIMEOUT_S)
    command(controller)
    assert controller.wait_idle(TIMEOUT_S)
    assert controller.snapshot.event_index > 0
    assert answers == []
    assert not messages.history


def test_a_later_question_takes_an_earlier_one_back(ask, open_fake):
    controller, answers = ask(open_fake, Path("parabola.json"))
    fake, waiting = controller.debugger, Waiting()
    answer, fake.explain = fake.explain, waiting.explain
    controller.explain_requests.ask("x")
    assert waiting.begun.wait(TIMEOUT_S)
    fake.explain = answer
    controller.explain_requests.ask("y")
    assert controller.wait_idle(TIMEOUT_S)
    assert [why.explanation.parameter for why in answers] == ["y"]


def test_views_that_fetch_values_take_no_question_back(ask, open_fake):
    controller, answers = ask(open_fake, Path("parabola.json"))
    controller.explain_requests.ask("x")
    controller.set_wanted("a view", ["x"])
    assert controller.wait_idle(TIMEOUT_S)
    assert [why.explanation.parameter for why in answers] == ["x"]
