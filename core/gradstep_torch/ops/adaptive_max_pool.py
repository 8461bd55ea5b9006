"""Max pooling to a chosen output size."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.ops.pool_windows import as_batch
from gradstep.autograd.ops.window_sizes import per_dimension
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"]


def _adaptive_max_pool(
    spatial: int,
    input: Tensor,
    output_size: int | Sequence[int | None],
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window, and its index if requested."""
    batch = as_batch(f"adaptive_max_pool{spatial}d", input, spatial)
    sizes = batch._array.shape[2:]
    wanted = (output_size,) * spatial if isinstance(output_size, int) else tuple(output_size)
    if len(wanted) != spatial:
        raise ArgumentError(
            f"output_size has {len(wanted)} numbers for {spatial} dimensions",
            "give one for each, or None to keep a size",
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
    """Return the index of each window's maximum in the flattened spatial dimensions."""
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


def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Return the maxima of evenly spaced windows that cover the input.

    Args:
        input: Of shape (batch, channels, sizes), or without the batch.
        output_size: The number of windows along each dimension; None for the input's size.
        return_indices: Whether to return the indices of the maxima as well.

    Raises:
        ArgumentError: The length of `output_size` is not the number of dimensions.

    Example:
        >>> import gradstep_torch as torch
        >>> adaptive_max_pool1d(torch.tensor([[1.0, 3.0, 2.0]]), 2)
        tensor([[3., 3.]])
    """
    return _adaptive_max_pool(1, input, output_size, return_indices)


def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Return the maxima of evenly spaced windows; arguments as for `adaptive_max_pool1d`."""
    return _adaptive_max_pool(2, input, output_size, return_indices)


def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """Return the maxima of evenly spaced windows; arguments as for `adaptive_max_pool1d`."""
    return _adaptive_max_pool(3, input, output_size, return_indices)
