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
    """The result of one diagnostic: a fact (a broken contract) or a suspicion (a passed threshold).

    Attributes:
        id: The id of the diagnostic, such as "optimizer-foreign".
        severity: "fact", "suspicion", or "info" (worth knowing, nothing is wrong).
        title: One short line.
        detail: What happened, with names and numbers.
        remedy: What to do.
        events: The indices of the Events of its first occurrences; empty when it follows from the
            program alone.
        subjects: Names of the tensors, optimizers or losses concerned.
        value: The measured value of a suspicion.
        threshold: The value that it was compared with.
        source: The source of the threshold.
        trial: A remedy that a what-if can try, such as "with a tenth of the learning rate"; empty
            for none.
        count: The number of occurrences.
        last: The Event of the last occurrence; 0 when it follows from the program alone.
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
        id: The id of the diagnostic, as in the Finding.
        subjects: As in the Finding.
        severity: As in the Finding.
        title: As in the Finding.
        events: The indices of the Events in ascending order, read-only, including those after the
            current Event; 0 stands for the program itself.

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
        """Return the last occurrence before an Event; None for none."""
        at = int(np.searchsorted(self.events, event))
        return int(self.events[at - 1]) or None if at else None

    def after(self, event: int) -> int | None:
        """Return the first occurrence after an Event; None for none."""
        at = int(np.searchsorted(self.events, event, side="right"))
        return int(self.events[at]) if at < len(self.events) else None

    def number(self, event: int) -> int:
        """Return the number of the occurrence at an Event, from 1; 0 for none."""
        at = int(np.searchsorted(self.events, event))
        return at + 1 if at < len(self.events) and self.events[at] == event else 0
