"""Quantiles, covariances, Kronecker and Cartesian products."""

from __future__ import annotations

from itertools import combinations as choices
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd.ops.extrema import amax, amin
from gradstep.autograd.ops.join import stack
from gradstep.autograd.ops.operands import axis
from gradstep.autograd.ops.select import where
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError
from gradstep_torch.ops.composed import diagonal
from gradstep_torch.ops.layout import meshgrid
from gradstep_torch.ops.sorting import sort

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.graph import Value

__all__ = [
    "MinMax",
    "aminmax",
    "cartesian_prod",
    "combinations",
    "corrcoef",
    "cov",
    "kron",
    "quantile",
]


class MinMax(NamedTuple):
    """The smallest and the largest elements."""

    min: Tensor
    max: Tensor


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> MinMax:
    """Return the smallest and the largest element, of all or along `dim`.

    Example:
        >>> import gradstep_torch as torch
        >>> aminmax(torch.tensor([1.0, 3.0, 2.0])).max
        tensor(3.)
    """
    return MinMax(amin(input, dim, keepdim), amax(input, dim, keepdim))


def _checked_fractions(input: Tensor, q: Tensor | float, interpolation: str) -> NDArray[Any]:
    """Return q as an array, after a check of all arguments of quantile."""
    x = input._array
    if x.dtype not in _REAL:
        raise TensorError("quantile() input tensor must be either float or double dtype")
    if not x.size:
        raise TensorError("quantile() input tensor must be non-empty")
    shares = q._array if isinstance(q, Tensor) else np.asarray(q, x.dtype)
    if shares.ndim > 1:
        raise TensorError("quantile() q must be a scalar or 1D tensor")
    if shares.dtype != x.dtype:
        raise TensorError("quantile() q tensor must be same dtype as the input tensor")
    if not ((shares >= 0) & (shares <= 1)).all():
        raise TensorError("quantile() q values must be in the range [0, 1]")
    if interpolation not in _BETWEEN:
        raise TensorError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    return shares


