"""Diagnostic: what one rule of the registry says, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Diagnostic"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic.

    In `detail` and `remedy`, `{names}` stands for the subjects, `{events}` for the Events, `{note}`
    for what only the occurrence knows, `{value}` and `{threshold}` for the numbers of a suspicion.

    Attributes:
        id: Its name.
        severity: "fact", "suspicion" or "info".
        title: One short line.
        detail: What happened.
        remedy: What to do.
        threshold: What a suspicion's value is compared with.
        source: Where the threshold comes from.
        trial: What a what-if can try as a remedy.
    """

    id: str
    severity: Literal["fact", "suspicion", "info"]
    title: str
    detail: str
    remedy: str
    threshold: float | None = None
    source: str = ""
    trial: str = ""
