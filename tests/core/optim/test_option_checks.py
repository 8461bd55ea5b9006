"""Hyperparameters out of range are rejected with their name, value, and what they may be."""

import re

import pytest

import gradstep
from gradstep import optim
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError

NOT_NEGATIVE = {
    "ASGD": ("lr", "weight_decay"),
    "Adadelta": ("lr", "eps", "weight_decay"),
    "Adagrad": ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps"),
    "Adam": ("lr", "eps", "weight_decay"),
    "AdamW": ("lr", "eps", "weight_decay"),
    "Adamax": ("lr", "eps", "weight_decay"),
    "LBFGS": ("lr",),
    "NAdam": ("lr", "eps", "weight_decay", "momentum_decay"),
    "RAdam": ("lr", "eps", "weight_decay"),
    "RMSprop": ("lr", "eps", "momentum", "weight_decay", "alpha"),
    "Rprop": ("lr",),
    "SGD": ("lr", "momentum", "weight_decay"),
}
LABELS = {"lr": "learning rate", "eps": "epsilon value"}
WITH_BETAS = ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "SparseAdam")


def built(algorithm, **options):
    return getattr(optim, algorithm)([gradstep.ones(2, 2, requires_grad=True)], **options)


@pytest.mark.parametrize(
    ("algorithm", "option"),
    [(algorithm, option) for algorithm, options in NOT_NEGATIVE.items() for option in options],
)
def test_a_negative_value_is_rejected_and_zero_is_not(algorithm, option):
    label = LABELS.get(option, f"{option} value")
    with pytest.raises(ArgumentError) as raised:
        built(algorithm, **{option: -0.5})
    assert str(raised.value) == f"Invalid {label}: -0.5; {option} must be 0 or more"
    assert built(algorithm, **{option: 0}).defaults[option] == 0


@pytest.mark.parametrize("algorithm", WITH_BETAS)
def test_betas_are_a_pair_of_rates_below_one(algorithm):
    for betas in (0.9, (0.9,), [0.9, 0.99, 0.999]):
        with pytest.raises(ArgumentTypeError) as raised:
            built(algorithm, betas=betas)
        assert str(raised.value) == f"Invalid betas: {betas!r}; pass a pair such as (0.9, 0.999)"
    for index, betas in ((0, (1.0, 0.9)), (1, (0.9, -0.1)), (1, (0.0, float("nan")))):
        with pytest.raises(ArgumentError) as raised:
            built(algorithm, betas=betas)
        assert str(raised.value) == (
            f"Invalid beta parameter at index {index}: {betas[index]}; "
            "a beta must be at least 0 and less than 1"
        )
    assert built(algorithm, betas=(0.0, 0.0)).defaults["betas"] == (0.0, 0.0)


@pytest.mark.parametrize(
    ("algorithm", "options", "message"),
    [
        ("Adadelta", {"rho": 1.5}, "Invalid rho value: 1.5; rho must lie between 0 and 1"),
        ("Adadelta", {"rho": -0.5}, "Invalid rho value: -0.5; rho must lie between 0 and 1"),
        ("SparseAdam", {"lr": 0.0}, "Invalid learning rate: 0.0; lr must be above 0"),
        ("SparseAdam", {"eps": 0.0}, "Invalid epsilon value: 0.0; eps must be above 0"),
        (
            "Rprop",
            {"etas": (1.0, 1.2)},
            "Invalid eta values: 1.0, 1.2; the first must lie between 0 and 1, the second above 1",
        ),
        (
            "Rprop",
            {"etas": (0.5, 1.0)},
            "Invalid eta values: 0.5, 1.0; the first must lie between 0 and 1, the second above 1",
        ),
        (
            "SGD",
            {"nesterov": True},
            "Nesterov momentum requires a momentum and zero dampening; "
            "set momentum above 0 and leave dampening at 0",
        ),
        (
            "SGD",
            {"nesterov": True, "momentum": 0.9, "dampening": 0.1},
            "Nesterov momentum requires a momentum and zero dampening; "
            "set momentum above 0 and leave dampening at 0",
        ),
        ("Muon", {"lr": -1}, "Learning rate should be >= 0 but is: -1"),
        ("Muon", {"momentum": -1}, "momentum should be >= 0 but is: -1"),
        ("Muon", {"weight_decay": -1}, "weight decay should be >= 0 but is: -1"),
        (
            "Muon",
            {"adjust_lr_fn": "mine"},
            "Adjust learning rate function mine is not supported; "
            'use "original" or "match_rms_adamw"',
        ),
        (
            "Muon",
            {"ns_steps": 100},
            "Number of steps must be less than 100 for computational efficiency, "
            "but ns_steps is 100",
        ),
        (
            "Muon",
            {"ns_coefficients": (1.0, 2.0)},
            "Coefficients must be a tuple of exactly 3 values, but are (1.0, 2.0); "
            "pass 3 numbers such as (3.4445, -4.775, 2.0315)",
        ),
        ("LBFGS", {"max_iter": 1.5}, "Invalid max_iter: 1.5; use a whole number of at least 0"),
        ("LBFGS", {"max_eval": -1}, "Invalid max_eval: -1; use a whole number of at least 0"),
        (
            "LBFGS",
            {"history_size": 0},
            "Invalid history_size: 0; use a whole number of at least 1",
        ),
    ],
)
def test_other_values_out_of_range_are_reported_with_the_value(algorithm, options, message):
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}$"):
        built(algorithm, **options)


