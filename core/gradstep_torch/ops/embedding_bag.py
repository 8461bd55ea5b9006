"""Embedding lookups, reduced per bag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import creation
from gradstep.autograd.ops.embedding import embedding
from gradstep.autograd.ops.join import stack
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, UnsupportedError
from gradstep_torch.ops.scatter import index_add

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["embedding_bag"]

_MODES = ("sum", "mean", "max")


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return for each bag of indices the sum, mean or maximum of their rows.

    Args:
        input: Indices, of shape (bags, indices), or concatenated in one dimension.
        weight: Of shape (rows, features).
        offsets: The start of each bag in a 1-D `input`.
        max_norm: Not supported; only None.
        norm_type: Ignored.
        scale_grad_by_freq: Not supported; only False.
        mode: "sum", "mean" or "max"; an empty bag gives zeros.
        sparse: Whether the gradient stores which rows were looked up.
        per_sample_weights: A factor for each index, of the shape of `input`; only for "sum".
        include_last_offset: Whether the last element of `offsets` is the end of the last bag.
        padding_idx: An index that is skipped in its bag and gets no gradient.

    Raises:
        ArgumentError: Shapes or options are inconsistent.

    Example:
        >>> import gradstep_torch as torch
        >>> table = torch.tensor([[1.0], [2.0], [4.0]])
        >>> embedding_bag(torch.tensor([0, 2, 1]), table, torch.tensor([0, 2]), mode="sum")
        tensor([[5.],
                [2.]])
    """
    del norm_type
    for name, asked in (("max_norm", max_norm), ("scale_grad_by_freq", scale_grad_by_freq)):
        if asked:
            raise UnsupportedError(f"embedding_bag does not support {name}", "omit it")
    _check(input, weight, offsets, mode, per_sample_weights)
    numbers = input.reshape(-1)
    bag, count = _bags(input._array, offsets, include_last_offset)
    rows = embedding(numbers, weight, padding_idx, sparse=sparse)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    counted = np.ones(len(bag), np.bool_)
    if padding_idx is not None:
        counted = numbers._array != padding_idx % len(weight._array)
        rows = rows[wrap(counted)]
    bag = bag[counted]
    if mode == "max":
        return _largest(rows, bag, count)
    zeros = creation.zeros(count, weight.shape[1], dtype=weight.dtype)
    total = index_add(zeros, 0, wrap(bag), rows)
    if mode == "sum":
        return total
    often = np.maximum(np.bincount(bag, minlength=count), 1).astype(weight._array.dtype)
    return total / wrap(often[:, None])


def _largest(rows: Tensor, bag: NDArray[np.int64], count: int) -> Tensor:
    """Return the largest element of each feature in each bag."""
    if not count:
        return rows[:0]
    empty = creation.zeros(rows.shape[1], dtype=rows.dtype)
    out = []
    for number in range(count):
        own = np.flatnonzero(bag == number)
        out.append(rows[wrap(own)].max(0)[0] if len(own) else empty)
    return stack(out)


def _bags(
    numbers: NDArray[Any], offsets: Tensor | None, include_last: bool
) -> tuple[NDArray[np.int64], int]:
    """Return which bag each number is in, and how many bags there are."""
    if offsets is None:
        count, each = numbers.shape
        return np.repeat(np.arange(count), each), count
    starts = offsets._array.astype(np.int64)
    if len(starts) and starts[0] != 0:
        raise ArgumentError(
            f"offsets[0] has to be 0, i.e., the first sequence starts at 0, not {starts[0]}"
        )
    if len(starts) and starts.max() > numbers.size:
        raise ArgumentError(
            f"offsets[-1] can not be greater than input's length({numbers.size}), but got offsets "
            f"up to {starts.max()}"
        )
    count = len(starts) - include_last
    ends = starts[1:] if include_last else np.append(starts[1:], numbers.size)
    return np.repeat(np.arange(count), np.maximum(ends - starts[:count], 0)), count


def _check(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    mode: str,
    per_sample_weights: Tensor | None,
) -> None:
    if mode not in _MODES:
        raise ArgumentError(f"mode has to be one of sum, mean or max, not {mode!r}")
    if weight.ndim != 2:  # noqa: PLR2004 - a table
        raise ArgumentError(f"weight has to be a 2D Tensor, not of dimension {weight.ndim}")
    if input.ndim not in {1, 2}:
        raise ArgumentError(f"input has to be 1D or 2D Tensor, not of dimension {input.ndim}")
    if (input.ndim == 1) != (offsets is not None):
        raise ArgumentError(
            "offsets has to be a 1D Tensor but got None"
            if offsets is None
            else "if input is 2D, then offsets has to be None",
            "use offsets with a 1D input only: they are the start of each bag",
        )
    if per_sample_weights is None:
        return
    if mode != "sum":
        raise UnsupportedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode={mode!r})."
        )
    if per_sample_weights.shape != input.shape:
        raise ArgumentError(
            "embedding_bag: If per_sample_weights is not None, it must have the same shape as the "
            f"input {list(input.shape)}, not {list(per_sample_weights.shape)}"
        )
