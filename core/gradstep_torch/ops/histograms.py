"""Histograms and unique elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd.ops.operands import axis
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bincount", "histc", "histogram", "unique"]


class Histogram(NamedTuple):
    """The result of histogram: the counts and the bin edges."""

    hist: Tensor
    bin_edges: Tensor


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Return the number of elements in each of `bins` equal bins from min to max.

    Args:
        input: Of any shape.
        bins: The number of bins.
        min: The start of the first bin; if min equals max, the range of the elements is used.
        max: The end of the last bin, inclusive; elements outside are not counted.

    Example:
        >>> import gradstep_torch as torch
        >>> histc(torch.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.])
    """
    x = input._array
    if bins <= 0:
        raise TensorError(f"histc(): bins must be > 0, got {bins}")
    low, high = float(min), float(max)
    if low == high and x.size:
        low, high = float(x.min()), float(x.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)) or low > high:
        raise TensorError(f"histc(): range of [{low}, {high}] is not finite, or min is above max")
    inside = x[(x >= low) & (x <= high)].astype(np.float64)
    places = ((inside - low) / (high - low) * bins).astype(np.int64).clip(max=bins - 1)
    return wrap(np.bincount(places, minlength=bins).astype(x.dtype))


def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Histogram:
    """Return the number of elements in each bin, and the bin edges.

    Args:
        input: Of any shape.
        bins: The number of equal bins, or the bin edges.
        range: The first and the last edge; None for the smallest and the largest element.
        weight: The weight of each element.
        density: Whether to normalize the area to 1.

    Example:
        >>> import gradstep_torch as torch
        >>> histogram(torch.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
        tensor([2., 1.])
    """
    x = input._array.ravel()
    edges = bins._array if isinstance(bins, Tensor) else bins
    counts = None if weight is None else weight._array.ravel()
    found, bounds = np.histogram(x, edges, range, density=density, weights=counts)
    return Histogram(wrap(found.astype(x.dtype)), wrap(bounds.astype(x.dtype)))


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return the number of occurrences of each integer from 0 on.

    Example:
        >>> import gradstep_torch as torch
        >>> bincount(torch.tensor([0, 2, 2]))
        tensor([1, 0, 2])
    """
    x = input._array
    if x.ndim != 1 or x.dtype.kind not in "iu" or (x < 0).any():
        raise TensorError(
            "bincount only supports 1-d non-negative integral inputs, got shape "
            f"{list(x.shape)} of {x.dtype}"
        )
    return wrap(np.bincount(x, None if weights is None else weights._array, minlength))


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the unique elements, sorted; or the unique slices along `dim`.

    Args:
        input: Of any shape.
        sorted: Ignored; the result is always sorted.
        return_inverse: Whether to return the index of each element in the result, too.
        return_counts: Whether to return the number of occurrences, too.
        dim: The dimension whose slices are compared; None for single elements.

    Example:
        >>> import gradstep_torch as torch
        >>> unique(torch.tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))
    """
    del sorted
    x = input._array
    along = None if dim is None else axis(dim, x.ndim)
    if along is not None and x.ndim:
        found, inverse, counts = _unique_slices(x, along)
    else:
        found, inverse, counts = np.unique(
            x, return_inverse=True, return_counts=True, equal_nan=False
        )
        inverse = inverse.reshape(x.shape)
    wanted = (True, return_inverse, return_counts)
    parts: Sequence[Tensor] = [
        wrap(part) for part, keep in zip((found, inverse, counts), wanted, strict=True) if keep
    ]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _unique_slices(x: Any, along: int) -> tuple[Any, Any, Any]:
    """Return the unique slices along a dimension, the inverse indices, and the counts."""
    found, inverse, counts = np.unique(x, return_inverse=True, return_counts=True, axis=along)
    return found, inverse.reshape(-1), counts
