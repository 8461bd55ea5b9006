"""Max unpooling."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import creation
from gradstep.autograd.ops.window_sizes import Sizes, per_dimension
from gradstep.errors import ArgumentError, TensorError
from gradstep_torch.ops.selection import scatter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor


__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]


def _max_unpool(
    spatial: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the maxima of a pooling at their original positions."""
    x, places = input._array, indices._array
    if places.dtype != np.int64 or places.shape != x.shape or x.ndim < spatial + 1:
        raise TensorError(
            f"Expected input and indices, of int64, of one shape with {spatial} spatial "
            f"dimensions, got {list(x.shape)} and {list(places.shape)} of {places.dtype}"
        )
    sizes = _unpooled(x.shape[-spatial:], kernel_size, stride, padding, output_size)
    lead = x.shape[:-spatial]
    if places.size and (places.min() < 0 or places.max() >= prod(sizes)):
        raise TensorError(
            f"Found an invalid max index: {places.max()} (output volumes are of size "
            f"{list(sizes)})",
            "give the indices of the pooling, and its input's size as output_size",
        )
    flat = creation.zeros(*lead, prod(sizes), dtype=input.dtype)
    filled = scatter(flat, -1, indices.reshape(*lead, -1), input.reshape(*lead, -1))
    return filled.reshape(*lead, *sizes)


def _unpooled(
    size: tuple[int, ...],
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    output_size: Sequence[int] | None,
) -> tuple[int, ...]:
    spatial = len(size)
    kernel = per_dimension("kernel_size", kernel_size, spatial, least=1)
    steps = kernel if not stride else per_dimension("stride", stride, spatial, least=1)
    pads = per_dimension("padding", padding, spatial)
    usual = tuple(
        (n - 1) * step + k - 2 * pad
        for n, k, step, pad in zip(size, kernel, steps, pads, strict=True)
    )
    if output_size is None:
        return usual
    wanted = tuple(output_size)[-spatial:]
    if len(wanted) != spatial or any(
        abs(given - n) >= step for given, n, step in zip(wanted, usual, steps, strict=True)
    ):
        raise ArgumentError(
            f"invalid output_size {list(output_size)}: each size must be less than the stride "
            f"{list(steps)} away from {list(usual)}"
        )
    return wanted


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the maxima of a pooling at their original positions.

    Args:
        input: Of shape (batch, channels, sizes), or without the batch.
        indices: The indices of the maxima, as returned by the pooling.
        kernel_size: The size of the pooling's windows.
        stride: The step between windows; the size of the window if None.
        padding: The pooling's padding on both sides.
        output_size: The size of the result; None for the one that the other arguments imply.

    Raises:
        TensorError: The shapes do not match, or an index is out of range.

    Example:
        >>> import gradstep_torch as torch
        >>> max_unpool1d(torch.tensor([[3.0, 2.0]]), torch.tensor([[1, 2]]), 2)
        tensor([[0., 3., 2., 0.]])
    """
    return _max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the maxima of a pooling; arguments as for `max_unpool1d`."""
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the maxima of a pooling; arguments as for `max_unpool1d`."""
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)
