"""Which schedules of a script step too often, and which loaded states bring another rate."""

from __future__ import annotations

import pytest

from tests.core.diagnostics.facts.sent_loops import NAMES, Loop, debug

CODE = """schedule = lr_scheduler.StepLR(optimizer, 2)
for epoch in range(9):
    for x, y in data:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
"""


def script(code=CODE, *, gamma=0.1, every=2, batches=8, passes=48, steps_each=1):
    """Return a script whose schedule lowers the rate after so many batches."""
    loop = Loop(held=())
    loop.source("train.py", code)
    rate = 1.0
    loop.optimizer("optimizer", "SGD", list(NAMES), lr=rate, initial_lr=1.0)
    for iteration in range(passes):
        loop.epoch = iteration // batches
        loop.then(iteration).zero().call().backward(loss=100.0 / (iteration + 1)).step(line=6)
        if not (iteration + 1) % steps_each:
            if not (iteration + 1) % every:
                rate *= gamma
            loop.optimizer("optimizer", "SGD", list(NAMES), lr=rate, initial_lr=1.0)
            loop.event("scheduler_step", "schedule", 7, detail={"optimizer": "optimizer"})
    return loop


def suspected(sent):
    return [item for item in debug(sent).findings if item.id == "schedule-per-batch"]


def test_a_schedule_of_epochs_that_steps_after_every_batch_is_found():
    (finding,) = suspected(script())
    assert (finding.severity, finding.subjects) == ("suspicion", ("schedule",))
    assert finding.detail.startswith(
        "schedule (StepLR) stepped 20 times within 3 epochs, after each Step of optimizer, and "
        "lowered its learning rate from 1 to 1e-10. It was below a hundredth of the first one "
        "after 4 steps (#"
    )
    assert (finding.value, finding.threshold) == (80.0, 50.0)
    assert "+    schedule.step()" in finding.edit.splitlines()


@pytest.mark.parametrize(
    "sent",
    [
        script(CODE.replace("StepLR", "OneCycleLR")),
        script(CODE.replace("StepLR", "LambdaLR")),
        script(CODE.replace("schedule =", "s =")),
        script(gamma=0.5, every=16),
        script(every=20),
        script(batches=48),
        script(batches=1),
        script(steps_each=8, every=8),
    ],
    ids=("cycle", "function", "unknown", "slow", "late", "one epoch", "epochs", "per epoch"),
)
def test_other_schedules_are_sound(sent):
    assert suspected(sent) == []


@pytest.mark.parametrize(
    "code",
    [
        "for rate in rates:\n    schedule = StepLR(optimizer, 2)\n    for x, y in data:\n"
        "        f(x, y)\n        optimizer.step()\n\n        schedule.step()\n",
        "def train(rate):\n    schedule = StepLR(optimizer, 2)\n    for x, y in data:\n"
        "        f(x, y)\n        optimizer.step()\n\n        schedule.step()\n",
    ],
)
def test_a_loop_over_trainings_is_none_over_epochs(code):
    assert suspected(script(code)) == []


def test_the_loop_over_epochs_may_be_around_the_call_of_a_function():
    code = "schedule = StepLR(optimizer, 2)\ndef train():\n    for x, y in data:\n" + (
        "        f(x, y)\n        optimizer.step()\n\n        schedule.step()\n"
    )
    (finding,) = suspected(script(code))
    assert "+    schedule.step()" in finding.edit.splitlines()


LOADED = "opt = SGD(net.parameters(), lr=0.5)\nopt.load_state_dict(saved)\nopt.step()\n"


def loaded(rate, *, has_schedule=False):
    """Return what is said of a rate in a script that gives another one, and loads a state."""
    loop = Loop(held=())
    loop.source("train.py", LOADED)
    loop.optimizer("opt", "SGD", list(NAMES), lr=rate)
    for iteration in range(24):
        loop.then(iteration).zero("opt").call().backward(loss=100.0 / (iteration + 1)).step("opt")
        if has_schedule:
            loop.event("scheduler_step", "schedule", 7, detail={"optimizer": "opt"})
    return [item for item in debug(loop).findings if item.id == "learning-rate-loaded"]


def test_a_loaded_state_that_replaced_the_given_rate_is_found():
    (finding,) = loaded(0.01)
    assert (finding.severity, finding.subjects) == ("suspicion", ("opt",))
    assert finding.detail.startswith(
        "opt was made with the learning rate 0.5 (train.py:1), but the state that it then loaded "
        "(train.py:2) has the one of the run that saved it: it steps with 0.01 instead of 0.5 (#"
    )
    assert '+    group["lr"] = 0.5' in finding.edit.splitlines()


def test_a_loaded_state_with_the_given_rate_or_of_a_schedule_is_sound():
    assert loaded(0.5) == []
    assert loaded(0.01, has_schedule=True) == []


OF_BATCHES = """schedule = CosineAnnealingLR(optimizer, 9 * len(data))
for epoch in range(9):
    for x, y in data:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    schedule.step()
"""


def too_slow(code=OF_BATCHES, **options):
    options = {"steps_each": 8, "every": 8, "passes": 48, **options}
    found = debug(script(code, **options)).findings
    return [item for item in found if item.id == "schedule-per-epoch"]


@pytest.mark.parametrize(
    "code",
    [
        OF_BATCHES,
        OF_BATCHES.replace("CosineAnnealingLR(optimizer, 9 * len(data))", "Cycle(optimizer, n)")
        + "n = len(data) * 9\n",
        OF_BATCHES.replace("9 * len(data)", "1.0, epochs=9, steps_per_epoch=len(data)"),
    ],
)
def test_a_schedule_of_batches_that_steps_once_in_an_epoch_is_found(code):
    (finding,) = too_slow(code)
    assert (finding.severity, finding.subjects) == ("suspicion", ("schedule",))
    assert "in all epochs (train.py:1: len(data)), but stepped only " in finding.detail
    assert (finding.value, finding.threshold) == (8.0, 4.0)


@pytest.mark.parametrize(
    ("code", "options"),
    [
        (OF_BATCHES.replace("9 * len(data)", "9"), {}),
        (OF_BATCHES.replace("9 * len(data)", "len(data)"), {}),
        (OF_BATCHES.replace("len(data)", "len(tasks)"), {}),
        (OF_BATCHES.replace("schedule =", "s ="), {}),
        (OF_BATCHES, {"steps_each": 1}),
        (OF_BATCHES, {"steps_each": 4}),
        (OF_BATCHES, {"batches": 48}),
        (OF_BATCHES, {"batches": 2, "steps_each": 2}),
    ],
)
def test_one_of_epochs_is_sound_and_so_is_one_that_steps_more_often(code, options):
    assert too_slow(code, **options) == []
