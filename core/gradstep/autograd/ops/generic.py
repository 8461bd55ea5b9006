"""Functions for gradient rules that accept both arrays and tensors.

A gradient rule is written once. It runs on ndarrays, or on Tensors when the backward pass is
itself recorded (`create_graph=True`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import error_function
from gradstep.autograd.scalar_arrays import ZEROS
from gradstep.autograd.tensor import Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.graph import Value

__all__ = [
    "apply",
    "cast",
    "column_sums",
    "erf",
    "exp",
    "expand",
    "log",
    "masked",
    "normal_cdf",
    "permute",
    "positive",
    "product",
    "sigmoid",
    "tanh",
    "to_array",
    "unbroadcast",
    "where",
    "zeros_like",
]


def to_array(value: Value) -> Value:
    """Return the array of a value, for computations without a gradient (masks, signs)."""
    return value._array if isinstance(value, Tensor) else value


def unbroadcast(grad: Value, shape: tuple[int, ...] | None) -> Value:
    """Sum a gradient over the dimensions along which an input of `shape` was broadcast.

    None means that the input was not broadcast.

    Example:
        >>> unbroadcast(np.ones((2, 3)), (1, 3))
        array([[2., 2., 2.]])
    """
    if shape is None or grad.shape == shape:
        return grad
    return grad.sum(_broadcast_dims(grad.shape, shape)).reshape(shape)


def _broadcast_dims(to: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the dimensions of `to` along which `shape` was broadcast."""
    lead = len(to) - len(shape)
    own = [lead + axis for axis, size in enumerate(shape) if size == 1 and to[axis + lead] != 1]
    return (*range(lead), *own)


def product(left: Value, right: Value) -> Value:
    """Return the product of two matrices; small arrays use `dot`, which has less overhead than `@`.

    `dot` zero-fills its result first, which outweighs the saving for large results.
    """
    if type(left) is _ndarray and right.size < _DOT_MAX:
        return left.dot(right)
    return left @ right


def column_sums(matrix: Value) -> Value:
    """Sum a matrix over its rows; arrays use a product with ones, which is five times faster."""
    if type(matrix) is not _ndarray:
        return matrix.sum(0)
    rows, kind = len(matrix), matrix.dtype
    if kind.char not in "fd":  # BLAS supports only float32 and float64
        return _add_reduce(matrix, 0)
    ones = _ONES.get(kind)
    if ones is None or len(ones) < rows:
        ones = _ONES[kind] = np.ones(rows, kind)
    return (ones if len(ones) == rows else ones[:rows]).dot(matrix)


_add_reduce, _empty, _greater, _ndarray = np.add.reduce, np.empty, np.greater, np.ndarray
_DOT_MAX = 8192
"""Number of elements above which `@` is as fast as `dot`."""
_ONES: dict[np.dtype[Any], NDArray[Any]] = {}
"""A cached vector of ones per dtype, as long as the longest needed so far."""


def positive(value: Value) -> Value:
    """Return a boolean array: True where a value is positive."""
    array = to_array(value)
    return _greater(array, ZEROS.get(array.dtype, 0))


_AS_INTEGERS = {np.dtype(f"float{bits}"): np.dtype(f"int{bits}") for bits in (16, 32, 64)}


def masked(grad: Value, mask: NDArray[np.bool_]) -> Value:
    """Return a gradient where a mask is True and +0 elsewhere, even if it is -0 or not finite.

    The bits are multiplied as integers: `np.where` is ten times slower, and a floating-point
    product would turn negative numbers into -0 and keep NaN.

    Example:
        >>> masked(np.array([-1.0, -2.0, np.nan]), np.array([True, False, False]))
        array([-1.,  0.,  0.])
    """
    if isinstance(grad, Tensor):
        return where(mask, grad, 0.0)
    kind = grad.dtype
    return (grad.view(_AS_INTEGERS[kind]) * mask).view(kind)


_FALSE = np.zeros((), np.bool_)


def zeros_like(grad: Value) -> Value:
    """Return zeros of the shape of a gradient, even where it is not finite."""
    return masked(grad, _FALSE)


def expand(value: Value, shape: tuple[int, ...]) -> Value:
    """Broadcast a value to `shape`."""
    if type(value) is not _ndarray and isinstance(value, Tensor):
        return value.expand(shape)
    out = _empty(shape, value.dtype)
    out[...] = value
    return out


def exp(value: Value) -> Value:
    """Return e to the power of each element."""
    return value.exp() if isinstance(value, Tensor) else np.exp(value)


def log(value: Value) -> Value:
    """Return the natural logarithm of each element."""
    return value.log() if isinstance(value, Tensor) else np.log(value)


def sigmoid(value: Value) -> Value:
    """Return 1 / (1 + exp(-x)) of each element."""
    return value.sigmoid() if isinstance(value, Tensor) else 1 / (1 + np.exp(-value))


def apply(name: str, value: Value) -> Value:
    """Apply an elementwise function that NumPy and Tensor name alike."""
    return getattr(value, name)() if isinstance(value, Tensor) else getattr(np, name)(value)


def tanh(value: Value) -> Value:
    """Return the hyperbolic tangent of each element."""
    return apply("tanh", value)


def erf(value: Value) -> Value:
    """Return the error function of each element."""
    return value.erf() if isinstance(value, Tensor) else error_function.erf(value)


def normal_cdf(value: Value) -> Value:
    """Return the standard normal distribution function of each element."""
    return 0.5 * (1.0 + erf(value * math.sqrt(0.5)))


def where(condition: Value, value: Value, other: Value) -> Value:
    """Return `value` where `condition`, a boolean array, is True, else `other`."""
    if isinstance(value, Tensor):
        return value.where(condition, other)
    if isinstance(other, Tensor):
        return other.where(~condition, value)
    return np.where(condition, value, other)


def permute(value: Value, order: tuple[int, ...]) -> Value:
    """Reorder the dimensions."""
    return value.permute(order) if isinstance(value, Tensor) else value.transpose(order)


def cast(value: Value, kind: np.dtype[Any]) -> Value:
    """Convert a value to dtype `kind`."""
    return value.to(kind) if isinstance(value, Tensor) else value.astype(kind)
