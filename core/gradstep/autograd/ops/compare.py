"""Comparisons, logical and bitwise operations, and elementwise tests; none has a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.ops.operands import align, broadcast_error, with_number
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError, TensorError, UnsupportedError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Number

__all__ = [
    "allclose",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "eq",
    "equal",
    "ge",
    "gt",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "lt",
    "ne",
]


def _compare(comparison: np.ufunc, input: Tensor, other: Tensor | Number) -> Tensor:
    if isinstance(other, Tensor):
        input, other = align(input, other)
        a, b = input._array, other._array
        try:
            return wrap(comparison(a, b))
        except ValueError:
            raise broadcast_error(a.shape, b.shape) from None
    input, number = with_number(input, other)
    return wrap(comparison(input._array, number))


def eq(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return where the elements are equal.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([1, 2]) == 2
        tensor([False,  True])
    """
    return _compare(np.equal, input, other)


def ne(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return where the elements differ."""
    return _compare(np.not_equal, input, other)


def lt(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return where input is less than other."""
    return _compare(np.less, input, other)


def le(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return where input is at most other."""
    return _compare(np.less_equal, input, other)


def gt(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return where input is greater than other."""
    return _compare(np.greater, input, other)


def ge(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return where input is at least other."""
    return _compare(np.greater_equal, input, other)


def equal_operator(input: Tensor, other: object) -> Any:  # noqa: ANN401 - a Tensor, or NotImplemented
    """Implement `==`; return NotImplemented for an unsupported operand."""
    return eq(input, other) if isinstance(other, _COMPARABLE) else NotImplemented


def not_equal_operator(input: Tensor, other: object) -> Any:  # noqa: ANN401 - a Tensor, or NotImplemented
    """Implement `!=`; return NotImplemented for an unsupported operand."""
    return ne(input, other) if isinstance(other, _COMPARABLE) else NotImplemented


_COMPARABLE = (Tensor, int, float)


def _bits(operation: np.ufunc, input: Tensor, other: Tensor | int) -> Tensor:
    a, b = input._array, other._array if isinstance(other, Tensor) else other
    try:
        return wrap(operation(a, b))
    except TypeError:
        kinds = {str(getattr(value, "dtype", type(value).__name__)) for value in (a, b)}
        raise UnsupportedError(
            f'"{operation.__name__}_cpu" not implemented for {" and ".join(sorted(kinds))}',
            "use integer or boolean tensors",
        ) from None


def bitwise_and(input: Tensor, other: Tensor | int) -> Tensor:
    """Return the bitwise AND; logical AND for booleans."""
    return _bits(np.bitwise_and, input, other)


def bitwise_or(input: Tensor, other: Tensor | int) -> Tensor:
    """Return the bitwise OR; logical OR for booleans."""
    return _bits(np.bitwise_or, input, other)


def bitwise_xor(input: Tensor, other: Tensor | int) -> Tensor:
    """Return the bitwise XOR; logical XOR for booleans."""
    return _bits(np.bitwise_xor, input, other)


def bitwise_not(input: Tensor) -> Tensor:
    """Return the bitwise complement; logical NOT for booleans."""
    if input._array.dtype.kind == "f":
        raise ArgumentTypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors, "
            f"not {input._array.dtype}"
        )
    return wrap(np.invert(input._array))


def isnan(input: Tensor) -> Tensor:
    """Return where the elements are NaN."""
    return wrap(np.isnan(input._array))


def isinf(input: Tensor) -> Tensor:
    """Return where the elements are infinite."""
    return wrap(np.isinf(input._array))


def isfinite(input: Tensor) -> Tensor:
    """Return where the elements are finite: neither infinite nor NaN."""
    return wrap(np.isfinite(input._array))


def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Return where |input - other| <= atol + rtol |other|."""
    a, b = input._array, other._array
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise TensorError(f"{name} must be greater than or equal to zero, but got {value}")
    if a.dtype != b.dtype:
        raise TensorError(f"{a.dtype} did not match {b.dtype}", "convert one with .to(dtype)")
    try:
        return wrap(np.asarray(np.isclose(a, b, rtol, atol, equal_nan)))
    except ValueError:
        raise broadcast_error(a.shape, b.shape) from None


def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Return whether |input - other| <= atol + rtol |other| for all elements.

    Example:
        >>> import gradstep
        >>> allclose(gradstep.ones(2), gradstep.ones(2) + 1e-9)
        True
    """
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


def contains(input: Tensor, element: object) -> bool:
    """Return whether any element of `input` equals `element`, a number or a tensor to broadcast.

    Raises:
        TensorError: The element is neither a tensor nor a number.
    """
    if not isinstance(element, (Tensor, int, float)):
        raise TensorError(
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
            f"{type(element).__name__}"
        )
    return bool(eq(input, element)._array.any())


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether both tensors have the same shape and elements."""
    if not isinstance(other, Tensor):
        raise ArgumentTypeError(
            f"equal(): argument 'other' must be Tensor, not {type(other).__name__}"
        )
    return bool(np.array_equal(input._array, other._array))
