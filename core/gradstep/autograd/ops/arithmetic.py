"""Addition, subtraction, multiplication, division, powers: forward and gradient side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.numbers import NUMBERS
from gradstep.autograd.ops.dual import unbroadcast
from gradstep.autograd.ops.operands import (
    FIXED,
    PLAIN,
    SAME,
    align,
    floating,
    misfit,
    with_number,
    with_scalar,
)
from gradstep.autograd.ops.rounding import floor, trunc
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Number

__all__ = [
    "add",
    "div",
    "floor_divide",
    "mul",
    "neg",
    "rdiv",
    "remainder",
    "rsub",
    "sub",
]


class AddBackward0(Node):
    """input + other."""

    __slots__ = ()
    rule = "input: grad; other: grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a + b) = da + db."""
        first, second = self.edges
        left, right = self.context
        return (
            None if first is None else unbroadcast(grad, left),
            None if second is None else unbroadcast(grad, right),
        )


class SubBackward0(Node):
    """input - other."""

    __slots__ = ()
    rule = "input: grad; other: -grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a - b) = da - db."""
        first, second = self.edges
        left, right = self.context
        return (
            None if first is None else unbroadcast(grad, left),
            None if second is None else unbroadcast(-grad, right),
        )


class RsubBackward1(Node):
    """number - input."""

    __slots__ = ()
    rule = "input: -grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(c - a) = -da."""
        return (-grad,)


class MulBackward0(Node):
    """input * other."""

    __slots__ = ()
    rule = "input: grad * other; other: grad * input"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a b) = b da + a db."""
        a, b = saved
        if self.context is SAME:  # by a number
            return (grad * b, None)
        first, second = self.edges
        return (
            None if first is None else unbroadcast(grad * b, self.context[0]),
            None if second is None else unbroadcast(grad * a, self.context[1]),
        )


class DivBackward0(Node):
    """input / other."""

    __slots__ = ()
    rule = "input: grad / other; other: -grad * input / other ** 2"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a / b) = da / b - a / b^2 db."""
        a, b = saved
        share = grad / b
        if self.context is SAME:  # by a number
            return (share, None)
        first, second = self.edges
        return (
            None if first is None else unbroadcast(share, self.context[0]),
            None if second is None else unbroadcast(-share * (a / b), self.context[1]),
        )


class ReciprocalBackward0(Node):
    """number / input."""

    __slots__ = ()
    sources = (-1, 1)
    rule = "input: -grad * result ** 2 / number; number: nothing, it is no tensor"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(c / a) = -(c / a)^2 / c da."""
        result, number = saved
        return (-grad * result * (result / number) if number else 0.0 * grad,)


class NegBackward0(Node):
    """-input."""

    __slots__ = ()
    rule = "input: -grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(-a) = -da."""
        return (-grad,)


