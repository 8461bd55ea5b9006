"""Observation: what a rule has seen, once; findings are made of these."""

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
        events: Indices of the Events that show it, in order; the last one made it visible.
        note: Details of this case, filled in for `{note}`.
        value: The measured value of a suspicion.
        threshold: The limit it was compared with; the registry's when None.
        cause: The Operation that caused it, such as "Step", filled in for `{cause}`.
    """

    id: str
    subjects: tuple[str, ...] = ()
    events: tuple[int, ...] = ()
    note: str = ""
    value: float | None = None
    threshold: float | None = None
    cause: str = ""


def joined_names(names: tuple[str, ...]) -> str:
    """Return names as a list in a sentence; of many, only the first six.

    Example:
        >>> joined_names(("a", "b", "c"))
        'a, b and c'
    """
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    if len(names) > 1:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return "".join(names)
