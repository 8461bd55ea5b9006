"""The median."""

from __future__ import annotations

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import record
from gradstep.autograd.ops.extrema import MaxBackward1, ValuesAndIndices
from gradstep.autograd.ops.indexing import IndexBackward0
from gradstep.autograd.ops.operands import axis
from gradstep.autograd.ops.reduce import kept_shape
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorIndexError

__all__ = ["median"]


class MedianBackward1(IndexBackward0):
    """The medians along a dimension."""

    __slots__ = ()


class Median(ValuesAndIndices):
    """The result of median along a dimension."""

    __slots__ = ()
    node = MedianBackward1


class MedianBackward0(MaxBackward1):
    """The median of all elements."""

    __slots__ = ()


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Median:
    """Return the median, the lower one of two; NaN if any element is NaN.

    Args:
        input: Of any shape.
        dim: The dimension to reduce; then the indices are returned, too. None for all.
        keepdim: Whether to keep that dimension with size 1.

    Raises:
        TensorIndexError: The dimension has size 0.

    Example:
        >>> import gradstep_torch as torch
        >>> median(torch.tensor([4.0, 1.0, 3.0, 2.0]))
        tensor(2.)
    """
    x = input._array
    if dim is None:
        return _of_all(input)
    along = axis(dim, x.ndim)
    lines = np.atleast_1d(x)
    if not lines.shape[along]:
        raise TensorIndexError(
            f"median(): Expected reduction dim {along} to have non-zero size, "
            f"but the shape is {list(x.shape)}"
        )
    order = np.argsort(lines, along, kind="stable")
    places = order.take([(lines.shape[along] - 1) // 2], along)
    if x.dtype.kind == "f":
        missing = np.isnan(lines)
        first = missing.argmax(along, keepdims=True)
        places = np.where(missing.any(along, keepdims=True), first, places)
    if not x.ndim:
        return Median(input.clone(), wrap(places.reshape(())))
    return Median.at(input, places, along, keepdim=keepdim)


def _of_all(input: Tensor) -> Tensor:
    """Return the median of all elements; elements equal to it share the gradient evenly."""
    x = input._array
    if not x.size:
        return wrap(np.array(np.nan if x.dtype.kind == "f" else np.iinfo(x.dtype).min, x.dtype))
    flat = x.reshape(-1)
    middle = (flat.size - 1) // 2
    missing = x.dtype.kind == "f" and np.isnan(flat).any()
    found = np.asarray(np.nan if missing else np.partition(flat, middle)[middle], x.dtype)
    out = wrap(found)
    if grad_mode.current.enabled and input._requires_grad:
        chosen = np.isnan(x) if missing else x == found
        share = chosen.astype(x.dtype) / chosen.sum(dtype=x.dtype)
        context = (share, kept_shape(x.shape, tuple(range(x.ndim))))
        record(MedianBackward0, out, (input._grad_fn or input,), context=context)
    return out
