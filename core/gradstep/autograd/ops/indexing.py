"""Indexing: slices give views; masks and index tensors give copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.assignment import is_basic, scatter_to_zeros
from gradstep.autograd.ops.operands import axis, mask_mismatch
from gradstep.autograd.ops.shape import UnsqueezeBackward0
from gradstep.autograd.tensor import Tensor, view_of, wrap
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError, TensorIndexError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["index_select", "narrow", "select", "take"]


class IndexBackward0(Node):
    """A copy of the elements at an index."""

    __slots__ = ()
    rule = "input: grad at the chosen places, 0 elsewhere"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Zeros with the gradient added at the index."""
        return (scatter_to_zeros(grad, *self.context),)


class SliceBackward0(IndexBackward0):
    """A view of a range."""

    __slots__ = ()
    rule = "input: grad at the chosen places, 0 elsewhere"


class SelectBackward0(IndexBackward0):
    """A view of one entry."""

    __slots__ = ()
    rule = "input: grad at the chosen places, 0 elsewhere"


class IndexSelectBackward0(IndexBackward0):
    """A copy of the entries at indices along a dimension."""

    __slots__ = ()


def numpy_index(index: Any) -> Any:  # noqa: ANN401 - any index
    """Return an index with its tensors and lists converted to arrays."""
    if isinstance(index, tuple):
        return tuple(numpy_index(part) for part in index)
    if isinstance(index, Tensor):
        array = index._array
        if array.dtype.kind == "f":
            raise TensorIndexError(
                "tensors used as indices must be long, int, byte or bool tensors, not "
                f"{array.dtype}",
                "convert it with .long()",
            )
        # later in-place changes of the index must not reach the graph
        return array.item() if array.ndim == 0 and array.dtype.kind != "b" else array.copy()
    if isinstance(index, list):
        return np.array([numpy_index(part) for part in index], np.intp if not index else None)
    if isinstance(index, slice) and index.step is not None and index.step <= 0:
        raise ArgumentError("step must be greater than zero", "use .flip(dim) to reverse the order")
    return index


def _index_array(array: NDArray[Any], index: Any) -> Any:  # noqa: ANN401 - an array or a NumPy scalar
    try:
        return array[index]
    except IndexError as problem:
        text = str(problem)
        if text.startswith("too many indices"):
            text = f"too many indices for tensor of dimension {array.ndim}"
        elif "boolean index did not match" in text:
            text = mask_mismatch(array.shape, index) or text
        raise TensorIndexError(text.replace("axis", "dimension")) from None


def getitem(input: Tensor, index: Any) -> Tensor:  # noqa: ANN401 - any index
    """Return `input[index]`.

    Raises:
        TensorIndexError: An index is out of bounds, or there are too many.

    Example:
        >>> import gradstep
        >>> gradstep.arange(6).view(2, 3)[1, :2]
        tensor([3, 4])
    """
    index = numpy_index(index)
    if not is_basic(index):
        return advanced_index(IndexBackward0, input, index)
    picked = _index_array(input._array, index)
    if type(picked) is not np.ndarray:  # NumPy gives a copy of a single element
        picked = _index_array(
            input._array, (*index, ...) if isinstance(index, tuple) else (index, ...)
        )
    out = view_of(input, picked)
    if grad_mode.current.enabled and input._requires_grad:
        kind = _kind_of_view(index)
        context = input._array.shape if kind is UnsqueezeBackward0 else (input._array.shape, index)
        record(kind, out, (input._grad_fn or input,), context=context)
    return out


def _kind_of_view(index: Value) -> type[Node]:
    """Return the node class of the last view that torch takes for a basic index."""
    parts = index if isinstance(index, tuple) else (index,)
    steps = [part for part in parts if part is not Ellipsis and part != slice(None)]
    taken = [part for part in steps if part is not None]
    if taken:
        return SliceBackward0 if isinstance(taken[-1], slice) else SelectBackward0
    return UnsqueezeBackward0 if steps else SliceBackward0


def index_view(kind: type[IndexBackward0], input: Tensor, dim: int, entry: int | slice) -> Tensor:
    """Return a view of an entry or a slice along `dim`, recorded as `kind`."""
    index = (*(slice(None),) * dim, entry, ...)
    out = view_of(input, input._array[index])
    if grad_mode.current.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), context=(input._array.shape, index))
    return out


def advanced_index(kind: type[IndexBackward0], input: Tensor, index: Value) -> Tensor:
    """Return a copy of the elements at a NumPy index, recorded as `kind`.

    Example:
        >>> import gradstep
        >>> advanced_index(IndexBackward0, gradstep.tensor([1, 2, 3]), np.array([2, 0]))
        tensor([3, 1])
    """
    out = wrap(_index_array(input._array, index))
    if grad_mode.current.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), context=(input._array.shape, index))
    return out


def iterate(input: Tensor) -> Iterator[Tensor]:
    """Iterate over the entries along the first dimension."""
    if not input._array.ndim:
        raise ArgumentTypeError("iteration over a 0-d tensor", "use .item() to get its value")
    return iter([getitem(input, place) for place in range(len(input))])


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return a view of entry `index` along `dim`."""
    place = axis(dim, input._array.ndim)
    return getitem(input, (*(slice(None),) * place, index))


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a view of `length` entries along `dim` from `start` (from the end if negative)."""
    if not input._array.ndim:
        raise TensorError("narrow() cannot be applied to a 0-dim tensor.")
    place = axis(dim, input._array.ndim)
    size = input._array.shape[place]
    if not -size <= start <= size:
        raise TensorIndexError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    if length < 0:
        raise TensorError(f"narrow(): length must be non-negative, got {length}")
    start += size if start < 0 else 0
    if start + length > size:
        raise TensorError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return getitem(input, (*(slice(None),) * place, slice(start, start + length)))


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return a copy of the entries at `index` along `dim`.

    Example:
        >>> import gradstep
        >>> index_select(gradstep.tensor([1, 2, 3]), 0, gradstep.tensor([2, 0]))
        tensor([3, 1])
    """
    if index._array.ndim > 1:
        raise TensorIndexError(
            "index_select(): Index is supposed to be a vector, got shape "
            f"{list(index._array.shape)}"
        )
    place = axis(dim, input._array.ndim)
    if not input._array.ndim:
        return getitem(input.reshape(1), index).reshape(())
    if index._array.dtype.kind not in "iu":
        raise TensorError(
            f"index_select(): Expected dtype int32 or int64 for index, got {index._array.dtype}",
            "convert it with .long()",
        )
    check_index_bounds(index._array, input._array.shape[place], place)
    places = np.atleast_1d(index._array).copy()
    return advanced_index(IndexSelectBackward0, input, (*(slice(None),) * place, places))


_MASK_DTYPES = frozenset(map(np.dtype, (np.bool_, np.uint8)))


def take(input: Tensor, index: Tensor) -> Tensor:
    """Return the elements at indices of the flattened tensor."""
    return getitem(input.reshape(-1), index)


def check_index_bounds(index: NDArray[Any], size: int, dim: int) -> None:
    """Raise TensorError unless all positions are in [0, size)."""
    if index.size and not (index.min() >= 0 and index.max() < size):
        wrong = index[(index < 0) | (index >= size)].flat[0]
        raise TensorError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")
