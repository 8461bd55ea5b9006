"""The iteration in progress: points of its Events on the axis of iterations."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from gradstep_gui.views.plots.curve_choice import values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gradstep.history.records.event import Event
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["CurrentIteration"]

_MOST_MOMENTS = 1000
_SHORT_LOOP = 4


class CurrentIteration:
    """Places Events between iterations, and keeps the values of the iteration in progress.

    The History records a row when an iteration closes. Between two rows, single Operations change
    the values; they are drawn as points at fractions of an iteration until the row
    closes. Only numbers are kept, never a Snapshot with its arrays.

    Args:
        model: The source of Events.
    """

    def __init__(self, model: ViewModel) -> None:
        self._model = model
        self._iteration = 0
        self._first = 0
        self._moments: dict[int, dict[str, float]] = {}

    def clear(self) -> None:
        """Forget all values, because another program was opened."""
        self._moments = {}

    def take(self, snapshot: Snapshot, chosen: Sequence[str], outputs: Mapping[str, float]) -> None:
        """Keep the values of the chosen columns, in the iteration in progress.

        The same Snapshot again replaces its values, for other columns.

        Args:
            snapshot: The Snapshot.
            chosen: The columns.
            outputs: The values of those columns that are outputs of layers.
        """
        index = snapshot.event_index
        if index < snapshot.event_count:
            return
        first = index - self._length_before(snapshot)
        if (snapshot.iteration, first) != (self._iteration, self._first):
            self._moments = {}
        self._iteration, self._first = snapshot.iteration, first
        kept = {at: values for at, values in self._moments.items() if at < index}
        if index > first:
            stale = snapshot.losses.keys() - self._written(first, index)
            kept[index] = values_of(snapshot, chosen, stale) | dict(outputs)
        self._moments = dict(list(kept.items())[-_MOST_MOMENTS:])

    def tail(self, chosen: Sequence[str]) -> dict[str, tuple[list[float], list[float]]]:
        """Return the points of the iteration in progress, x and y by column.

        A loss has points only after it was computed in this iteration.
        """
        moments = list(zip(self._places(), self._moments.values(), strict=True))
        points = {}
        for column in chosen:
            here = [(x, row[column]) for x, row in moments if column in row]
            points[column] = ([x for x, _ in here], [y for _, y in here])
        return points

    def end(self, recorded: float) -> float:
        """Return the largest x, where `recorded` is the last recorded iteration."""
        return max([recorded, *self._places()])

    def now(self, snapshot: Snapshot) -> float | None:
        """Return the x of the current Event; None when it is the last."""
        index = snapshot.event_index
        if index >= snapshot.event_count:
            return None
        if index in self._moments:
            return self._places()[list(self._moments).index(index)]
        before = self._length_before(snapshot)
        length = max(before + self._length_after(snapshot), 1)
        return snapshot.iteration + before / length

    def event_near(self, x: float) -> int | None:
        """Return the Event in progress nearest to x; None when x is in the recorded part."""
        if not self._moments or x <= self._iteration:
            return None
        places = zip(self._places(), self._moments, strict=True)
        return min(places, key=lambda place: abs(place[0] - x))[1]

    def _places(self) -> list[float]:
        """Return the x of every Event of the iteration in progress."""
        offsets = [index - self._first for index in self._moments]
        length = max([_SHORT_LOOP, *(offset + 1 for offset in offsets)])
        return [self._iteration + offset / length for offset in offsets]

    def _written(self, first: int, index: int) -> set[str]:
        """Return the addresses written in the iteration in progress, including losses."""
        events = self._model.events_slice(first, index)
        return {address for event in events for address in event.writes}

    def _length_before(self, snapshot: Snapshot) -> int:
        """Return the number of Events of the iteration up to the current one."""
        events = self._model.events_before(snapshot.event_index)
        return _run_length(events, snapshot.iteration)

    def _length_after(self, snapshot: Snapshot) -> int:
        """Return the number of Events of the iteration after the current one."""
        events = self._model.events_after(snapshot.event_index)
        return _run_length(events, snapshot.iteration)


def _run_length(events: Iterable[Event], iteration: int) -> int:
    return sum(1 for _ in takewhile(lambda event: event.iteration == iteration, events))
