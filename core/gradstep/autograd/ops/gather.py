"""Gather and scatter along a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.ops.indexing import (
    IndexBackward0,
    advanced_index,
    check_index_bounds,
    getitem,
)
from gradstep.autograd.ops.operands import axis
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor

__all__ = ["check_same_dtype", "gather", "gather_index"]


class GatherBackward0(IndexBackward0):
    """Elements gathered along a dimension."""

    __slots__ = ()


def gather_index(index: NDArray[Any], dim: int) -> tuple[NDArray[Any], ...]:
    """Return the full NumPy index of a gather: `index` along `dim`, a range along the others."""
    return tuple(
        index if place == dim else np.arange(size).reshape((-1, *(1,) * (index.ndim - place - 1)))
        for place, size in enumerate(index.shape)
    )


def check_same_dtype(name: str, input: Tensor, src: Tensor) -> None:
    """Raise TensorError if `src` has another dtype than the tensor it is written into."""
    if input._array.dtype != src._array.dtype:
        raise TensorError(
            f"{name}(): Expected self.dtype to be equal to src.dtype, got {input._array.dtype} and "
            f"{src._array.dtype}",
            "convert one with .to(dtype)",
        )


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the elements of `input` at the positions `index` along `dim`.

    Example:
        >>> import gradstep
        >>> gather(gradstep.tensor([[1, 2], [3, 4]]), 1, gradstep.tensor([[1], [0]]))
        tensor([[2],
                [3]])
    """
    if index._array.dtype.kind not in "iu":
        raise TensorError(
            f"gather(): Expected dtype int32/int64 for index, got {index._array.dtype}",
            "convert it with .long()",
        )
    if not input._array.ndim or (not index._array.size and input._array.ndim == 1):
        return getitem(input.reshape(-1), index).reshape(index._array.shape)
    if input._array.ndim != index._array.ndim:
        raise TensorError(
            "Index tensor must have the same number of dimensions as input tensor, got "
            f"{index._array.ndim} and {input._array.ndim}"
        )
    place = axis(dim, input._array.ndim)
    for at, (count, size) in enumerate(zip(index.shape, input.shape, strict=True)):
        if at != place and count > size:
            raise TensorError(
                f"Size does not match at dimension {at} expected index {list(index.shape)} to be "
                f"no larger than self {list(input.shape)} apart from dimension {place}"
            )
    check_index_bounds(index._array, input._array.shape[place], dim)
    return advanced_index(GatherBackward0, input, gather_index(index._array.copy(), place))
