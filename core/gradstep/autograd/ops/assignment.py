"""Values put, or added, at chosen places."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import TensorError, TensorIndexError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["is_basic", "put", "scatter_to_zeros", "store"]


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
            by_value = generic.unbroadcast(grad[index], shape)
        return by_input, by_value


def scatter_to_zeros(grad: Value, shape: tuple[int, ...], index: Value) -> Value:
    """Return zeros of `shape` with `grad` added at `index`."""
    array = generic.to_array(grad)
    made = np.zeros(shape, array.dtype)
    if is_basic(index) or (isinstance(index, np.ndarray) and index.dtype == np.bool_):
        made[index] = array
    else:
        places = _flat(index, shape)
        if places is None:
            np.add.at(made, index, array)
        else:  # NumPy adds at places of a vector some times as fast
            np.add.at(made.reshape(-1), places.reshape(-1), array.reshape(-1))
    if not isinstance(grad, Tensor):
        return made
    out = wrap(made)
    if grad_mode.enabled and grad._requires_grad:
        record(SpreadBackward0, out, (grad._grad_fn or grad,), context=index)
    return out


def _flat(index: Value, shape: tuple[int, ...]) -> NDArray[np.intp] | None:
    """Return where the elements at an index are once all is one vector; None if it is intricate."""
    if isinstance(index, np.ndarray):
        rest = np.arange(prod(shape[1:])).reshape(shape[1:])
        rows = index % shape[0] * rest.size
        return rows.reshape((*rows.shape, *(1,) * rest.ndim)) + rest
    numbers = all(isinstance(part, np.ndarray) and part.dtype.kind in "iu" for part in index)
    if not numbers or len(index) != len(shape):
        return None
    places = np.zeros((), np.intp)
    for part, size in zip(index, shape, strict=True):
        places = places * size + part % size
    return places


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
