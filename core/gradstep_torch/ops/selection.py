"""Selecting by mask, replacing what is not finite, scattering, and one-hot vectors."""

from __future__ import annotations

import numpy as np

from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.ops.assignment import put
from gradstep.autograd.ops.gather import check_same_dtype, gather_index
from gradstep.autograd.ops.indexing import (
    _MASK_DTYPES,
    IndexBackward0,
    advanced_index,
    check_index_bounds,
    getitem,
)
from gradstep.autograd.ops.operands import axis, broadcast_error
from gradstep.autograd.ops.select import where
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError

__all__ = ["masked_select", "nan_to_num", "one_hot", "scatter"]


class MaskedSelectBackward0(IndexBackward0):
    """The elements where a mask is True."""

    __slots__ = ()


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements where `mask` is True, as a vector."""
    if mask._array.dtype not in _MASK_DTYPES:
        raise TensorError(
            f"masked_select: expected BoolTensor for mask, got {mask._array.dtype}",
            "convert it with .bool()",
        )
    try:
        shape = np.broadcast_shapes(input._array.shape, mask._array.shape)
    except ValueError:
        raise broadcast_error(input._array.shape, mask._array.shape) from None
    places = np.broadcast_to(mask._array, shape).astype(np.bool_)
    return advanced_index(MaskedSelectBackward0, input.expand(shape), places)


def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor | float) -> Tensor:
    """Return a copy of `input` with `src` written to the positions `index` along `dim`."""
    place = axis(dim, input._array.ndim)
    if input._array.ndim and index._array.size and index._array.ndim != input._array.ndim:
        raise TensorError(
            "Index tensor must have the same number of dimensions as self tensor, got "
            f"{index._array.ndim} and {input._array.ndim}"
        )
    check_index_bounds(index._array, input._array.shape[place] if input._array.ndim else 1, dim)
    places = gather_index(index._array.copy(), place)
    if isinstance(src, Tensor):
        check_same_dtype("scatter", input, src)
        src = getitem(src, tuple(slice(0, size) for size in index._array.shape))
    return put(input, places, src)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return class indices as one-hot vectors.

    Args:
        tensor: Class indices (int64), of any shape.
        num_classes: Number of classes; -1 for the largest index plus one.

    Returns:
        An int64 tensor of shape (*tensor.shape, num_classes).

    Example:
        >>> import gradstep
        >>> one_hot(gradstep.tensor([2, 0]))
        tensor([[0, 0, 1],
                [1, 0, 0]])
    """
    numbers = tensor._array
    if numbers.dtype != np.int64:
        raise TensorError(
            "one_hot is only applicable to index tensor of type LongTensor, not of "
            f"{scalar_name(numbers.dtype)}",
            "convert with .long() first",
        )
    if numbers.size and numbers.min() < 0:
        raise TensorError("Class values must be non-negative.")
    if num_classes < 0:
        if not numbers.size:
            raise ArgumentError("Can not infer total number of classes from empty tensor.")
        num_classes = int(numbers.max()) + 1
    elif numbers.size and numbers.max() >= num_classes:
        raise TensorError(
            "Class values must be smaller than num_classes: "
            f"the largest is {int(numbers.max())}, num_classes is {num_classes}"
        )
    return wrap((numbers[..., None] == np.arange(num_classes)).astype(np.int64))


def nan_to_num(
    input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Replace NaN and infinities by finite numbers, whose gradient is 0.

    Args:
        input: Of any shape.
        nan: Replacement of NaN.
        posinf: Replacement of infinity; None for the largest number of the dtype.
        neginf: Replacement of minus infinity; None for the lowest number of the dtype.

    Example:
        >>> import gradstep
        >>> nan_to_num(gradstep.tensor([float("nan"), 1.0]))
        tensor([0., 1.])
    """
    x = input._array
    for name, number in (("nan", nan), ("posinf", posinf), ("neginf", neginf)):
        if number is not None and not isinstance(number, (int, float)):
            raise ArgumentTypeError(
                f"nan_to_num(): argument '{name}' must be float, not {type(number).__name__}"
            )
    if x.dtype.kind != "f":
        return input.clone()
    chosen: Tensor = where(
        np.isfinite(x), input, wrap(np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf))
    )
    return chosen
