"""Functions of two tensors: atan2, hypot, logaddexp."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.generic import unbroadcast
from gradstep.autograd.ops.operands import align, broadcast_error, floating
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["atan2", "hypot", "logaddexp"]


def _gradients(node: Node, grad: Value, by_first: Value, by_second: Value) -> tuple[Value, ...]:
    """Return the gradients of two inputs from their partial derivatives."""
    first, second = node.edges
    left, right = node.context
    return (
        None if first is None else unbroadcast(grad * by_first, left),
        None if second is None else unbroadcast(grad * by_second, right),
    )


class LogaddexpBackward0(Node):
    """log(exp(a) + exp(b))."""

    __slots__ = ()
    rule = "input: grad / (1 + exp(other - input)); other: grad / (1 + exp(input - other))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The derivatives are the softmax of (a, b)."""
        a, b = saved
        shares = 1.0 / (1.0 + generic.exp(b - a)), 1.0 / (1.0 + generic.exp(a - b))
        return _gradients(self, grad, *shares)


class HypotBackward0(Node):
    """sqrt(a^2 + b^2)."""

    __slots__ = ()
    rule = (
        "input: grad * input / sqrt(input ** 2 + other ** 2); "
        "other: grad * other / sqrt(input ** 2 + other ** 2)"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The derivatives are a / c and b / c, with c the result."""
        a, b = saved
        length = (a * a + b * b) ** 0.5
        return _gradients(self, grad, a / length, b / length)


class Atan2Backward0(Node):
    """The angle of the point (b, a)."""

    __slots__ = ()
    rule = (
        "input: grad * other / (input ** 2 + other ** 2); "
        "other: grad * -input / (input ** 2 + other ** 2)"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The derivatives are b / c^2 and -a / c^2, with c^2 = a^2 + b^2, and 0 at the origin."""
        a, b = saved
        square = a * a + b * b
        zero = generic.to_array(square) == 0
        share = generic.where(zero, 0.0 * square, 1.0 / generic.where(zero, square + 1.0, square))
        return _gradients(self, grad, b * share, -a * share)


def _pair(
    name: str, kind: type[Node], function: Callable[..., Value], input: Tensor, other: Tensor
) -> Tensor:
    if not isinstance(other, Tensor):
        raise ArgumentTypeError(
            f"{name}(): argument 'other' must be Tensor, not {type(other).__name__}",
            "convert it with gradstep.tensor(...) first",
        )
    input, other = align(input, other)
    input, other = floating(input), floating(other)
    a, b = input._array, other._array
    try:
        out = wrap(np.asarray(function(a, b)))
    except ValueError:
        raise broadcast_error(a.shape, b.shape) from None
    if grad_mode.current.enabled and (input._requires_grad or other._requires_grad):
        counters = (input._version_counter, other._version_counter)
        record(kind, out, (edge(input), edge(other)), (a, b), counters, (a.shape, b.shape))
    return out


def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """Return log(exp(input) + exp(other)), without overflow.

    Example:
        >>> import gradstep_torch as torch
        >>> logaddexp(torch.tensor([1000.0]), torch.tensor([1000.0]))
        tensor([1000.6932])
    """
    return _pair("logaddexp", LogaddexpBackward0, np.logaddexp, input, other)


def hypot(input: Tensor, other: Tensor) -> Tensor:
    """Return the length of the hypotenuse, sqrt(input^2 + other^2).

    Example:
        >>> import gradstep_torch as torch
        >>> hypot(torch.tensor([3.0]), torch.tensor([4.0]))
        tensor([5.])
    """
    return _pair("hypot", HypotBackward0, np.hypot, input, other)


def atan2(input: Tensor, other: Tensor) -> Tensor:
    """Return the angle between the x axis and the point (other, input), in radians.

    Example:
        >>> import gradstep_torch as torch
        >>> atan2(torch.tensor([1.0]), torch.tensor([0.0]))
        tensor([1.5708])
    """
    return _pair("atan2", Atan2Backward0, np.arctan2, input, other)
