"""Indexing: slices give views; masks and index tensors give copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import dual
from gradstep.autograd.ops.operands import axis, mask_misfit, misfit
from gradstep.autograd.ops.shape import UnsqueezeBackward0
from gradstep.autograd.tensor import Tensor, edge, view_of, wrap
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError, TensorIndexError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["gather", "index_select", "masked_select", "narrow", "put", "scatter", "select", "take"]


class IndexBackward0(Node):
    """Chosen elements, copied."""

    __slots__ = ()
    rule = "input: grad at the chosen places, 0 elsewhere"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Zeros, with the gradient added at the chosen places."""
        return (spread(grad, *self.context),)


class SliceBackward0(IndexBackward0):
    """A view of a range."""

    __slots__ = ()
    rule = "input: grad at the chosen places, 0 elsewhere"


class SelectBackward0(IndexBackward0):
    """A view of one entry."""

    __slots__ = ()
    rule = "input: grad at the chosen places, 0 elsewhere"


class GatherBackward0(IndexBackward0):
    """Elements chosen along a dimension."""

    __slots__ = ()


class IndexSelectBackward0(IndexBackward0):
    """Entries chosen along a dimension."""

    __slots__ = ()


class MaskedSelectBackward0(IndexBackward0):
    """Elements chosen by a mask."""

    __slots__ = ()


class SpreadBackward0(Node):
    """Values added into zeros at chosen places."""

    __slots__ = ()
    rule = "values: grad at the chosen places"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient at the chosen places."""
        return (grad[self.context],)


class IndexPutBackward0(Node):
    """Chosen elements replaced."""

    __slots__ = ()
    rule = "input: grad, 0 at the chosen places; values: grad at the chosen places"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient without the chosen places; and at them."""
        first, second = self.edges
        index, shape = self.context
        by_input = by_value = None
        if first is not None:
            if isinstance(grad, Tensor):
                by_input = put(grad, index, 0.0)
            else:
                by_input = grad.copy()
                by_input[index] = 0.0
        if second is not None:
            by_value = dual.unbroadcast(grad[index], shape)
        return by_input, by_value


def spread(grad: Value, shape: tuple[int, ...], index: Value) -> Value:
    """Return zeros of `shape` with `grad` added at `index`."""
    array = dual.plain(grad)
    made = np.zeros(shape, array.dtype)
    if is_basic(index) or (isinstance(index, np.ndarray) and index.dtype == np.bool_):
        made[index] = array
    else:
        np.add.at(made, index, array)
    if not isinstance(grad, Tensor):
        return made
    out = wrap(made)
    if grad_mode.enabled and grad._requires_grad:
        record(SpreadBackward0, out, (grad._grad_fn or grad,), context=index)
    return out


