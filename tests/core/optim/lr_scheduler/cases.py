"""Every scheduler under several configurations, and what drives it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 40
METRICS = (1.0, 0.99, 0.9, 0.91, 1.2, 0.89, 0.88, float("nan"), 0.5, -1.0, *[-1.0] * 12)
OPTIMIZERS = {"SGD": {"momentum": 0.9}, "Adam": {"betas": (0.9, 0.99)}}


@dataclass(frozen=True)
class Case:
    """A scheduler, and the calls of its `step`.

    Attributes:
        kind: The scheduler's class, or a function of library and optimizer that makes one.
        options: Its arguments.
        optimizer: Which optimizer it is for.
        rates: The learning rate of each parameter group.
        arguments: What each call of `step` gets; calls without arguments if None.
        resumed_after: After this many steps another scheduler takes over by `last_epoch`.
    """

    kind: str | Callable[..., Any]
    options: dict[str, Any] = field(default_factory=dict)
    optimizer: str = "SGD"
    rates: tuple[float, ...] = (0.1,)
    arguments: tuple[float, ...] | None = None
    resumed_after: int | None = None


def optimizer_of(library, case):
    """Return a case's optimizer, of torch or of gradstep."""
    groups = [{"params": [library.ones(1, requires_grad=True)], "lr": lr} for lr in case.rates]
    return getattr(library.optim, case.optimizer)(groups, **OPTIMIZERS[case.optimizer])


def scheduler_of(library, case, optimizer, **options):
    """Return a case's scheduler for an optimizer."""
    if callable(case.kind):
        return case.kind(library, optimizer)
    cls = getattr(library.optim.lr_scheduler, case.kind)
    return cls(optimizer, **case.options, **options)


def momentum_of(group):
    """Return momentum or the first beta: what cycles beside the learning rate."""
    return group["momentum"] if "momentum" in group else group["betas"][0]


def settings_of(optimizer):
    """Return learning rate and momentum of each group."""
    return [(float(group["lr"]), float(momentum_of(group))) for group in optimizer.param_groups]


