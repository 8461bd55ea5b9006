"""Finding: what a diagnostic reports, with its evidence, and every Event where it was noticed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Finding", "FindingOccurrences"]


class Finding(msgspec.Struct, frozen=True):
    """One diagnostic: a fact (a contract was broken) or a suspicion (a threshold was passed).

    Attributes:
        id: Which diagnostic, such as "optimizer-foreign".
        severity: "fact", "suspicion", or "info" (worth knowing, nothing is wrong).
        title: One short line.
        detail: What happened, with names and numbers.
        remedy: What to do.
        events: Indices of the Events that show its first occurrences; empty when the program itself
            shows it.
        subjects: Names of the tensors, optimizers or losses concerned.
        value: The measured value of a suspicion.
        threshold: What it was compared with.
        source: Where the threshold comes from.
        trial: What a what-if can try as a remedy, such as "with a tenth of the learning rate";
            empty where that is for a person to think of.
        count: How often it has occurred.
        last: The Event at which it was noticed last; 0 when the program itself shows it.
    """

    id: str
    severity: Literal["fact", "suspicion", "info"]
    title: str
    detail: str
    remedy: str = ""
    events: tuple[int, ...] = ()
    subjects: tuple[str, ...] = ()
    value: float | None = None
    threshold: float | None = None
    source: str = ""
    trial: str = ""
    count: int = 1
    last: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class FindingOccurrences:
    """Every Event of a branch at which one finding was noticed.

    Attributes:
        id: Which diagnostic, as in the Finding.
        subjects: What it is about, as in the Finding.
        severity: As in the Finding.
        title: As in the Finding.
        events: Indices of the Events in ascending order, read-only; those after the moment that is
            looked at are among them. 0 stands for the program itself.

    Example:
        >>> occurrences = FindingOccurrences("a-fact", (), "fact", "A fact", np.array([0, 4, 8]))
        >>> occurrences.before(8), occurrences.after(4), occurrences.before(4), occurrences.after(8)
        (4, 8, None, None)
        >>> occurrences.number(8)
        3
    """

    id: str
    subjects: tuple[str, ...]
    severity: Literal["fact", "suspicion", "info"]
    title: str
    events: NDArray[np.int64]

    def before(self, event: int) -> int | None:
        """Return the last Event before one at which it was noticed; None without one."""
        at = int(np.searchsorted(self.events, event))
        return int(self.events[at - 1]) or None if at else None

    def after(self, event: int) -> int | None:
        """Return the first Event after one at which it was noticed; None without one."""
        at = int(np.searchsorted(self.events, event, side="right"))
        return int(self.events[at]) if at < len(self.events) else None

    def number(self, event: int) -> int:
        """Return the how-manieth occurrence an Event is, from 1; 0 when it is none."""
        at = int(np.searchsorted(self.events, event))
        return at + 1 if at < len(self.events) and self.events[at] == event else 0
