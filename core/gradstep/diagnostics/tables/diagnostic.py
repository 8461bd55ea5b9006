"""Diagnostic: the text of one kind of finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep.history.records.finding import Severity

__all__ = ["Diagnostic"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic, with the text of its finding.

    `detail` and `remedy` may hold placeholders: `{names}` for the subjects, with `{them}`, `{are}`
    and `{were}` to agree with their number; `{events}` for all Events, `{first}`, `{second}` and
    `{last}` for one of them; `{cause}` and `{note}` for what only the observation knows; `{value}`
    and `{threshold}` for the numbers of a suspicion.

    Attributes:
        id: Its name.
        severity: "fact", "suspicion" or "info".
        title: One short line.
        detail: What happened: who did what, in which order, and the consequence.
        remedy: What to do.
        threshold: What a suspicion's value is compared with.
        source: Where the threshold comes from.
        trial: The remedy as a what-if can try it.
        definition: Exactly when a fact is observed; suspicions have a threshold instead.
        is_timeless: It is about the recording, so it is shown at every moment of the branch.
    """

    id: str
    severity: Severity
    title: str
    detail: str
    remedy: str
    threshold: float | None = None
    source: str = ""
    trial: str = ""
    definition: str = ""
    is_timeless: bool = False
