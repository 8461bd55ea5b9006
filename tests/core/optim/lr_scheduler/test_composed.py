"""Schedulers made of schedulers, one after the other or all at once."""

import pytest

import gradstep
from gradstep.errors import ArgumentError, ArgumentTypeError
from tests.core.optim.lr_scheduler.cases import COMPOSED, Case, optimizer_of, trajectory


def test_a_warm_up_ends_at_its_milestone():
    rates = [lr for ((lr, _),) in trajectory(gradstep, COMPOSED["warmup-then-cosine"], steps=4)]
    assert rates[:4] == pytest.approx([0.01, 0.04, 0.07, 0.1])
    assert rates[4] < 0.1


def test_members_that_do_not_go_together_are_rejected():
    kinds = gradstep.optim.lr_scheduler
    optimizer = optimizer_of(gradstep, Case("StepLR"))
    member = kinds.ExponentialLR(optimizer, 0.9)
    with pytest.raises(ArgumentError, match="SequentialLR expects at least one scheduler"):
        kinds.SequentialLR(optimizer, [], [])
    with pytest.raises(ArgumentError, match="one more than the number of milestone points"):
        kinds.SequentialLR(optimizer, [member], [3])
    with pytest.raises(ArgumentError, match="to belong to the same optimizer"):
        kinds.ChainedScheduler([member, kinds.StepLR(optimizer_of(gradstep, Case("StepLR")), 1)])
    with pytest.raises(ArgumentError, match="does not support `ReduceLROnPlateau`"):
        kinds.ChainedScheduler([member, kinds.ReduceLROnPlateau(optimizer)])
    with pytest.raises(ArgumentTypeError, match="should have `optimizer` as its attribute"):
        kinds.ChainedScheduler([3.0])