def quantile(
    input: Tensor,
    q: Tensor | float,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """Return the q-quantiles of the elements.

    Args:
        input: Floating-point numbers.
        q: From 0 to 1; a vector of several adds a first dimension to the result.
        dim: The dimension to reduce; None for all elements.
        keepdim: Whether to keep that dimension with size 1.
        interpolation: How to choose a value between two elements: "linear", "lower", "higher",
            "nearest" or "midpoint".

    Raises:
        TensorError: An argument is out of range, or the input is empty.

    Example:
        >>> import gradstep_torch as torch
        >>> quantile(torch.tensor([3.0, 1.0, 2.0]), 0.75)
        tensor(2.5000)
    """
    x, shares = input._array, _checked_fractions(input, q, interpolation)
    whole = dim is None
    place = 0 if dim is None else axis(dim, x.ndim)
    flat = input.reshape(-1) if whole or not x.ndim else input
    ordered = sort(flat, place).values.movedim(place, -1)
    last = ordered._array.shape[-1] - 1
    ranks = shares.reshape(-1) * last
    low, high = np.floor(ranks).astype(np.int64), np.ceil(ranks).astype(np.int64)
    if interpolation == "linear":
        way = (q.reshape(-1) if isinstance(q, Tensor) else wrap(shares.reshape(1))) * last
        found = ordered[..., low]
        found = found + (ordered[..., high] - found) * (way - wrap(np.floor(ranks)))
    elif interpolation == "midpoint":
        found = (ordered[..., low] + ordered[..., high]) / 2
    else:
        nearest = np.round(ranks).astype(np.int64)
        found = ordered[..., {"lower": low, "higher": high, "nearest": nearest}[interpolation]]
    broken = np.isnan(ordered._array).any(-1, keepdims=True)
    if broken.any():
        found = where(wrap(np.broadcast_to(broken, found._array.shape)), float("nan"), found)
    found = found.movedim(-1, 0)
    if keepdim and x.ndim:
        shape = (1,) * x.ndim if whole else found._array.shape[1:]
        found = found.reshape(-1, *shape) if whole else found.unsqueeze(place + 1)
    return found if shares.ndim else found.squeeze(0)


_REAL = frozenset(map(np.dtype, (np.float32, np.float64)))
_BETWEEN = frozenset({"linear", "lower", "higher", "nearest", "midpoint"})


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Return the Kronecker product: each element of `input` times all of `other`.

    Example:
        >>> import gradstep_torch as torch
        >>> kron(torch.tensor([1, 10]), torch.tensor([1, 2]))
        tensor([ 1,  2, 10, 20])
    """
    count = max(input._array.ndim, other._array.ndim)
    first = (1,) * (count - input._array.ndim) + input._array.shape
    second = (1,) * (count - other._array.ndim) + other._array.shape
    spread = [size for n in first for size in (n, 1)]
    inside = [size for n in second for size in (1, n)]
    sizes = [n * m for n, m in zip(first, second, strict=True)]
    product: Tensor = input.reshape(spread) * other.reshape(inside)
    return product.reshape(sizes)


def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Return the covariance matrix of variables.

    Args:
        input: One variable per row, one observation per column.
        correction: Subtracted from the number of observations in the divisor.
        fweights: The number of times each observation occurred.
        aweights: The importance of each observation.

    Raises:
        TensorError: There are more than two dimensions.

    Example:
        >>> import gradstep_torch as torch
        >>> cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    if input._array.ndim > 2:  # noqa: PLR2004 - a matrix
        raise TensorError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    rows = input.reshape(1, -1) if input._array.ndim < 2 else input  # noqa: PLR2004 - likewise
    count: Value = rows._array.shape[1]
    weights: Tensor | None = None
    for given in (fweights, aweights):
        if given is not None:
            weights = given if weights is None else weights * given
    total = float(count) if weights is None else weights.sum()
    if not correction:
        divisor = total
    elif aweights is None or weights is None:
        divisor = total - correction
    else:
        divisor = total - correction * (weights * aweights).sum() / total
    weighted = rows if weights is None else rows * weights
    centred = rows - (weighted.sum(1) / total).unsqueeze(1)
    scaled = centred if weights is None else centred * weights
    least = divisor.clamp(min=0) if isinstance(divisor, Tensor) else max(divisor, 0.0)
    found: Tensor = (scaled @ centred.T) / least
    return found.squeeze()


def corrcoef(input: Tensor) -> Tensor:
    """Return the correlation matrix of variables, one per row.

    Example:
        >>> import gradstep_torch as torch
        >>> corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    found = cov(input)
    if not found._array.ndim:
        return found / found
    deviations = diagonal(found).sqrt()
    return (found / deviations.unsqueeze(1) / deviations).clamp(-1.0, 1.0)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return all combinations of one element of each vector, one per row.

    Example:
        >>> import gradstep_torch as torch
        >>> cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor([[1, 3],
                [1, 4],
                [2, 3],
                [2, 4]])
    """
    if len(tensors) == 1:
        return tensors[0].clone()
    return stack(list(meshgrid(*tensors)), -1).reshape(-1, len(tensors))


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of r elements of a vector, one per row.

    Args:
        input: A vector.
        r: The number of elements in a combination.
        with_replacement: Whether an element may occur repeatedly.

    Raises:
        TensorError: The input is not a vector.

    Example:
        >>> import gradstep_torch as torch
        >>> combinations(torch.tensor([1, 2, 3]))
        tensor([[1, 2],
                [1, 3],
                [2, 3]])
    """
    if input._array.ndim != 1:
        raise TensorError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    pick = combinations_with_replacement if with_replacement else choices
    found = list(pick(range(len(input)), r))
    places = np.array(found, np.int64).reshape(len(found), r)
    return input[wrap(places)] if r else input[:0]
