"""Poolings by largest elements of windows that cover the input evenly, by powers, and undone."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import creation
from gradstep.autograd.ops.avg_pool import avg_pool1d, avg_pool2d, avg_pool3d
from gradstep.autograd.ops.gather import scatter
from gradstep.autograd.ops.pooling import batch_of
from gradstep.autograd.ops.sizes import Sizes, per_dimension
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

_AVERAGES = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


def _adaptive_max_pool(
    spatial: int,
    input: Tensor,
    output_size: int | Sequence[int | None],
    return_indices: bool = False,
) -> Any:
    """Return the largest elements of so many windows, and where they are if wanted."""
    batch = batch_of(f"adaptive_max_pool{spatial}d", input, spatial)
    sizes = batch._array.shape[2:]
    wanted = (output_size,) * spatial if isinstance(output_size, int) else tuple(output_size)
    if len(wanted) != spatial:
        raise ArgumentError(
            f"output_size has {len(wanted)} numbers for {spatial} dimensions",
            "give one for each, or None where the size shall stay",
        )
    counts = per_dimension(
        "output_size", [n if w is None else w for w, n in zip(wanted, sizes, strict=True)], spatial
    )
    chosen = _largest(batch._array, counts)
    flat = batch.reshape(*batch.shape[:2], prod(sizes))
    places = wrap(chosen.reshape(*batch.shape[:2], prod(counts)))
    out = flat.gather(2, places).reshape(*batch.shape[:2], *counts)
    whole = batch is input
    if not return_indices:
        return out if whole else out.squeeze(0)
    return (out, wrap(chosen)) if whole else (out.squeeze(0), wrap(chosen[0]))


def _largest(x: NDArray[Any], counts: tuple[int, ...]) -> NDArray[np.int64]:
    """Return where the largest elements are, as numbers in the flattened spatial dimensions."""
    sizes = x.shape[2:]
    numbers = np.arange(prod(sizes)).reshape(sizes)
    out = np.empty((*x.shape[:2], *counts), np.int64)
    for window in np.ndindex(counts):
        under: Any = tuple(
            slice(place * n // count, -(-(place + 1) * n // count))
            for place, n, count in zip(window, sizes, counts, strict=True)
        )
        flat = x[(..., *under)].reshape(*x.shape[:2], -1)
        out[(..., *window)] = numbers[under].reshape(-1)[flat.argmax(-1)]
    return out


def _lp_pool(
    spatial: int,
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the root of the sum of powers under each place of a window."""
    count = prod(per_dimension("kernel_size", kernel_size, spatial, least=1))
    means = _AVERAGES[spatial](input**norm_type, kernel_size, stride, ceil_mode=ceil_mode)
    out: Tensor = (means.sign() * means.abs().relu() * count) ** (1.0 / norm_type)
    return out


def _max_unpool(
    spatial: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with elements where a pooling had found them the largest."""
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


def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Return the largest elements of windows that cover the input evenly.

    Args:
        input: Of shape (batch, channels, sizes), or without the batch.
        output_size: How many windows along each; None for as many as elements.
        return_indices: Whether to return where they are, too.

    Raises:
        ArgumentError: There are not as many numbers as dimensions.

    Example:
        >>> import gradstep_torch as torch
        >>> adaptive_max_pool1d(torch.tensor([[1.0, 3.0, 2.0]]), 2)
        tensor([[3., 3.]])
    """
    return _adaptive_max_pool(1, input, output_size, return_indices)


def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Return the largest elements of windows that cover evenly; see `adaptive_max_pool1d`."""
    return _adaptive_max_pool(2, input, output_size, return_indices)


def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Return the largest elements of windows that cover evenly; see `adaptive_max_pool1d`."""
    return _adaptive_max_pool(3, input, output_size, return_indices)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the p-th root of the sum of p-th powers under each place of a window.

    Args:
        input: Of shape (batch, channels, sizes), or without the batch.
        norm_type: p.
        kernel_size: Of the window.
        stride: From one place to the next; the size of the window if None.
        ceil_mode: Whether the last window may reach beyond the end.

    Example:
        >>> import gradstep_torch as torch
        >>> lp_pool1d(torch.tensor([[3.0, 4.0]]), 2, 2)
        tensor([[5.]])
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the root of the sum of powers under each window; arguments as for `lp_pool1d`."""
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the root of the sum of powers under each window; arguments as for `lp_pool1d`."""
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with elements where a pooling had found them the largest.

    Args:
        input: Of shape (batch, channels, sizes), or without the batch.
        indices: Where they were, as the pooling returns it.
        kernel_size: The size of the pooling's windows.
        stride: The step between windows; the size of the window if None.
        padding: The pooling's padding on both sides.
        output_size: Of the result, if not what follows from the rest.

    Raises:
        TensorError: Shapes do not fit, or an element was outside.

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
    """Return elements where a pooling had found them, and zeros; see `max_unpool1d`."""
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return elements where a pooling had found them, and zeros; see `max_unpool1d`."""
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)
