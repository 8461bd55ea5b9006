"""Softmax and log-softmax."""

from __future__ import annotations

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.operands import axis
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import UnsupportedError

__all__ = ["log_softmax", "log_softmax_array", "softmax"]


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
        return (grad - generic.exp(saved[0]) * grad.sum(self.context, keepdims=True),)


def _require_floating(input: Tensor) -> Tensor:
    """Return the input, or raise UnsupportedError if it is not floating-point."""
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
    x = _require_floating(input)._array
    along = () if x.ndim == 0 else axis(dim, x.ndim)
    powers = np.asarray(  # NumPy returns a scalar for a 0-d array
        x - x.max(along, keepdims=True, initial=-np.inf)
    )
    np.exp(powers, out=powers)
    powers /= powers.sum(along, keepdims=True)
    out = wrap(powers)
    if grad_mode.current.enabled and input._requires_grad:
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
    """Return x - log(sum(exp(x))), shifted by the maximum to avoid overflow."""
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
    x = _require_floating(input)._array
    along = () if x.ndim == 0 else axis(dim, x.ndim)
    out = wrap(log_softmax_array(x, along))
    if grad_mode.current.enabled and input._requires_grad:
        record(
            LogSoftmaxBackward0,
            out,
            (input._grad_fn or input,),
            (out._array,),
            (out._version_counter,),
            along,
        )
    return out