@pytest.mark.parametrize(
    ("algorithm", "options", "label"),
    [
        ("SGD", {"dampening": "a"}, "dampening value"),
        ("ASGD", {"lambd": "a"}, "lambd value"),
        ("ASGD", {"alpha": "a"}, "alpha value"),
        ("ASGD", {"t0": "a"}, "t0 value"),
        ("Adafactor", {"beta2_decay": "a"}, "beta2_decay"),
        ("Adafactor", {"d": "a"}, "clipping threshold"),
        ("Adafactor", {"weight_decay": "a"}, "weight_decay"),
        ("LBFGS", {"tolerance_grad": "a"}, "tolerance_grad"),
        ("LBFGS", {"tolerance_change": "a"}, "tolerance_change"),
        ("Muon", {"lr": "a"}, "learning rate"),
        ("Adam", {"eps": True}, "epsilon value"),
    ],
)
def test_what_is_not_a_number_is_rejected_by_its_name(algorithm, options, label):
    (value,) = options.values()
    with pytest.raises(ArgumentTypeError) as raised:
        built(algorithm, **options)
    assert str(raised.value) == f"Invalid {label}: {value!r} is not a number; pass a number"


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("Adafactor", {"beta2_decay": 0, "d": 1, "eps": (0, 0), "weight_decay": 0, "lr": 0}),
        ("Adadelta", {"rho": 0}),
        ("Adadelta", {"rho": 1}),
        ("LBFGS", {"max_iter": 0, "max_eval": 0, "history_size": 1}),
        ("Muon", {"lr": 0, "momentum": 0, "weight_decay": 0, "ns_steps": 99}),
        ("Adam", {"fused": True, "capturable": True}),
        ("Adam", {"foreach": True, "differentiable": True}),
    ],
)
def test_the_ends_of_a_range_are_accepted(algorithm, options):
    assert options.items() <= built(algorithm, **options).defaults.items()


@pytest.mark.parametrize("algorithm", ["Adam", "AdamW"])
def test_implementations_that_exclude_each_other_are_rejected(algorithm):
    with pytest.raises(TensorError, match=r"^`fused` does not support `differentiable`; set only"):
        built(algorithm, fused=True, differentiable=True)
    with pytest.raises(TensorError, match=r"^`fused` and `foreach` cannot be `True` together; "):
        built(algorithm, fused=True, foreach=True)


def test_tensors_as_hyperparameters_must_have_one_element():
    rate, beta = gradstep.tensor(0.5), gradstep.tensor(0.25)
    assert built("Adam", betas=(beta, beta)).defaults["betas"] == (0.25, 0.25)
    assert built("SGD", lr=rate).defaults["lr"] is rate
    with pytest.raises(ArgumentError, match=r"^betas must be either both floats or both Tensors$"):
        built("Adam", betas=(beta, 0.5))
    with pytest.raises(ArgumentError, match=r"^Tensor betas\[1\] must be 1-element; pass a number"):
        built("Adam", betas=(beta, gradstep.ones(2)))
    with pytest.raises(ArgumentError, match=r"^Tensor lr must be 1-element, but it has shape \(2"):
        built("SGD", lr=gradstep.ones(2))
    with pytest.raises(ArgumentError, match=r"^lr as a Tensor is not supported for capturable=F"):
        built("Adam", lr=rate, foreach=True)
    with pytest.raises(ArgumentError, match=r"^betas\[0\] as a Tensor is not supported for"):
        built("Adam", betas=(beta, beta), foreach=True)
    assert built("Adam", lr=rate, foreach=True, capturable=True).defaults["lr"] is rate
    with pytest.raises(ArgumentError, match=r"^Invalid learning rate: -1.0; lr must be 0 or more"):
        built("SGD", lr=gradstep.tensor(-1.0))
