"""BackwardPass: one Backward, as the rules that follow gradients remember it."""

from __future__ import annotations

__all__ = ["BackwardPass"]


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
