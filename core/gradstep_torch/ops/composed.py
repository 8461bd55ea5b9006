"""Operations composed of others, whose nodes they record."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import record
from gradstep.autograd.ops import pointwise, rearrange, reduce, statistics
from gradstep.autograd.ops.arithmetic import mul, sub
from gradstep.autograd.ops.division import div
from gradstep.autograd.ops.indexing import IndexBackward0, narrow
from gradstep.autograd.ops.join import cat
from gradstep.autograd.ops.matmul import matmul
from gradstep.autograd.ops.norms import norm
from gradstep.autograd.ops.operands import axes, axis, broadcast_error
from gradstep.autograd.ops.select import masked_fill
from gradstep.autograd.ops.shape import expand, permute, reshape, unsqueeze
from gradstep.autograd.size import Size
from gradstep.autograd.tensor import Tensor, view_of, wrap
from gradstep.errors import TensorError
from gradstep_torch.ops.layout import hstack
from gradstep_torch.ops.rounding import trunc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.dtypes import Dims, DTypeLike

__all__ = [
    "broadcast_shapes",
    "broadcast_tensors",
    "cdist",
    "column_stack",
    "diagonal",
    "diff",
    "fliplr",
    "flipud",
    "frac",
    "inner",
    "nanmean",
    "nansum",
    "std_mean",
    "tensordot",
    "var_mean",
]


class DiagonalBackward0(IndexBackward0):
    """A view of the diagonals of matrices."""

    __slots__ = ()


def broadcast_shapes(*shapes: Sequence[int] | int) -> Size:
    """Return the shape to which shapes broadcast.

    Raises:
        TensorError: They cannot be broadcast.

    Example:
        >>> broadcast_shapes((2, 1), (3,))
        gradstep.Size([2, 3])
    """
    found: tuple[int, ...] = ()
    for given in shapes:
        shape = (given,) if isinstance(given, int) else tuple(given)
        try:
            found = np.broadcast_shapes(found, shape)
        except ValueError:
            raise broadcast_error(found, shape) from None
    return Size(found)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return views of the tensors, broadcast to their common shape."""
    shape = broadcast_shapes(*(tensor._array.shape for tensor in tensors))
    return tuple(expand(tensor, *shape) if shape else tensor for tensor in tensors)


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a view of the diagonals of matrices, as the last dimension.

    Args:
        input: Of two dimensions or more.
        offset: The distance above the main diagonal.
        dim1: The dimension of the rows.
        dim2: The dimension of the columns.

    Raises:
        TensorError: `dim1` and `dim2` are the same.

    Example:
        >>> import gradstep_torch as torch
        >>> diagonal(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    rank = input._array.ndim
    first, second = axis(dim1, rank), axis(dim2, rank)
    if first == second:
        raise TensorError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    others = [place for place in range(rank) if place not in {first, second}]
    matrices = permute(input, *others, first, second)
    array = np.diagonal(matrices._array, offset, -2, -1)
    array.flags.writeable = matrices._array.flags.writeable
    out = view_of(matrices, array)
    if grad_mode.current.enabled and matrices._requires_grad:
        steps = np.arange(array.shape[-1])
        index = (..., steps + max(-offset, 0), steps + max(offset, 0))
        context = (matrices._array.shape, index)
        record(DiagonalBackward0, out, (matrices._grad_fn or matrices,), context=context)
    return out


def tensordot(a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]] | Tensor = 2) -> Tensor:
    """Return the tensor contraction of `a` and `b`.

    Args:
        a: The first operand.
        b: The second operand.
        dims: The number of dimensions to contract (the last of `a`, the first of `b`), or the
            dimensions of each.

    Raises:
        TensorError: The sizes of a pair differ.

    Example:
        >>> import gradstep_torch as torch
        >>> tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
        gradstep.Size([2, 4])
    """
    chosen = dims.tolist() if isinstance(dims, Tensor) else dims
    if isinstance(chosen, int):
        if not 0 <= chosen <= min(a.ndim, b.ndim):
            raise TensorError(f"tensordot expects dims between 0 and the ranks, but got {chosen}")
        of_a, of_b = tuple(range(a.ndim - chosen, a.ndim)), tuple(range(chosen))
    else:
        of_a, of_b = axes(tuple(chosen[0]), a.ndim), axes(tuple(chosen[1]), b.ndim)
    if len(of_a) == len(of_b):
        alone_in_a = [m for n, m in zip(of_a, of_b, strict=True) if a.shape[n] == 1]
        alone_in_b = [n for n, m in zip(of_a, of_b, strict=True) if b.shape[m] == 1]
        a, b = _summed(a, alone_in_b), _summed(b, alone_in_a)
    pairs = list(zip((a.shape[n] for n in of_a), (b.shape[n] for n in of_b), strict=False))
    if len(of_a) != len(of_b) or any(left != right for left, right in pairs):
        raise TensorError(
            "tensordot: contracted dimensions need to match, but first has sizes "
            f"{[left for left, _ in pairs]} and second {[right for _, right in pairs]}"
        )
    kept_a = [n for n in range(a.ndim) if n not in of_a]
    kept_b = [n for n in range(b.ndim) if n not in of_b]
    sizes_a, sizes_b = [a.shape[n] for n in kept_a], [b.shape[n] for n in kept_b]
    inside = prod(left for left, _ in pairs)
    left = reshape(permute(a, *kept_a, *of_a) if a.ndim else a, prod(sizes_a), inside)
    right = reshape(permute(b, *of_b, *kept_b) if b.ndim else b, inside, prod(sizes_b))
    return reshape(matmul(left, right), (*sizes_a, *sizes_b))


