"""Finding: what a diagnostic reports, with its evidence, and every Event where it was noticed.

Sessions store the findings of each branch as BranchFindings.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "BranchFindings",
    "Finding",
    "FindingOccurrences",
    "FindingRecord",
    "Question",
    "Severity",
    "packed_indices",
]

Severity = Literal["fact", "question", "suspicion", "info"]
"""A broken contract; one only if the user did not mean it; a passed threshold; worth knowing."""


class Question(msgspec.Struct, frozen=True):
    """What only the user knows about a script, and a finding depends on.

    Attributes:
        intent: What is intended if the answer is yes, such as "gradient_accumulation".
        text: The question.
        yes: What the answer yes means.
        no: What the answer no means.
        yes_comment: The comment of the script that answers yes.
        no_comment: The one that answers no.
        answer: What the user has answered; None before that.
    """

    intent: str
    text: str
    yes: str
    no: str
    yes_comment: str
    no_comment: str
    answer: bool | None = None


class Finding(msgspec.Struct, frozen=True):
    """The result of one diagnostic: a fact (a broken contract) or a suspicion (a passed threshold).

    Attributes:
        id: The id of the diagnostic, such as "optimizer-foreign".
        severity: "fact", "question" (a fact if the user answers that it is not intended),
            "suspicion", or "info" (worth knowing, nothing is wrong).
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
        edit: The change of a script's own lines that clears it, as a unified diff; empty for none.
        count: The number of occurrences.
        last: The Event of the last occurrence; 0 when it follows from the program alone.
        question: What the user may answer, and whether they have; None for nothing.
    """

    id: str
    severity: Severity
    title: str
    detail: str
    remedy: str = ""
    events: tuple[int, ...] = ()
    subjects: tuple[str, ...] = ()
    value: float | None = None
    threshold: float | None = None
    source: str = ""
    trial: str = ""
    edit: str = ""
    count: int = 1
    last: int = 0
    question: Question | None = None


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
    severity: Severity
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


class FindingRecord(msgspec.Struct, frozen=True):
    """A finding with every occurrence, as a session stores it.

    Attributes:
        id: The id of the diagnostic.
        subjects: Names of the tensors, optimizers or losses concerned.
        events: The Events of the first occurrence.
        note: Details of it.
        value: The measured value of a suspicion.
        threshold: What it was compared with; that of the diagnostic when None.
        cause: The Operation that caused it.
        cited: The Events of each further occurrence that is cited.
        indices: The Event of every occurrence, as compressed differences.

    Example:
        >>> record = FindingRecord("a-fact", events=(4,), indices=packed_indices([4, 8, 12]))
        >>> record.occurrences.tolist()
        [4, 8, 12]
    """

    id: str
    subjects: tuple[str, ...] = ()
    events: tuple[int, ...] = ()
    note: str = ""
    value: float | None = None
    threshold: float | None = None
    cause: str = ""
    cited: tuple[tuple[int, ...], ...] = ()
    indices: bytes = b""

    @property
    def occurrences(self) -> NDArray[np.int64]:
        """The Event of every occurrence.

        Raises:
            ValueError: The bytes are not those of indices.
        """
        try:
            steps = zlib.decompressobj().decompress(self.indices, _MOST_BYTES)
        except zlib.error as error:
            raise ValueError(str(error)) from None
        return np.cumsum(np.frombuffer(steps, "<i8"), dtype=np.int64)


def packed_indices(events: ArrayLike) -> bytes:
    """Return the indices of Events for a FindingRecord; a loop repeats itself, and so do these."""
    return zlib.compress(np.diff(np.asarray(events, "<i8"), prepend=0).astype("<i8").tobytes())


_MOST_BYTES = 2**28
"""Bytes of indices that are read at most: a session is not trusted."""


class BranchFindings(msgspec.Struct, frozen=True):
    """The findings of one branch.

    Attributes:
        branch: The number of the branch.
        up_to: The last Event that the diagnostics had processed.
        records: The findings.
        known: Findings that an earlier version of GradStep stored without their occurrences.
    """

    branch: int
    up_to: int = 0
    records: tuple[FindingRecord, ...] = ()
    known: tuple[Finding, ...] = ()
