"""Fork: where another branch leaves the one that is looked at."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Fork"]


@dataclass(frozen=True, slots=True)
class Fork:
    """A place at which two branches part.

    Attributes:
        index: The last Event that both have.
        branch: The number of the other branch.
        name: What it is called.
    """

    index: int
    branch: int
    name: str
