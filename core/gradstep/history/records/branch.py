"""Branches as records: one for lists of branches, and the places where branches fork."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["BranchRecord", "Fork"]


@dataclass(frozen=True, slots=True)
class BranchRecord:
    """One branch.

    Attributes:
        id: Its number; 0 is the first.
        name: Its name.
        parent: The name of the branch it was forked from; empty for the first.
        forked_at: The last Event that it shares with its parent.
        events: The number of its Events, including shared ones.
        iterations: The number of complete iterations at its end.
        loss: The last value of the program's first loss; None before the first.
        is_current: Whether it is the current branch.
        process: "held" or "ended" for a script that is being debugged; empty for everything else.
    """

    id: int
    name: str
    parent: str
    forked_at: int
    events: int
    iterations: int
    loss: float | None
    is_current: bool
    process: Literal["", "held", "ended"] = ""


@dataclass(frozen=True, slots=True)
class Fork:
    """A place where another branch leaves the current one.

    Attributes:
        index: The last Event that both branches share.
        branch: The number of the other branch.
        name: The name of the other branch.
    """

    index: int
    branch: int
    name: str
