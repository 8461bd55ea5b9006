"""Rearranged copies: flip, roll, tile, repeat, triangles and diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.indexing import getitem, index_select
from gradstep.autograd.ops.operands import axes, axis
from gradstep.autograd.ops.shape import expand, reshape
from gradstep.autograd.size import sizes_of
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError, TensorIndexError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "diag",
    "flip",
    "meshgrid",
    "nonzero",
    "outer",
    "repeat_interleave",
    "roll",
    "tile",
    "trace",
    "tril",
    "triu",
]


class TrilBackward0(Node):
    """The lower triangle of each matrix; `context` is its mask."""

    __slots__ = ()
    rule = "input: grad within the triangle, 0 elsewhere"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = g within the triangle, else 0."""
        return (generic.masked(grad, self.context),)


class TriuBackward0(TrilBackward0):
    """The upper triangle of each matrix."""

    __slots__ = ()


def _triangle(kind: type[Node], input: Tensor, inside: NDArray[np.bool_]) -> Tensor:
    x = input._array
    out = wrap(np.where(inside, x, x.dtype.type(0)))
    if grad_mode.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), context=inside)
    return out


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the lower triangle of each matrix, zeros above.

    Example:
        >>> import gradstep
        >>> tril(gradstep.ones(2, 2))
        tensor([[1., 0.],
                [1., 1.]])
    """
    return _triangle(TrilBackward0, input, np.tri(*_matrix(input), diagonal, dtype=np.bool_))


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the upper triangle of each matrix, zeros below."""
    below = np.tri(*_matrix(input), diagonal - 1, dtype=np.bool_)
    return _triangle(TriuBackward0, input, ~below)


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


def roll(
    input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None
) -> Tensor:
    """Shift the elements along dimensions; elements beyond the end wrap around."""
    moves = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if not moves:
        raise TensorError("`shifts` required")
    named = 1 if dims is None or isinstance(dims, int) else len(dims)
    if len(moves) != named:
        raise TensorError(
            f"shifts and dimensions must align. shifts: {len(moves)}, dims:{named}",
            "pass as many shifts as dimensions",
        )
    if dims is not None and not input._array.ndim:
        raise TensorIndexError(f"Dimension specified as {dims} but tensor has no dimensions")
    along = (
        None if dims is None else axes(dims if isinstance(dims, int) else tuple(dims), input.ndim)
    )
    return _index_flat(np.roll(_positions(input), shifts, along), input)


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


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the outer product of two vectors."""
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        raise TensorError(
            f"outer: Expected 1-D arguments, got {input._array.ndim}-D and {vec2._array.ndim}-D"
        )
    return reshape(input, -1, 1) * vec2


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:  # noqa: ANN401 - tensors, or a list of them
    """Return the coordinates of a grid, one tensor per dimension."""
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tuple(tensors[0])
    for tensor in tensors:
        if tensor._array.ndim > 1:
            raise TensorError(
                "meshgrid: Expected 0D or 1D tensor in the tensor list but got shape "
                f"{list(tensor._array.shape)}"
            )
    count = len(tensors)
    order = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    shape = tuple(tensors[place]._array.size for place in order)
    return tuple(
        expand(reshape(t, [-1 if order[d] == n else 1 for d in range(count)]), shape)
        for n, t in enumerate(tensors)
    )


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """Return the indices of the non-zero elements, as rows or as one tensor per dimension."""
    x = input._array
    places = np.nonzero(np.atleast_1d(x))
    if as_tuple:
        return tuple(map(wrap, places))
    return wrap(np.stack(places, 1)[:, : x.ndim])
