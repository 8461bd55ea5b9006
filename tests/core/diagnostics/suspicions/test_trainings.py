"""Where the present training of a script began: curves are not compared across it."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep.script.mirror import Mirror
from tests.core.diagnostics.facts.sent_loops import NAMES, Loop
from tests.core.script.sent_frames import take


def fall(loop, start, *, held=NAMES, optimizer="optimizer", iterations=60):
    """Train until the loss has fallen to half of what it was."""
    for number in range(iterations):
        loop.then(loop.iteration + 1)
        loop.zero(optimizer, names=held).call()
        loop.event(
            "backward", "loss", 7, loop.gradients(*held), loss=start * (1 - number / iterations / 2)
        )
        loop.step(optimizer, held)


def renew(loop):
    for name, value in loop.values.items():
        loop.tensor(name, value + 1)
    loop.grads.clear()


def load(loop):
    values = {name: value.tolist() for name, value in loop.values.items()}
    loop.event("load_state_dict", "model", 4, values)


def debugged(loop):
    debugger = Debugger(Mirror(take(loop.stream)))
    debugger.follow()
    return debugger


def curve_suspicions(debugger):
    return [item.id for item in debugger.findings if item.id.startswith("loss-")]


@pytest.mark.parametrize("begin", [renew, load], ids=["renewed", "loaded"])
def test_a_second_training_under_the_same_names_is_looked_at_by_itself(begin, tmp_path):
    loop = Loop()
    fall(loop, 1.0)
    begin(loop)
    fall(loop, 9.0)
    debugger = debugged(loop)
    assert curve_suspicions(debugger) == []
    debugger.save(tmp_path / "a.gradstep")
    opened = Debugger.open(tmp_path / "a.gradstep")
    assert curve_suspicions(opened) == []


def test_another_optimizer_of_other_tensors_begins_a_training():
    loop = Loop("net.weight")
    loop.optimizer("second", "SGD", ["net.weight"], lr=1.0)
    fall(loop, 1.0)
    fall(loop, 9.0, held=("net.weight",), optimizer="second")
    assert curve_suspicions(debugged(loop)) == []


def test_without_a_new_training_a_loss_that_grows_diverges():
    loop = Loop()
    fall(loop, 1.0)
    fall(loop, 9.0)
    assert curve_suspicions(debugged(loop)) == ["loss-diverging"]


def test_a_second_training_that_diverges_is_found():
    loop = Loop()
    fall(loop, 1.0)
    renew(loop)
    fall(loop, 4.0)
    fall(loop, 90.0)
    assert curve_suspicions(debugged(loop)) == ["loss-diverging"]
