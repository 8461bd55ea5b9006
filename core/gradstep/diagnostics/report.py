"""Reports: what a rule has seen, and the findings that are made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradstep.diagnostics.noticed import Noticed
from gradstep.diagnostics.registry import REGISTRY
from gradstep.history.records.finding import Finding, FindingOccurrences

__all__ = ["Fact", "Standing", "listed"]

CITED = 12
"""Occurrences of one finding whose Events are cited: the first ones."""

NAMED = 6
"""Subjects named in a sentence; more are only counted."""


@dataclass(frozen=True, slots=True)
class Fact:
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


class Standing:
    """A finding with all its occurrences, so that it can be told as of any Event.

    Args:
        fact: The first occurrence.

    Attributes:
        fact: The first occurrence.
        at: The Event at which it was noticed first; 0 when the program itself shows it.
    """

    __slots__ = ("_later", "_noticed", "at", "fact")

    def __init__(self, fact: Fact) -> None:
        self.fact = fact
        self.at = fact.events[-1] if fact.events else 0
        self._later: list[tuple[int, ...]] = []
        self._noticed = Noticed(self.at)

    @property
    def is_wrong(self) -> bool:
        """Whether it tells of something wrong, and is not only worth knowing."""
        return REGISTRY[self.fact.id].severity != "info"

    @property
    def is_fact(self) -> bool:
        """Whether it tells of a broken rule."""
        return REGISTRY[self.fact.id].severity == "fact"

    @property
    def occurrences(self) -> FindingOccurrences:
        """Every Event at which it was noticed."""
        entry = REGISTRY[self.fact.id]
        return FindingOccurrences(
            entry.id, self.fact.subjects, entry.severity, entry.title, self._noticed.events
        )

    def add(self, fact: Fact) -> None:
        """Take in one more occurrence."""
        if fact.events:
            self._noticed.add(fact.events[-1])
            if len(self._later) < CITED - 1:
                self._later.append(fact.events)

    def fork(self, event: int) -> Standing:
        """Return it without the occurrences after an Event."""
        other = Standing(self.fact)
        other._later = [events for events in self._later if events[-1] <= event]
        other._noticed = self._noticed.fork(event)
        return other

    def finding(self, up_to: int) -> Finding:
        """Return it as it stood after an Event."""
        entry = REGISTRY[self.fact.id]
        cited = dict.fromkeys(self.fact.events)
        for events in self._later:
            if events[-1] <= up_to:
                cited.update(dict.fromkeys(events))
        count = max(1, self._noticed.count(up_to))
        names: dict[str, Any] = {
            "names": listed(self.fact.subjects),
            "events": _told(self.fact.events),
            "note": self.fact.note,
            "value": "" if self.fact.value is None else f"{self.fact.value:.3g}",
        }
        threshold = entry.threshold if self.fact.threshold is None else self.fact.threshold
        names["threshold"] = "" if threshold is None else f"{threshold:.3g}"
        return Finding(
            id=entry.id,
            severity=entry.severity,
            title=entry.title,
            detail=entry.detail.format(**names),
            remedy=entry.remedy.format(**names),
            events=tuple(sorted(cited)),
            subjects=self.fact.subjects,
            value=self.fact.value,
            threshold=threshold if entry.severity == "suspicion" else None,
            source=entry.source,
            trial=entry.trial,
            count=count,
            last=int(self._noticed.events[count - 1]),
        )


def listed(names: tuple[str, ...]) -> str:
    """Write names as in a sentence; of many only the first.

    Example:
        >>> listed(("a", "b", "c"))
        'a, b and c'
    """
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    if len(names) > 1:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return "".join(names)


def _told(events: tuple[int, ...]) -> str:
    return listed(tuple(f"#{event:,}" for event in events))
