"""Concatenating, stacking and splitting tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.indexing import IndexBackward0, index_view
from gradstep.autograd.ops.operands import axis
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError, TensorIndexError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cat", "chunk", "split", "stack", "unbind"]


class CatBackward0(Node):
    """Tensors concatenated along a dimension."""

    __slots__ = ()
    rule = "inputs: the part of grad that each has filled"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Each input gets its part of the gradient."""
        dim, sizes = self.context
        parts, start = [], 0
        for edge_, size in zip(self.edges, sizes, strict=True):
            if size is None:  # an empty vector concatenates with any shape
                parts.append(None if edge_ is None else grad.reshape((-1,))[:0])
                continue
            place = (*(slice(None),) * dim, slice(start, start + size))
            parts.append(None if edge_ is None else grad[place])
            start += size
        return tuple(parts)


class StackBackward0(Node):
    """Tensors stacked along a new dimension."""

    __slots__ = ()
    rule = "inputs: the part of grad that each has filled"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Each input gets its part of the gradient."""
        before = (slice(None),) * self.context
        return tuple(
            None if edge_ is None else grad[(*before, place)]
            for place, edge_ in enumerate(self.edges)
        )


class SplitBackward0(IndexBackward0):
    """One of the parts of a tensor."""

    __slots__ = ()


class UnbindBackward0(IndexBackward0):
    """One of the entries of a tensor."""

    __slots__ = ()


def _size_mismatch(shapes: list[tuple[int, ...]], along: int) -> str:
    for number, shape in enumerate(shapes):
        for place, (size, expected) in enumerate(zip(shape, shapes[0], strict=True)):
            if place != along and size != expected:
                return (
                    f"Sizes of tensors must match except in dimension {along}. Expected size "
                    f"{expected} but got size {size} for tensor number {number} in the list, of "
                    f"shape {list(shape)}"
                )
    return f"Sizes of tensors must match except in dimension {along}"


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Concatenate tensors along `dim`.

    Raises:
        ArgumentError: `tensors` is empty.
        TensorError: The sizes of the other dimensions differ.

    Example:
        >>> import gradstep
        >>> cat([gradstep.tensor([1, 2]), gradstep.tensor([3])])
        tensor([1, 2, 3])
    """
    if isinstance(tensors, Tensor):
        raise ArgumentTypeError(
            "cat(): argument 'tensors' must be tuple of Tensors, not Tensor",
            "pass a list of tensors",
        )
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"expected Tensor as element {place} in argument 0, but got {type(tensor).__name__}"
            )
    if not tensors:
        raise ArgumentError("cat(): expected a non-empty list of Tensors")
    kind = dtypes.result_dtype(*(tensor._array for tensor in tensors))
    parts = [to_dtype(tensor, kind) for tensor in tensors]
    whole = [part._array for part in parts if part._array.shape != (0,)] or [parts[0]._array]
    along = axis(dim, whole[0].ndim)
    try:
        out = wrap(np.concatenate(whole, along))
    except ValueError:
        other = next((part.ndim for part in whole if part.ndim != whole[0].ndim), None)
        if other is not None:
            raise TensorError(
                f"Tensors must have same number of dimensions: got {whole[0].ndim} and {other}",
                "use unsqueeze() to add a dimension to one",
            ) from None
        raise TensorError(_size_mismatch([part.shape for part in whole], along)) from None
    if grad_mode.current.enabled and any(part._requires_grad for part in parts):
        sizes = [None if part._array.shape == (0,) else part._array.shape[along] for part in parts]
        record(CatBackward0, out, tuple(map(edge, parts)), context=(along, sizes))
    return out


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Stack tensors of equal shape along a new dimension.

    Example:
        >>> import gradstep
        >>> stack([gradstep.zeros(2), gradstep.ones(2)])
        tensor([[0., 0.],
                [1., 1.]])
    """
    if tensors:
        first = tensors[0]._array.shape
        for place, tensor in enumerate(tensors):
            if tensor._array.shape != first:
                raise TensorError(
                    f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 "
                    f"and {list(tensor._array.shape)} at entry {place}"
                )
    else:
        _require_non_empty("stack", tensors)
    kind = dtypes.result_dtype(*(tensor._array for tensor in tensors))
    parts = [to_dtype(tensor, kind) for tensor in tensors]
    along = axis(dim, len(first) + 1)
    out = wrap(np.stack([part._array for part in parts], along))
    if grad_mode.current.enabled and any(part._requires_grad for part in parts):
        record(StackBackward0, out, tuple(map(edge, parts)), context=along)
    return out


def _require_non_empty(name: str, tensors: Sequence[Tensor]) -> None:
    if not tensors:
        raise TensorError(f"{name} expects a non-empty TensorList")


def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Split into views of one size (the last may be smaller) or of the given sizes.

    Example:
        >>> import gradstep
        >>> [part.tolist() for part in split(gradstep.arange(5), 2)]
        [[0, 1], [2, 3], [4]]
    """
    along = axis(dim, tensor._array.ndim)
    total = tensor._array.shape[along]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        if size <= 0 < total or size < 0:
            raise TensorError(f"split expects split_size be positive, but got {size}")
        sizes = [min(size, total - start) for start in range(0, total, size or 1)] or [0]
    else:
        sizes = list(split_size_or_sections)
        if sum(sizes) != total:
            raise TensorError(
                f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's "
                f"size at dimension {dim}), but got split_sizes={sizes}"
            )
    starts = np.cumsum([0, *sizes]).tolist()
    return tuple(
        index_view(SplitBackward0, tensor, along, slice(start, start + size))
        for start, size in zip(starts, sizes, strict=False)
    )


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split into at most `chunks` views of equal size; the last may be smaller."""
    if chunks <= 0:
        raise TensorError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    total = input._array.shape[axis(dim, input._array.ndim)]
    return split(input, max(1, -(-total // chunks)), dim)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of the entries along `dim`."""
    along = axis(dim, input._array.ndim)
    if not input._array.ndim:
        raise TensorIndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    count = input._array.shape[along]
    return tuple(index_view(UnbindBackward0, input, along, place) for place in range(count))
