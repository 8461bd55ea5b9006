"""Functions of tensors name what is not a tensor, and say how to make one of it."""

import inspect

import numpy as np
import pytest

import gradstep_torch as torch
import gradstep_torch.nn.functional as F  # noqa: N812 - as everybody calls it
from gradstep.errors import ArgumentTypeError
from gradstep_torch.argument_errors import with_tensor_errors

REMEDY = "; convert it first, with gradstep.tensor(...) or gradstep.from_numpy(...)"
ones = torch.ones(2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: torch.exp([1.0]),
            "exp(): argument 'input' (position 1) must be Tensor, not list",
        ),
        (
            lambda: torch.mean(np.ones(2)),
            "mean(): argument 'input' (position 1) must be Tensor, not ndarray",
        ),
        (
            lambda: torch.sqrt(2.0),
            "sqrt(): argument 'input' (position 1) must be Tensor, not float",
        ),
        (
            lambda: F.relu(None),
            "relu(): argument 'input' (position 1) must be Tensor, not NoneType",
        ),
        (
            lambda: F.mse_loss(ones, target=[1.0, 2.0]),
            "mse_loss(): argument 'target' (position 2) must be Tensor, not list",
        ),
    ],
)
def test_the_error_names_the_argument_that_is_not_a_tensor(call, words):
    with pytest.raises(ArgumentTypeError) as caught:
        call()
    assert str(caught.value) == words + REMEDY


def test_the_error_for_a_sequence_names_the_non_tensor_element():
    with pytest.raises(ArgumentTypeError, match=r"element 1 .*int"):
        torch.stack([ones, 3])


def test_an_unrelated_error_inside_the_function_is_unchanged():
    def broken(tensor):
        return tensor.sum() + object().nowhere

    with pytest.raises(AttributeError, match="nowhere"):
        with_tensor_errors(broken)(ones)


def test_the_functions_keep_their_names_and_signatures():
    assert torch.exp.__name__ == "exp"
    assert next(iter(inspect.signature(torch.exp).parameters)) == "input"
