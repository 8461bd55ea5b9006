"""Branches as records: one for lists of branches, and the places where branches fork."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BranchRecord", "Fork"]


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


@dataclass(frozen=True, slots=True)
class Fork:
    """A place where another branch leaves the current one.

    Attributes:
        index: The last Event that both have.
        branch: The number of the other branch.
        name: What it is called.
    """

    index: int
    branch: int
    name: str
