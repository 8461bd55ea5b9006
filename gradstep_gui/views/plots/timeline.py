"""Timeline: where Events lie on an axis of iterations, and the iteration that is under way."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from gradstep_gui.views.plots.choice import values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["Timeline"]

_LOOK = 64
_SHORT_LOOP = 4


class Timeline:
    """Places Events between iterations, and remembers the moments of the one under way.

    The History records a row when an iteration closes. Between two rows, single Operations change
    what there is to see; their moments stand as points at fractions of an iteration until the row
    closes.

    Args:
        model: Where Events are read.
    """

    def __init__(self, model: ViewModel) -> None:
        self._model = model
        self._iteration = 0
        self._first = 0
        self._moments: dict[int, Snapshot] = {}

    def clear(self) -> None:
        """Forget every moment: another program is open."""
        self._moments = {}

    def take(self, snapshot: Snapshot) -> None:
        """Remember a moment when it belongs to the iteration under way."""
        if snapshot.event_index < snapshot.event_count:
            return
        first = self._start_of(snapshot)
        if (snapshot.iteration, first) != (self._iteration, self._first):
            self._moments = {}
        self._iteration, self._first = snapshot.iteration, first
        kept = {at: moment for at, moment in self._moments.items() if at < snapshot.event_index}
        if snapshot.event_index > first:
            kept[snapshot.event_index] = snapshot
        self._moments = dict(list(kept.items())[-_LOOK:])

    def tail(self, chosen: Sequence[str]) -> tuple[list[float], dict[str, list[float]]]:
        """Return the points of the iteration under way: their x, and y by column."""
        rows = [values_of(moment, chosen) for moment in self._moments.values()]
        x = [self._tail_x(index) for index in self._moments]
        return x, {column: [row[column] for row in rows] for column in chosen}

    def end(self, recorded: float) -> float:
        """Return the newest x there is, where `recorded` is the newest that is recorded."""
        return max([recorded, *map(self._tail_x, self._moments)])

    def now(self, snapshot: Snapshot) -> float | None:
        """Return where the moment on show lies; None when it is the newest."""
        index = snapshot.event_index
        if index >= snapshot.event_count:
            return None
        if index in self._moments:
            return self._tail_x(index)
        first = self._start_of(snapshot)
        later = self._model.events_slice(index, index + _LOOK)
        rest = takewhile(lambda event: event.iteration == snapshot.iteration, later)
        length = max(index - first + sum(1 for _ in rest), 1)
        return snapshot.iteration + (index - first) / length

    def event_near(self, x: float) -> int | None:
        """Return the Event under way nearest to x; None when x lies in what is recorded."""
        if not self._moments or x <= self._iteration:
            return None
        return min(self._moments, key=lambda index: abs(self._tail_x(index) - x))

    def _tail_x(self, index: int) -> float:
        length = max([_SHORT_LOOP, *(at - self._first + 1 for at in self._moments)])
        return self._iteration + (index - self._first) / length

    def _start_of(self, snapshot: Snapshot) -> int:
        """Return the index of the last Event before the iteration that a moment is in."""
        index = snapshot.event_index
        earlier = self._model.events_slice(max(index - _LOOK, 0), index)
        own = takewhile(lambda event: event.iteration == snapshot.iteration, reversed(earlier))
        return index - sum(1 for _ in own)
