"""Sequences of several lengths as recurrent networks take them: packed, without padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["PackedSequence"]


class PackedSequence(NamedTuple):
    """Sequences of several lengths, step by step, without padding; what recurrent networks take.

    Args:
        data: The rows of the first step, those of the second, ... of shape (rows, ...).
        batch_sizes: How many rows each step has, int64; the longest sequences come first.
        sorted_indices: Which sequence each row of the first step is of; None for their own order.
        unsorted_indices: Which row each sequence has.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None
