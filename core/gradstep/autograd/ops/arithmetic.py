"""Addition, subtraction, multiplication, division, powers: forward and gradient side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value
from gradstep.autograd.ops import dual
from gradstep.autograd.ops.dual import unbroadcast
from gradstep.autograd.ops.operands import FIXED, align, floating, misfit, with_number
from gradstep.autograd.ops.rounding import floor, trunc
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Number

__all__ = ["add", "div", "mul", "neg", "pow", "rdiv", "rpow", "rsub", "sub"]


class AddBackward0(Node):
    """input + other."""

    __slots__ = ()

    def vjp(self, grad: Value, *_: Value) -> tuple[Value, ...]:
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

    def vjp(self, grad: Value, *_: Value) -> tuple[Value, ...]:
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

    def vjp(self, grad: Value, *_: Value) -> tuple[Value, ...]:
        """d(c - a) = -da."""
        return (-grad,)


class MulBackward0(Node):
    """input * other."""

    __slots__ = ()

    def vjp(self, grad: Value, *saved: Value) -> tuple[Value, ...]:
        """d(a b) = b da + a db."""
        first, second = self.edges
        a, b = saved
        return (
            None if first is None else unbroadcast(grad * b, self.context[0]),
            None if second is None else unbroadcast(grad * a, self.context[1]),
        )


class DivBackward0(Node):
    """input / other."""

    __slots__ = ()

    def vjp(self, grad: Value, *saved: Value) -> tuple[Value, ...]:
        """d(a / b) = da / b - a / b^2 db."""
        first, second = self.edges
        a, b = saved
        share = grad / b
        return (
            None if first is None else unbroadcast(share, self.context[0]),
            None if second is None else unbroadcast(-share * (a / b), self.context[1]),
        )


class ReciprocalBackward0(Node):
    """number / input."""

    __slots__ = ()
    sources = (-1, None)

    def vjp(self, grad: Value, *saved: Value) -> tuple[Value, ...]:
        """d(c / a) = -(c / a)^2 / c da."""
        result, number = saved
        return (-grad * result * (result / number) if number else 0.0 * grad,)


class NegBackward0(Node):
    """-input."""

    __slots__ = ()

    def vjp(self, grad: Value, *_: Value) -> tuple[Value, ...]:
        """d(-a) = -da."""
        return (-grad,)


class PowBackward0(Node):
    """input ** number."""

    __slots__ = ()

    def vjp(self, grad: Value, *saved: Value) -> tuple[Value, ...]:
        """d(a^n) = n a^(n-1) da."""
        a, number = saved
        if number == 0:
            return (grad * 0.0,)
        return (grad * (a ** (number - 1) * number),)


class PowBackward1(Node):
    """input ** other."""

    __slots__ = ()
    sources = (0, 1, -1)

    def vjp(self, grad: Value, *saved: Value) -> tuple[Value, ...]:
        """d(a^b) = b a^(b-1) da + a^b log(a) db; 0^0 counts as a constant."""
        first, second = self.edges
        a, b, result = saved
        by_base = by_exponent = None
        if first is not None:
            slope = dual.where(dual.plain(b) == 0, 0.0 * result, b * a ** (b - 1))
            by_base = unbroadcast(grad * slope, self.context[0])
        if second is not None:
            still = (dual.plain(a) == 0) & (dual.plain(b) >= 0)
            slope = dual.where(still, 0.0 * result, result * dual.log(a))
            by_exponent = unbroadcast(grad * slope, self.context[1])
        return by_base, by_exponent


class PowBackward2(Node):
    """number ** input."""

    __slots__ = ()
    sources = (-1, None)

    def vjp(self, grad: Value, *saved: Value) -> tuple[Value, ...]:
        """d(c^b) = c^b log(c) db."""
        result, number = saved
        return (grad * result * float(np.log(float(number))) if number else grad * 0.0,)


def add(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """Return input + alpha * other.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([1.0, 2.0]) + 1
        tensor([2., 3.])
    """
    if alpha != 1:
        other = other * alpha
    if isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype:
            input, other = align(input, other)
        a, b = input._array, other._array
        try:
            out = wrap(a + b)
        except ValueError:
            raise misfit(a.shape, b.shape) from None
        if grad_mode.enabled and (input._requires_grad or other._requires_grad):
            AddBackward0(out, (edge(input), edge(other)), context=(a.shape, b.shape))
        return out
    input, number = with_number(input, other)
    out = wrap(input._array + number)
    if grad_mode.enabled and input._requires_grad:
        AddBackward0(out, (edge(input), None), context=(out._array.shape, ()))
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
    if isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype:
            input, other = align(input, other)
        a, b = input._array, other._array
        try:
            out = wrap(a - b)
        except ValueError:
            raise misfit(a.shape, b.shape) from None
        except TypeError:
            raise _no_bools("Subtraction, the `-` operator,") from None
        if grad_mode.enabled and (input._requires_grad or other._requires_grad):
            SubBackward0(out, (edge(input), edge(other)), context=(a.shape, b.shape))
        return out
    input, number = with_number(input, other)
    try:
        out = wrap(input._array - number)
    except TypeError:
        raise _no_bools("Subtraction, the `-` operator,") from None
    if grad_mode.enabled and input._requires_grad:
        SubBackward0(out, (edge(input), None), context=(out._array.shape, ()))
    return out


def rsub(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return other - input."""
    if isinstance(other, Tensor):
        return sub(other, input)
    input, number = with_number(input, other)
    try:
        out = wrap(number - input._array)
    except TypeError:
        raise _no_bools("Subtraction, the `-` operator,") from None
    if grad_mode.enabled and input._requires_grad:
        RsubBackward1(out, (edge(input),))
    return out


