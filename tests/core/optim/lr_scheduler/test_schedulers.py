"""Schedulers: their rates over many steps, saving, and calling them too early."""

import warnings

import pytest

import gradstep
from gradstep.errors import ArgumentError, ArgumentTypeError
from gradstep.optim import SGD, lr_scheduler

KINDS = [
    ("StepLR", {"step_size": 3}),
    ("MultiStepLR", {"milestones": [2, 4, 4]}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("ConstantLR", {}),
    ("LinearLR", {}),
    ("PolynomialLR", {"power": 2.0}),
    ("LambdaLR", {"lr_lambda": lambda step: 0.9**step}),
    ("MultiplicativeLR", {"lr_lambda": lambda _: 0.95}),
    ("CosineAnnealingLR", {"T_max": 7, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 4}),
    (
        "CyclicLR",
        {
            "base_lr": 0.01,
            "max_lr": 0.3,
            "step_size_up": 3,
            "step_size_down": 6,
            "mode": "triangular2",
            "base_momentum": 0.7,
        },
    ),
    (
        "CyclicLR",
        {
            "base_lr": 0.01,
            "max_lr": 0.3,
            "step_size_up": 5,
            "mode": "exp_range",
            "gamma": 0.9,
            "cycle_momentum": False,
        },
    ),
    (
        "CyclicLR",
        {
            "base_lr": 0.01,
            "max_lr": 0.3,
            "step_size_up": 5,
            "scale_fn": lambda x: 1 / (x + 1),
            "scale_mode": "iterations",
        },
    ),
    ("OneCycleLR", {"max_lr": 0.3, "total_steps": 40}),
    (
        "OneCycleLR",
        {
            "max_lr": 0.3,
            "epochs": 4,
            "steps_per_epoch": 10,
            "three_phase": True,
            "anneal_strategy": "linear",
        },
    ),
]
IDS = [f"{kind}-{number}" for number, (kind, _) in enumerate(KINDS)]


def made(library, kind, options, **hyper):
    optimizer = library.optim.SGD(
        [library.ones(1, requires_grad=True)], lr=0.1, momentum=0.9, **hyper
    )
    return optimizer, getattr(library.optim.lr_scheduler, kind)(optimizer, **options)


def rates(optimizer, scheduler, steps):
    found = []
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        found.append((scheduler.get_last_lr()[0], optimizer.param_groups[0]["momentum"]))
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
    found = rates(*made(gradstep, kind, options), steps=4)
    assert [rate for rate, _ in found] == pytest.approx(expected, abs=1e-12)


@pytest.mark.torch
@pytest.mark.parametrize("case", KINDS, ids=IDS)
def test_rates_and_momenta_are_torchs(case):
    torch = pytest.importorskip("torch")
    ours, theirs = (rates(*made(library, *case), steps=35) for library in (gradstep, torch))
    assert ours == theirs


@pytest.mark.torch
@pytest.mark.parametrize("case", KINDS, ids=IDS)
def test_going_to_an_epoch_is_as_in_torch(case):
    torch = pytest.importorskip("torch")
    found = []
    for library in (gradstep, torch):
        optimizer, scheduler = made(library, *case)
        optimizer.step()
        own = []
        for epoch in (4, 2, 9, 0, 3):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                scheduler.step(epoch)
            said = [w for w in caught if "The epoch parameter in `scheduler.step()`" in str(w)]
            own.append((scheduler.get_last_lr(), scheduler.last_epoch, len(said)))
        found.append(own)
    assert found[0] == found[1]


@pytest.mark.torch
@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_a_plateau_is_met_as_in_torch(mode, threshold_mode):
    torch = pytest.importorskip("torch")
    options = {
        "mode": mode,
        "threshold_mode": threshold_mode,
        "threshold": 0.05,
        "patience": 2,
        "cooldown": 1,
        "factor": 0.5,
        "min_lr": 0.01,
    }
    metrics = [1.0, 0.99, 0.9, 0.91, 1.2, 0.89, 0.88, float("nan"), 0.5, -1.0] + [-1.0] * 12
    found = []
    for library in (gradstep, torch):
        scheduler = made(library, "ReduceLROnPlateau", options)[1]
        own = []
        for metric in metrics:
            scheduler.step(library.tensor(metric))
            state = (scheduler.best, scheduler.num_bad_epochs, scheduler.cooldown_counter)
            own.append((repr(state), scheduler.get_last_lr()))
        found.append(own)
    assert found[0] == found[1]


@pytest.mark.parametrize("case", KINDS, ids=IDS)
def test_a_saved_scheduler_goes_on_where_it_was(case):
    optimizer, scheduler = made(gradstep, *case)
    rates(optimizer, scheduler, 5)
    other_optimizer, other = made(gradstep, *case)
    other_optimizer.load_state_dict(optimizer.state_dict())
    other.load_state_dict(scheduler.state_dict())
    assert rates(optimizer, scheduler, 5) == rates(other_optimizer, other, 5)


def test_stepping_before_the_optimizer_is_warned_of():
    _, scheduler = made(gradstep, "StepLR", {"step_size": 1})
    with pytest.warns(UserWarning, match=r"lr_scheduler.step\(\)` before `optimizer.step\(\)"):
        scheduler.step()


def test_schedulers_chain_on_the_present_rate():
    optimizer, first = made(gradstep, "ExponentialLR", {"gamma": 0.5})
    second = lr_scheduler.ExponentialLR(optimizer, 0.1)
    optimizer.step()
    first.step()
    second.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.005)
    assert optimizer.param_groups[0]["initial_lr"] == 0.1


def test_a_cycle_that_is_over_says_so():
    optimizer, scheduler = made(gradstep, "OneCycleLR", {"max_lr": 1.0, "total_steps": 2})
    rates(optimizer, scheduler, 2)
    with pytest.raises(ArgumentError, match="Tried to step 3 times"):
        scheduler.step()


def test_what_cannot_be_scheduled_is_refused():
    x = gradstep.ones(1, requires_grad=True)
    with pytest.raises(ArgumentTypeError, match="list is not an Optimizer"):
        lr_scheduler.ExponentialLR([x], 0.1)
    with pytest.raises(ArgumentError, match="'initial_lr' is not specified"):
        lr_scheduler.ExponentialLR(SGD([x]), 0.1, last_epoch=3)
    with pytest.raises(ArgumentError, match="Factor should be < 1"):
        lr_scheduler.ReduceLROnPlateau(SGD([x]), factor=1.0)


def test_a_plateau_lowers_the_rate_once_patience_is_over():
    optimizer, scheduler = made(gradstep, "ReduceLROnPlateau", {"patience": 1, "cooldown": 1})
    found = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0):
        scheduler.step(loss)
        found.append(optimizer.param_groups[0]["lr"])
    assert found == pytest.approx([0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.001, 0.001])
