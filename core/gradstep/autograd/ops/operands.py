"""Operands: dtype promotion, dimension arguments, and errors for shapes that do not broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.scalar_arrays import NUMBERS
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError, TensorError, TensorIndexError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.dtypes import Number

__all__ = [
    "NUMBER_TYPES",
    "SAME_SHAPE",
    "UNVERSIONED",
    "align",
    "axes",
    "axis",
    "broadcast_error",
    "floating",
    "mask_mismatch",
    "with_number",
    "with_scalar",
]

UNVERSIONED: Final = [0]
"""The version counter of a saved value that cannot be modified in place."""


SAME_SHAPE: Final = (None, None)
"""The context of an operation without broadcasting: operands of its shape, or numbers."""


def align(input: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Return both operands converted to the dtype of the result."""
    kind = dtypes.result_dtype(input._array, other._array)
    return to_dtype(input, kind), to_dtype(other, kind)


def with_number(input: Tensor, other: Number) -> tuple[Tensor, Number]:
    """Return the operand converted to the dtype of the result, and the number as a Python number.

    Raises:
        ArgumentTypeError: `other` is neither a tensor nor a number.
    """
    if isinstance(other, np.generic):
        other = other.item()
    if not isinstance(other, (int, float)):
        raise ArgumentTypeError(
            f"a tensor cannot be combined with {type(other).__name__}",
            "convert it with gradstep.tensor(...) first",
        )
    if input._array.dtype.kind == "f":
        return input, other
    return to_dtype(input, dtypes.result_dtype(input._array, other)), other


NUMBER_TYPES: Final = frozenset((int, float))
"""The types of numbers with a fast path; bool promotes differently."""


def with_scalar(input: Tensor, other: Number) -> tuple[Tensor, NDArray[Any]]:
    """As `with_number`, but return the number as a 0-d array of the result's dtype."""
    if type(other) in NUMBER_TYPES:
        numbers = NUMBERS.get(input._array.dtype)
        if numbers is not None:
            return input, numbers[other]
    input, number = with_number(input, other)
    return input, _as_array(number, input._array.dtype)


def _as_array(number: Number, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return a number as a 0-d array; integers wrap around in short dtypes."""
    try:
        return np.array(number, kind)
    except OverflowError:
        pass
    try:
        return np.array(number, np.int64).astype(kind)
    except OverflowError:
        raise TensorError(
            f"{number} cannot be converted to type int64 without overflow",
            "write it as a float, or use a float64 tensor",
        ) from None


def floating(input: Tensor) -> Tensor:
    """Return a floating-point tensor; integers are converted to the default dtype."""
    if input._array.dtype.kind == "f":
        return input
    return wrap(input._array.astype(dtypes.default))


def broadcast_error(left: tuple[int, ...], right: tuple[int, ...]) -> TensorError:
    """Return the error for shapes that do not broadcast."""
    for back in range(1, min(len(left), len(right)) + 1):
        a, b = left[-back], right[-back]
        if a != b and 1 not in {a, b}:
            return TensorError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at "
                f"non-singleton dimension {max(len(left), len(right)) - back}",
                f"the shapes are {list(left)} and {list(right)}",
            )
    return TensorError(f"shapes {list(left)} and {list(right)} do not broadcast")


def axis(dim: int, ndim: int) -> int:
    """Return a dimension as a non-negative index.

    Example:
        >>> axis(-1, 3)
        2
    """
    bound = max(ndim, 1)
    if not -bound <= dim < bound:
        raise TensorIndexError(
            f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], "
            f"but got {dim})"
        )
    return dim % bound


def axes(dim: int | tuple[int, ...] | list[int], ndim: int) -> tuple[int, ...]:
    """Return dimensions as non-negative indices; raise TensorError for duplicates."""
    found = tuple(axis(d, ndim) for d in ((dim,) if isinstance(dim, int) else dim))
    if len(set(found)) != len(found):
        raise TensorError(f"dim {found[0]} appears multiple times in the list of dims")
    return found if ndim else ()


def mask_mismatch(shape: tuple[int, ...], index: Any) -> str | None:  # noqa: ANN401 - NumPy's own
    """Return the message for the first mask whose shape does not match; None if all match."""
    at = 0
    for part in index if isinstance(index, tuple) else (index,):
        a_mask = getattr(part, "dtype", None) == np.bool_
        if a_mask:
            for place, (count, size) in enumerate(zip(part.shape, shape[at:], strict=False), at):
                if count != size:
                    return (
                        f"The shape of the mask {list(part.shape)} at index {place - at} does not "
                        f"match the shape of the indexed tensor {list(shape)} at index {place}"
                    )
        at += part.ndim if a_mask else part is not None
    return None
