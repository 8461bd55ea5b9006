"""Rearranged copies: flip, roll, tile, repeat, triangles and diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops.indexing import getitem, index_select
from gradstep.autograd.ops.operands import axes, axis
from gradstep.autograd.ops.shape import reshape
from gradstep.autograd.size import sizes_of
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["diag", "flip", "nonzero", "repeat_interleave", "tile", "trace"]


def _matrix(input: Tensor) -> tuple[int, int]:
    shape = input._array.shape
    if len(shape) < 2:  # noqa: PLR2004 - a matrix
        raise TensorError(f"input tensor must have at least 2 dimensions, got {list(shape)}")
    return shape[-2], shape[-1]


def _index_flat(positions: NDArray[np.int64], input: Tensor) -> Tensor:
    """Return the elements at indices of the flattened tensor."""
    return getitem(reshape(input, -1), wrap(positions))


def _positions(input: Tensor) -> NDArray[np.int64]:
    return np.arange(input._array.size).reshape(input._array.shape)


def flip(input: Tensor, *args: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """Reverse the order of the elements along dimensions.

    Example:
        >>> import gradstep
        >>> flip(gradstep.arange(3), 0)
        tensor([2, 1, 0])
    """
    along = axes(sizes_of(args) if dims is None else tuple(dims), input._array.ndim)
    return _index_flat(np.flip(_positions(input), along), input)


def reversed_entries(input: Tensor) -> Tensor:
    """Return the entries along the first dimension in reverse order."""
    return flip(input, 0) if input._array.ndim else input


def tile(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """Return the tensor repeated along each dimension.

    Example:
        >>> import gradstep
        >>> tile(gradstep.tensor([1, 2]), 2)
        tensor([1, 2, 1, 2])
    """
    return _index_flat(np.tile(_positions(input), sizes_of(dims)), input)


def repeat(input: Tensor, *repeats: int | Sequence[int]) -> Tensor:
    """Return the tensor repeated along each dimension, which may prepend new dimensions."""
    times = sizes_of(repeats)
    if len(times) < input._array.ndim:
        raise TensorError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            f"tensor, got {len(times)} and {input._array.ndim}"
        )
    return tile(input, times)


def repeat_interleave(
    input: Tensor,
    repeats: Tensor | int,
    dim: int | None = None,
    *,
    output_size: int | None = None,  # noqa: ARG001 - it is computed
) -> Tensor:
    """Return each element repeated, with the copies next to each other.

    Args:
        input: Of any shape.
        repeats: Number of copies; a tensor gives it for each index along `dim`.
        dim: Dimension to repeat along; None for the flattened tensor.
        output_size: Ignored; the size is computed.

    Raises:
        TensorError: `repeats` has neither one element nor one per index, or is negative.

    Example:
        >>> import gradstep
        >>> repeat_interleave(gradstep.tensor([1, 2]), 2)
        tensor([1, 1, 2, 2])
    """
    if dim is None:
        return repeat_interleave(input.reshape(-1), repeats, 0)
    along = axis(dim, input._array.ndim)
    size = input._array.shape[along] if input._array.ndim else 1
    times = repeats._array if isinstance(repeats, Tensor) else np.asarray(repeats)
    if times.ndim > 1 or times.size not in {1, size}:
        raise TensorError(
            "repeats must have the same size as input along dim, but got "
            f"repeats.size(0) = {times.size} and input.size({along}) = {size}"
        )
    if times.dtype.kind not in "iu":
        raise UnsupportedError(
            f'"repeat_interleave_cpu" not implemented for {times.dtype}', "convert it with .long()"
        )
    if (times < 0).any():
        raise TensorError("repeats can not be negative")
    places = np.repeat(np.arange(size), times.reshape(-1) if times.size == size else times)
    return index_select(input.reshape(-1) if not input._array.ndim else input, along, wrap(places))


def trace(input: Tensor) -> Tensor:
    """Return the sum of the diagonal of a matrix.

    Example:
        >>> import gradstep
        >>> trace(gradstep.eye(3))
        tensor(3.)
    """
    if input._array.ndim != 2:  # noqa: PLR2004 - a matrix
        raise TensorError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return diag(input).sum()


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the diagonal of a matrix, or the matrix with a vector as its diagonal.

    Example:
        >>> import gradstep
        >>> diag(gradstep.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    if input._array.ndim not in {1, 2}:
        raise TensorError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")
    if input._array.ndim == 1:
        size = input._array.size + abs(diagonal)
        rows, columns = np.nonzero(np.eye(size, k=diagonal))
        out: Tensor = wrap(np.zeros((size, size), input._array.dtype))
        out[wrap(rows), wrap(columns)] = input
        return out
    return _index_flat(np.diagonal(_positions(input), diagonal).copy(), input)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """Return the indices of the non-zero elements, as rows or as one tensor per dimension."""
    x = input._array
    places = np.nonzero(np.atleast_1d(x))
    if as_tuple:
        return tuple(map(wrap, places))
    return wrap(np.stack(places, 1)[:, : x.ndim])
