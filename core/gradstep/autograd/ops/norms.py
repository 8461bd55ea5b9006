"""Vector norms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.extrema import amax, amin
from gradstep.autograd.ops.operands import axes
from gradstep.autograd.ops.reduce import kept_shape
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Dims

__all__ = ["norm"]


class NormBackward0(Node):
    """The number of non-zero elements."""

    __slots__ = ()
    rule = "input: 0 * grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:  # noqa: ARG002 - the derivative is 0
        """A step function: no gradient."""
        return (None,)


class NormBackward1(Node):
    """(sum of |x|^p)^(1/p)."""

    __slots__ = ()
    sources = (0, -1)
    rule = "input: grad * input * abs(input) ** (p - 2) / result ** (p - 1)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = x |x|^(p-2) / norm^(p-1), 0 where the norm is 0."""
        p, kept = self.context
        x, result = saved
        zero = generic.to_array(result) == 0
        signs = np.sign(generic.to_array(x))
        if p == 1:
            return (grad.reshape(kept) * signs,)
        if p == 2:  # noqa: PLR2004 - the Euclidean norm
            share = generic.where(zero, generic.zeros_like(grad), grad / result)
            return (share.reshape(kept) * x,)
        share = generic.where(zero, generic.zeros_like(grad), grad / result ** (p - 1.0))
        size = x * signs
        if p < 1:  # the power is infinite at 0, where the gradient is defined as 0
            size = generic.where(signs == 0, 0.0 * x + 1.0, size)
        return (share.reshape(kept) * signs * size ** (p - 1.0),)


def norm(
    input: Tensor,
    p: float | str | None = 2.0,
    dim: Dims = None,
    keepdim: bool = False,
) -> Tensor:
    """Return the p-norm of all elements, or along `dim`; its gradient at 0 is 0.

    Args:
        input: Of any shape.
        p: A number, inf, -inf, 0 (the number of non-zero elements) or "fro" (2).
        dim: Dimensions to reduce; None for all.
        keepdim: Keep the reduced dimensions with size 1.

    Example:
        >>> import gradstep
        >>> norm(gradstep.tensor([3.0, 4.0]))
        tensor(5.)
    """
    if isinstance(p, str) and p != "fro":
        raise TensorError(f"linalg.matrix_norm: Order {p} not supported.", 'use a number or "fro"')
    power = 2.0 if p is None or p == "fro" else float(p)
    x = input._array
    if x.dtype.kind != "f":
        raise TensorError(
            f"norm(): input dtype should be either floating point or complex, got {x.dtype}",
            "convert with .float() first",
        )
    if power == math.inf:
        return amax(input.abs(), dim, keepdim)
    if power == -math.inf:
        return amin(input.abs(), dim, keepdim)
    dims = axes(tuple(range(x.ndim)) if dim is None or dim == () else dim, x.ndim)
    if power == 0:
        out = wrap((x != 0).sum(dims, keepdims=keepdim).astype(x.dtype))
        if grad_mode.current.enabled and input._requires_grad:
            record(NormBackward0, out, (input._grad_fn or input,))
        return out
    if power == 2:  # noqa: PLR2004 - the Euclidean norm
        array = np.sqrt((x * x).sum(dims, keepdims=keepdim))
    else:
        array = (np.abs(x) ** power).sum(dims, keepdims=keepdim) ** (1.0 / power)
    out = wrap(array)
    if grad_mode.current.enabled and input._requires_grad:
        record(
            NormBackward1,
            out,
            (input._grad_fn or input,),
            (x, out._array),
            (input._version_counter, out._version_counter),
            (power, kept_shape(x.shape, dims)),
        )
    return out
