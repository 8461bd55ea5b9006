"""Rounding."""

from __future__ import annotations

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.tensor import Tensor, wrap

__all__ = ["ceil", "floor", "round", "trunc"]


class FloorBackward0(Node):
    """The largest integer not above; the derivative of a step function is 0."""

    __slots__ = ()
    rule = "input: 0 * grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return zeros."""
        return (generic.zeros_like(grad),)


class CeilBackward0(FloorBackward0):
    """The smallest integer not below."""

    __slots__ = ()


class RoundBackward0(FloorBackward0):
    """The nearest integer or decimal."""

    __slots__ = ()


class TruncBackward0(FloorBackward0):
    """The integer towards zero."""

    __slots__ = ()


def floor(input: Tensor) -> Tensor:
    """Return the largest integer not above each element."""
    out = wrap(np.floor(input._array))
    if grad_mode.current.enabled and input._requires_grad:
        record(FloorBackward0, out, (input._grad_fn or input,))
    return out


def ceil(input: Tensor) -> Tensor:
    """Return the smallest integer not below each element."""
    out = wrap(np.ceil(input._array))
    if grad_mode.current.enabled and input._requires_grad:
        record(CeilBackward0, out, (input._grad_fn or input,))
    return out


def trunc(input: Tensor) -> Tensor:
    """Return the integer part of each element."""
    out = wrap(np.trunc(input._array))
    if grad_mode.current.enabled and input._requires_grad:
        record(TruncBackward0, out, (input._grad_fn or input,))
    return out


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Return each element rounded, halves to even.

    Example:
        >>> import gradstep_torch as torch
        >>> round(torch.tensor([0.5, 1.5, 2.4]))
        tensor([0., 2., 2.])
    """
    out = wrap(np.round(input._array, decimals))
    if grad_mode.current.enabled and input._requires_grad:
        record(RoundBackward0, out, (input._grad_fn or input,))
    return out
