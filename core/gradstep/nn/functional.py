"""Layers and losses as functions, without state; as in torch.nn.functional."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops import activation, rectifiers
from gradstep.autograd.ops import dropout as dropouts
from gradstep.autograd.ops.binary_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
)
from gradstep.autograd.ops.cross_entropy import cross_entropy, nll_loss
from gradstep.autograd.ops.linear import linear
from gradstep.autograd.ops.loss import l1_loss, mse_loss
from gradstep.autograd.tensor import wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "dropout",
    "elu",
    "gelu",
    "l1_loss",
    "leaky_relu",
    "linear",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "tanh",
]

tanh = activation.tanh
sigmoid = activation.sigmoid
relu = activation.relu
leaky_relu = rectifiers.leaky_relu
elu = rectifiers.elu
gelu = rectifiers.gelu
silu = rectifiers.silu
softplus = rectifiers.softplus
dropout = dropouts.dropout


def softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return exp(input) divided by its sum along a dimension.

    Args:
        input: Of any shape.
        dim: The dimension along which the results add up to 1.
        dtype: Convert to this type first.

    Example:
        >>> import gradstep
        >>> softmax(gradstep.zeros(2), dim=0)
        tensor([0.5000, 0.5000])
    """
    along = _guessed_dim("softmax", input) if dim is None else dim
    return activation.softmax(input, along, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return the logarithm of softmax, computed without its overflow.

    Args:
        input: Of any shape.
        dim: The dimension along which the exponentials add up to 1.
        dtype: Convert to this type first.
    """
    along = _guessed_dim("log_softmax", input) if dim is None else dim
    return activation.log_softmax(input, along, dtype=dtype)


def _guessed_dim(name: str, input: Tensor) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Say dim=... in the call.",
        stacklevel=4,
    )
    return 0 if input.ndim in (0, 1, 3) else 1


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return class numbers as rows of one 1 among zeros.

    Args:
        tensor: Of integers, of any shape.
        num_classes: How many; -1 for one more than the largest number.

    Returns:
        Of one dimension more, int64.

    Example:
        >>> import gradstep
        >>> one_hot(gradstep.tensor([2, 0]))
        tensor([[0, 0, 1],
                [1, 0, 0]])
    """
    numbers = tensor._array
    if numbers.dtype != np.int64:
        raise TensorError(
            f"one_hot is only applicable to index tensor of type int64, but got {tensor.dtype}",
            "convert with .long() first",
        )
    if numbers.size and numbers.min() < 0:
        raise TensorError("Class values must be non-negative.")
    if num_classes < 0:
        if not numbers.size:
            raise ArgumentError("Can not infer total number of classes from empty tensor.")
        num_classes = int(numbers.max()) + 1
    elif numbers.size and numbers.max() >= num_classes:
        raise TensorError(
            "Class values must be smaller than num_classes: "
            f"the largest is {int(numbers.max())}, num_classes is {num_classes}"
        )
    return wrap((numbers[..., None] == np.arange(num_classes)).astype(np.int64))
