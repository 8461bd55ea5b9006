"""Powers with tensors and numbers as base or exponent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.generic import unbroadcast
from gradstep.autograd.ops.operands import UNVERSIONED, align, broadcast_error, with_number
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Number

__all__ = ["pow", "rpow", "square"]


def _power(base: Value, number: Number) -> Value:
    """Return base ** number; NumPy's cube is a hundred times slower than its square."""
    if number == 1:
        return base
    if number == 3 and not isinstance(base, Tensor):  # noqa: PLR2004 - cubes
        return base * base * base
    return base**number


class PowBackward0(Node):
    """input ** exponent."""

    __slots__ = ()
    rule = "input: grad * exponent * input ** (exponent - 1); exponent: nothing, it is not a tensor"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a^n) = n a^(n-1) da."""
        a, number = saved
        if number == 0:
            return (generic.zeros_like(grad),)
        return (grad * (_power(a, number - 1) * number),)


class PowBackward1(Node):
    """input ** other."""

    __slots__ = ()
    sources = (0, 1, -1)
    rule = "input: grad * other * input ** (other - 1); other: grad * result * log(input)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a^b) = b a^(b-1) da + a^b log(a) db; 0^0 counts as a constant."""
        first, second = self.edges
        a, b, result = saved
        by_base = by_exponent = None
        if first is not None:
            slope = generic.where(generic.to_array(b) == 0, 0.0 * result, b * a ** (b - 1))
            by_base = unbroadcast(grad * slope, self.context[0])
        if second is not None:
            constant = (generic.to_array(a) == 0) & (generic.to_array(b) >= 0)
            slope = generic.where(constant, 0.0 * result, result * generic.log(a))
            by_exponent = unbroadcast(grad * slope, self.context[1])
        return by_base, by_exponent


class PowBackward2(Node):
    """base ** exponent."""

    __slots__ = ()
    sources = (-1, 1, 0)
    rule = "exponent: grad * result * log(base); base: nothing, it is not a tensor"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(c^b) = c^b log(c) db; 0^b counts as a constant where b >= 0."""
        result, number, exponent = saved
        if number == 0:
            slope = generic.where(generic.to_array(exponent) >= 0, 0.0 * result, result * -math.inf)
            return (grad * slope,)
        return (grad * result * (math.log(number) if number > 0 else math.nan),)


def pow(input: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """Return input to the power of exponent.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([2.0, 3.0]) ** 2
        tensor([4., 9.])
    """
    if not isinstance(input, Tensor):
        if not isinstance(exponent, Tensor):
            raise ArgumentTypeError(
                f"pow(): at least one operand must be a Tensor, not {type(input).__name__} and "
                f"{type(exponent).__name__}",
                "use ** between numbers",
            )
        return rpow(exponent, input)
    if isinstance(exponent, Tensor):
        if input._array.dtype is not exponent._array.dtype:
            input, exponent = align(input, exponent)
        a, b = input._array, exponent._array
        try:
            out = wrap(a**b)
        except ValueError:
            raise broadcast_error(a.shape, b.shape) from None
        if grad_mode.current.enabled and (input._requires_grad or exponent._requires_grad):
            record(
                PowBackward1,
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
        out = wrap(_power(a, number))
    except ValueError:
        raise TensorError(
            f"Integers to negative integer powers are not allowed, got exponent {exponent}",
            "convert the tensor with .float() first",
        ) from None
    if grad_mode.current.enabled and input._requires_grad:
        record(
            PowBackward0, out, (edge(input),), (a, number), (input._version_counter, UNVERSIONED)
        )
    return out


def square(input: Tensor) -> Tensor:
    """Return x^2."""
    out = wrap(np.square(input._array))
    if grad_mode.current.enabled and input._requires_grad:
        node = (input._grad_fn or input,)
        record(PowBackward0, out, node, (input._array, 2), (input._version_counter, UNVERSIONED))
    return out


def rpow(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return other to the power of input."""
    if isinstance(other, Tensor):
        return pow(other, input)
    input, number = with_number(input, other)
    out = wrap(number**input._array)
    if grad_mode.current.enabled and input._requires_grad:
        record(
            PowBackward2,
            out,
            (edge(input),),
            (out._array, number, input._array),
            (out._version_counter, UNVERSIONED, input._version_counter),
        )
    return out
