"""Abilities: what can be done with what is debugged, and why not where it cannot."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Abilities"]


@dataclass(frozen=True, slots=True)
class Abilities:
    """What can be done; each is empty, or a sentence that says why it cannot be done.

    Attributes:
        diverge: Apply something else than what comes next: other Operations, edits, branches.
        document: Edit, export or replay the document with changes.
        inside_forward: Step into a Forward.
        inside_backward: Step into a Backward.

    Example:
        >>> Abilities().diverge
        ''
    """

    diverge: str = ""
    document: str = ""
    inside_forward: str = ""
    inside_backward: str = ""
