"""Variance, standard deviation, any and all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.operands import axes
from gradstep.autograd.ops.reduce import kept_shape
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Dims

__all__ = ["all", "any", "std", "var"]


def _dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    return axes(tuple(range(ndim)) if dim is None or dim == () else dim, ndim)


class VarBackward0(Node):
    """sum((input - mean(input)) ** 2) / freedom."""

    __slots__ = ()
    rule = "input: 2 * grad * (input - mean(input)) / freedom"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = 2 (x - mean) / (n - correction)."""
        dims, kept, count, freedom = self.context
        x = saved[0]
        distance = x - x.sum(dims, keepdims=True) / count
        return (grad.reshape(kept) * distance * (2.0 / freedom if freedom else math.nan),)

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"freedom": self.context[3]}


class StdBackward0(Node):
    """sqrt(sum((input - mean(input)) ** 2) / freedom)."""

    __slots__ = ()
    sources = (0, -1)
    rule = "input: grad * (input - mean(input)) / (freedom * result)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = (x - mean) / ((n - correction) std), 0 where the deviation is 0."""
        dims, kept, count, freedom = self.context
        x, deviation = saved
        distance = x - x.sum(dims, keepdims=True) / count
        share = generic.where(
            generic.to_array(deviation) == 0, generic.zeros_like(grad), grad / deviation
        )
        return (share.reshape(kept) * distance * (1.0 / freedom if freedom else math.nan),)

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"freedom": self.context[3]}


def _var_or_std(
    kind: type[Node], input: Tensor, dim: Dims, correction: float, keepdim: bool
) -> Tensor:
    x = input._array
    if x.dtype.kind != "f":
        raise TensorError(
            f"std and var only support floating point and complex dtypes, got {x.dtype}",
            "convert with .float() first",
        )
    dims = _dims(dim, x.ndim)
    count = math.prod(x.shape[a] for a in dims)
    freedom = max(count - correction, 0.0)
    distance = x - (x.sum(dims, keepdims=True) / count if count else math.nan)
    total = (distance * distance).sum(dims, keepdims=keepdim)
    spread = total / freedom if freedom else total * math.nan
    root = kind is StdBackward0
    out = wrap(np.sqrt(spread) if root else spread)
    if grad_mode.current.enabled and input._requires_grad:
        saved: tuple[Value, ...] = (x, out._array) if root else (x,)
        counters = (input._version_counter, out._version_counter)[: len(saved)]
        context = (dims, kept_shape(x.shape, dims), count, freedom)
        record(kind, out, (input._grad_fn or input,), saved, counters, context)
    return out


def _dims_and_correction(
    dim: Dims | bool, unbiased: bool, correction: float | None
) -> tuple[Dims, float]:
    """Return the dimensions and the correction; a boolean `dim` is `unbiased`, as in torch."""
    dims, divide = (None, dim) if isinstance(dim, bool) else (dim, unbiased)
    return dims, float(divide) if correction is None else correction


def var(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """Return the variance of all elements, or along `dim`; the divisor is n - 1 by default.

    Example:
        >>> import gradstep
        >>> var(gradstep.tensor([1.0, 3.0]))
        tensor(2.)
    """
    return _var_or_std(
        VarBackward0, input, *_dims_and_correction(dim, unbiased, correction), keepdim
    )


def std(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """Return the standard deviation of all elements, or along `dim`."""
    return _var_or_std(
        StdBackward0, input, *_dims_and_correction(dim, unbiased, correction), keepdim
    )


def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Return whether any element is non-zero."""
    return wrap(input._array.any(_dims(dim, input._array.ndim), keepdims=keepdim))


def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Return whether all elements are non-zero."""
    return wrap(input._array.all(_dims(dim, input._array.ndim), keepdims=keepdim))