def trajectory(library, case, steps=STEPS):
    """Return what the optimizer's groups were set to at the start and after each step."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The epoch parameter|Detected call", UserWarning)
        optimizer = optimizer_of(library, case)
        scheduler = scheduler_of(library, case, optimizer)
        found = [settings_of(optimizer)]
        calls = [()] * steps if case.arguments is None else [(one,) for one in case.arguments]
        for number, call in enumerate(calls):
            if number == case.resumed_after:
                scheduler = scheduler_of(library, case, optimizer, last_epoch=number)
            optimizer.step()
            scheduler.step(*call)
            found.append(settings_of(optimizer))
    return found


def warmup_then_cosine(library, optimizer):
    kinds = library.optim.lr_scheduler
    members = [kinds.LinearLR(optimizer, 0.1, total_iters=3), kinds.CosineAnnealingLR(optimizer, 6)]
    return kinds.SequentialLR(optimizer, members, milestones=[3])


def three_in_turn(library, optimizer):
    kinds = library.optim.lr_scheduler
    members = [
        kinds.ConstantLR(optimizer, 0.5, 2),
        kinds.StepLR(optimizer, 2, 0.5),
        kinds.LambdaLR(optimizer, lambda step: 0.9**step),
    ]
    return kinds.SequentialLR(optimizer, members, milestones=[4, 8])


def two_at_once(library, optimizer):
    kinds = library.optim.lr_scheduler
    members = [kinds.ConstantLR(optimizer, 0.1, 3), kinds.ExponentialLR(optimizer, 0.9)]
    return kinds.ChainedScheduler(members, optimizer)


def three_at_once(library, optimizer):
    kinds = library.optim.lr_scheduler
    members = [
        kinds.LinearLR(optimizer, 0.2, 0.8, 9),
        kinds.CosineAnnealingLR(optimizer, 11, 0.001),
        kinds.MultiStepLR(optimizer, [5, 25], 0.5),
    ]
    return kinds.ChainedScheduler(members)


def nested(library, optimizer):
    kinds = library.optim.lr_scheduler
    inner = kinds.SequentialLR(
        optimizer,
        [kinds.ConstantLR(optimizer, 0.5, 2), kinds.ExponentialLR(optimizer, 0.8)],
        milestones=[2],
    )
    return kinds.SequentialLR(optimizer, [inner, kinds.StepLR(optimizer, 2)], milestones=[5])


COMPOSED = {
    "warmup-then-cosine": Case(warmup_then_cosine),
    "three-in-turn": Case(three_in_turn, rates=(0.1, 0.02)),
    "two-at-once": Case(two_at_once),
    "three-at-once": Case(three_at_once, rates=(0.1, 0.02)),
    "nested": Case(nested),
}

TWO = (0.1, 0.02)
CYCLE = {"base_lr": 0.01, "max_lr": 0.3}
ONE_CYCLE = {"max_lr": 0.3, "total_steps": STEPS + 2}
PLATEAU = {"threshold": 0.05, "patience": 2, "cooldown": 1, "factor": 0.5, "min_lr": 0.01}

SIMPLE = {
    "StepLR": Case("StepLR", {"step_size": 3}),
    "StepLR-half": Case("StepLR", {"step_size": 5, "gamma": 0.5}, rates=TWO),
    "MultiStepLR": Case("MultiStepLR", {"milestones": [2, 4, 4]}),
    "MultiStepLR-late": Case("MultiStepLR", {"milestones": [21, 1, 10], "gamma": 0.3}, rates=TWO),
    "ExponentialLR": Case("ExponentialLR", {"gamma": 0.9}),
    "ExponentialLR-rising": Case("ExponentialLR", {"gamma": 1.02}, "Adam", TWO),
    "ConstantLR": Case("ConstantLR"),
    "ConstantLR-long": Case("ConstantLR", {"factor": 0.25, "total_iters": 8}, rates=TWO),
    "LinearLR": Case("LinearLR"),
    "LinearLR-down": Case("LinearLR", {"start_factor": 0.9, "end_factor": 0.1, "total_iters": 12}),
    "PolynomialLR": Case("PolynomialLR", {"power": 2.0}),
    "PolynomialLR-linear": Case("PolynomialLR", rates=TWO),
    "PolynomialLR-root": Case("PolynomialLR", {"total_iters": 30, "power": 0.5}),
    "LambdaLR": Case("LambdaLR", {"lr_lambda": lambda step: 0.9**step}),
    "LambdaLR-each": Case(
        "LambdaLR", {"lr_lambda": [lambda step: 1 / (step + 1), lambda step: 1 + step]}, rates=TWO
    ),
    "MultiplicativeLR": Case("MultiplicativeLR", {"lr_lambda": lambda _: 0.95}),
    "MultiplicativeLR-each": Case(
        "MultiplicativeLR",
        {"lr_lambda": [lambda step: 1 - 1 / (step + 2), lambda _: 1.1]},
        rates=TWO,
    ),
    "CosineAnnealingLR": Case("CosineAnnealingLR", {"T_max": 7, "eta_min": 0.01}),
    "CosineAnnealingLR-slow": Case("CosineAnnealingLR", {"T_max": 60}, rates=TWO),
    "CosineAnnealingLR-one": Case("CosineAnnealingLR", {"T_max": 1, "eta_min": 0.05}),
    "CosineAnnealingWarmRestarts": Case("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2}),
    "CosineAnnealingWarmRestarts-even": Case(
        "CosineAnnealingWarmRestarts", {"T_0": 5, "eta_min": 0.001}, rates=TWO
    ),
    "CyclicLR": Case("CyclicLR", {**CYCLE, "step_size_up": 4}),
    "CyclicLR-triangular2": Case(
        "CyclicLR",
        {
            **CYCLE,
            "step_size_up": 3,
            "step_size_down": 6,
            "mode": "triangular2",
            "base_momentum": 0.7,
        },
    ),
    "CyclicLR-exp_range": Case(
        "CyclicLR",
        {**CYCLE, "step_size_up": 5, "mode": "exp_range", "gamma": 0.9, "cycle_momentum": False},
    ),
    "CyclicLR-function": Case(
        "CyclicLR",
        {
            **CYCLE,
            "step_size_up": 5,
            "scale_fn": lambda x: 1 / (x + 1),
            "scale_mode": "iterations",
        },
    ),
    "CyclicLR-by-cycle": Case(
        "CyclicLR", {**CYCLE, "step_size_up": 4, "scale_fn": lambda x: 0.8**x}
    ),
    "CyclicLR-Adam": Case(
        "CyclicLR",
        {
            "base_lr": [0.01, 0.02],
            "max_lr": [0.3, 0.5],
            "step_size_up": 7,
            "max_momentum": 0.95,
        },
        "Adam",
        TWO,
    ),
    "OneCycleLR": Case("OneCycleLR", ONE_CYCLE),
    "OneCycleLR-three-phases-linear": Case(
        "OneCycleLR",
        {
            "max_lr": 0.3,
            "epochs": 4,
            "steps_per_epoch": 10,
            "three_phase": True,
            "anneal_strategy": "linear",
        },
    ),
    "OneCycleLR-three-phases": Case(
        "OneCycleLR", {**ONE_CYCLE, "three_phase": True, "pct_start": 0.4, "div_factor": 10.0}
    ),
    "OneCycleLR-linear": Case(
        "OneCycleLR",
        {**ONE_CYCLE, "anneal_strategy": "linear", "final_div_factor": 100.0},
    ),
    "OneCycleLR-Adam": Case(
        "OneCycleLR",
        {
            "max_lr": [0.3, 0.1],
            "total_steps": 50,
            "base_momentum": 0.8,
            "max_momentum": [0.9, 0.99],
        },
        "Adam",
        TWO,
    ),
    "OneCycleLR-no-momentum": Case(
        "OneCycleLR", {**ONE_CYCLE, "cycle_momentum": False, "pct_start": 0.1}
    ),
}

RESUMED = {
    f"{name}-resumed": replace(SIMPLE[name], resumed_after=6)
    for name in (
        "StepLR",
        "MultiStepLR",
        "ExponentialLR",
        "ConstantLR",
        "LinearLR",
        "PolynomialLR-root",
        "LambdaLR",
        "MultiplicativeLR",
        "CosineAnnealingLR",
        "CosineAnnealingWarmRestarts-even",
        "CyclicLR",
        "OneCycleLR",
    )
}

EPOCHS = {
    f"{name}-epochs": replace(SIMPLE[name], arguments=(4, 2, 9, 0, 3, 30, 7, 8, 10))
    for name in (
        "StepLR",
        "MultiStepLR",
        "ExponentialLR",
        "ConstantLR",
        "LinearLR",
        "PolynomialLR-root",
        "LambdaLR",
        "CosineAnnealingLR",
        "CosineAnnealingWarmRestarts",
        "CyclicLR",
        "OneCycleLR",
    )
}
EPOCHS["CosineAnnealingWarmRestarts-fractions"] = Case(
    "CosineAnnealingWarmRestarts",
    {"T_0": 2, "T_mult": 3},
    arguments=(0.5, 1.75, 2.25, 5.5, 7.9, 8.0, 8.125, 25.5, 3.3),
)
EPOCHS["CosineAnnealingWarmRestarts-even-fractions"] = Case(
    "CosineAnnealingWarmRestarts", {"T_0": 2}, arguments=(0.5, 1.75, 2.25, 5.5, 7.9, 8.0)
)

PLATEAUS = {
    f"ReduceLROnPlateau-{mode}-{threshold_mode}": Case(
        "ReduceLROnPlateau",
        {**PLATEAU, "mode": mode, "threshold_mode": threshold_mode},
        arguments=METRICS,
    )
    for mode in ("min", "max")
    for threshold_mode in ("rel", "abs")
}
PLATEAUS["ReduceLROnPlateau"] = Case("ReduceLROnPlateau", arguments=(1.0,) * STEPS)
PLATEAUS["ReduceLROnPlateau-groups"] = Case(
    "ReduceLROnPlateau",
    {"patience": 0, "factor": 0.3, "min_lr": [0.01, 0.0], "eps": 1e-4},
    rates=TWO,
    arguments=METRICS,
)

CASES = {**SIMPLE, **COMPOSED, **RESUMED, **EPOCHS, **PLATEAUS}
"""By name; goldens are recorded under these names."""
