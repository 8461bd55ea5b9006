"""Elementwise functions: exponentials, logarithms, roots, absolute values and signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.operands import floating
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["abs", "exp", "log", "log1p", "positive", "reciprocal", "rsqrt", "sign", "sqrt"]


class ExpBackward0(Node):
    """exp(input)."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: grad * result"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D exp = exp."""
        return (grad * saved[0],)


class LogBackward0(Node):
    """log(input)."""

    __slots__ = ()
    rule = "input: grad / input"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D log = 1 / x."""
        return (grad / saved[0],)


class Log1PBackward0(Node):
    """log(1 + input)."""

    __slots__ = ()
    rule = "input: grad / (1 + input)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 1 / (1 + x)."""
        return (grad / (saved[0] + 1.0),)


class SqrtBackward0(Node):
    """sqrt(input)."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: grad / (2 * result)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D sqrt = 1 / (2 sqrt)."""
        return (grad / (2.0 * saved[0]),)


class RsqrtBackward0(Node):
    """1 / sqrt(input)."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: -grad * result ** 3 / 2"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = -result^3 / 2."""
        return (-0.5 * grad * (saved[0] * saved[0] * saved[0]),)


class ReciprocalBackward0(Node):
    """1 / input."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: -grad * result ** 2"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = -1 / x^2."""
        return (-grad * saved[0] * saved[0],)


class AbsBackward0(Node):
    """abs(input)."""

    __slots__ = ()
    rule = "input: grad * sign(input)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = sign(x), 0 at 0."""
        return (grad * np.sign(generic.to_array(saved[0])),)


class SignBackward0(Node):
    """sign(input)."""

    __slots__ = ()
    rule = "input: 0 * grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """A step function: its derivative is 0."""
        return (generic.zeros_like(grad),)


def wrap_saving_result(kind: type[Node], array: NDArray[Any], input: Tensor) -> Tensor:
    """Wrap `array`, recorded as `kind` with the result saved."""
    out = wrap(array)
    if grad_mode.current.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), (out._array,), (out._version_counter,))
    return out


def wrap_saving_input(
    kind: type[Node], array: NDArray[Any], input: Tensor, context: Value = None
) -> Tensor:
    """Wrap `array`, recorded as `kind` with the input saved."""
    out = wrap(array)
    if grad_mode.current.enabled and input._requires_grad:
        saved = (input._array,)
        record(kind, out, (input._grad_fn or input,), saved, (input._version_counter,), context)
    return out


def exp(input: Tensor) -> Tensor:
    """Return e to the power of each element.

    Example:
        >>> import gradstep
        >>> exp(gradstep.tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])
    """
    return wrap_saving_result(ExpBackward0, np.exp(floating(input)._array), input)


def log(input: Tensor) -> Tensor:
    """Return the natural logarithm of each element; NaN below 0, -inf at 0.

    Example:
        >>> import gradstep
        >>> log(gradstep.tensor([1.0, 0.0]))
        tensor([0., -inf])
    """
    return wrap_saving_input(LogBackward0, np.log(floating(input)._array), input)


def log1p(input: Tensor) -> Tensor:
    """Return log(1 + x), accurate for small x."""
    return wrap_saving_input(Log1PBackward0, np.log1p(floating(input)._array), input)


def sqrt(input: Tensor) -> Tensor:
    """Return the square root of each element.

    Example:
        >>> import gradstep
        >>> sqrt(gradstep.tensor([4.0, 9.0]))
        tensor([2., 3.])
    """
    return wrap_saving_result(SqrtBackward0, np.sqrt(floating(input)._array), input)


def rsqrt(input: Tensor) -> Tensor:
    """Return 1 / sqrt(x)."""
    return wrap_saving_result(RsqrtBackward0, 1 / np.sqrt(floating(input)._array), input)


def reciprocal(input: Tensor) -> Tensor:
    """Return 1 / x."""
    return wrap_saving_result(ReciprocalBackward0, 1 / floating(input)._array, input)


def abs(input: Tensor) -> Tensor:
    """Return the absolute value of each element; its gradient at 0 is 0."""
    return wrap_saving_input(AbsBackward0, np.abs(input._array), input)


def sign(input: Tensor) -> Tensor:
    """Return -1, 0 or 1 for each element."""
    return wrap_saving_input(SignBackward0, np.sign(input._array), input)


def positive(input: Tensor) -> Tensor:
    """Return the tensor itself (unary `+`)."""
    if input._array.dtype == np.bool_:
        raise TensorError("The `+` operator, on a bool tensor is not supported.")
    return input
