"""Branch: one line of Events; a fork makes another, and the old one stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep.history.history import History

__all__ = ["Branch"]


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of Events.

    Attributes:
        id: Its number; 0 is the first line.
        parent: The id of the branch it left; None for the first.
        forked_at: The index of the last Event that it shares with its parent.
        name: What to call it.
        history: Its Events, from the very start, those shared with its parent included.
    """

    id: int
    parent: int | None
    forked_at: int
    name: str
    history: History
