"""Search in sorted sequences, membership, and indices of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.creation import finish
from gradstep.autograd.dtypes import numpy_dtype
from gradstep.autograd.ops.rearrange import nonzero
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike, Number

__all__ = ["argwhere", "bucketize", "isin", "searchsorted", "tril_indices", "triu_indices"]


def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Return the indices at which values would be inserted to keep a sequence sorted.

    Args:
        sorted_sequence: Of shape (..., n), each row sorted.
        input: Values; all dimensions but the last match, or any shape for a single row.
        out_int32: Whether to return int32 instead of int64.
        right: Whether to insert after equal elements instead of before.
        side: "left" or "right"; another way to give `right`.
        sorter: Indices that sort the rows, if they are not sorted.

    Raises:
        ArgumentError: `side` is invalid, or contradicts `right`.
        TensorError: The shapes do not match.

    Example:
        >>> import gradstep_torch as torch
        >>> searchsorted(torch.tensor([1.0, 3.0]), torch.tensor([0.5, 3.0, 9.0]))
        tensor([0, 1, 2])
    """
    if side not in {None, "left", "right"} or (side == "left" and right):
        raise ArgumentError(
            "searchsorted(): side can only be 'left' or 'right' but got "
            f"{side!r} with right={right}"
        )
    ways: dict[bool, Any] = {False: "left", True: "right"}
    way = ways[right or side == "right"]
    rows = sorted_sequence._array
    if sorter is not None:
        if sorter._array.shape != rows.shape:
            raise TensorError(
                "searchsorted(): boundary and sorter must have the same size, but got "
                f"boundary tensor {list(rows.shape)} and got sorter tensor "
                f"{list(sorter._array.shape)}"
            )
        rows = np.take_along_axis(rows, sorter._array, -1)
    values = input._array if isinstance(input, Tensor) else np.asarray(input, rows.dtype)
    kind = np.int32 if out_int32 else np.int64
    if rows.ndim == 1:
        return wrap(np.searchsorted(rows, values, way).astype(kind))
    if rows.shape[:-1] != values.shape[:-1]:
        raise TensorError(
            "searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
            f"of boundaries tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(rows.shape)} and input value tensor {list(values.shape)}"
        )
    found = np.empty(values.shape, kind)
    for place in np.ndindex(rows.shape[:-1]):
        found[place] = np.searchsorted(rows[place], values[place], way)
    return wrap(found)


def bucketize(
    input: Tensor | Number, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Return the bucket of each value; bucket 0 is below the first boundary.

    Args:
        input: Values of any shape.
        boundaries: A sorted vector.
        out_int32: Whether to return int32 instead of int64.
        right: Whether a value equal to a boundary belongs to the bucket above it.

    Raises:
        TensorError: `boundaries` is not a vector.
    """
    if boundaries._array.ndim != 1:
        raise TensorError(
            "bucketize(): boundaries tensor must be 1 dimension, but got dim("
            f"{boundaries._array.ndim})"
        )
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> Tensor:
    """Return whether each element is in `test_elements`; with `invert`, whether it is not.

    Example:
        >>> import gradstep_torch as torch
        >>> isin(torch.tensor([1, 2, 3]), torch.tensor([3, 1]))
        tensor([ True, False,  True])
    """
    first, second = (
        each._array if isinstance(each, Tensor) else np.asarray(each)
        for each in (elements, test_elements)
    )
    return wrap(np.asarray(np.isin(first, second, assume_unique=assume_unique, invert=invert)))


def argwhere(input: Tensor) -> Tensor:
    """Return the indices of the nonzero elements, one per row."""
    found = nonzero(input)
    assert isinstance(found, Tensor)
    return found


def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DTypeLike = "int64",
    device: DeviceLike = None,
) -> Tensor:
    """Return the row and column indices of the lower triangle of a matrix.

    Example:
        >>> tril_indices(2, 2)
        tensor([[0, 1, 1],
                [0, 0, 1]])
    """
    found = np.stack(np.tril_indices(row, offset, col))
    return finish(found.astype(numpy_dtype(dtype)), device=device)


def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DTypeLike = "int64",
    device: DeviceLike = None,
) -> Tensor:
    """Return the row and column indices of the upper triangle of a matrix."""
    found = np.stack(np.triu_indices(row, offset, col))
    return finish(found.astype(numpy_dtype(dtype)), device=device)
