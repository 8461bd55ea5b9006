"""Schedulers made of schedulers: in turn or at once, as torch has them."""

import pytest

import gradstep
from gradstep.errors import ArgumentError, ArgumentTypeError


def optimizer_of(library):
    return library.optim.SGD([library.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)


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


def at_once(library, optimizer):
    kinds = library.optim.lr_scheduler
    members = [kinds.ConstantLR(optimizer, 0.1, 3), kinds.ExponentialLR(optimizer, 0.9)]
    return kinds.ChainedScheduler(members, optimizer)


def nested(library, optimizer):
    kinds = library.optim.lr_scheduler
    inner = kinds.SequentialLR(
        optimizer,
        [kinds.ConstantLR(optimizer, 0.5, 2), kinds.ExponentialLR(optimizer, 0.8)],
        milestones=[2],
    )
    return kinds.SequentialLR(optimizer, [inner, kinds.StepLR(optimizer, 2)], milestones=[5])


# torch warns, and so do we, when a sequence in a sequence takes its first step
EARLY = pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")
MAKERS = [warmup_then_cosine, three_in_turn, at_once, pytest.param(nested, marks=EARLY)]


def rates(optimizer, scheduler, steps):
    found = [scheduler.get_last_lr()]
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        found.append(scheduler.get_last_lr())
    return found


@pytest.mark.torch
@pytest.mark.parametrize("make", MAKERS)
def test_rates_are_torchs(make):
    torch = pytest.importorskip("torch")
    found = []
    for library in (gradstep, torch):
        optimizer = optimizer_of(library)
        found.append(rates(optimizer, make(library, optimizer), 14))
    assert found[0] == found[1]


def test_a_warm_up_ends_at_its_milestone():
    optimizer = optimizer_of(gradstep)
    found = rates(optimizer, warmup_then_cosine(gradstep, optimizer), 4)
    assert [rate for (rate,) in found][:4] == pytest.approx([0.01, 0.04, 0.07, 0.1])
    assert found[4][0] < 0.1


@pytest.mark.parametrize("make", MAKERS)
def test_a_saved_scheduler_goes_on_where_it_was(make):
    optimizer, other_optimizer = optimizer_of(gradstep), optimizer_of(gradstep)
    scheduler, other = make(gradstep, optimizer), make(gradstep, other_optimizer)
    rates(optimizer, scheduler, 3)
    other_optimizer.load_state_dict(optimizer.state_dict())
    other.load_state_dict(scheduler.state_dict())
    assert rates(optimizer, scheduler, 6) == rates(other_optimizer, other, 6)


def test_members_that_do_not_go_together_are_refused():
    kinds = gradstep.optim.lr_scheduler
    optimizer = optimizer_of(gradstep)
    member = kinds.ExponentialLR(optimizer, 0.9)
    with pytest.raises(ArgumentError, match="SequentialLR expects at least one scheduler"):
        kinds.SequentialLR(optimizer, [], [])
    with pytest.raises(ArgumentError, match="one more than the number of milestone points"):
        kinds.SequentialLR(optimizer, [member], [3])
    with pytest.raises(ArgumentError, match="to belong to the same optimizer"):
        kinds.ChainedScheduler([member, kinds.StepLR(optimizer_of(gradstep), 1)])
    with pytest.raises(ArgumentError, match="does not support `ReduceLROnPlateau`"):
        kinds.ChainedScheduler([member, kinds.ReduceLROnPlateau(optimizer)])
    with pytest.raises(ArgumentTypeError, match="should have `optimizer` as its attribute"):
        kinds.ChainedScheduler([3.0])
    with pytest.raises(ArgumentTypeError, match="takes no epoch"):
        kinds.ChainedScheduler([member]).step(3)


def test_a_cycle_needs_momentum_to_move_it():
    x = gradstep.ones(1, requires_grad=True)
    kinds = gradstep.optim.lr_scheduler
    with pytest.raises(ArgumentError, match="must support momentum or beta1"):
        kinds.CyclicLR(gradstep.optim.Adagrad([x]), 0.1, 0.2)
    with pytest.raises(ArgumentError, match="mode is invalid and scale_fn is None"):
        kinds.CyclicLR(gradstep.optim.SGD([x]), 0.1, 0.2, mode="square")