def mul(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return input * other.

    Example:
        >>> import gradstep
        >>> 100 * gradstep.tensor([1.0, 2.0])
        tensor([100., 200.])
    """
    if isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype:
            input, other = align(input, other)
        a, b = input._array, other._array
        try:
            out = wrap(a * b)
        except ValueError:
            raise misfit(a.shape, b.shape) from None
        if grad_mode.enabled and (input._requires_grad or other._requires_grad):
            first, second = edge(input), edge(other)
            MulBackward0(
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
    input, number = with_number(input, other)
    out = wrap(input._array * number)
    if grad_mode.enabled and input._requires_grad:
        MulBackward0(out, (edge(input), None), (None, number), (), (out._array.shape, ()))
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
    if isinstance(other, Tensor):
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
            DivBackward0(
                out,
                (first, second),
                (None if second is None else a, b),
                (FIXED if second is None else input._version_counter, other._version_counter),
                (a.shape, b.shape),
            )
        return out
    input, number = with_number(floating(input), other)
    out = wrap(input._array / number)
    if grad_mode.enabled and input._requires_grad:
        DivBackward0(out, (edge(input), None), (None, number), (), (out._array.shape, ()))
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


def rdiv(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return other / input."""
    if isinstance(other, Tensor):
        return div(other, input)
    input, number = with_number(floating(input), other)
    out = wrap(number / input._array)
    if grad_mode.enabled and input._requires_grad:
        ReciprocalBackward0(out, (edge(input),), (out._array, other), (out._version_counter, FIXED))
    return out


def neg(input: Tensor) -> Tensor:
    """Return -input."""
    try:
        out = wrap(-input._array)
    except TypeError:
        raise _no_bools("Negation, the `-` operator,") from None
    if grad_mode.enabled and input._requires_grad:
        NegBackward0(out, (edge(input),))
    return out


def pow(input: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """Return input to the power of exponent.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([2.0, 3.0]) ** 2
        tensor([4., 9.])
    """
    if not isinstance(input, Tensor):
        assert isinstance(exponent, Tensor)
        return rpow(exponent, input)
    if isinstance(exponent, Tensor):
        if input._array.dtype is not exponent._array.dtype:
            input, exponent = align(input, exponent)
        a, b = input._array, exponent._array
        try:
            out = wrap(a**b)
        except ValueError:
            raise misfit(a.shape, b.shape) from None
        if grad_mode.enabled and (input._requires_grad or exponent._requires_grad):
            PowBackward1(
                out,
                (edge(input), edge(exponent)),
                (a, b, out._array),
                (input._version_counter, exponent._version_counter, out._version_counter),
                (a.shape, b.shape),
            )
        return out
    input, number = with_number(input, exponent)
    a = input._array
    try:
        out = wrap(a**number)
    except ValueError:
        raise TensorError(
            f"Integers to negative integer powers are not allowed, got exponent {exponent}",
            "convert the tensor with .float() first",
        ) from None
    if grad_mode.enabled and input._requires_grad:
        PowBackward0(out, (edge(input),), (a, number), (input._version_counter, FIXED))
    return out


def rpow(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return other to the power of input."""
    if isinstance(other, Tensor):
        return pow(other, input)
    input, number = with_number(input, other)
    out = wrap(number**input._array)
    if grad_mode.enabled and input._requires_grad:
        PowBackward2(out, (edge(input),), (out._array, number), (out._version_counter, FIXED))
    return out


def _no_bools(what: str) -> TensorError:
    return TensorError(
        f"{what} with a bool tensor is not supported", "use ~ or logical_not(), or convert it"
    )
