"""Exponentials and logarithms to other bases, and the trigonometric functions but sin and cos."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.graph import Node, Value
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.operands import floating
from gradstep.autograd.ops.pointwise import wrap_saving_input, wrap_saving_result

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["acos", "asin", "atan", "cosh", "exp2", "expm1", "log2", "log10", "sinh", "tan"]


class Exp2Backward0(Node):
    """2 ** input."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: grad * result * log(2)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D 2^x = 2^x log 2."""
        return (grad * saved[0] * math.log(2.0),)


class Expm1Backward0(Node):
    """exp(input) - 1."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: grad * (result + 1)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D (exp - 1) = result + 1."""
        return (grad * (saved[0] + 1.0),)


class Log2Backward0(Node):
    """log(input) / log(2)."""

    __slots__ = ()
    rule = "input: grad / (input * log(2))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 1 / (x log 2)."""
        return (grad / (saved[0] * math.log(2.0)),)


class Log10Backward0(Node):
    """log(input) / log(10)."""

    __slots__ = ()
    rule = "input: grad / (input * log(10))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 1 / (x log 10)."""
        return (grad / (saved[0] * math.log(10.0)),)


class TanBackward0(Node):
    """tan(input)."""

    __slots__ = ()
    rule = "input: grad / cos(input) ** 2"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D tan = 1 / cos^2."""
        return (grad / generic.apply("cos", saved[0]) ** 2,)


class SinhBackward0(Node):
    """sinh(input)."""

    __slots__ = ()
    rule = "input: grad * cosh(input)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D sinh = cosh."""
        return (grad * generic.apply("cosh", saved[0]),)


class CoshBackward0(Node):
    """cosh(input)."""

    __slots__ = ()
    rule = "input: grad * sinh(input)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D cosh = sinh."""
        return (grad * generic.apply("sinh", saved[0]),)


class AsinBackward0(Node):
    """asin(input)."""

    __slots__ = ()
    rule = "input: grad / sqrt(1 - input ** 2)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 1 / sqrt(1 - x^2)."""
        return (grad / generic.apply("sqrt", 1.0 - saved[0] * saved[0]),)


class AcosBackward0(Node):
    """acos(input)."""

    __slots__ = ()
    rule = "input: -grad / sqrt(1 - input ** 2)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = -1 / sqrt(1 - x^2)."""
        return (-grad / generic.apply("sqrt", 1.0 - saved[0] * saved[0]),)


class AtanBackward0(Node):
    """atan(input)."""

    __slots__ = ()
    rule = "input: grad / (1 + input ** 2)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 1 / (1 + x^2)."""
        return (grad / (1.0 + saved[0] * saved[0]),)


def exp2(input: Tensor) -> Tensor:
    """Return 2 to the power of each element."""
    return wrap_saving_result(Exp2Backward0, np.exp2(floating(input)._array), input)


def expm1(input: Tensor) -> Tensor:
    """Return exp(x) - 1, accurate for small x."""
    return wrap_saving_result(Expm1Backward0, np.expm1(floating(input)._array), input)


def log2(input: Tensor) -> Tensor:
    """Return the logarithm to base 2."""
    return wrap_saving_input(Log2Backward0, np.log2(floating(input)._array), input)


def log10(input: Tensor) -> Tensor:
    """Return the logarithm to base 10."""
    return wrap_saving_input(Log10Backward0, np.log10(floating(input)._array), input)


def tan(input: Tensor) -> Tensor:
    """Return the tangent of each element."""
    return wrap_saving_input(TanBackward0, np.tan(floating(input)._array), input)


def sinh(input: Tensor) -> Tensor:
    """Return the hyperbolic sine of each element."""
    return wrap_saving_input(SinhBackward0, np.sinh(floating(input)._array), input)


def cosh(input: Tensor) -> Tensor:
    """Return the hyperbolic cosine of each element."""
    return wrap_saving_input(CoshBackward0, np.cosh(floating(input)._array), input)


def asin(input: Tensor) -> Tensor:
    """Return the arc sine of each element."""
    return wrap_saving_input(AsinBackward0, np.arcsin(floating(input)._array), input)


def acos(input: Tensor) -> Tensor:
    """Return the arc cosine of each element."""
    return wrap_saving_input(AcosBackward0, np.arccos(floating(input)._array), input)


def atan(input: Tensor) -> Tensor:
    """Return the arc tangent of each element."""
    return wrap_saving_input(AtanBackward0, np.arctan(floating(input)._array), input)
