"""A finding with every Event at which it was observed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.diagnostics.tables.registry import REGISTRY
from gradstep.history.records.finding import Finding, FindingOccurrences

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FindingHistory"]

CITED = 12
"""Occurrences of one finding whose Events are cited: the first ones."""

_FIRST_CAPACITY = 4


class FindingHistory:
    """A finding with all its occurrences, so that it can be told as of any Event.

    Args:
        fact: The first occurrence.

    Attributes:
        fact: The first occurrence.
        at: The Event at which it was noticed first; 0 when the program itself shows it.
    """

    __slots__ = ("_indices", "_later", "at", "fact")

    def __init__(self, fact: Observation) -> None:
        self.fact = fact
        self.at = fact.events[-1] if fact.events else 0
        self._later: list[tuple[int, ...]] = []
        self._indices = _EventIndices(self.at)

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
            entry.id, self.fact.subjects, entry.severity, entry.title, self._indices.events
        )

    def add(self, fact: Observation) -> None:
        """Take in one more occurrence."""
        if fact.events:
            self._indices.add(fact.events[-1])
            if len(self._later) < CITED - 1:
                self._later.append(fact.events)

    def fork(self, event: int) -> FindingHistory:
        """Return it without the occurrences after an Event."""
        other = FindingHistory(self.fact)
        other._later = [events for events in self._later if events[-1] <= event]
        other._indices = self._indices.fork(event)
        return other

    def finding(self, up_to: int) -> Finding:
        """Return it as it stood after an Event."""
        entry = REGISTRY[self.fact.id]
        cited = dict.fromkeys(self.fact.events)
        for events in self._later:
            if events[-1] <= up_to:
                cited.update(dict.fromkeys(events))
        count = max(1, self._indices.count(up_to))
        names: dict[str, Any] = {
            "names": joined_names(self.fact.subjects),
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
            last=int(self._indices.events[count - 1]),
        )


def _told(events: tuple[int, ...]) -> str:
    return joined_names(tuple(f"#{event:,}" for event in events))


class _EventIndices:
    """Indices of Events in ascending order, to which more are added.

    What was added never changes, so that `events` is no copy: whoever holds it sees the same Events
    while the run goes on.

    Args:
        event: The first Event.

    Example:
        >>> noticed = _EventIndices(4)
        >>> for event in (8, 8, 12):
        ...     noticed.add(event)
        >>> noticed.events.tolist(), noticed.count(11), noticed.fork(11).events.tolist()
        ([4, 8, 12], 2, [4, 8])
    """

    __slots__ = ("_events", "_length")

    def __init__(self, event: int) -> None:
        self._events = np.empty(_FIRST_CAPACITY, np.int64)
        self._events[0] = event
        self._length = 1

    @property
    def events(self) -> NDArray[np.int64]:
        """All of them, read-only."""
        events = self._events[: self._length]
        events.flags.writeable = False
        return events

    def add(self, event: int) -> None:
        """Add an Event; one that is the last already stays there once."""
        length = self._length
        if event == self._events[length - 1]:
            return
        if length == len(self._events):
            self._events = np.resize(self._events, 2 * length)
        self._events[length] = event
        self._length += 1

    def count(self, up_to: int) -> int:
        """Return how many there are up to an Event."""
        return int(np.searchsorted(self._events[: self._length], up_to, side="right"))

    def fork(self, up_to: int) -> _EventIndices:
        """Return those up to an Event, the first of all in any case, to be added to otherwise."""
        other = _EventIndices(int(self._events[0]))
        other._length = max(1, self.count(up_to))
        other._events = np.resize(self._events[: other._length], 2 * other._length)
        return other
