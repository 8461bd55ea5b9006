"""The linear layer x W^T + b, recorded as torch does: a transposition and a product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode, graph
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Edge, Node, Value, new_node, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.matmul import MmBackward0
from gradstep.autograd.ops.operands import UNVERSIONED
from gradstep.autograd.ops.shape import (
    TBackward0,
    UnsafeViewBackward0,
    UnsqueezeBackward0,
    ViewBackward0,
)
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["linear"]

_METHODS = {"float32": "float()", "float64": "double()", "float16": "half()"}


class AddmmBackward0(Node):
    """input @ weight.T + bias."""

    __slots__ = ()
    sources = (1, 2)
    rule = "bias: sum(grad, 0); input: grad @ weight; weight.T: input.T @ grad"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Db = sum of g; dx = g W; dW^T = x^T g."""
        bias, input, weight = self.edges
        by_bias = None
        if bias is not None:
            by_bias = generic.column_sums(grad) if self.context is None else grad.sum(0)
        return (by_bias, *_gradients(self, input, weight, grad, saved))


class TransposedMmBackward0(MmBackward0):
    """input @ weight.T."""

    __slots__ = ()
    rule = "input: grad @ weight; weight.T: input.T @ grad"

    def name(self) -> str:
        """Return the name of any product, as torch does."""
        return "MmBackward0"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = g W; dW^T = x^T g."""
        input, weight = self.edges
        return _gradients(self, input, weight, grad, saved)


class WeightTBackward0(TBackward0):
    """input.T."""

    __slots__ = ()
    rule = "input: grad.T"

    def name(self) -> str:
        """Return the name of any transposition, as torch does."""
        return "TBackward0"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Transpose the gradient.

        The product before has made it, as a transposed view of an array that nothing else holds:
        that array itself is returned, which `.grad` can keep without a copy.
        """
        if type(grad) is np.ndarray and self.hooks is None:
            base: Any = grad.base
            if type(base) is np.ndarray and base.shape == grad.shape[::-1]:
                return (base,)
        return (grad.T,)


class SqueezeBackward4(ViewBackward0):
    """A view without a dimension of size 1."""

    __slots__ = ()
    rule = "input: grad in the shape of the input"


def _gradients(
    node: Node, input: Edge, weight: Edge, grad: Value, saved: tuple[Value, ...]
) -> tuple[Value, Value]:
    """Return the gradients of the rows and of the transposed weight.

    The order of the factors, and the shape of the rows in which they are multiplied, decide the
    last bits of the products: sessions of any version replay these.
    """
    x, transposed = saved
    w = None if input is None else transposed.T
    rows, shape = grad.T, node.context
    if shape is None:
        return (
            None if input is None else generic.product(grad, w),
            None if weight is None else generic.product(rows, x).T,
        )
    by_input = None
    if w is not None:
        by_input = (grad.reshape(shape) @ w).reshape((grad.shape[0], w.shape[1]))
    return by_input, None if weight is None else (rows @ x).T


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input W^T + bias.

    Args:
        input: Of shape (..., in_features).
        weight: Of shape (out_features, in_features).
        bias: Of shape (out_features,), or None.

    Raises:
        TensorError: The sizes or dtypes do not match.

    Example:
        >>> import gradstep
        >>> linear(gradstep.ones(1, 2), gradstep.tensor([[1.0, 2.0]]), gradstep.tensor([0.5]))
        tensor([[3.5000]])
    """
    x, w = input._array, weight._array
    if x.dtype is not w.dtype and x.dtype != w.dtype:
        raise TensorError(
            f"mat1 and mat2 must have the same dtype, but got {scalar_name(x.dtype)} and "
            f"{scalar_name(w.dtype)}",
            f"convert the input with .{_METHODS.get(w.dtype.name, 'to(dtype)')}, or the module "
            "with .to(dtype)",
        )
    try:
        wt = w.T
        product = x.dot(wt) if x.ndim == 2 else x @ wt  # noqa: PLR2004 - a matrix
        if bias is not None:
            product += bias._array
    except (ValueError, TypeError):
        raise _shape_error(x.shape, w.shape, None if bias is None else bias._array.shape) from None
    out = wrap(product)
    if grad_mode.current.enabled:
        by_bias = (bias._grad_fn or bias) if bias is not None and bias._requires_grad else None
        by_input = (input._grad_fn or input) if input._requires_grad else None
        by_weight = (weight._grad_fn or weight) if weight._requires_grad else None
        if by_bias is not None or by_input is not None or by_weight is not None:
            saved = (None if by_weight is None else x, None if by_input is None else wt)
            counters = (
                UNVERSIONED if by_weight is None else input._version_counter,
                UNVERSIONED if by_input is None else weight._version_counter,
            )
            if by_weight is not None:
                by_weight = (
                    record(WeightTBackward0, wrap(wt), (by_weight,))
                    if graph.watchers
                    else new_node(WeightTBackward0, (by_weight,), wt.shape)
                )
            edges = (by_input, by_weight) if bias is None else (by_bias, by_input, by_weight)
            if x.ndim == 2:  # noqa: PLR2004 - a matrix
                kind = TransposedMmBackward0 if bias is None else AddmmBackward0
                record(kind, out, edges, saved, counters)
            else:
                _record_rows(out, edges, saved, counters, x)
    return out


def _record_rows(
    out: Tensor,
    edges: tuple[Edge, ...],
    saved: tuple[Value, ...],
    counters: tuple[list[int], ...],
    x: NDArray[Any],
) -> None:
    """Record a product of one row, or of rows in several dimensions, as a product of a matrix."""
    *others, by_input, by_weight = edges
    shape = out._array.shape
    rows = x.reshape((-1, x.shape[-1]))
    is_row = x.ndim == 1
    before, after = ViewBackward0, ViewBackward0
    if not others:
        before = UnsqueezeBackward0 if is_row else ViewBackward0
        after = SqueezeBackward4 if is_row else UnsafeViewBackward0
    if by_input is not None:
        by_input = record(before, wrap(rows), (by_input,), context=x.shape)
    if saved[0] is not None:
        saved = (rows, saved[1])
    product = wrap(out._array.reshape((-1, shape[-1])))
    kind = AddmmBackward0 if others else TransposedMmBackward0
    node = record(kind, product, (*others, by_input, by_weight), saved, counters, shape)
    record(after, out, (node,), context=product._array.shape)


def _shape_error(
    x: tuple[int, ...], w: tuple[int, ...], bias: tuple[int, ...] | None
) -> TensorError:
    if not x or x[-1] != w[-1]:
        rows = 1
        for size in x[:-1]:
            rows *= size
        shapes = f"{rows}x{x[-1] if x else 1} and {w[-1]}x{w[0] if len(w) > 1 else 1}"
        return TensorError(
            f"mat1 and mat2 shapes cannot be multiplied ({shapes})",
            f"the last size of the input, {list(x)}, must be in_features, {w[-1]}",
        )
    return TensorError(f"a bias of shape {bias} does not match a weight of shape {list(w)}")
