"""Triangles, rolls, grids and stacks of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.join import _require_non_empty, cat
from gradstep.autograd.ops.operands import axes
from gradstep.autograd.ops.rearrange import _index_flat, _matrix, _positions
from gradstep.autograd.ops.shape import expand, reshape
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import (
    TensorError,
    TensorIndexError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["concat", "hstack", "meshgrid", "outer", "reshape_as", "roll", "tril", "triu", "vstack"]


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
    if grad_mode.current.enabled and input._requires_grad:
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


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the outer product of two vectors."""
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        raise TensorError(
            f"outer: Expected 1-D arguments, got {input._array.ndim}-D and {vec2._array.ndim}-D"
        )
    return reshape(input, -1, 1) * vec2


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
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


concat = cat


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Concatenate tensors horizontally: along dimension 1, vectors along dimension 0."""
    _require_non_empty("hstack", tensors)
    wide = [tensor.reshape(1) if not tensor._array.ndim else tensor for tensor in tensors]
    return cat(wide, 0 if wide and wide[0]._array.ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Concatenate tensors vertically: along dimension 0, vectors as rows."""
    _require_non_empty("vstack", tensors)
    return cat([t.reshape(1, -1) if t._array.ndim < 2 else t for t in tensors], 0)  # noqa: PLR2004


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """Return `input` in the shape of `other`: a view if possible, else a copy."""
    return reshape(input, other._array.shape)
