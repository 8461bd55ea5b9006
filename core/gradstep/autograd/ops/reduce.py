"""Sum and mean, of all elements or over dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.loss_reduction import total
from gradstep.autograd.ops.operands import axes
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Dims, DTypeLike

__all__ = ["mean", "sum"]


_expand = generic.expand


class SumBackward0(Node):
    """sum(input)."""

    __slots__ = ()
    rule = "input: grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Every element gets the gradient of the sum."""
        return (_expand(grad, self.context),)


class SumBackward1(Node):
    """sum(input, dim)."""

    __slots__ = ()
    rule = "input: grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Every element gets the gradient of its sum."""
        shape, kept = self.context
        return (generic.expand(grad.reshape(kept), shape),)


class MeanBackward0(Node):
    """mean(input)."""

    __slots__ = ()
    rule = "input: grad / count"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Every element gets the gradient divided by the count."""
        shape, count = self.context
        return (generic.expand(grad / count, shape),)

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"count": self.context[1]}


class MeanBackward1(Node):
    """mean(input, dim)."""

    __slots__ = ()
    rule = "input: grad / count"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Every element gets the gradient of its mean divided by the count."""
        shape, kept, count = self.context
        return (generic.expand((grad / count).reshape(kept), shape),)

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"count": self.context[2]}


def kept_shape(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    """Return `shape` with the reduced dimensions set to 1."""
    return tuple(1 if axis in dims else size for axis, size in enumerate(shape))


def sum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the sum of all elements, or over the dimensions `dim`.

    Args:
        input: The tensor; integers and booleans sum to int64.
        dim: Dimensions to reduce; None for all.
        keepdim: Whether to keep the reduced dimensions with size 1.
        dtype: The dtype to convert to first.
        axis: NumPy's name for `dim`.
        keepdims: NumPy's name for `keepdim`.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 3).sum(1)
        tensor([3., 3.])
    """
    if dtype is not None:
        input = to_dtype(input, dtypes.numpy_dtype(dtype))
    array = input._array
    if dim is None and axis is None and not keepdim and not keepdims:
        out = wrap(total(array) if array.dtype.kind == "f" else array.sum(dtype=np.int64))
        if grad_mode.current.enabled and input._requires_grad:
            record(SumBackward0, out, (input._grad_fn or input,), (), (), array.shape)
        return out
    chosen = axis if dim is None else dim
    dims = axes(tuple(range(array.ndim)) if chosen is None or chosen == () else chosen, array.ndim)
    out = wrap(
        array.sum(
            dims, keepdims=keepdim or keepdims, dtype=None if array.dtype.kind == "f" else np.int64
        )
    )
    if grad_mode.current.enabled and input._requires_grad:
        record(
            SumBackward1,
            out,
            (input._grad_fn or input,),
            context=(array.shape, kept_shape(array.shape, dims)),
        )
    return out


def mean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
    axis: Dims = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the mean of all elements, or over the dimensions `dim`.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([1.0, 2.0]).mean()
        tensor(1.5000)
    """
    if dtype is not None:
        input = to_dtype(input, dtypes.numpy_dtype(dtype))
    array = input._array
    if array.dtype.kind != "f":
        raise TensorError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {dtypes.scalar_name(array.dtype)}",
            "convert with .float() first",
        )
    chosen = axis if dim is None else dim
    if chosen is None and not keepdim and not keepdims:
        whole = total(array)
        out = wrap(whole / array.size if array.size else whole * np.nan)
        if grad_mode.current.enabled and input._requires_grad:
            record(
                MeanBackward0, out, (input._grad_fn or input,), context=(array.shape, array.size)
            )
        return out
    dims = axes(tuple(range(array.ndim)) if chosen is None or chosen == () else chosen, array.ndim)
    kept = kept_shape(array.shape, dims)
    count = 1
    for axis_ in dims:
        count *= array.shape[axis_]
    sums = array.sum(dims, keepdims=keepdim or keepdims)
    out = wrap(sums / count if count else sums * np.nan)
    if grad_mode.current.enabled and input._requires_grad:
        record(MeanBackward1, out, (input._grad_fn or input,), context=(array.shape, kept, count))
    return out
