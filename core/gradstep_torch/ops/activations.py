"""Activations that only scripts use: thresholds, shrinkage, hard sigmoid and hard swish."""

from __future__ import annotations

from typing import Final

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.activations.rectifiers import _PiecewiseBackward, piecewise
from gradstep.autograd.ops.operands import floating
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

__all__ = ["hardshrink", "hardsigmoid", "hardswish", "softshrink", "threshold"]


class ThresholdBackward0(_PiecewiseBackward):
    """The input above a threshold, else a constant."""

    __slots__ = ()
    rule = "input: grad above the threshold, 0 elsewhere"


class HardshrinkBackward0(_PiecewiseBackward):
    """The input, or 0 where it is near 0."""

    __slots__ = ()
    rule = "input: grad where the input is not near 0, 0 elsewhere"


class SoftshrinkBackward0(_PiecewiseBackward):
    """The input moved towards 0 by a constant."""

    __slots__ = ()
    rule = "input: grad where the input is not near 0, 0 elsewhere"


class HardsigmoidBackward0(_PiecewiseBackward):
    """Linear from 0 to 1 between -3 and 3, constant outside."""

    __slots__ = ()
    rule = "input: grad / 6 between -3 and 3, 0 elsewhere"


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`.

    Example:
        >>> import gradstep
        >>> threshold(gradstep.tensor([0.5, 2.0]), 1.0, -1.0)
        tensor([-1.,  2.])
    """
    x = input._array
    beyond = ~(x <= threshold)
    return piecewise(ThresholdBackward0, input, np.where(beyond, x, x.dtype.type(value)), beyond)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return `input` where its absolute value exceeds `lambd`, else 0."""
    x = input._array
    beyond = ~((x >= -lambd) & (x <= lambd))
    return piecewise(HardshrinkBackward0, input, np.where(beyond, x, x.dtype.type(0)), beyond)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return `input` moved towards 0 by `lambd`; 0 where its absolute value is at most `lambd`.

    Example:
        >>> import gradstep
        >>> softshrink(gradstep.tensor([-2.0, 0.3]))
        tensor([-1.5000,  0.0000])
    """
    if lambd < 0:
        raise TensorError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    x = input._array
    beyond = ~((x >= -lambd) & (x <= lambd))
    moved = np.where(beyond, x - np.sign(x) * x.dtype.type(lambd), x * 0)
    return piecewise(SoftshrinkBackward0, input, moved, beyond)


def hardsigmoid(input: Tensor) -> Tensor:
    """Return x / 6 + 1/2 clipped to [0, 1].

    Example:
        >>> import gradstep
        >>> hardsigmoid(gradstep.tensor([-4.0, 0.0, 4.0]))
        tensor([0.0000, 0.5000, 1.0000])
    """
    x = floating(input)._array
    inside = (x > -_BEND) & (x < _BEND)
    return piecewise(HardsigmoidBackward0, input, np.clip(x + 3, 0, 6) / 6, inside, _SIXTH)


class HardswishBackward0(Node):
    """x times hardsigmoid(x)."""

    __slots__ = ()
    rule = "input: where(abs(input) < 3, grad * (input / 3 + 0.5), where(input > 0, grad, 0))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The derivative is 0 below -3, x / 3 + 1/2 between, and 1 above 3."""
        x = saved[0]
        plain = generic.to_array(x)
        between = (plain > -_BEND) & (plain < _BEND)
        return (
            generic.where(between, grad * (x / 3.0 + 0.5), generic.masked(grad, plain >= _BEND)),
        )


def hardswish(input: Tensor) -> Tensor:
    """Return x times hardsigmoid(x) (Howard et al. 2019, arXiv 1905.02244).

    Example:
        >>> import gradstep
        >>> hardswish(gradstep.tensor([-4.0, 1.0, 4.0]))
        tensor([-0.0000,  0.6667,  4.0000])
    """
    x = floating(input)._array
    out = wrap(x * np.clip(x + 3, 0, 6) / 6)
    if grad_mode.current.enabled and input._requires_grad:
        saved = (input._array,)
        record(
            HardswishBackward0, out, (input._grad_fn or input,), saved, (input._version_counter,)
        )
    return out


_BEND: Final = 3
"""Hardsigmoid and hardswish are 0 below minus this, and 1 and x above it."""


_SIXTH: Final = float(np.float32(1 / 6))
"""The slope of hardsigmoid, rounded to float32: torch uses this for float64, too."""
