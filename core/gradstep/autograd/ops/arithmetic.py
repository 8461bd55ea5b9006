"""Addition, subtraction, multiplication: forward and gradient side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.generic import unbroadcast
from gradstep.autograd.ops.operands import (
    NUMBER_TYPES,
    SAME_SHAPE,
    UNVERSIONED,
    align,
    broadcast_error,
    with_scalar,
)
from gradstep.autograd.scalar_arrays import NUMBERS
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Number

__all__ = [
    "add",
    "mul",
    "neg",
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
        if self.context is SAME_SHAPE:  # by a number
            return (grad * b, None)
        first, second = self.edges
        return (
            None if first is None else unbroadcast(grad * b, self.context[0]),
            None if second is None else unbroadcast(grad * a, self.context[1]),
        )


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
    numbers, second = NUMBERS.get(input._array.dtype) if type(other) in NUMBER_TYPES else None, None
    if numbers is not None:
        b = numbers[other]  # type: ignore[index]  # keyed by its type above
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
        raise broadcast_error(a.shape, b.shape) from None
    if grad_mode.current.enabled and (input._requires_grad or second is not None):
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
    numbers, second = NUMBERS.get(input._array.dtype) if type(other) in NUMBER_TYPES else None, None
    if numbers is not None:
        b = numbers[other]  # type: ignore[index]  # keyed by its type above
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
        raise broadcast_error(a.shape, b.shape) from None
    except TypeError:
        raise _bool_error("Subtraction, the `-` operator,") from None
    if grad_mode.current.enabled and (input._requires_grad or second is not None):
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
        raise _bool_error("Subtraction, the `-` operator,") from None
    if grad_mode.current.enabled and input._requires_grad:
        record(RsubBackward1, out, (edge(input),))
    return out


def mul(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return input * other.

    Example:
        >>> import gradstep
        >>> 100 * gradstep.tensor([1.0, 2.0])
        tensor([100., 200.])
    """
    numbers = NUMBERS.get(input._array.dtype) if type(other) in NUMBER_TYPES else None
    if numbers is not None:
        number = numbers[other]  # type: ignore[index]  # keyed by its type above
    elif isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype:
            input, other = align(input, other)
        a, b = input._array, other._array
        try:
            out = wrap(a * b)
        except ValueError:
            raise broadcast_error(a.shape, b.shape) from None
        if grad_mode.current.enabled and (input._requires_grad or other._requires_grad):
            first, second = edge(input), edge(other)
            record(
                MulBackward0,
                out,
                (first, second),
                (None if second is None else a, None if first is None else b),
                (
                    UNVERSIONED if second is None else input._version_counter,
                    UNVERSIONED if first is None else other._version_counter,
                ),
                (a.shape, b.shape),
            )
        return out
    elif isinstance(other, np.ndarray):
        return mul(input, wrap(other))
    else:
        input, number = with_scalar(input, other)
    out = wrap(input._array * number)
    if grad_mode.current.enabled and input._requires_grad:
        record(MulBackward0, out, (input._grad_fn or input, None), (None, number), (), SAME_SHAPE)
    return out


def neg(input: Tensor) -> Tensor:
    """Return -input."""
    try:
        out = wrap(-input._array)
    except TypeError:
        raise _bool_error("Negation, the `-` operator,") from None
    if grad_mode.current.enabled and input._requires_grad:
        record(NegBackward0, out, (edge(input),))
    return out


def _bool_error(what: str) -> TensorError:
    """Return the error for arithmetic that bool tensors do not support."""
    return TensorError(
        f"{what} on a bool tensor is not supported", "use ~ or logical_not(), or convert it"
    )
