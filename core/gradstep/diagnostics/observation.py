"""Observations: what a rule has seen, once, before it becomes a finding."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Observation", "joined_names"]

NAMED = 6
"""Subjects named in a sentence; the rest are only counted."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a rule has seen, once.

    Attributes:
        id: Which diagnostic of the registry.
        subjects: Names of the tensors, optimizers or losses concerned.
        events: Indices of the Events that show it, the one it was noticed at last.
        note: What the registry's sentence cannot know, filled in for `{note}`.
        value: The measured value of a suspicion.
        threshold: What it was compared with; the registry's when None.
    """

    id: str
    subjects: tuple[str, ...] = ()
    events: tuple[int, ...] = ()
    note: str = ""
    value: float | None = None
    threshold: float | None = None


def joined_names(names: tuple[str, ...]) -> str:
    """Write names as in a sentence; of many only the first.

    Example:
        >>> joined_names(("a", "b", "c"))
        'a, b and c'
    """
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    if len(names) > 1:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return "".join(names)
