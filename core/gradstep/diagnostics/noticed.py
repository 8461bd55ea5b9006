"""Noticed: the Events at which a finding was noticed, however many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Noticed"]

_FIRST_CAPACITY = 4


class Noticed:
    """Indices of Events in ascending order, to which more are added.

    What was added never changes, so that `events` is no copy: whoever holds it sees the same Events
    while the run goes on.

    Args:
        event: The first Event.

    Example:
        >>> noticed = Noticed(4)
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

    def fork(self, up_to: int) -> Noticed:
        """Return those up to an Event, the first of all in any case, to be added to otherwise."""
        other = Noticed(int(self._events[0]))
        other._length = max(1, self.count(up_to))
        other._events = np.resize(self._events[: other._length], 2 * other._length)
        return other
