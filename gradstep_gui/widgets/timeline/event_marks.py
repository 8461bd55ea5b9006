"""The marks of all Events on the timeline, and the flags above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.spill import GrowingArray, SpillFile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LANES", "EventMarks", "Flag", "nice_step", "stretches"]

LANES = ("zero_grad", "forward", "backward", "step", "edit")
"""Kinds of Operations with a lane each, from the top; all others are edits."""

_MOST_BINS = 2**16
"""More than 13 bins to a pixel on the widest screens."""


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

    Attributes:
        version: Another number whenever the Events are others.

    Example:
        >>> marks = EventMarks()
        >>> marks.extend([0, 1, 2, 3, 1], [0, 0, 0, 0, 1], [False] * 5)
        >>> marks.iteration_after(2), marks.iteration_before(2)
        (4, 0)
        >>> marks.density(2)[0].tolist()
        [[1, 0], [1, 1], [1, 0], [0, 1], [0, 0]]
    """

    __slots__ = ("_density", "_failed", "_iterations", "_lanes", "version")

    def __init__(self) -> None:
        self.version = 0
        self.clear()

    def __len__(self) -> int:
        return self._lanes.size

    def clear(self) -> None:
        """Forget every Event."""
        file = SpillFile()
        self._lanes = GrowingArray(np.uint8, file)
        self._iterations = GrowingArray(np.int64, file)
        self._failed = GrowingArray(np.bool_, file)
        self._density = _Density()
        self.version += 1

    def extend(self, lanes: ArrayLike, iterations: ArrayLike, failed: ArrayLike) -> None:
        """Add Events at the end.

        Args:
            lanes: Their places in `LANES`.
            iterations: The number of iterations completed before each.
            failed: Whether each raised an error.
        """
        new = np.asarray(lanes, np.uint8), np.asarray(failed, np.bool_)
        self.version += bool(len(new[0]))
        self._density.extend(*new)
        self._lanes.extend(new[0])
        self._iterations.extend(iterations)
        self._failed.extend(new[1])

    def lanes(self) -> NDArray[np.uint8]:
        """Return the lane of each Event."""
        return self._lanes.read(0, len(self))

    def failed(self) -> NDArray[np.bool_]:
        """Return whether each Event raised an error."""
        return self._failed.read(0, len(self))

    def iteration(self, index: int) -> int:
        """Return the number of iterations completed before Event `index`."""
        return int(self._iterations[index - 1])

    def first_of(self, iteration: int) -> int:
        """Return the index of the Event before the start of an iteration."""
        return self._iterations.lower_bound(iteration)

    def iteration_after(self, moment: int) -> int:
        """Return the index of the Event that completes the current iteration, or the last one.

        Args:
            moment: The index of the current Event; 0 for the start.
        """
        if moment >= len(self):
            return len(self)
        return self.first_of(self.iteration(moment + 1) + 1)

    def iteration_before(self, moment: int) -> int:
        """Return the index of the Event before the current iteration starts; 0 at the start."""
        return self.first_of(self.iteration(moment)) if moment else 0

    def density(self, pixels: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the number of Events of each lane in each pixel.

        Of a long run, the Events of a few that two pixels share are divided among both.

        Returns:
            Counts, shape `(lanes, pixels)`; and the pixels in which an Event raised an error.
        """
        return self._density.of(pixels)


class _Density:
    """How many Events of each lane, and how many failed ones, are in each of many equal bins.

    When there are too many bins, each two become one: a run of any length takes 1.5 MB, and drawing
    it the same time.
    """

    __slots__ = ("_counts", "_size", "_width")

    def __init__(self) -> None:
        self._size = 0
        self._width = 1
        self._counts = np.zeros((len(LANES) + 1, 0), np.int32)

    def extend(self, lanes: NDArray[np.uint8], failed: NDArray[np.bool_]) -> None:
        if not len(lanes):
            return
        start, self._size = self._size, self._size + len(lanes)
        while self._size > self._width * _MOST_BINS:
            counts = np.pad(self._counts, ((0, 0), (0, self._counts.shape[1] % 2)))
            self._counts = counts[:, ::2] + counts[:, 1::2]
            self._width *= 2
        first, used = start // self._width, -(-self._size // self._width)
        if used > self._counts.shape[1]:
            more = min(max(used, 2 * self._counts.shape[1]), _MOST_BINS) - self._counts.shape[1]
            self._counts = np.pad(self._counts, ((0, 0), (0, more)))
        place = np.arange(start, self._size) // self._width - first
        bins = used - first
        found = np.bincount(lanes.astype(np.int64) * bins + place, minlength=len(LANES) * bins)
        self._counts[:-1, first:used] += found.reshape(len(LANES), bins).astype(np.int32)
        self._counts[-1, first:used] += np.bincount(place[failed], minlength=bins).astype(np.int32)

    def of(self, pixels: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        used = -(-self._size // self._width)
        counts = self._counts[:, :used]
        before = np.pad(np.cumsum(counts, axis=1, dtype=np.int64), ((0, 0), (1, 0)))
        # The first Event of each pixel: Event i is in pixel i * pixels // size.
        first = -(-np.arange(pixels + 1, dtype=np.int64) * self._size // pixels)
        place, inside = np.divmod(first, self._width)
        upto: NDArray[Any] = before[:, place]
        if self._width > 1:
            size_of_bin = np.minimum(self._width, self._size - place * self._width)
            share = np.where(inside > 0, inside / np.maximum(size_of_bin, 1), 0.0)
            upto = upto + share * counts[:, np.minimum(place, used - 1)]
        found = np.diff(upto, axis=1)
        return found[:-1], found[-1] > 0


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