def is_basic(index: Value) -> bool:
    """Tell whether an index gives a view: integers, slices, None and the ellipsis only."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        part is None
        or part is Ellipsis
        or isinstance(part, slice)
        or (isinstance(part, (int, np.integer)) and not isinstance(part, bool))
        for part in parts
    )


def plain_index(index: Any) -> Any:  # noqa: ANN401 - everything that Python allows in brackets
    """Return an index with its tensors and lists made arrays."""
    if isinstance(index, tuple):
        return tuple(plain_index(part) for part in index)
    if isinstance(index, Tensor):
        array = index._array
        if array.dtype.kind == "f":
            raise TensorIndexError(
                "tensors used as indices must be long, int, byte or bool tensors, not "
                f"{array.dtype}",
                "convert it with .long()",
            )
        # later changes of the index must not reach the graph
        return array.item() if array.ndim == 0 and array.dtype.kind != "b" else array.copy()
    if isinstance(index, list):
        return np.array([plain_index(part) for part in index], np.intp if not index else None)
    if isinstance(index, slice) and index.step is not None and index.step <= 0:
        raise ArgumentError("step must be greater than zero", "use .flip(dim) to turn it round")
    return index


def _picked(array: NDArray[Any], index: Any) -> Any:  # noqa: ANN401 - NumPy's own
    try:
        return array[index]
    except IndexError as problem:
        text = str(problem)
        if text.startswith("too many indices"):
            text = f"too many indices for tensor of dimension {array.ndim}"
        elif "boolean index did not match" in text:
            text = mask_misfit(array.shape, index) or text
        raise TensorIndexError(text.replace("axis", "dimension")) from None


def getitem(input: Tensor, index: Any) -> Tensor:  # noqa: ANN401 - everything Python allows
    """Return `input[index]`.

    Raises:
        TensorIndexError: An index is out of bounds, or there are too many.

    Example:
        >>> import gradstep
        >>> gradstep.arange(6).view(2, 3)[1, :2]
        tensor([3, 4])
    """
    index = plain_index(index)
    if not is_basic(index):
        return chosen(IndexBackward0, input, index)
    picked = _picked(input._array, index)
    if type(picked) is not np.ndarray:  # NumPy gives a copy of a single element
        picked = _picked(input._array, (*index, ...) if isinstance(index, tuple) else (index, ...))
    out = view_of(input, picked)
    if grad_mode.enabled and input._requires_grad:
        kind = _kind_of_view(index)
        context = input._array.shape if kind is UnsqueezeBackward0 else (input._array.shape, index)
        record(kind, out, (input._grad_fn or input,), context=context)
    return out


def _kind_of_view(index: Value) -> type[Node]:
    """Return the kind of the last step that torch makes of a basic index."""
    parts = index if isinstance(index, tuple) else (index,)
    steps = [part for part in parts if part is not Ellipsis and part != slice(None)]
    taken = [part for part in steps if part is not None]
    if taken:
        return SliceBackward0 if isinstance(taken[-1], slice) else SelectBackward0
    return UnsqueezeBackward0 if steps else SliceBackward0


def viewed(kind: type[IndexBackward0], input: Tensor, dim: int, entry: int | slice) -> Tensor:
    """Return a view of one entry, or of a range of them, along `dim`; `kind` is recorded."""
    index = (*(slice(None),) * dim, entry, ...)
    out = view_of(input, input._array[index])
    if grad_mode.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), context=(input._array.shape, index))
    return out


def chosen(kind: type[IndexBackward0], input: Tensor, index: Value) -> Tensor:
    """Return the elements at a plain index, copied; `kind` is recorded.

    Example:
        >>> import gradstep
        >>> chosen(GatherBackward0, gradstep.tensor([1, 2, 3]), np.array([2, 0]))
        tensor([3, 1])
    """
    out = wrap(_picked(input._array, index))
    if grad_mode.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), context=(input._array.shape, index))
    return out


def put(input: Tensor, index: Value, value: Tensor | float) -> Tensor:
    """Return a copy of `input` with `value` at a plain index."""
    made = input._array.copy()
    store(made, index, value)
    out = wrap(made)
    by_value = edge(value) if isinstance(value, Tensor) else None
    if grad_mode.enabled and (input._requires_grad or by_value is not None):
        shape = value._array.shape if isinstance(value, Tensor) else ()
        record(IndexPutBackward0, out, (edge(input), by_value), context=(index, shape))
    return out


def store(array: NDArray[Any], index: Value, value: Tensor | float) -> None:
    """Write `value` into an array at a plain index."""
    plain = value._array if isinstance(value, Tensor) else value
    try:
        array[index] = plain
    except IndexError as problem:
        raise TensorIndexError(str(problem).replace("axis", "dimension")) from None
    except ValueError:
        raise TensorError(
            f"shape mismatch: value tensor of shape {list(np.shape(plain))} cannot be broadcast to "
            f"indexing result of shape {list(array[index].shape)}"
        ) from None


def iterate(input: Tensor) -> Iterator[Tensor]:
    """Give the entries along the first dimension."""
    if not input._array.ndim:
        raise ArgumentTypeError("iteration over a 0-d tensor", "use .item() for its number")
    return iter([getitem(input, place) for place in range(len(input))])


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return a view of entry `index` along `dim`."""
    place = axis(dim, input._array.ndim)
    return getitem(input, (*(slice(None),) * place, index))


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a view of `length` entries along `dim` from `start`, counted from the end if < 0."""
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
    """Return the entries along `dim` that `index` names, copied.

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
    require_within(index._array, input._array.shape[place], place)
    places = np.atleast_1d(index._array).copy()
    return chosen(IndexSelectBackward0, input, (*(slice(None),) * place, places))


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements where `mask` holds, as a vector."""
    if mask._array.dtype not in _MASKS:
        raise TensorError(
            f"masked_select: expected BoolTensor for mask, got {mask._array.dtype}",
            "convert it with .bool()",
        )
    try:
        shape = np.broadcast_shapes(input._array.shape, mask._array.shape)
    except ValueError:
        raise misfit(input._array.shape, mask._array.shape) from None
    places = np.broadcast_to(mask._array, shape).astype(np.bool_)
    return chosen(MaskedSelectBackward0, input.expand(shape), places)


_MASKS = frozenset(map(np.dtype, (np.bool_, np.uint8)))


def take(input: Tensor, index: Tensor) -> Tensor:
    """Return the elements at positions of the flattened tensor."""
    return getitem(input.reshape(-1), index)


def along(index: NDArray[Any], dim: int) -> tuple[NDArray[Any], ...]:
    """Return the full index of a gather: every place itself, but `index` along `dim`."""
    return tuple(
        index if place == dim else np.arange(size).reshape((-1, *(1,) * (index.ndim - place - 1)))
        for place, size in enumerate(index.shape)
    )


def require_within(index: NDArray[Any], size: int, dim: int) -> None:
    """Refuse positions that are not there; they are not counted from the end, either."""
    if index.size and not (index.min() >= 0 and index.max() < size):
        wrong = index[(index < 0) | (index >= size)].flat[0]
        raise TensorError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")


def require_same_type(name: str, input: Tensor, src: Tensor) -> None:
    """Refuse values of another type than that of the tensor they are to be written into."""
    if input._array.dtype != src._array.dtype:
        raise TensorError(
            f"{name}(): Expected self.dtype to be equal to src.dtype, got {input._array.dtype} and "
            f"{src._array.dtype}",
            "convert one with .to(dtype)",
        )


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return, at each place, the element of `input` whose position along `dim` is in `index`.

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
    require_within(index._array, input._array.shape[place], dim)
    return chosen(GatherBackward0, input, along(index._array.copy(), place))


def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor | float) -> Tensor:
    """Return `input` with `src` written to the positions along `dim` that `index` names."""
    place = axis(dim, input._array.ndim)
    if input._array.ndim and index._array.size and index._array.ndim != input._array.ndim:
        raise TensorError(
            "Index tensor must have the same number of dimensions as self tensor, got "
            f"{index._array.ndim} and {input._array.ndim}"
        )
    require_within(index._array, input._array.shape[place] if input._array.ndim else 1, dim)
    places = along(index._array.copy(), place)
    if isinstance(src, Tensor):
        require_same_type("scatter", input, src)
        src = getitem(src, tuple(slice(0, size) for size in index._array.shape))
    return put(input, places, src)
