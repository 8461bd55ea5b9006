"""Inverse hyperbolic functions, logit, and conversion between degrees and radians."""

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

__all__ = ["acosh", "asinh", "atanh", "deg2rad", "logit", "rad2deg"]


class AsinhBackward0(Node):
    """asinh(input)."""

    __slots__ = ()
    rule = "input: grad / sqrt(input ** 2 + 1)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 1 / sqrt(x^2 + 1)."""
        return (grad / generic.apply("sqrt", saved[0] * saved[0] + 1.0),)


class AcoshBackward0(Node):
    """acosh(input)."""

    __slots__ = ()
    rule = "input: grad / sqrt(input ** 2 - 1)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 1 / sqrt(x^2 - 1)."""
        return (grad / generic.apply("sqrt", saved[0] * saved[0] - 1.0),)


class AtanhBackward0(Node):
    """atanh(input)."""

    __slots__ = ()
    rule = "input: grad / (1 - input ** 2)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 1 / (1 - x^2)."""
        return (grad / (1.0 - saved[0] * saved[0]),)


def asinh(input: Tensor) -> Tensor:
    """Return the inverse hyperbolic sine of each element."""
    return wrap_saving_input(AsinhBackward0, np.arcsinh(floating(input)._array), input)


def acosh(input: Tensor) -> Tensor:
    """Return the inverse hyperbolic cosine of each element."""
    return wrap_saving_input(AcoshBackward0, np.arccosh(floating(input)._array), input)


def atanh(input: Tensor) -> Tensor:
    """Return the inverse hyperbolic tangent of each element.

    Example:
        >>> import gradstep_torch as torch
        >>> atanh(torch.tensor([0.0, 0.5]))
        tensor([0.0000, 0.5493])
    """
    return wrap_saving_input(AtanhBackward0, np.arctanh(floating(input)._array), input)


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """Return log(x / (1 - x)), the inverse of sigmoid.

    Args:
        input: Probabilities.
        eps: Elements are first clamped to [eps, 1 - eps]; None means no clamping.

    Example:
        >>> import gradstep_torch as torch
        >>> logit(torch.tensor([0.5, 0.9]))
        tensor([0.0000, 2.1972])
    """
    x = floating(input) if eps is None else floating(input).clamp(eps, 1.0 - eps)
    return (x / (1.0 - x)).log()


def deg2rad(input: Tensor) -> Tensor:
    """Convert degrees to radians."""
    return floating(input) * (math.pi / 180.0)


def rad2deg(input: Tensor) -> Tensor:
    """Convert radians to degrees."""
    return floating(input) * (180.0 / math.pi)
