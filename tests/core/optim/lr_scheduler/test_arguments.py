"""Arguments of schedulers out of range: each is rejected with its value and a remedy."""

import re

import pytest

import gradstep
from gradstep.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from gradstep.optim import SGD, Adagrad, lr_scheduler

CYCLE = {"base_lr": 0.1, "max_lr": 0.2}


def optimizer(kind=SGD):
    return kind([gradstep.ones(1, requires_grad=True)], lr=0.1)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("StepLR", {"step_size": 0}, "Invalid step_size: 0; use a whole number of at least 1"),
        (
            "ConstantLR",
            {"factor": 1.5},
            "Constant multiplicative factor expected to be between 0 and 1, got 1.5",
        ),
        (
            "LinearLR",
            {"start_factor": 0.0},
            "Starting multiplicative factor expected to be greater than 0 and less or equal to 1, "
            "got 0.0",
        ),
        (
            "LinearLR",
            {"start_factor": 1.5},
            "Starting multiplicative factor expected to be greater than 0 and less or equal to 1, "
            "got 1.5",
        ),
        (
            "LinearLR",
            {"end_factor": 1.5},
            "Ending multiplicative factor expected to be between 0 and 1, got 1.5",
        ),
        (
            "LinearLR",
            {"end_factor": -0.5},
            "Ending multiplicative factor expected to be between 0 and 1, got -0.5",
        ),
        ("LambdaLR", {"lr_lambda": [abs, abs]}, "Expected 1 lr_lambdas, but got 2"),
        ("CosineAnnealingLR", {"T_max": 0}, "Invalid T_max: 0; use a whole number of at least 1"),
        (
            "CosineAnnealingWarmRestarts",
            {"T_0": 0},
            "Expected positive integer T_0, but got 0",
        ),
        (
            "CosineAnnealingWarmRestarts",
            {"T_0": 1.5},
            "Expected positive integer T_0, but got 1.5",
        ),
        (
            "CosineAnnealingWarmRestarts",
            {"T_0": 1, "T_mult": 0},
            "Expected integer T_mult >= 1, but got 0",
        ),
        (
            "CyclicLR",
            {**CYCLE, "cycle_momentum": False, "step_size_up": 0, "step_size_down": 3},
            "Invalid step sizes: 0 up, 3 down; use numbers above 0",
        ),
        (
            "CyclicLR",
            {**CYCLE, "cycle_momentum": False, "step_size_up": 3, "step_size_down": 0},
            "Invalid step sizes: 3 up, 0 down; use numbers above 0",
        ),
        (
            "CyclicLR",
            {**CYCLE, "cycle_momentum": False, "mode": "square"},
            "mode is invalid and scale_fn is None: mode is 'square'; "
            'use "triangular", "triangular2" or "exp_range"',
        ),
        (
            "CyclicLR",
            {"base_lr": [0.1, 0.2], "max_lr": 1.0, "cycle_momentum": False},
            "Expected 1 values for base_lr, got 2",
        ),
        (
            "CyclicLR",
            {"base_lr": 0.1, "max_lr": [0.1, 0.2], "cycle_momentum": False},
            "Expected 1 values for max_lr, got 2",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0},
            "You must define either total_steps OR (epochs AND steps_per_epoch); "
            "give total_steps, or both of the others",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0, "epochs": 3},
            "You must define either total_steps OR (epochs AND steps_per_epoch); "
            "give total_steps, or both of the others",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0, "epochs": 0, "steps_per_epoch": 2},
            "Expected positive integer epochs, but got 0",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0, "epochs": 2, "steps_per_epoch": 1.5},
            "Expected positive integer steps_per_epoch, but got 1.5",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0, "total_steps": 0},
            "Expected positive integer total_steps, but got 0",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0, "total_steps": 2, "pct_start": 1.5},
            "Expected float between 0 and 1 pct_start, but got 1.5",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0, "total_steps": 2, "anneal_strategy": "exp"},
            "anneal_strategy must be one of 'cos' or 'linear', instead got exp",
        ),
        (
            "OneCycleLR",
            {"max_lr": [1.0, 2.0], "total_steps": 2},
            "Expected 1 values for max_lr, got 2",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0, "total_steps": 2, "base_momentum": [0.1, 0.2]},
            "Expected 1 values for base_momentum, got 2",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1.0, "total_steps": 2, "max_momentum": [0.1, 0.2]},
            "Expected 1 values for max_momentum, got 2",
        ),
        ("ReduceLROnPlateau", {"factor": 1.0}, "Factor should be < 1.0, got 1.0"),
        ("ReduceLROnPlateau", {"mode": "up"}, 'mode up is unknown!; use "min" or "max"'),
        (
            "ReduceLROnPlateau",
            {"threshold_mode": "of"},
            'threshold mode of is unknown!; use "rel" or "abs"',
        ),
        ("ReduceLROnPlateau", {"min_lr": [0.1, 0.2]}, "expected 1 min_lrs, got 2"),
    ],
)
def test_a_value_out_of_range_is_rejected(kind, options, message):
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}$"):
        getattr(lr_scheduler, kind)(optimizer(), **options)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("StepLR", {"step_size": 1}),
        ("ConstantLR", {"factor": 1}),
        ("LinearLR", {"start_factor": 1, "end_factor": 0}),
        ("CyclicLR", {**CYCLE, "step_size_up": 1}),
        ("OneCycleLR", {"max_lr": 1.0, "total_steps": 3, "pct_start": 1}),
    ],
)
def test_the_ends_of_a_range_are_accepted(kind, options):
    assert getattr(lr_scheduler, kind)(optimizer(), **options).get_last_lr()


