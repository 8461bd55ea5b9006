"""Finding: what a diagnostic has to say, with its evidence."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["Finding"]


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
