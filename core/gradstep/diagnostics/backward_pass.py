"""Backwards and the lines that do them, as the rules that follow gradients remember them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CALLS_THAT_CLEAR", "BackwardLine", "BackwardPass"]

CALLS_THAT_CLEAR = frozenset(("zero_grad", "clear_by_hand", "gradient_by_hand", "new_tensors"))
"""Calls of a script after which a gradient is no longer what its Backwards wrote."""


class BackwardLine(NamedTuple):
    """Where a script calls a Backward: the loss, and the line."""

    loss: str
    at: str


class BackwardPass:
    """One Backward.

    Args:
        index: Its Event.

    Attributes:
        index: Its Event.
        is_used: Whether a Step has read any gradient that it wrote.
    """

    __slots__ = ("index", "is_used")

    def __init__(self, index: int) -> None:
        self.index = index
        self.is_used = False