@pytest.mark.parametrize(
    ("kind", "options"),
    [("CyclicLR", CYCLE), ("OneCycleLR", {"max_lr": 1.0, "total_steps": 5})],
)
def test_a_cycle_of_momentum_needs_an_optimizer_with_momentum(kind, options):
    message = (
        "optimizer must support momentum or beta1 with `cycle_momentum` option enabled; "
        "set cycle_momentum=False"
    )
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}$"):
        getattr(lr_scheduler, kind)(optimizer(Adagrad), **options)
    made = getattr(lr_scheduler, kind)(optimizer(Adagrad), **options, cycle_momentum=False)
    assert made.get_last_lr()


def test_a_step_past_the_end_of_the_cycle_reports_its_length():
    scheduler = lr_scheduler.OneCycleLR(optimizer(), max_lr=1.0, total_steps=1)
    scheduler.optimizer.step()
    scheduler.step()
    with pytest.raises(ArgumentError) as raised:
        scheduler.step()
    assert str(raised.value) == (
        "Tried to step 2 times. The specified number of total steps is 1; "
        "set total_steps to the length of the training"
    )


def test_a_restart_before_the_beginning_is_rejected():
    scheduler = lr_scheduler.CosineAnnealingWarmRestarts(optimizer(), 3)
    with pytest.raises(ArgumentError, match=r"^Expected non-negative epoch, but got -0.5$"):
        scheduler.step(-0.5)


def test_a_resumed_scheduler_needs_initial_rates():
    with pytest.raises(ArgumentError) as raised:
        lr_scheduler.StepLR(optimizer(), 3, last_epoch=2)
    assert str(raised.value) == (
        "param 'initial_lr' is not specified in param_groups[0] when resuming a scheduler with "
        "last_epoch >= 0; load the optimizer's state first, or leave last_epoch at -1"
    )


@pytest.mark.parametrize(
    ("kind", "options"),
    [("StepLR", {"step_size": 1}), ("CyclicLR", CYCLE), ("ReduceLROnPlateau", {})],
)
def test_only_optimizers_are_scheduled(kind, options):
    with pytest.raises(ArgumentTypeError, match=r"^list is not an Optimizer$"):
        getattr(lr_scheduler, kind)([], **options)


def test_the_base_class_has_no_rates():
    with pytest.raises(UnsupportedError) as raised:
        lr_scheduler.LRScheduler(optimizer())
    assert str(raised.value) == "LRScheduler has no learning rates; define get_lr(self)"


def test_composed_schedulers_take_no_epoch():
    member = lr_scheduler.ExponentialLR(optimizer(), 0.9)
    chained = lr_scheduler.ChainedScheduler([member])
    with pytest.raises(ArgumentTypeError, match=r"^ChainedScheduler.step\(\) takes no epoch; call"):
        chained.step(3)
    in_turn = lr_scheduler.SequentialLR(member.optimizer, [member], [])
    with pytest.raises(ArgumentTypeError, match=r"^SequentialLR.step\(\) takes no epoch; call st"):
        in_turn.step(3)


def test_only_the_first_step_before_the_optimizer_is_warned_of():
    scheduler = lr_scheduler.StepLR(optimizer(), 1)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        scheduler.step()
    scheduler.step()  # a warning would fail the test
    assert scheduler.last_epoch == 2