def add(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """Return input + alpha * other.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([1.0, 2.0]) + 1
        tensor([2., 3.])
    """
    if alpha != 1:
        other = other * alpha
    numbers, second = NUMBERS.get(input._array.dtype) if type(other) in PLAIN else None, None
    if numbers is not None:
        b = numbers[other]  # type: ignore[index]  # it is a number
    elif isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype:
            input, other = align(input, other)
        b, second = other._array, edge(other)
    elif isinstance(other, np.ndarray):
        return add(input, wrap(other))
    else:
        input, b = with_scalar(input, other)
    a = input._array
    try:
        out = wrap(a + b)
    except ValueError:
        raise misfit(a.shape, b.shape) from None
    if grad_mode.enabled and (input._requires_grad or second is not None):
        record(AddBackward0, out, (edge(input), second), context=(a.shape, b.shape))
    return out


def sub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """Return input - alpha * other.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([1.0, 2.0]) - gradstep.tensor(1.0)
        tensor([0., 1.])
    """
    if alpha != 1:
        other = other * alpha
    numbers, second = NUMBERS.get(input._array.dtype) if type(other) in PLAIN else None, None
    if numbers is not None:
        b = numbers[other]  # type: ignore[index]  # it is a number
    elif isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype:
            input, other = align(input, other)
        b, second = other._array, edge(other)
    elif isinstance(other, np.ndarray):
        return sub(input, wrap(other))
    else:
        input, b = with_scalar(input, other)
    a = input._array
    try:
        out = wrap(a - b)
    except ValueError:
        raise misfit(a.shape, b.shape) from None
    except TypeError:
        raise _no_bools("Subtraction, the `-` operator,") from None
    if grad_mode.enabled and (input._requires_grad or second is not None):
        record(SubBackward0, out, (edge(input), second), context=(a.shape, b.shape))
    return out


def rsub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """Return other - alpha * input."""
    if alpha != 1:
        input = mul(input, alpha)
    if isinstance(other, (Tensor, np.ndarray)):
        return sub(other if isinstance(other, Tensor) else wrap(other), input)
    input, number = with_scalar(input, other)
    try:
        out = wrap(number - input._array)
    except TypeError:
        raise _no_bools("Subtraction, the `-` operator,") from None
    if grad_mode.enabled and input._requires_grad:
        record(RsubBackward1, out, (edge(input),))
    return out


def mul(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return input * other.

    Example:
        >>> import gradstep
        >>> 100 * gradstep.tensor([1.0, 2.0])
        tensor([100., 200.])
    """
    numbers = NUMBERS.get(input._array.dtype) if type(other) in PLAIN else None
    if numbers is not None:
        number = numbers[other]  # type: ignore[index]  # it is a number
    elif isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype:
            input, other = align(input, other)
        a, b = input._array, other._array
        try:
            out = wrap(a * b)
        except ValueError:
            raise misfit(a.shape, b.shape) from None
        if grad_mode.enabled and (input._requires_grad or other._requires_grad):
            first, second = edge(input), edge(other)
            record(
                MulBackward0,
                out,
                (first, second),
                (None if second is None else a, None if first is None else b),
                (
                    FIXED if second is None else input._version_counter,
                    FIXED if first is None else other._version_counter,
                ),
                (a.shape, b.shape),
            )
        return out
    elif isinstance(other, np.ndarray):
        return mul(input, wrap(other))
    else:
        input, number = with_scalar(input, other)
    out = wrap(input._array * number)
    if grad_mode.enabled and input._requires_grad:
        record(MulBackward0, out, (input._grad_fn or input, None), (None, number), (), SAME)
    return out


def div(input: Tensor, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
    """Return input / other; integers divide to the default floating-point type.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([1, 2]) / 2
        tensor([0.5000, 1.0000])
    """
    if rounding_mode is not None:
        return _rounded_div(input, other, rounding_mode)
    numbers = NUMBERS.get(input._array.dtype) if type(other) in PLAIN else None
    if numbers is not None:
        number = numbers[other]  # type: ignore[index]  # it is a number
    elif isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype or input._array.dtype.kind != "f":
            input, other = align(input, other)
            input, other = floating(input), floating(other)
        a, b = input._array, other._array
        try:
            out = wrap(a / b)
        except ValueError:
            raise misfit(a.shape, b.shape) from None
        if grad_mode.enabled and (input._requires_grad or other._requires_grad):
            first, second = edge(input), edge(other)
            record(
                DivBackward0,
                out,
                (first, second),
                (None if second is None else a, b),
                (FIXED if second is None else input._version_counter, other._version_counter),
                (a.shape, b.shape),
            )
        return out
    elif isinstance(other, np.ndarray):
        return div(input, wrap(other))
    else:
        input, number = with_scalar(floating(input), other)
    out = wrap(input._array / number)
    if grad_mode.enabled and input._requires_grad:
        record(DivBackward0, out, (input._grad_fn or input, None), (None, number), (), SAME)
    return out


def _rounded_div(input: Tensor, other: Tensor | Number, rounding_mode: str) -> Tensor:
    """Divide and round; integers stay integers."""
    if rounding_mode not in _ROUNDINGS:
        raise ArgumentError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )
    whole = input._array.dtype.kind != "f" and (
        other._array.dtype.kind != "f" if isinstance(other, Tensor) else isinstance(other, int)
    )
    out = _ROUNDINGS[rounding_mode](div(input, other))
    return out.to(np.int64) if whole else out


_ROUNDINGS = {"floor": floor, "trunc": trunc}


def floor_divide(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return input / other rounded down; integers stay integers.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([7, -7]) // 2
        tensor([ 3, -4])
    """
    return _rounded_div(input, other, "floor")


def rfloor_divide(input: Tensor, other: Number) -> Tensor:
    """Return other / input rounded down."""
    return floor_divide(scalar_like(other, input), input)


def remainder(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return what division leaves, with the sign of the divisor.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([5.0, -5.0]) % 3
        tensor([2., 1.])
    """
    return sub(input, mul(floor_divide(input, other), other))


def rremainder(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return what dividing `other` by input leaves."""
    return remainder(other if isinstance(other, Tensor) else scalar_like(other, input), input)


def scalar_like(number: Number, like: Tensor) -> Tensor:
    """Return a number as a 0-d tensor of the type it has beside `like`."""
    like, number = with_number(like, number)
    return wrap(np.array(number, like._array.dtype))


def rdiv(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return other / input."""
    if isinstance(other, (Tensor, np.ndarray)):
        return div(other if isinstance(other, Tensor) else wrap(other), input)
    input, number = with_number(floating(input), other)
    out = wrap(number / input._array)
    if grad_mode.enabled and input._requires_grad:
        record(
            ReciprocalBackward0,
            out,
            (edge(input),),
            (out._array, other),
            (out._version_counter, FIXED),
        )
    return out


def neg(input: Tensor) -> Tensor:
    """Return -input."""
    try:
        out = wrap(-input._array)
    except TypeError:
        raise _no_bools("Negation, the `-` operator,") from None
    if grad_mode.enabled and input._requires_grad:
        record(NegBackward0, out, (edge(input),))
    return out


def _no_bools(what: str) -> TensorError:
    return TensorError(
        f"{what} with a bool tensor is not supported", "use ~ or logical_not(), or convert it"
    )
