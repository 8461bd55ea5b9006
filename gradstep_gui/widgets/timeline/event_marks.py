"""The marks of all Events on the timeline, and the flags above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LANES", "EventMarks", "Flag", "nice_step", "stretches"]

LANES = ("zero_grad", "forward", "backward", "step", "edit")
"""Kinds of Operations with a lane each, from the top; all others are edits."""

_FIRST_CAPACITY = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Flag:
    """A flag above Events.

    Attributes:
        events: Their indices in ascending order, shape `(n,)`.
        kind: "error", "warning" or "fork".
        text: The tooltip.

    Example:
        >>> flag = Flag(np.array([4, 8, 40]), "error", "A fact")
        >>> flag.is_near(9, 1.5), flag.is_near(11, 1.5)
        (True, False)
    """

    events: NDArray[np.int64]
    kind: str
    text: str

    def is_near(self, event: int, distance: float) -> bool:
        """Return whether it is above an Event within a distance."""
        first, end = np.searchsorted(self.events, (event - distance, event + distance + 1e-9))
        return bool(first < end)


def stretches(places: NDArray[np.float64], apart: float) -> NDArray[np.float64]:
    """Return the start and end of each run of close places, shape `(n, 2)`.

    Args:
        places: The places, in ascending order.
        apart: The distance above which places are in different runs.

    Example:
        >>> stretches(np.array([1.0, 3.0, 5.0, 40.0]), 7.0).tolist()
        [[1.0, 5.0], [40.0, 40.0]]
    """
    gaps = np.flatnonzero(np.diff(places) > apart)
    first = np.concatenate(([0], gaps + 1))
    last = np.concatenate((gaps, [len(places) - 1]))
    return np.stack((places[first], places[last]), axis=1) if len(places) else np.empty((0, 2))


class EventMarks:
    """The lane, iteration and outcome of every Event, and their density in pixels.

    Example:
        >>> marks = EventMarks()
        >>> marks.extend([0, 1, 2, 3, 1], [0, 0, 0, 0, 1], [False] * 5)
        >>> marks.iteration_after(2), marks.iteration_before(2)
        (4, 0)
        >>> marks.density(2)[0].tolist()
        [[1, 0], [1, 1], [1, 0], [0, 1], [0, 0]]
    """

    __slots__ = ("_density", "_failed", "_iterations", "_lanes", "_size")

    def __init__(self) -> None:
        self.clear()

    def __len__(self) -> int:
        return self._size

    def clear(self) -> None:
        """Forget every Event."""
        self._size = 0
        self._lanes = np.empty(_FIRST_CAPACITY, np.uint8)
        self._iterations = np.empty(_FIRST_CAPACITY, np.int64)
        self._failed = np.empty(_FIRST_CAPACITY, np.bool_)
        self._density: tuple[object, tuple[NDArray[Any], NDArray[Any]]] | None = None

    def extend(self, lanes: ArrayLike, iterations: ArrayLike, failed: ArrayLike) -> None:
        """Add Events at the end.

        Args:
            lanes: Their places in `LANES`.
            iterations: The number of iterations completed before each.
            failed: Whether each raised an error.
        """
        new = np.asarray(lanes, np.uint8), np.asarray(iterations), np.asarray(failed)
        stop = self._size + len(new[0])
        if stop > len(self._lanes):
            capacity = max(stop, 2 * len(self._lanes))
            self._lanes = np.resize(self._lanes, capacity)
            self._iterations = np.resize(self._iterations, capacity)
            self._failed = np.resize(self._failed, capacity)
        self._lanes[self._size : stop] = new[0]
        self._iterations[self._size : stop] = new[1]
        self._failed[self._size : stop] = new[2]
        self._size = stop

    def lane(self, index: int) -> int:
        """Return the lane of Event `index`."""
        return int(self._lanes[index - 1])

    def iteration(self, index: int) -> int:
        """Return the number of iterations completed before Event `index`."""
        return int(self._iterations[index - 1])

    def failed(self, index: int) -> bool:
        """Return whether Event `index` raised an error."""
        return bool(self._failed[index - 1])

    def first_of(self, iteration: int) -> int:
        """Return the index of the Event before the start of an iteration."""
        return int(np.searchsorted(self._iterations[: self._size], iteration))

    def iteration_after(self, moment: int) -> int:
        """Return the index of the Event that completes the current iteration, or the last one.

        Args:
            moment: The index of the current Event; 0 for the start.
        """
        if moment >= self._size:
            return self._size
        return self.first_of(self.iteration(moment + 1) + 1)

    def iteration_before(self, moment: int) -> int:
        """Return the index of the Event before the current iteration starts; 0 at the start."""
        return self.first_of(self.iteration(moment)) if moment else 0

    def density(self, pixels: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the number of Events of each lane in each pixel.

        Returns:
            Counts, shape `(lanes, pixels)`; and the pixels in which an Event raised an error.
        """
        key = self._size, pixels
        if self._density is None or self._density[0] != key:
            place = np.arange(self._size, dtype=np.int64) * pixels // max(1, self._size)
            cells = self._lanes[: self._size] * np.int64(pixels) + place
            counts = np.bincount(cells, minlength=len(LANES) * pixels)
            failed = np.zeros(pixels, np.bool_)
            failed[place[self._failed[: self._size]]] = True
            self._density = key, (counts.reshape(len(LANES), pixels), failed)
        return self._density[1]


def nice_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, ... that is at least a number.

    Example:
        >>> nice_step(0.2), nice_step(3), nice_step(61)
        (1, 5, 100)
    """
    scale = 1
    while True:
        for factor in (1, 2, 5):
            if factor * scale >= least:
                return factor * scale
        scale *= 10
