"""Operators that Python has and that are easily forgotten."""

import pytest

import gradstep
from gradstep.errors import TensorError


def test_a_plus_in_front_is_the_tensor_itself():
    x = gradstep.ones(2)
    assert +x is x
    with pytest.raises(TensorError, match="on a bool tensor is not supported"):
        _ = +(x > 0)


@pytest.mark.parametrize(
    ("element", "found"),
    [(2, True), (5, False), (gradstep.tensor([1, 9]), True), (gradstep.tensor([9, 9]), False)],
)
def test_in_looks_for_any_equal_element(element, found):
    assert (element in gradstep.tensor([[1, 2], [3, 4]])) is found


def test_in_rejects_what_is_not_a_number():
    with pytest.raises(TensorError, match="only supports Tensor or scalar"):
        "a" in gradstep.ones(2)  # noqa: B015 - asking is the test


def test_reversed_turns_the_first_dimension_round():
    assert reversed(gradstep.tensor([[1, 2], [3, 4]])).tolist() == [[3, 4], [1, 2]]
    assert reversed(gradstep.tensor(1)).item() == 1


def _and(x):
    x &= 2
    return x


def _or(x):
    x |= 4
    return x


def _xor(x):
    x ^= 1
    return x


def _floor(x):
    x //= 2
    return x


def _rest(x):
    x %= 2
    return x


@pytest.mark.parametrize(
    ("operate", "expected"),
    [(_and, [0, 2]), (_or, [5, 7]), (_xor, [0, 2]), (_floor, [0, 1]), (_rest, [1, 1])],
)
def test_operators_with_an_equals_sign_write_in_place(operate, expected):
    x = gradstep.tensor([1, 3])
    assert operate(x) is x
    assert x.tolist() == expected


def test_a_standard_deviation_below_zero_is_rejected():
    with pytest.raises(TensorError, match=r"std >= 0\.0, but found std -1"):
        gradstep.ones(2).normal_(0, -1)
