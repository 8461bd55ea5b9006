"""Activations made of straight pieces: clipped, cut, shrunk; and PReLU, whose slope is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import dual
from gradstep.autograd.ops.operands import floating
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "prelu",
    "relu6",
    "softshrink",
    "threshold",
]


_BEND: Final = 3
"""Where hardsigmoid and hardswish end to be 0, and begin to be 1 and x."""


_SIXTH: Final = float(np.float32(1 / 6))
"""The slope of hardsigmoid: torch has it of float32, for float64, too."""


class _PiecewiseBackward(Node):
    """Straight pieces; saved is the slope at each element."""

    __slots__ = ()
    sources = (None,)

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient times the slope of the piece."""
        slope = saved[0]
        return (dual.masked(grad * slope, dual.plain(slope) != 0),)


class HardtanhBackward0(_PiecewiseBackward):
    """Clipped on both sides."""

    __slots__ = ()
    rule = "input: grad between the bounds, 0 elsewhere"


class ThresholdBackward0(_PiecewiseBackward):
    """Replaced below a threshold."""

    __slots__ = ()
    rule = "input: grad above the threshold, 0 elsewhere"


class HardshrinkBackward0(_PiecewiseBackward):
    """Zero near zero."""

    __slots__ = ()
    rule = "input: grad where the input is not near 0, 0 elsewhere"


class SoftshrinkBackward0(_PiecewiseBackward):
    """Moved towards zero."""

    __slots__ = ()
    rule = "input: grad where the input is not near 0, 0 elsewhere"


class HardsigmoidBackward0(_PiecewiseBackward):
    """Straight from 0 to 1 between -3 and 3."""

    __slots__ = ()
    rule = "input: grad / 6 between -3 and 3, 0 elsewhere"


def _piecewise(
    kind: type[Node],
    input: Tensor,
    array: NDArray[np.generic],
    passes: NDArray[np.bool_],
    slope: float = 1.0,
) -> Tensor:
    out = wrap(array)
    if grad_mode.enabled and input._requires_grad:
        record(kind, out, (input._grad_fn or input,), (passes * array.dtype.type(slope),))
    return out


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Return `input` clipped to [min_val, max_val]; the slope at both ends is 0.

    Example:
        >>> import gradstep
        >>> hardtanh(gradstep.tensor([-2.0, 0.5, 2.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ArgumentError(f"min_val cannot be greater than max_val, got {min_val} and {max_val}")
    x = input._array
    inside = ~((x <= min_val) | (x >= max_val))
    return _piecewise(HardtanhBackward0, input, np.clip(x, min_val, max_val), inside)


def relu6(input: Tensor) -> Tensor:
    """Return `input` clipped to [0, 6]."""
    return hardtanh(input, 0.0, 6.0)


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`.

    Example:
        >>> import gradstep
        >>> threshold(gradstep.tensor([0.5, 2.0]), 1.0, -1.0)
        tensor([-1.,  2.])
    """
    x = input._array
    beyond = ~(x <= threshold)
    return _piecewise(ThresholdBackward0, input, np.where(beyond, x, x.dtype.type(value)), beyond)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return `input` where it is farther from 0 than `lambd`, else 0."""
    x = input._array
    beyond = ~((x >= -lambd) & (x <= lambd))
    return _piecewise(HardshrinkBackward0, input, np.where(beyond, x, x.dtype.type(0)), beyond)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return `input` moved towards 0 by `lambd`, and 0 where it is nearer than that.

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
    return _piecewise(SoftshrinkBackward0, input, moved, beyond)


def hardsigmoid(input: Tensor) -> Tensor:
    """Return x / 6 + 1/2 clipped to [0, 1].

    Example:
        >>> import gradstep
        >>> hardsigmoid(gradstep.tensor([-4.0, 0.0, 4.0]))
        tensor([0.0000, 0.5000, 1.0000])
    """
    x = floating(input)._array
    inside = (x > -_BEND) & (x < _BEND)
    return _piecewise(HardsigmoidBackward0, input, np.clip(x + 3, 0, 6) / 6, inside, _SIXTH)


class HardswishBackward0(Node):
    """x times hardsigmoid(x)."""

    __slots__ = ()
    rule = "input: where(abs(input) < 3, grad * (input / 3 + 0.5), where(input > 0, grad, 0))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The slope is 0, x / 3 + 1/2, and 1."""
        x = saved[0]
        plain = dual.plain(x)
        between = (plain > -_BEND) & (plain < _BEND)
        return (dual.where(between, grad * (x / 3.0 + 0.5), dual.masked(grad, plain >= _BEND)),)


def hardswish(input: Tensor) -> Tensor:
    """Return x times hardsigmoid(x) (Howard et al. 2019, arXiv 1905.02244).

    Example:
        >>> import gradstep
        >>> hardswish(gradstep.tensor([-4.0, 1.0, 4.0]))
        tensor([-0.0000,  0.6667,  4.0000])
    """
    x = floating(input)._array
    out = wrap(x * np.clip(x + 3, 0, 6) / 6)
    if grad_mode.enabled and input._requires_grad:
        saved = (input._array,)
        record(
            HardswishBackward0, out, (input._grad_fn or input,), saved, (input._version_counter,)
        )
    return out


class PreluKernelBackward0(Node):
    """x where it is positive, else a x; `context` is the shapes of a, and as it broadcasts."""

    __slots__ = ()
    rule = (
        "input: where(input > 0, grad, grad * weight); "
        "weight: sum of grad * input where the input is not positive"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = g or g a; da = the sum of g x where x is not positive."""
        first, second = self.edges
        x, slope = saved
        own, shape = self.context
        positive = dual.plain(x) > 0
        by_slope = None
        if second is not None:
            by_slope = dual.unbroadcast(dual.where(positive, 0.0 * x, x) * grad, shape).reshape(own)
        by_input = None
        if first is not None:
            by_input = dual.where(positive, grad, grad * slope.reshape(shape))
        return by_input, by_slope


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return x where it is positive, else weight x (He et al. 2015, arXiv 1502.01852).

    Args:
        input: Of shape (batch, channels, ...), or of any for one slope.
        weight: One slope, or one for each channel.

    Raises:
        TensorError: There are neither one nor as many slopes as channels.

    Example:
        >>> import gradstep
        >>> prelu(gradstep.tensor([-2.0, 2.0]), gradstep.tensor([0.25]))
        tensor([-0.5000,  2.0000])
    """
    x, slope = input._array, weight._array
    shape: tuple[int, ...] = (1,) * x.ndim
    if slope.size != 1:
        channels = x.shape[1] if x.ndim > 1 else 1
        if slope.ndim != 1 or slope.size != channels:
            raise TensorError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{slope.size} and channel size = {channels}."
            )
        shape = (1, channels, *(1,) * (x.ndim - 2))
    out = wrap(np.where(x > 0, x, x * slope.reshape(shape)))
    if grad_mode.enabled and (input._requires_grad or weight._requires_grad):
        record(
            PreluKernelBackward0,
            out,
            (edge(input), edge(weight)),
            (x, slope),
            (input._version_counter, weight._version_counter),
            (slope.shape, shape),
        )
    return out
