"""Index assignment: values written or added at an index."""

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


class ScatterAddBackward0(Node):
    """Zeros with values added at an index."""

    __slots__ = ()
    rule = "values: grad at the chosen places"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Index the gradient."""
        return (grad[self.context],)


class IndexPutBackward0(Node):
    """A copy of the input with the elements at an index replaced."""

    __slots__ = ()
    rule = "input: grad, 0 at the chosen places; values: grad at the chosen places"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The input gets the gradient with 0 at the index, the value the gradient at the index."""
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
        places = _flat_index(index, shape)
        if places is None:
            np.add.at(made, index, array)
        else:  # np.add.at is several times faster on a vector
            np.add.at(made.reshape(-1), places.reshape(-1), array.reshape(-1))
    if not isinstance(grad, Tensor):
        return made
    out = wrap(made)
    if grad_mode.current.enabled and grad._requires_grad:
        record(ScatterAddBackward0, out, (grad._grad_fn or grad,), context=index)
    return out


def _flat_index(index: Value, shape: tuple[int, ...]) -> NDArray[np.intp] | None:
    """Return the positions of an index in the flattened array; None for a mixed index."""
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
    """Return whether an index gives a view: only integers, slices, None and the ellipsis."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        part is None
        or part is Ellipsis
        or isinstance(part, slice)
        or (isinstance(part, (int, np.integer)) and not isinstance(part, bool))
        for part in parts
    )


def put(input: Tensor, index: Value, value: Tensor | float) -> Tensor:
    """Return a copy of `input` with `value` written at a NumPy index."""
    made = input._array.copy()
    store(made, index, value)
    out = wrap(made)
    by_value = edge(value) if isinstance(value, Tensor) else None
    if grad_mode.current.enabled and (input._requires_grad or by_value is not None):
        shape = value._array.shape if isinstance(value, Tensor) else ()
        record(IndexPutBackward0, out, (edge(input), by_value), context=(index, shape))
    return out


def store(array: NDArray[Any], index: Value, value: Tensor | float) -> None:
    """Write `value` into an array at a NumPy index."""
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
