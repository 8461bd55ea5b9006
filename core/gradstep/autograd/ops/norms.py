"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import dual
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.extrema import amax, amin
from gradstep.autograd.ops.operands import axes, axis
from gradstep.autograd.ops.reduce import kept_shape
from gradstep.autograd.ops.svd import svdvals
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.dtypes import Dims, DTypeLike

__all__ = ["linalg_norm", "matrix_norm", "norm", "vector_norm"]

_PLANE = 2  # dimensions of a matrix


class NormBackward0(Node):
    """How many elements are not zero."""

    __slots__ = ()
    rule = "input: 0 * grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:  # noqa: ARG002 - none goes on
        """Nothing passes."""
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
        zero = dual.plain(result) == 0
        signs = np.sign(dual.plain(x))
        if p == 1:
            return (grad.reshape(kept) * signs,)
        if p == 2:  # noqa: PLR2004 - the Euclidean norm
            share = dual.where(zero, dual.nothing(grad), grad / result)
            return (share.reshape(kept) * x,)
        share = dual.where(zero, dual.nothing(grad), grad / result ** (p - 1.0))
        size = x * signs
        if p < 1:  # the power is infinite at 0, where the slope is taken to be 0
            size = dual.where(signs == 0, 0.0 * x + 1.0, size)
        return (share.reshape(kept) * signs * size ** (p - 1.0),)


def norm(
    input: Tensor,
    p: float | str | None = 2.0,
    dim: Dims = None,
    keepdim: bool = False,
) -> Tensor:
    """Return the p-norm of all elements, or along `dim`; its slope at 0 is 0.

    Args:
        input: Of any shape.
        p: A number, inf, -inf, 0 (how many are not zero), "fro" (2), or "nuc": the sum of the
            singular values.
        dim: Along which dimensions; None for all.
        keepdim: Keep the reduced dimensions with size 1.

    Example:
        >>> import gradstep
        >>> norm(gradstep.tensor([3.0, 4.0]))
        tensor(5.)
    """
    if p == "nuc":
        return matrix_norm(input, p, _plane(input, dim), keepdim)
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
        if grad_mode.enabled and input._requires_grad:
            record(NormBackward0, out, (input._grad_fn or input,))
        return out
    if power == 2:  # noqa: PLR2004 - the Euclidean norm
        array = np.sqrt((x * x).sum(dims, keepdims=keepdim))
    else:
        array = (np.abs(x) ** power).sum(dims, keepdims=keepdim) ** (1.0 / power)
    out = wrap(array)
    if grad_mode.enabled and input._requires_grad:
        record(
            NormBackward1,
            out,
            (input._grad_fn or input,),
            (x, out._array),
            (input._version_counter, out._version_counter),
            (power, kept_shape(x.shape, dims)),
        )
    return out


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return the norm of all elements taken as one vector, or along `dim`.

    Args:
        x: Of any shape.
        ord: A number, inf, -inf, or 0 (how many are not zero).
        dim: Along which dimensions; None for all.
        keepdim: Keep the reduced dimensions with size 1.
        dtype: Convert to this type first.

    Example:
        >>> import gradstep
        >>> vector_norm(gradstep.tensor([3.0, 4.0]))
        tensor(5.)
    """
    return norm(_typed("vector_norm", x, dtype), float(ord), dim, keepdim)


def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return the norm of matrices.

    Args:
        A: Of at least two dimensions.
        ord: "fro" (of all elements), "nuc" (sum of the singular values), 2 and -2 (the largest,
            the smallest singular value), 1 and -1 (of the sums of columns), inf and -inf (of the
            sums of rows).
        dim: Which two dimensions the matrices lie in.
        keepdim: Keep them with size 1.
        dtype: Convert to this type first.

    Raises:
        TensorError: No such norm, or no matrix.

    Example:
        >>> import gradstep
        >>> matrix_norm(gradstep.tensor([[3.0, 0.0], [0.0, 4.0]]), "nuc")
        tensor(7.)
    """
    A = _typed("matrix_norm", A, dtype)
    ndim = A._array.ndim
    if ndim < _PLANE:
        raise TensorError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions")
    rows, columns = plane = axes(tuple(dim), ndim)
    if ord == "fro":
        return norm(A, 2, plane, keepdim)
    if ord in {"nuc", _PLANE, -_PLANE}:
        others = [d for d in range(ndim) if d not in plane]
        values = svdvals(A.permute(*others, rows, columns))
        choose = amin if ord == -_PLANE else amax
        found = values.sum(-1) if ord == "nuc" else choose(values, -1)
        return found.reshape(kept_shape(A._array.shape, plane)) if keepdim else found
    if ord in {1, -1, math.inf, -math.inf}:
        along, rest = (rows, columns) if abs(ord) == 1 else (columns, rows)
        choose = amax if ord > 0 else amin
        found = choose(A.abs().sum(along, keepdim=True), rest, keepdim=True)
        return found if keepdim else found.squeeze(plane)
    raise TensorError(
        f"linalg.matrix_norm: Order {ord} not supported.",
        'use "fro", "nuc", inf, -inf, 1, -1, 2 or -2',
    )


def linalg_norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return a norm of vectors, or of matrices if there are two dimensions to go along.

    Example:
        >>> import gradstep
        >>> linalg_norm(gradstep.tensor([3.0, 4.0]))
        tensor(5.)
    """
    ndim = A._array.ndim
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if dim is None:
        if ndim not in {1, _PLANE}:
            raise TensorError(
                "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
                f"Got {ndim}D."
            )
        dim = tuple(range(ndim))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) == _PLANE:
        return matrix_norm(A, ord, dims, keepdim, dtype=dtype)
    if isinstance(ord, str):
        raise TensorError(f"linalg.norm: '{ord}' is a norm of matrices", "give two dimensions")
    return vector_norm(A, ord, dims, keepdim, dtype=dtype)


def _typed(name: str, input: Tensor, dtype: DTypeLike | None) -> Tensor:
    if dtype is not None:
        input = to_dtype(input, dtypes.numpy_dtype(dtype))
    if input._array.dtype.kind != "f":
        raise TensorError(
            f"linalg.{name}: Expected a floating point or complex tensor as input. "
            f"Got {input._array.dtype}",
            "convert it with .float() first",
        )
    return input


def _plane(input: Tensor, dim: Dims) -> tuple[int, int]:
    """Return the two dimensions of the nuclear norm."""
    ndim = input._array.ndim
    dims = tuple(range(ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != _PLANE:
        raise TensorError(
            f"the nuclear norm is of matrices: it needs two dimensions, got {len(dims)}",
            "pass dim=(rows, columns)",
        )
    return axis(dims[0], ndim), axis(dims[1], ndim)
