"""The reductions prod, logsumexp and count_nonzero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.operands import axis
from gradstep.autograd.ops.reduce import kept_shape
from gradstep.autograd.ops.statistics import _dims
from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Dims, DTypeLike


__all__ = ["count_nonzero", "logsumexp", "prod"]


class ProdBackward0(Node):
    """The product of elements."""

    __slots__ = ()
    rule = "input: grad times the product of all other elements"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Multiply grad by the product of all other elements, which handles zeros."""
        along, kept = self.context
        x = saved[0]
        if along is None:
            others = _products_of_others(x.reshape((-1,))).reshape(x.shape)
        else:
            others = _products_of_others(x.swapaxes(along, -1)).swapaxes(along, -1)
        return (grad.reshape(kept) * others,)


def _products_of_others(value: Value) -> Value:
    """Return for each element the product of all others along the last dimension.

    A tree of products of pairs is shared by all elements, so time and memory are linear. There is
    no division, so zeros need no special case.

    Example:
        >>> _products_of_others(np.array([2.0, 0.0, 5.0]))
        array([ 0., 10.,  0.])
    """
    size = value.shape[-1]
    if size <= 1:
        return generic.where(np.zeros(value.shape, np.bool_), value, 1.0)
    even = np.arange(size + size % 2)
    padded = value[..., np.minimum(even, size - 1)]
    if size % 2:
        padded = generic.where(even < size, padded, 1.0)
    pairs = padded.reshape((*value.shape[:-1], len(even) // 2, 2))
    partners = pairs[..., [1, 0]]
    rest = _products_of_others(pairs[..., 0] * pairs[..., 1])
    found = (rest.reshape((*rest.shape, 1)) * partners).reshape(padded.shape)
    return found[..., :size]


def prod(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return the product of all elements, or along `dim`.

    Example:
        >>> import gradstep_torch as torch
        >>> prod(torch.tensor([2.0, 3.0]))
        tensor(6.)
    """
    if dtype is not None:
        input = to_dtype(input, dtypes.numpy_dtype(dtype))
    x = input._array
    along = None if dim is None or not x.ndim else axis(dim, x.ndim)
    kind = None if x.dtype.kind == "f" else np.int64
    out = wrap(x.prod(along, keepdims=keepdim, dtype=kind))
    if grad_mode.current.enabled and input._requires_grad:
        dims = tuple(range(x.ndim)) if along is None else (along,)
        context = (along, kept_shape(x.shape, dims))
        record(
            ProdBackward0, out, (input._grad_fn or input,), (x,), (input._version_counter,), context
        )
    return out


class LogsumexpBackward0(Node):
    """log(sum(exp(input)))."""

    __slots__ = ()
    sources = (0, -1)
    rule = "input: grad * exp(input - result)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = softmax(x)."""
        x, result = saved
        return (grad.reshape(self.context) * generic.exp(x - result.reshape(self.context)),)


def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials along `dim`, without overflow."""
    x = input._array
    dims = _dims(dim, x.ndim)
    top = x.max(dims, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    kept = np.log(np.exp(x - top).sum(dims, keepdims=True)) + top
    shape = kept_shape(x.shape, dims)
    out = wrap(
        kept if keepdim else kept.reshape([n for a, n in enumerate(x.shape) if a not in dims])
    )
    if grad_mode.current.enabled and input._requires_grad:
        record(
            LogsumexpBackward0,
            out,
            (input._grad_fn or input,),
            (x, out._array),
            (input._version_counter, out._version_counter),
            shape,
        )
    return out


def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """Return the number of nonzero elements."""
    return wrap(np.asarray((input._array != 0).sum(_dims(dim, input._array.ndim))))
