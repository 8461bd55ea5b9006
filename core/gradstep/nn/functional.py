"""Layers and losses as functions, without state; as in torch.nn.functional."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops import activation, rectifiers
from gradstep.autograd.ops import dropout as dropouts
from gradstep.autograd.ops.avg_pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
)
from gradstep.autograd.ops.binary_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
)
from gradstep.autograd.ops.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from gradstep.autograd.ops.cross_entropy import cross_entropy, nll_loss
from gradstep.autograd.ops.inplace import in_place
from gradstep.autograd.ops.linear import linear
from gradstep.autograd.ops.loss import l1_loss, mse_loss
from gradstep.autograd.ops.max_pool import max_pool1d, max_pool2d, max_pool3d
from gradstep.autograd.ops.padding import pad
from gradstep.autograd.tensor import wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cross_entropy",
    "dropout",
    "elu",
    "elu_",
    "gelu",
    "l1_loss",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "pad",
    "relu",
    "relu_",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "tanh",
]

tanh = activation.tanh
sigmoid = activation.sigmoid
gelu = rectifiers.gelu
softplus = rectifiers.softplus

relu_ = in_place(activation.relu)
leaky_relu_ = in_place(rectifiers.leaky_relu)
elu_ = in_place(rectifiers.elu)
_silu_ = in_place(rectifiers.silu)
_dropout_ = in_place(dropouts.dropout)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0), element by element.

    Args:
        input: Of any shape.
        inplace: Overwrite the input.
    """
    return relu_(input) if inplace else activation.relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `negative_slope` times it.

    Args:
        input: Of any shape.
        negative_slope: The slope below 0.
        inplace: Overwrite the input.
    """
    function = leaky_relu_ if inplace else rectifiers.leaky_relu
    return function(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `alpha * (exp(input) - 1)`.

    Args:
        input: Of any shape.
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """
    return (elu_ if inplace else rectifiers.elu)(input, alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * sigmoid(input).

    Args:
        input: Of any shape.
        inplace: Overwrite the input.
    """
    return (_silu_ if inplace else rectifiers.silu)(input)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return `input` with each element zeroed with probability p, the rest divided by 1 - p.

    Args:
        input: Of any shape.
        p: The probability of an element to be zeroed.
        training: When False, nothing is done.
        inplace: Overwrite the input.
    """
    return (_dropout_ if inplace and training else dropouts.dropout)(input, p, training)


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