def _summed(input: Tensor, dims: list[int]) -> Tensor:
    """Return the sum over dimensions whose partner has size 1."""
    return reduce.sum(input, tuple(dims), keepdim=True) if dims else input


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Return the inner products of the last dimensions; with a 0-d tensor, the product."""
    if not input.ndim or not other.ndim:
        return mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise TensorError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    return tensordot(input, other, ((-1,), (-1,)))


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = None) -> Tensor:
    """Return the distances between all rows of one matrix and all rows of another.

    Args:
        x1: Of shape (..., P, M).
        x2: Of shape (..., R, M).
        p: The order of the norm.
        compute_mode: Ignored: torch may use a less exact matrix product.

    Returns:
        Of shape (..., P, R).

    Example:
        >>> import gradstep_torch as torch
        >>> cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
        tensor([[5.]])
    """
    del compute_mode
    for name, tensor in (("X1", x1), ("X2", x2)):
        if tensor.ndim < 2:  # noqa: PLR2004 - a matrix
            raise TensorError(
                f"cdist only supports at least 2D tensors, {name} got: {tensor.ndim}D"
            )
    if x1.shape[-1] != x2.shape[-1]:
        raise TensorError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    apart = sub(unsqueeze(x1, -2), unsqueeze(x2, -3))
    if not p:  # the number of differences: a step function with derivative 0
        return reduce.sum(pointwise.abs(pointwise.sign(apart)), -1)
    return norm(apart, p, -1)


def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Return the n-th differences of neighbours along `dim`.

    Example:
        >>> import gradstep_torch as torch
        >>> diff(torch.tensor([1, 4, 9]))
        tensor([3, 5])
    """
    if not input.ndim:
        raise TensorError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise TensorError(f"order must be non-negative but got {n}")
    if not n:
        return input.clone()
    parts = [part for part in (prepend, input, append) if part is not None]
    along, out = axis(dim, input.ndim), cat(parts, dim) if len(parts) > 1 else input
    for _ in range(n):
        count = max(out.shape[along] - 1, 0)
        start = min(1, out.shape[along])
        later, earlier = narrow(out, along, start, count), narrow(out, along, 0, count)
        out = later ^ earlier if out._array.dtype.kind == "b" else sub(later, earlier)
    return out


def nansum(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike | None = None
) -> Tensor:
    """Return the sum of the elements that are not NaN."""
    return reduce.sum(_without_nan(input), dim, keepdim, dtype=dtype)


def nanmean(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike | None = None
) -> Tensor:
    """Return the mean of the elements that are not NaN."""
    counted = wrap((~np.isnan(input._array)).astype(input._array.dtype))
    total = reduce.sum(_without_nan(input), dim, keepdim, dtype=dtype)
    return div(total, reduce.sum(counted, dim, keepdim, dtype=dtype))


def _without_nan(input: Tensor) -> Tensor:
    if input._array.dtype.kind != "f":
        return input
    return masked_fill(input, wrap(np.isnan(input._array)), 0.0)


def var_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the variance and the mean."""
    return (
        statistics.var(input, dim, unbiased, keepdim, correction=correction),
        reduce.mean(input, None if isinstance(dim, bool) else dim, keepdim),
    )


def std_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the standard deviation and the mean."""
    return (
        statistics.std(input, dim, unbiased, keepdim, correction=correction),
        reduce.mean(input, None if isinstance(dim, bool) else dim, keepdim),
    )


def fliplr(input: Tensor) -> Tensor:
    """Return the columns in reverse order."""
    if input.ndim < 2:  # noqa: PLR2004 - it has columns
        raise TensorError("Input must be >= 2-d.")
    return rearrange.flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    """Return the rows in reverse order."""
    if not input.ndim:
        raise TensorError("Input must be >= 1-d.")
    return rearrange.flip(input, 0)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Return a matrix whose columns are the given vectors and the columns of the given matrices."""
    return hstack([t if t.ndim > 1 else reshape(t, t.numel(), 1) for t in tensors])


def frac(input: Tensor) -> Tensor:
    """Return the fractional part of each element."""
    return sub(input, trunc(input))
