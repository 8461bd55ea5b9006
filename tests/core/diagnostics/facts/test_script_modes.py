"""Scripts that evaluate in training mode, or train in evaluation mode."""

from __future__ import annotations

import pytest

from tests.core.diagnostics.facts.sent_loops import Loop, debug, fact, found, repeat
from tests.core.script.sent_frames import frame


def evaluated(loop, calls):
    for _ in range(calls):
        loop.event("forward", "model", 12, detail={"training": True, "grad": False})


def questions(loop):
    return [item for item in debug(loop).findings if item.severity == "question"]


def test_a_model_that_is_evaluated_in_training_mode_is_asked_about():
    def turn(loop):
        loop.zero().call().backward().step()
        if loop.iteration % 3 == 2:
            evaluated(loop, 2)

    (finding,) = questions(repeat(9, turn))
    assert (finding.id, finding.subjects) == ("evaluation-in-training-mode", ("model",))
    assert finding.question.intent == "evaluation_in_training_mode"
    assert (finding.events[:2], finding.count) == ((14, 27), 2)


@pytest.mark.parametrize("times", [4, 40])
@pytest.mark.parametrize("calls", [1, 2])
def test_a_model_that_each_iteration_calls_without_gradients_is_not(calls, times):
    def turn(loop):
        evaluated(loop, calls)
        loop.zero().call().backward().step()

    assert questions(repeat(times, turn)) == []


def test_neither_is_one_that_did_not_learn_before_nor_one_in_evaluation_mode():
    def turn(loop):
        loop.zero().call().backward().step()
        loop.event("forward", "model", 12, detail={"training": False, "grad": False})

    loop = Loop()
    evaluated(loop, 3)
    assert questions(repeat(6, turn, loop)) == []


def test_a_model_left_in_evaluation_mode_is_found():
    loop = repeat(2, lambda loop: loop.zero().call().backward().step())
    loop.call(training=False, line=12)
    for iteration in (2, 3):
        loop.then(iteration).zero().call(training=False).backward().step()
    finding = fact(loop)
    assert (finding.id, finding.subjects) == ("mode-left-eval", ("model",))
    assert "was put in evaluation mode for its call #10 (train.py:12)" in finding.detail
    assert "when its parameters were updated, in #14 (train.py:8)" in finding.detail


def test_a_model_left_in_evaluation_mode_is_found_also_without_an_optimizer():
    loop = repeat(2, train_by_hand, Loop(held=()))
    loop.call(training=False, line=12)
    for iteration in (2, 3):
        train_by_hand(loop.then(iteration), training=False)
    finding = fact(loop)
    assert (finding.id, finding.subjects) == ("mode-left-eval", ("model",))
    assert "for its call #10 (train.py:12), and was still in it" in finding.detail


def train_by_hand(loop, *, training=True):
    """Do an iteration of a script that updates the weight by itself."""
    loop.zero("model").call(training=training).backward()
    loop.by_hand("update", model__weight=[5.0 - loop.iteration, 5.0])


def put_in(loop, module, line, **modes):
    """Put a module in modes, by the paths of its parts: "root" stands for itself."""
    rows = [["" if path == "root" else path, mode] for path, mode in modes.items()]
    header = {"type": "modes", "name": module, "file": "/home/ada/train.py", "line": line}
    loop.stream += frame({**header, "modes": rows})


def test_neither_is_one_that_is_in_evaluation_mode_from_the_start():
    loop = Loop("net.weight", held=("net.weight",))
    loop.module("net", ["", "Net", "", False], ["drop", "Dropout", "p=0.5", False])
    for iteration in range(9):
        loop.then(iteration).zero(names=("net.weight",)).call("net", training=False)
        loop.backward("net.weight").step(held=("net.weight",))
        if iteration % 3 == 2:
            loop.event("forward", "net", 12, detail={"training": False, "grad": False})
    assert questions(loop) == []


def test_a_model_that_is_trained_through_its_parts_is_not_left_in_evaluation_mode():
    loop = Loop()
    for iteration in range(4):
        put_in(loop.then(iteration), "model", 4, root=True)
        loop.zero().call("model.drop").backward().step()
        put_in(loop, "model", 11, root=False)
        loop.call(training=False, line=12)
    assert found(loop) == []
    assert questions(loop) == []


def test_neither_is_one_whose_steps_are_given_a_closure():
    loop = Loop()
    for iteration in range(4):
        put_in(loop.then(iteration), "model", 4, root=True)
        detail = {"training": True, "grad": True}
        loop.event("forward", "model", 6, depth=1, detail=detail)
        loop.event("backward", "loss", 7, loop.gradients(), depth=1, loss=3.0)
        loop.step()
        loop.grads.clear()
        put_in(loop, "model", 11, root=False)
        loop.call(training=False, line=12)
    assert [item.id for item in found(loop) if "eval" in item.id] == []
    assert questions(loop) == []


def test_a_part_that_is_trained_while_the_rest_is_in_evaluation_mode_is_no_mistake():
    loop = Loop("model.drop.weight", held=("model.drop.weight",))
    for iteration in range(4):
        put_in(loop.then(iteration), "model", 4, root=False, drop=True)
        loop.zero(names=("model.drop.weight",)).call(training=False)
        loop.backward("model.drop.weight").step(held=("model.drop.weight",))
        put_in(loop, "model", 11, root=False)
        loop.call(training=False, line=12)
    assert [item.id for item in found(loop) if "eval" in item.id] == []


def test_a_model_that_an_evaluation_has_put_in_evaluation_mode_learns_in_it():
    loop = repeat(2, lambda loop: loop.zero().call().backward().step())
    put_in(loop, "model", 11, root=False)
    loop.call(training=False, line=12)
    loop.then(2).zero().call("model.drop", training=False).backward().step()
    finding = fact(loop)
    assert (finding.id, finding.subjects) == ("mode-left-eval", ("model",))


def test_one_of_several_models_left_in_evaluation_mode_is_found():
    names = ("models[0].a", "models[1].a")
    loop = Loop(*names, held=names)
    for name in ("models[0]", "models[1]"):
        loop.module(name, ["", "Net", "", True], ["drop", "Dropout", "p=0.5", True])
    for iteration in range(4):
        for name in ("models[0]", "models[1]"):
            training = iteration < 2 or name == "models[0]"
            loop.then(iteration).zero(names=names).call(name, training=training)
            loop.backward(f"{name}.a").step(held=names)
        if iteration == 1:
            loop.call("models[1]", training=False, line=12)
    finding = fact(loop)
    assert (finding.id, finding.subjects) == ("mode-left-eval", ("models[1]",))
