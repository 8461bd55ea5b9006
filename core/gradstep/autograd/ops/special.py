"""Trigonometric and hyperbolic functions, and the error function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.graph import Node, Value
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.operands import floating
from gradstep.autograd.ops.pointwise import wrap_saving_input

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["acos", "asin", "atan", "cos", "cosh", "erf", "sin", "sinh", "tan"]


class SinBackward0(Node):
    """sin(input)."""

    __slots__ = ()
    rule = "input: grad * cos(input)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D sin = cos."""
        return (grad * generic.apply("cos", saved[0]),)


class CosBackward0(Node):
    """cos(input)."""

    __slots__ = ()
    rule = "input: -grad * sin(input)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D cos = -sin."""
        return (-grad * generic.apply("sin", saved[0]),)


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


class ErfBackward0(Node):
    """erf(input)."""

    __slots__ = ()
    rule = "input: grad * 2 / sqrt(pi) * exp(-input ** 2)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D erf = 2 / sqrt(pi) exp(-x^2)."""
        return (grad * generic.exp(-saved[0] * saved[0]) * (2.0 / math.sqrt(math.pi)),)


def sin(input: Tensor) -> Tensor:
    """Return the sine of each element.

    Example:
        >>> import gradstep
        >>> sin(gradstep.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8415])
    """
    return wrap_saving_input(SinBackward0, np.sin(floating(input)._array), input)


def cos(input: Tensor) -> Tensor:
    """Return the cosine of each element."""
    return wrap_saving_input(CosBackward0, np.cos(floating(input)._array), input)


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


def erf(input: Tensor) -> Tensor:
    """Return the error function of each element."""
    return wrap_saving_input(ErfBackward0, generic.erf(floating(input)._array), input)
