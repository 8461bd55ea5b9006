"""Layers and losses as functions, without state; as in torch.nn.functional."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops import activation, formulas, rectifiers, shrink
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
from gradstep.autograd.ops.distance_loss import (
    cosine_embedding_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    margin_ranking_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
)
from gradstep.autograd.ops.embedding import embedding
from gradstep.autograd.ops.formulas import (
    cosine_similarity,
    glu,
    normalize,
    pairwise_distance,
    softsign,
    tanhshrink,
)
from gradstep.autograd.ops.inplace import in_place
from gradstep.autograd.ops.linear import linear
from gradstep.autograd.ops.loss import l1_loss, mse_loss
from gradstep.autograd.ops.max_pool import max_pool1d, max_pool2d, max_pool3d
from gradstep.autograd.ops.normalization import batch_norm, group_norm, layer_norm
from gradstep.autograd.ops.padding import pad
from gradstep.autograd.ops.rectifiers import gelu, logsigmoid, softplus
from gradstep.autograd.ops.shrink import hardshrink, prelu, softshrink
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
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "group_norm",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "log_softmax",
    "logsigmoid",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mish",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
]

tanh = activation.tanh
sigmoid = activation.sigmoid

relu_ = in_place(activation.relu)
leaky_relu_ = in_place(rectifiers.leaky_relu)
elu_ = in_place(rectifiers.elu)
celu_ = in_place(rectifiers.celu)
selu_ = in_place(rectifiers.selu)
hardtanh_ = in_place(shrink.hardtanh)
threshold_ = in_place(shrink.threshold)
_silu_ = in_place(rectifiers.silu)
_mish_ = in_place(rectifiers.mish)
_relu6_ = in_place(shrink.relu6)
_hardsigmoid_ = in_place(shrink.hardsigmoid)
_hardswish_ = in_place(shrink.hardswish)
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


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `alpha * (exp(input / alpha) - 1)`.

    Args:
        input: Of any shape.
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """
    return (celu_ if inplace else rectifiers.celu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return elu, scaled so that mean 0 and variance 1 are kept."""
    return (selu_ if inplace else rectifiers.selu)(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * tanh(softplus(input))."""
    return (_mish_ if inplace else rectifiers.mish)(input)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return `input` clipped to [min_val, max_val]."""
    return (hardtanh_ if inplace else shrink.hardtanh)(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `input` clipped to [0, 6]."""
    return (_relu6_ if inplace else shrink.relu6)(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`."""
    return (threshold_ if inplace else shrink.threshold)(input, threshold, value)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input / 6 + 1/2 clipped to [0, 1]."""
    return (_hardsigmoid_ if inplace else shrink.hardsigmoid)(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `input` times its hardsigmoid."""
    return (_hardswish_ if inplace else shrink.hardswish)(input)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return `input` with each element zeroed with probability p, the rest divided by 1 - p.

    Args:
        input: Of any shape.
        p: The probability of an element to be zeroed.
        training: When False, nothing is done.
        inplace: Overwrite the input.
    """
    return (_dropout_ if inplace and training else dropouts.dropout)(input, p, training)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return `input` with each channel zeroed with probability p, the rest divided by 1 - p.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        p: The probability of a channel to be zeroed.
        training: When False, nothing is done.
        inplace: Overwrite the input.
    """
    return _channel_dropout(1, input, p, training, inplace)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return images with each channel zeroed at random; arguments as for `dropout1d`."""
    return _channel_dropout(2, input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return volumes with each channel zeroed at random; arguments as for `dropout1d`."""
    return _channel_dropout(3, input, p, training, inplace)


def _channel_dropout(
    spatial: int, input: Tensor, p: float, training: bool, inplace: bool
) -> Tensor:
    if spatial == 2 and input._array.ndim == 3:  # noqa: PLR2004 - as torch takes it
        warnings.warn(
            "dropout2d: Received a 3D input, which is taken as (batch, channels, length). Use "
            "dropout1d for that, or add the batch to an image.",
            stacklevel=3,
        )
        spatial = 1
    function = _dropout_ if inplace and training else dropouts.dropout
    return function(input, p, training, spatial=spatial)


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


def softmin(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return the softmax of -input along a dimension; arguments as for `softmax`."""
    along = _guessed_dim("softmin", input) if dim is None else dim
    return formulas.softmin(input, along, dtype=dtype)


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
