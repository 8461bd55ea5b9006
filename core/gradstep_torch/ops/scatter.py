"""Indexed writes: add, copy, fill and put at indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.ops import assignment
from gradstep.autograd.ops.arithmetic import add, mul
from gradstep.autograd.ops.assignment import scatter_to_zeros
from gradstep.autograd.ops.gather import check_same_dtype, gather_index
from gradstep.autograd.ops.indexing import check_index_bounds, getitem, numpy_index
from gradstep.autograd.ops.operands import axis
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.dtypes import Number

__all__ = ["index_add", "index_copy", "index_fill", "index_put", "put", "scatter_add"]


def _at(input: Tensor, dim: int, index: Tensor) -> tuple[tuple[Any, ...], NDArray[Any]]:
    """Return full slices for the dimensions before `dim`, and the bounds-checked index."""
    place = axis(dim, input._array.ndim)
    places = np.atleast_1d(index._array).copy()
    size = input._array.shape[place]
    if places.size and not (-size <= places.min() and places.max() < size):
        raise TensorError(
            f"index {int(places.max())} is out of bounds for dimension {dim} with size {size}"
        )
    return (slice(None),) * place, places


def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1
) -> Tensor:
    """Return `input` with the slices of `source` added at `index` along `dim`.

    Example:
        >>> import gradstep_torch as torch
        >>> index_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.ones(3))
        tensor([2., 0., 1.])
    """
    if not input._array.ndim:
        vector = input.reshape(1)
        return index_add(vector, 0, index, source.reshape(1), alpha=alpha).reshape(())
    if input._array.dtype != source._array.dtype:
        raise TensorError(
            f"index_add_(): self ({input._array.dtype}) and source ({source._array.dtype}) must "
            "have the same dtype",
            "convert one of them with .to(dtype)",
        )
    before, places = _at(input, dim, index)
    added = source if alpha == 1 else mul(source, alpha)
    if not source._array.ndim:
        added = added.reshape(1)
    expected = list(input._array.shape)
    expected[len(before)] = len(places)
    if list(added._array.shape) != expected:
        raise TensorError(
            f"index_add_(): source has shape {list(source._array.shape)}, but must have {expected}"
        )
    return add(input, spread_tensor(added, input._array.shape, (*before, places)))


def spread_tensor(values: Tensor, shape: tuple[int, ...], index: Any) -> Tensor:
    """Return zeros of `shape` with `values` added at the NumPy index `index`."""
    made: Tensor = scatter_to_zeros(values, shape, index)
    return made


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Return `input` with `src` added at the positions `index` along `dim`.

    Example:
        >>> import gradstep_torch as torch
        >>> scatter_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.ones(3))
        tensor([2., 0., 1.])
    """
    if not input._array.ndim:
        vector = input.reshape(1)
        return scatter_add(vector, 0, index.reshape(-1), src.reshape(-1)).reshape(())
    if not index._array.size:
        return input.clone()
    if index._array.ndim != input._array.ndim or src._array.ndim != input._array.ndim:
        raise TensorError(
            "Index tensor must have the same number of dimensions as self tensor, got "
            f"{index._array.ndim}, {src._array.ndim} of src and {input._array.ndim} of self"
        )
    place = axis(dim, input._array.ndim)
    check_same_dtype("scatter_add", input, src)
    check_index_bounds(index._array, input._array.shape[place], place)
    places = gather_index(index._array.copy(), place)
    cut = getitem(src, tuple(slice(0, size) for size in index._array.shape))
    return add(input, spread_tensor(cut, input._array.shape, places))


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return `input` with its slices at `index` along `dim` replaced by those of `source`."""
    if not input._array.ndim:
        return index_copy(input.reshape(1), 0, index, source.reshape(1)).reshape(())
    before, places = _at(input, dim, index)
    return assignment.put(input, (*before, places), source)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Tensor | Number) -> Tensor:
    """Return `input` with its slices at `index` along `dim` filled with one value."""
    if not input._array.ndim:
        return index_fill(input.reshape(1), 0, index, value).reshape(())
    before, places = _at(input, dim, index)
    return assignment.put(input, (*before, np.unique(places)), value)


def index_put(
    input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Return `input` with `values` written to `input[indices]`, or added there."""
    index = numpy_index(tuple(indices))
    if not accumulate:
        return assignment.put(input, index, values)
    shape = np.broadcast_shapes(input._array[index].shape, values._array.shape)
    return add(input, spread_tensor(values.expand(shape), input._array.shape, index))


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return `input` with `source` written to positions of the flattened tensor, or added.

    Example:
        >>> import gradstep_torch as torch
        >>> put(torch.zeros(2, 2), torch.tensor([1, 2]), torch.tensor([5.0, 6.0]))
        tensor([[0., 5.],
                [6., 0.]])
    """
    flat = input.reshape(-1)
    places = wrap(index._array.reshape(-1))
    return index_put(flat, (places,), source.reshape(-1), accumulate).reshape(input._array.shape)
