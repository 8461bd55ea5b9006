"""Layers and losses as functions, without state; as in torch.nn.functional."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops import activation, formulas
from gradstep.autograd.ops import dropout as dropouts
from gradstep.autograd.ops.attention import scaled_dot_product_attention
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
from gradstep.autograd.ops.conv import conv1d, conv2d, conv3d
from gradstep.autograd.ops.conv_transpose import (
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
from gradstep.missing import missing_from
from gradstep.nn.overwriting import (
    celu,
    celu_,
    elu,
    elu_,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    mish,
    relu,
    relu6,
    relu_,
    selu,
    selu_,
    silu,
    threshold,
    threshold_,
)
from gradstep.not_tensors import refuse_in

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
    "scaled_dot_product_attention",
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

_dropout_ = in_place(dropouts.dropout)


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
            stacklevel=4,
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


if not TYPE_CHECKING:  # else every name would seem to be there, and take anything
    refuse_in(globals(), __all__)
    __getattr__ = missing_from(__name__)
