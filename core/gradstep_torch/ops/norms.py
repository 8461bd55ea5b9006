"""Vector and matrix norms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradstep.autograd import dtypes
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.extrema import amax, amin
from gradstep.autograd.ops.operands import axes, axis
from gradstep.autograd.ops.reduce import kept_shape
from gradstep.errors import TensorError
from gradstep_torch.ops.svd import svdvals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.dtypes import Dims, DTypeLike
    from gradstep.autograd.tensor import Tensor
from gradstep.autograd.ops.norms import norm as norm_of_elements

__all__ = ["linalg_norm", "matrix_norm", "norm", "vector_norm"]


_PLANE = 2  # dimensions of a matrix


def norm(
    input: Tensor,
    p: float | str | None = 2.0,
    dim: Dims = None,
    keepdim: bool = False,
) -> Tensor:
    """Return the p-norm of all elements, or along `dim`; "nuc" is the nuclear norm of matrices.

    Example:
        >>> import gradstep_torch as torch
        >>> norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), "nuc")
        tensor(7.)
    """
    if p == "nuc":
        return matrix_norm(input, p, _plane(input, dim), keepdim)
    return norm_of_elements(input, p, dim, keepdim)


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return the norm of all elements as one vector, or of vectors along `dim`.

    Args:
        x: Of any shape.
        ord: A number, inf, -inf, or 0 (the number of nonzero elements).
        dim: The dimensions to reduce; None for all.
        keepdim: Whether to keep the reduced dimensions with size 1.
        dtype: Convert to this type first.

    Example:
        >>> import gradstep_torch as torch
        >>> vector_norm(torch.tensor([3.0, 4.0]))
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
    """Return the norms of matrices.

    Args:
        A: Of at least two dimensions.
        ord: "fro" (Frobenius), "nuc" (the sum of the singular values), 2 and -2 (the largest and
            the smallest singular value), 1 and -1 (the largest and the smallest absolute column
            sum), inf and -inf (the same of rows).
        dim: The two dimensions of the matrices.
        keepdim: Whether to keep them with size 1.
        dtype: Convert to this type first.

    Raises:
        TensorError: There is no such norm, or A is not a matrix.

    Example:
        >>> import gradstep_torch as torch
        >>> matrix_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), "nuc")
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
    """Return a vector norm, or a matrix norm if two dimensions are reduced.

    Example:
        >>> import gradstep_torch as torch
        >>> linalg_norm(torch.tensor([3.0, 4.0]))
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
        raise TensorError(f"linalg.norm: '{ord}' is a matrix norm", "give two dimensions")
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
            f"the nuclear norm is a matrix norm: it needs two dimensions, got {len(dims)}",
            "pass dim=(rows, columns)",
        )
    return axis(dims[0], ndim), axis(dims[1], ndim)
