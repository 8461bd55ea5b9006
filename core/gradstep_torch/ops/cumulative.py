"""Cumulative sums and products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.operands import axis
from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import DTypeLike

__all__ = ["cumprod", "cumsum"]


class CumsumBackward0(Node):
    """The cumulative sum."""

    __slots__ = ()
    rule = "input: for each element, the sum of grad from there on"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The cumulative sum from the other end: the total minus the sum before."""
        along = self.context
        total = grad.sum(along, keepdims=True)
        return (total - grad.cumsum(along) + grad,)


def cumsum(input: Tensor, dim: int, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return the cumulative sums along `dim`.

    Example:
        >>> import gradstep_torch as torch
        >>> cumsum(torch.tensor([1, 2, 3]), 0)
        tensor([1, 3, 6])
    """
    if dtype is not None:
        input = to_dtype(input, dtypes.numpy_dtype(dtype))
    x = input._array
    along = axis(dim, x.ndim)
    if not x.ndim:
        return input.clone()
    out = wrap(x.cumsum(along, dtype=None if x.dtype.kind == "f" else np.int64))
    if grad_mode.current.enabled and input._requires_grad:
        record(CumsumBackward0, out, (input._grad_fn or input,), context=along)
    return out


class CumprodBackward0(Node):
    """The cumulative product."""

    __slots__ = ()
    rule = "input: for each element, the sum of grad times the products without it"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Multiply the product before each element by the sum of what follows it.

        With p the product before element k, its gradient is p * r[k], where
        r[k] = grad[k] + x[k + 1] * r[k + 1]. There is no division, so zeros need no special case.
        """
        x = saved[0].swapaxes(self.context, -1)
        size = x.shape[-1]
        places = np.arange(size)
        before = generic.where(places > 0, x.cumprod(-1)[..., places - 1], 1.0)
        following = _reverse_recurrence(
            x[..., np.roll(places, -1)], grad.swapaxes(self.context, -1)
        )
        return ((before * following).swapaxes(self.context, -1),)


def _reverse_recurrence(factors: Value, terms: Value) -> Value:
    """Solve r[k] = terms[k] + factors[k] * r[k + 1] along the last dimension; the last r is terms.

    Each round doubles the number of terms that r covers, so log2(size) rounds suffice
    (Hillis and Steele, Data Parallel Algorithms, 1986).

    Example:
        >>> _reverse_recurrence(np.array([2.0, 3.0, 0.0]), np.array([1.0, 1.0, 1.0]))
        array([9., 4., 1.])
    """
    size = terms.shape[-1]
    places = np.arange(size)
    reach = 1
    while reach < size:
        inside = places + reach < size
        later = np.roll(places, -reach)
        terms = terms + generic.where(inside, factors * terms[..., later], 0.0)
        factors = generic.where(inside, factors * factors[..., later], 0.0)
        reach *= 2
    return terms


def cumprod(input: Tensor, dim: int, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return the cumulative products along `dim`.

    Example:
        >>> import gradstep_torch as torch
        >>> cumprod(torch.tensor([1, 2, 3]), 0)
        tensor([1, 2, 6])
    """
    if dtype is not None:
        input = to_dtype(input, dtypes.numpy_dtype(dtype))
    x = input._array
    along = axis(dim, x.ndim)
    if not x.ndim:
        return input.clone()
    out = wrap(x.cumprod(along, dtype=None if x.dtype.kind == "f" else np.int64))
    if grad_mode.current.enabled and input._requires_grad:
        node = (input._grad_fn or input,)
        record(CumprodBackward0, out, node, (x,), (input._version_counter,), along)
    return out
