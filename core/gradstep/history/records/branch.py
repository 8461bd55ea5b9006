"""BranchRecord: a branch in a few words and numbers, for lists of branches."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BranchRecord"]


@dataclass(frozen=True, slots=True)
class BranchRecord:
    """One branch.

    Attributes:
        id: Its number; 0 is the first.
        name: What it is called.
        parent: What the branch is called that it left; empty for the first.
        forked_at: The last Event that it shares with it.
        events: How many Events it has, those shared included.
        iterations: How many iterations were complete at its end.
        loss: The last value of the program's first loss; None before any.
        is_current: Whether it is the one that is looked at.
    """

    id: int
    name: str
    parent: str
    forked_at: int
    events: int
    iterations: int
    loss: float | None
    is_current: bool
