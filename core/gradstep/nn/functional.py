"""Layers and losses as functions, without state; as in torch.nn.functional."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from gradstep.autograd.ops import activations as _activations
from gradstep.autograd.ops import dropout as _dropouts
from gradstep.autograd.ops.activations import gelu, logsigmoid, prelu, sigmoid, softplus, tanh
from gradstep.autograd.ops.activations.saturating import softsign
from gradstep.autograd.ops.attention import scaled_dot_product_attention
from gradstep.autograd.ops.avg_pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
)
from gradstep.autograd.ops.binary_loss import binary_cross_entropy, binary_cross_entropy_with_logits
from gradstep.autograd.ops.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from gradstep.autograd.ops.cross_entropy import cross_entropy, nll_loss
from gradstep.autograd.ops.distance_loss import huber_loss, poisson_nll_loss, smooth_l1_loss
from gradstep.autograd.ops.embedding import embedding
from gradstep.autograd.ops.inplace import in_place
from gradstep.autograd.ops.linear import linear
from gradstep.autograd.ops.loss import l1_loss, mse_loss
from gradstep.autograd.ops.max_pool import max_pool1d, max_pool2d, max_pool3d
from gradstep.autograd.ops.multihead import multi_head_attention_forward
from gradstep.autograd.ops.normalization import batch_norm, group_norm, layer_norm
from gradstep.autograd.ops.padding import pad

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
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "elu",
    "elu_",
    "embedding",
    "gelu",
    "group_norm",
    "hardtanh",
    "hardtanh_",
    "huber_loss",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "nll_loss",
    "pad",
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
    "softmax",
    "softplus",
    "softsign",
    "tanh",
]


relu_ = in_place(_activations.relu)
leaky_relu_ = in_place(_activations.leaky_relu)
elu_ = in_place(_activations.elu)
celu_ = in_place(_activations.celu)
selu_ = in_place(_activations.selu)
hardtanh_ = in_place(_activations.hardtanh)
_silu_ = in_place(_activations.silu)
_mish_ = in_place(_activations.mish)
_relu6_ = in_place(_activations.relu6)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0), element by element.

    Args:
        input: Of any shape.
        inplace: Overwrite the input.
    """
    return relu_(input) if inplace else _activations.relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `negative_slope` times it.

    Args:
        input: Of any shape.
        negative_slope: The slope below 0.
        inplace: Overwrite the input.
    """
    function = leaky_relu_ if inplace else _activations.leaky_relu
    return function(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `alpha * (exp(input) - 1)`.

    Args:
        input: Of any shape.
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """
    return (elu_ if inplace else _activations.elu)(input, alpha)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input` where it is positive, else `alpha * (exp(input / alpha) - 1)`.

    Args:
        input: Of any shape.
        alpha: Minus the limit far below 0.
        inplace: Overwrite the input.
    """
    return (celu_ if inplace else _activations.celu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return elu, scaled so that mean 0 and variance 1 are kept."""
    return (selu_ if inplace else _activations.selu)(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * sigmoid(input).

    Args:
        input: Of any shape.
        inplace: Overwrite the input.
    """
    return (_silu_ if inplace else _activations.silu)(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * tanh(softplus(input))."""
    return (_mish_ if inplace else _activations.mish)(input)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return `input` clipped to [min_val, max_val]."""
    return (hardtanh_ if inplace else _activations.hardtanh)(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `input` clipped to [0, 6]."""
    return (_relu6_ if inplace else _activations.relu6)(input)


def softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return exp(input) divided by its sum along a dimension.

    Args:
        input: Of any shape.
        dim: The dimension along which the results sum to 1.
        dtype: Convert to this type first.

    Example:
        >>> import gradstep
        >>> softmax(gradstep.zeros(2), dim=0)
        tensor([0.5000, 0.5000])
    """
    along = _guessed_dim("softmax", input) if dim is None else dim
    return _activations.softmax(input, along, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return the logarithm of softmax, computed without overflow.

    Args:
        input: Of any shape.
        dim: The dimension along which the exponentials sum to 1.
        dtype: Convert to this type first.
    """
    along = _guessed_dim("log_softmax", input) if dim is None else dim
    return _activations.log_softmax(input, along, dtype=dtype)


def _guessed_dim(name: str, input: Tensor) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Pass dim=... explicitly.",
        stacklevel=4,
    )
    return 0 if input.ndim in (0, 1, 3) else 1


_dropout_ = in_place(_dropouts.dropout)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return `input` with each element zeroed with probability p, the rest divided by 1 - p.

    Args:
        input: Of any shape.
        p: The probability that an element is zeroed.
        training: If False, the input is returned unchanged.
        inplace: Overwrite the input.
    """
    return (_dropout_ if inplace and training else _dropouts.dropout)(input, p, training)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return `input` with each channel zeroed with probability p, the rest divided by 1 - p.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        p: The probability that a channel is zeroed.
        training: If False, the input is returned unchanged.
        inplace: Overwrite the input.
    """
    return _channel_dropout(1, input, p, training, inplace)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return images with each channel zeroed at random; arguments as for `dropout1d`."""
    return _channel_dropout(2, input, p, training, inplace)


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
    function = _dropout_ if inplace and training else _dropouts.dropout
    return function(input, p, training, spatial=spatial)
