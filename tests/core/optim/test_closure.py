"""Closures within a step: with grad enabled, and walked through if they are generators."""

import pytest

import gradstep
from gradstep.optim.closure import EVALUATING, as_number, call_with_grad, walk_closure


def exhausted(walk):
    """Return what a generator yields and what it returns."""
    found = []
    while True:
        try:
            found.append(next(walk))
        except StopIteration as end:
            return found, end.value


def test_a_function_is_called_with_grad_enabled():
    with gradstep.no_grad():
        assert call_with_grad(gradstep.is_grad_enabled) is True
        assert exhausted(walk_closure(gradstep.is_grad_enabled)) == ([], True)
        assert not gradstep.is_grad_enabled()


def test_a_generator_is_walked_through():
    def closure():
        yield "forward"
        yield "backward"
        return 1.5

    expected = [(EVALUATING, "forward"), (EVALUATING, "backward")], 1.5
    assert exhausted(walk_closure(closure)) == expected


def test_a_generator_is_closed_with_the_walk():
    ended = []

    def closure():
        try:
            yield "forward"
        finally:
            ended.append(True)

    walk = walk_closure(closure)
    next(walk)
    assert ended == []
    walk.close()
    assert ended == [True]


@pytest.mark.parametrize("loss", [2, 2.0, gradstep.tensor(2.0), gradstep.tensor([2.0])])
def test_a_loss_is_a_number_or_a_tensor_of_one_element(loss):
    assert as_number(loss) == 2.0
    assert type(as_number(loss)) is float
