"""Activation functions; relatives of relu live in `rectifiers`."""

from __future__ import annotations

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.numbers import ZEROS
from gradstep.autograd.ops import dual
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.operands import axis, floating
from gradstep.autograd.ops.rectifiers import elu, gelu, leaky_relu, silu, softplus
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import UnsupportedError

__all__ = [
    "elu",
    "gelu",
    "leaky_relu",
    "log_softmax",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "tanh",
]


class ReluBackward0(Node):
    """max(input, 0)."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: where(result > 0, grad, 0)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient passes where the result is positive."""
        return (dual.masked(grad, dual.positive(saved[0])),)


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


class SoftmaxBackward0(Node):
    """exp(input) / sum(exp(input))."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: result * (grad - sum(grad * result))"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = s (g - sum of g s)."""
        result = saved[0]
        weighted = grad * result
        return (weighted - result * weighted.sum(self.context, keepdims=True),)


class LogSoftmaxBackward0(Node):
    """input - log(sum(exp(input)))."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: grad - exp(result) * sum(grad)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = g - softmax(x) sum of g."""
        return (grad - dual.exp(saved[0]) * grad.sum(self.context, keepdims=True),)


def relu(input: Tensor) -> Tensor:
    """Return max(0, x); the slope at 0 is 0.

    Example:
        >>> import gradstep
        >>> relu(gradstep.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    array = input._array
    out = wrap(np.maximum(array, ZEROS.get(array.dtype, 0)))
    if grad_mode.enabled and input._requires_grad:
        record(
            ReluBackward0, out, (input._grad_fn or input,), (out._array,), (out._version_counter,)
        )
    return out


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent.

    Example:
        >>> import gradstep
        >>> tanh(gradstep.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])
    """
    out = wrap(np.tanh(floating(input)._array))
    if grad_mode.enabled and input._requires_grad:
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
    out = wrap(dual.sigmoid(floating(input)._array))
    if grad_mode.enabled and input._requires_grad:
        record(
            SigmoidBackward0,
            out,
            (input._grad_fn or input,),
            (out._array,),
            (out._version_counter,),
        )
    return out


def _probable(input: Tensor) -> Tensor:
    """Refuse integers: torch has no softmax of them."""
    if input._array.dtype.kind != "f":
        raise UnsupportedError(
            f"softmax is not implemented for {input._array.dtype}", "convert with .float() first"
        )
    return input


def softmax(input: Tensor, dim: int, *, dtype: dtypes.DTypeLike | None = None) -> Tensor:
    """Return exp(x) divided by its sum along `dim`.

    Example:
        >>> import gradstep
        >>> softmax(gradstep.tensor([0.0, 0.0]), 0)
        tensor([0.5000, 0.5000])
    """
    if dtype is not None:
        input = to_dtype(input, dtypes.numpy_dtype(dtype))
    x = _probable(input)._array
    along = () if x.ndim == 0 else axis(dim, x.ndim)
    powers = np.asarray(
        x - x.max(along, keepdims=True, initial=-np.inf)
    )  # of one, NumPy makes no array
    np.exp(powers, out=powers)
    powers /= powers.sum(along, keepdims=True)
    out = wrap(powers)
    if grad_mode.enabled and input._requires_grad:
        record(
            SoftmaxBackward0,
            out,
            (input._grad_fn or input,),
            (out._array,),
            (out._version_counter,),
            along,
        )
    return out


def log_softmax_array(x: Value, along: int | tuple[()]) -> Value:
    """Return x - log of the sum of exp(x), shifted so that nothing overflows."""
    shifted = x - x.max(along, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.exp(shifted).sum(along, keepdims=True))


def log_softmax(input: Tensor, dim: int, *, dtype: dtypes.DTypeLike | None = None) -> Tensor:
    """Return the logarithm of softmax along `dim`.

    Example:
        >>> import gradstep
        >>> log_softmax(gradstep.tensor([0.0, 0.0]), 0)
        tensor([-0.6931, -0.6931])
    """
    if dtype is not None:
        input = to_dtype(input, dtypes.numpy_dtype(dtype))
    x = _probable(input)._array
    along = () if x.ndim == 0 else axis(dim, x.ndim)
    out = wrap(log_softmax_array(x, along))
    if grad_mode.enabled and input._requires_grad:
        record(
            LogSoftmaxBackward0,
            out,
            (input._grad_fn or input,),
            (out._array,),
            (out._version_counter,),
            along,
        )
    return out
