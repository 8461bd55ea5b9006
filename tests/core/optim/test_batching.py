"""Batching: which parameters are updated together, and how long the batches are kept."""

import gradstep
from gradstep import optim


def parameters(count, size=3):
    made = [gradstep.ones(size, requires_grad=True) for _ in range(count)]
    for one in made:
        one.grad = gradstep.ones(size)
    return made


def batches_of(optimizer):
    group = optimizer.param_groups[0]
    return optimizer._batching(group).batches(optimizer.state, optimizer._spec(group))


def test_small_neighbours_are_one_batch_and_a_big_one_is_its_own():
    small, big = parameters(3), parameters(1, 5_000)
    optimizer = optim.Adam([small[0], *big, *small[1:]])
    assert [len(batch.parameters) for batch in batches_of(optimizer)] == [3, 1]


def test_batches_are_kept_while_nothing_changes():
    for algorithm in (optim.SGD, optim.Adam):
        optimizer = algorithm(parameters(3))
        first = batches_of(optimizer)
        optimizer.step()
        assert batches_of(optimizer) is first


def test_batches_come_back_when_the_same_parameters_have_gradients_again():
    own = parameters(3)
    optimizer = optim.Adam(own)
    optimizer.step()
    everything = batches_of(optimizer)
    own[1].grad = None
    some = batches_of(optimizer)
    assert [len(batch.parameters) for batch in some] == [1, 1]
    own[1].grad = gradstep.ones(3)
    assert batches_of(optimizer) is everything
    own[1].grad = None
    assert batches_of(optimizer) is some


def test_a_state_that_was_replaced_or_removed_makes_new_batches():
    own = parameters(2)
    optimizer = optim.Adam(own)
    first = batches_of(optimizer)
    optimizer.state[own[0]]["exp_avg"] = gradstep.zeros(3)
    second = batches_of(optimizer)
    assert second is not first
    del optimizer.state[own[1]]["exp_avg"]
    third = batches_of(optimizer)
    assert third is not second
    del optimizer.state[own[1]]
    assert batches_of(optimizer) is not third
    assert list(optimizer.state[own[1]]) == ["step", "exp_avg", "exp_avg_sq"]


def test_data_that_was_replaced_are_followed():
    own = parameters(2)
    optimizer = optim.SGD(own, lr=1.0)
    optimizer.step()
    own[0].data = gradstep.full((3,), 5.0)
    optimizer.step()
    assert (own[0].tolist(), own[1].tolist()) == ([4.0] * 3, [-1.0] * 3)


def test_a_parameter_that_takes_another_size_gets_state_of_that_size():
    (own,) = parameters(1)
    optimizer = optim.SGD([own], lr=1.0, momentum=0.5)
    optimizer.step()
    own.data = gradstep.zeros(2)
    own.grad = gradstep.ones(2)
    optimizer.state.clear()
    optimizer.step()
    assert optimizer.state[own]["momentum_buffer"].tolist() == [1.0, 1.0]


def test_an_option_that_needs_other_state_is_followed():
    (own,) = parameters(1)
    optimizer = optim.SGD([own], lr=1.0)
    optimizer.step()
    assert own not in optimizer.state
    optimizer.param_groups[0]["momentum"] = 0.5
    optimizer.step()
    optimizer.step()
    assert optimizer.state[own]["momentum_buffer"].tolist() == [1.5] * 3
    assert own.tolist() == [1.0 - 1.0 - 1.0 - 1.5] * 3
