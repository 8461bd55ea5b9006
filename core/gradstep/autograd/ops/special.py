"""Sine, cosine and the error function."""

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

__all__ = ["cos", "erf", "sin"]


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


def erf(input: Tensor) -> Tensor:
    """Return the error function of each element."""
    return wrap_saving_input(ErfBackward0, generic.erf(floating(input)._array), input)
