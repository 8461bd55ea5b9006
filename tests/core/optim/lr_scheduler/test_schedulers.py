"""Schedulers: their rates over many steps, saving, and calling them too early."""

import pytest

import gradstep
from gradstep.errors import ArgumentError, ArgumentTypeError
from gradstep.optim import SGD, lr_scheduler
from tests.core.optim.lr_scheduler.cases import (
    CASES,
    COMPOSED,
    SIMPLE,
    optimizer_of,
    scheduler_of,
    settings_of,
)


def made(kind, options):
    optimizer = SGD([gradstep.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    return optimizer, getattr(lr_scheduler, kind)(optimizer, **options)


def rates(optimizer, scheduler, steps):
    found = []
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        found += scheduler.get_last_lr()
    return found


@pytest.mark.parametrize(
    ("kind", "options", "expected"),
    [
        ("StepLR", {"step_size": 2, "gamma": 0.5}, [0.1, 0.05, 0.05, 0.025]),
        ("MultiStepLR", {"milestones": [1, 3], "gamma": 0.5}, [0.05, 0.05, 0.025, 0.025]),
        ("ExponentialLR", {"gamma": 0.5}, [0.05, 0.025, 0.0125, 0.00625]),
        ("ConstantLR", {"factor": 0.5, "total_iters": 3}, [0.05, 0.05, 0.1, 0.1]),
        ("LinearLR", {"start_factor": 0.5, "total_iters": 2}, [0.075, 0.1, 0.1, 0.1]),
        ("PolynomialLR", {"total_iters": 4}, [0.075, 0.05, 0.025, 0.0]),
        ("CosineAnnealingLR", {"T_max": 2}, [0.05, 0.0, 0.05, 0.1]),
        ("CosineAnnealingWarmRestarts", {"T_0": 2}, [0.05, 0.1, 0.05, 0.1]),
    ],
)
def test_rates_are_those_of_the_formula(kind, options, expected):
    assert rates(*made(kind, options), steps=4) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", [*SIMPLE, *COMPOSED])
@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")  # of a sequence in one
def test_a_loaded_scheduler_continues_where_the_saved_one_was(name):
    case = CASES[name]
    optimizer, other_optimizer = (optimizer_of(gradstep, case) for _ in range(2))
    scheduler = scheduler_of(gradstep, case, optimizer)
    other = scheduler_of(gradstep, case, other_optimizer)
    rates(optimizer, scheduler, 5)
    other_optimizer.load_state_dict(optimizer.state_dict())
    other.load_state_dict(scheduler.state_dict())
    assert rates(optimizer, scheduler, 5) == rates(other_optimizer, other, 5)
    assert settings_of(optimizer) == settings_of(other_optimizer)


@pytest.mark.parametrize("kind", ["StepLR", "ReduceLROnPlateau"])
def test_an_epoch_is_taken_with_a_warning(kind):
    optimizer, scheduler = made(kind, {"step_size": 2} if kind == "StepLR" else {})
    optimizer.step()
    arguments = (4,) if kind == "StepLR" else (1.0, 4)
    with pytest.warns(UserWarning, match=r"The epoch parameter in `scheduler.step\(\)`"):
        scheduler.step(*arguments)
    assert scheduler.last_epoch == 4


def test_stepping_before_the_optimizer_is_warned_of():
    _, scheduler = made("StepLR", {"step_size": 1})
    with pytest.warns(UserWarning, match=r"lr_scheduler.step\(\)` before `optimizer.step\(\)"):
        scheduler.step()


def test_schedulers_chain_on_the_present_rate():
    optimizer, first = made("ExponentialLR", {"gamma": 0.5})
    second = lr_scheduler.ExponentialLR(optimizer, 0.1)
    optimizer.step()
    first.step()
    second.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.005)
    assert optimizer.param_groups[0]["initial_lr"] == 0.1


def test_a_step_past_the_end_of_the_cycle_is_an_error():
    optimizer, scheduler = made("OneCycleLR", {"max_lr": 1.0, "total_steps": 2})
    rates(optimizer, scheduler, 2)
    with pytest.raises(ArgumentError, match="Tried to step 3 times"):
        scheduler.step()


def test_a_scheduler_rejects_what_it_cannot_schedule():
    x = gradstep.ones(1, requires_grad=True)
    with pytest.raises(ArgumentTypeError, match="list is not an Optimizer"):
        lr_scheduler.ExponentialLR([x], 0.1)
    with pytest.raises(ArgumentError, match="'initial_lr' is not specified"):
        lr_scheduler.ExponentialLR(SGD([x]), 0.1, last_epoch=3)
    with pytest.raises(ArgumentError, match="Factor should be < 1"):
        lr_scheduler.ReduceLROnPlateau(SGD([x]), factor=1.0)


def test_a_plateau_lowers_the_rate_once_patience_is_over():
    optimizer, scheduler = made("ReduceLROnPlateau", {"patience": 1, "cooldown": 1})
    found = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0):
        scheduler.step(loss)
        found.append(optimizer.param_groups[0]["lr"])
    assert found == pytest.approx([0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.001, 0.001])
