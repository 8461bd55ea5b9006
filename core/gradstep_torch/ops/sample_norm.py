"""Instance, root-mean-square and local response normalization."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops.normalization import batch_norm
from gradstep.autograd.ops.padding import pad
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor

__all__ = ["instance_norm", "local_response_norm", "rms_norm"]

_LEAST_DIMS = 3


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Return each channel of each sample with mean 0 and variance 1, scaled and shifted.

    Args:
        input: Of shape (batch, channels, ...).
        running_mean: Updated with the mean over the batch, or used if `use_input_stats` is False.
        running_var: Likewise, with the unbiased variance.
        weight: A factor for each channel.
        bias: Added to each channel.
        use_input_stats: Whether to use each sample's own mean and variance.
        momentum: The weight of the new value in the running values.
        eps: Added to the variance.

    Raises:
        ArgumentError: A channel has only one element.

    Example:
        >>> import gradstep_torch as torch
        >>> instance_norm(torch.tensor([[[1.0, 3.0]]])).tolist()
        [[[-0.9999949932098389, 0.9999949932098389]]]

    References:
        Ulyanov et al., Instance normalization, 2016 (arXiv 1607.08022).
    """
    shape = input._array.shape
    if use_input_stats and prod(shape[2:]) == 1:
        raise ArgumentError(
            "Expected more than 1 spatial element when training, got input size "
            f"gradstep.Size({list(shape)})"
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise TensorError(
            "Expected running_mean and running_var to be defined when use_input_stats=False"
        )
    if len(shape) < _LEAST_DIMS:
        raise TensorError(f"instance_norm expects (batch, channels, ...), got {list(shape)}")
    batch, channels = shape[:2]

    def repeated(tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else tensor.repeat(batch)

    running = [(kept, repeated(kept)) for kept in (running_mean, running_var)]
    out = batch_norm(
        input.reshape(1, batch * channels, *shape[2:]),
        running[0][1],
        running[1][1],
        repeated(weight),
        repeated(bias),
        use_input_stats,
        momentum,
        eps,
    )
    for kept, moved in running:
        if use_input_stats and kept is not None and moved is not None:
            kept._array[...] = moved._array.reshape(batch, channels).mean(0)
            kept._version_counter[0] += 1
    return out.reshape(shape)


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Return each sample divided by its root mean square over its last dimensions, and scaled.

    Args:
        input: Of shape (..., *normalized_shape).
        normalized_shape: The sizes of the normalized dimensions.
        weight: A factor for each element, of shape `normalized_shape`.
        eps: Added to the mean square; the machine epsilon of the element type if None.

    Raises:
        TensorError: The sizes do not match.

    Example:
        >>> import gradstep_torch as torch
        >>> rms_norm(torch.tensor([3.0, 3.0]), [2], eps=0.0)
        tensor([1., 1.])

    References:
        Zhang & Sennrich, Root mean square layer normalization, NeurIPS 2019 (arXiv 1910.07467).
    """
    x, wanted = input._array, tuple(normalized_shape)
    if not wanted or x.shape[-len(wanted) :] != wanted:
        raise TensorError(
            f"Given normalized_shape={list(wanted)}, expected input with shape "
            f"[*, {', '.join(map(str, wanted))}], but got input of size{list(x.shape)}"
        )
    if weight is not None and weight._array.shape != wanted:
        raise TensorError(
            "Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight._array.shape)} and normalized_shape = {list(wanted)}"
        )
    least = float(np.finfo(x.dtype).eps) if eps is None else eps
    axes = tuple(range(-len(wanted), 0))
    normed: Tensor = input * ((input * input).mean(axes, keepdim=True) + least).rsqrt()
    return normed if weight is None else normed * weight


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Return x / (k + alpha s) ** beta, s the mean square of a channel and its neighbours.

    Args:
        input: Of shape (batch, channels, ...).
        size: The number of neighbouring channels; channels outside count as zeros.
        alpha: The factor of the mean square.
        beta: The exponent.
        k: The constant term.

    Raises:
        TensorError: There are no spatial dimensions.

    References:
        Krizhevsky et al., ImageNet classification with deep convolutional neural networks,
        NeurIPS 2012, 3.3.
    """
    shape = input._array.shape
    if len(shape) < _LEAST_DIMS:
        raise TensorError(
            f"Expected 3D or higher dimensionality input (got {len(shape)} dimensions)",
            "the input is (batch, channels, ...)",
        )
    if not input._array.size:
        return input
    around = (0, 0) * (len(shape) - 2) + (size // 2, (size - 1) // 2)
    squares = pad(input * input, around)
    total = squares.narrow(1, 0, shape[1])
    for start in range(1, size):
        total = total + squares.narrow(1, start, shape[1])
    return input / (total * (alpha / size) + k) ** beta
