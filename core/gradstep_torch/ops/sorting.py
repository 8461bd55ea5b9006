"""Sorting and top-k."""

from __future__ import annotations

import numpy as np

from gradstep.autograd.ops.extrema import ValuesAndIndices
from gradstep.autograd.ops.indexing import IndexBackward0
from gradstep.autograd.ops.operands import axis
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError

__all__ = ["Sort", "Topk", "argsort", "sort", "topk"]


class SortBackward0(IndexBackward0):
    """The sorted elements."""

    __slots__ = ()


class TopkBackward0(IndexBackward0):
    """The k largest or smallest elements."""

    __slots__ = ()


class Sort(ValuesAndIndices):
    """The result of sort."""

    __slots__ = ()
    node = SortBackward0


class Topk(ValuesAndIndices):
    """The result of topk."""

    __slots__ = ()
    node = TopkBackward0


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the indices that sort along `dim`; the sort is stable."""
    del stable  # the sort is always stable
    x = input._array
    if not x.ndim:
        return wrap(np.array(0))
    along = axis(dim, x.ndim)
    if not descending:
        return wrap(np.argsort(x, along, kind="stable"))
    backwards = np.argsort(np.flip(x, along), along, kind="stable")
    return wrap(np.flip(x.shape[along] - 1 - backwards, along).copy())


def sort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = True
) -> ValuesAndIndices:
    """Return the elements sorted along `dim`, and their indices.

    Example:
        >>> import gradstep_torch as torch
        >>> sort(torch.tensor([2.0, 1.0])).values
        tensor([1., 2.])
    """
    order = argsort(input, dim, descending, stable)
    if not input._array.ndim:
        return Sort(input.clone(), order)
    return Sort.at(input, order._array, axis(dim, input._array.ndim))


def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> ValuesAndIndices:
    """Return the k largest (or smallest) elements along `dim`, sorted, and their indices."""
    place = axis(dim, input._array.ndim)
    if not 0 <= k <= (input._array.shape[place] if input._array.ndim else 1):
        raise TensorError(f"selected index k out of range, got k={k}")
    del sorted  # the result is always sorted
    order = argsort(input, dim, largest)
    if not input._array.ndim:
        return Topk(input.clone(), order)
    return Topk.at(input, order._array.take(range(k), place), place)
