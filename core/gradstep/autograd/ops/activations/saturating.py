"""tanh, sigmoid, log-sigmoid and softsign."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.operands import floating
from gradstep.autograd.ops.pointwise import wrap_saving_input
from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor


__all__ = ["logsigmoid", "sigmoid", "softsign", "tanh"]


class TanhBackward0(Node):
    """tanh(input)."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: grad * (1 - result ** 2)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D tanh = 1 - tanh^2."""
        result = saved[0]
        return (grad * (1.0 - result * result),)


class SigmoidBackward0(Node):
    """1 / (1 + exp(-input))."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: grad * result * (1 - result)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D s = s (1 - s)."""
        result = saved[0]
        return (grad * (1.0 - result) * result,)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent.

    Example:
        >>> import gradstep
        >>> tanh(gradstep.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])
    """
    out = wrap(np.tanh(floating(input)._array))
    if grad_mode.current.enabled and input._requires_grad:
        record(
            TanhBackward0, out, (input._grad_fn or input,), (out._array,), (out._version_counter,)
        )
    return out


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x)).

    Example:
        >>> import gradstep
        >>> sigmoid(gradstep.tensor([0.0]))
        tensor([0.5000])
    """
    out = wrap(generic.sigmoid(floating(input)._array))
    if grad_mode.current.enabled and input._requires_grad:
        record(
            SigmoidBackward0,
            out,
            (input._grad_fn or input,),
            (out._array,),
            (out._version_counter,),
        )
    return out


class LogSigmoidBackward0(Node):
    """log(sigmoid(input))."""

    __slots__ = ()
    rule = "input: grad * sigmoid(-input)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = s(-x)."""
        return (grad * generic.sigmoid(-saved[0]),)


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(x)), computed without overflow.

    Example:
        >>> import gradstep
        >>> logsigmoid(gradstep.tensor([0.0, -1000.0]))
        tensor([-6.9315e-01, -1.0000e+03])
    """
    x = input._array
    return wrap_saving_input(
        LogSigmoidBackward0, np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))), input
    )


def softsign(input: Tensor) -> Tensor:
    """Return x / (1 + |x|).

    Example:
        >>> import gradstep
        >>> softsign(gradstep.tensor([-1.0, 3.0]))
        tensor([-0.5000,  0.7500])
    """
    return input / (input.abs() + 1)
