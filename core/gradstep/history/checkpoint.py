"""Checkpoints: restorable states within limits of size and number, denser in the recent past."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

__all__ = ["Checkpoint", "CheckpointStore", "tree_bytes"]

BUDGET_BYTES = 256 * 2**20
"""Default memory limit for the Checkpoints of a History."""

MOST = 4096
"""Default limit for their number: small states take more memory around their arrays than in them,
and a run of hours would fill it."""

LUMP = 16
"""A full store drops a sixteenth at once: each thinning takes time for all that it holds."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete, restorable state.

    Attributes:
        index: The Event after which it was taken; 0 for the start.
        work_s: The computing time of all Events up to it, in seconds.
        nbytes: Its size in memory, in bytes.
        state: The state as the program captured it.
    """

    index: int
    work_s: float
    nbytes: int
    state: Any


class CheckpointStore:
    """The Checkpoints of one branch, in order, within limits of their size and number.

    When a limit is exceeded, the Checkpoint that leaves the smallest gap for its age is dropped.
    The rest is spaced exponentially: a seek to the recent past stays quick, and one far back
    replays more. The first and the last Checkpoint are never dropped.

    Args:
        budget_bytes: Limit for the size of all states.
        most: Limit for their number.

    Example:
        >>> store = CheckpointStore(budget_bytes=3000)
        >>> for index in range(10):
        ...     store.add(Checkpoint(index, float(index), 1000, state=None))
        >>> store.indices[0], store.indices[-1], len(store)
        (0, 9, 3)
    """

    __slots__ = ("_budget_bytes", "_items", "_most", "nbytes")

    def __init__(self, budget_bytes: int = BUDGET_BYTES, most: int = MOST) -> None:
        self._budget_bytes = budget_bytes
        self._most = most
        self._items: list[Checkpoint] = []
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._items)

    @property
    def indices(self) -> tuple[int, ...]:
        """The Events that have a Checkpoint."""
        return tuple(item.index for item in self._items)

    @property
    def last(self) -> Checkpoint:
        """The newest Checkpoint."""
        return self._items[-1]

    @property
    def budget_bytes(self) -> int:
        """Limit for the size of all states; lowering it drops Checkpoints at once."""
        return self._budget_bytes

    @budget_bytes.setter
    def budget_bytes(self, value: int) -> None:
        self._budget_bytes = value
        self._thin()

    def add(self, checkpoint: Checkpoint) -> None:
        """Add a Checkpoint, unless there is one at the same Event."""
        at = bisect_right(self._items, checkpoint.index, key=_index)
        if at and self._items[at - 1].index == checkpoint.index:
            return
        self._items.insert(at, checkpoint)
        self.nbytes += checkpoint.nbytes
        self._thin(len(self._items) // LUMP)

    def before(self, index: int) -> Checkpoint:
        """Return the last Checkpoint at or before an Event."""
        return self._items[bisect_right(self._items, index, key=_index) - 1]

    def since(self, index: int) -> tuple[Checkpoint, ...]:
        """Return the Checkpoints after an Event."""
        return tuple(self._items[bisect_right(self._items, index, key=_index) :])

    def fork(self, index: int) -> CheckpointStore:
        """Return a store with the Checkpoints up to an Event; the states are shared."""
        other = CheckpointStore(self._budget_bytes, self._most)
        other._items = [item for item in self._items if item.index <= index]
        other.nbytes = sum(item.nbytes for item in other._items)
        return other

    def _fits(self, count: int) -> bool:
        return self.nbytes <= self._budget_bytes and count <= self._most

    def _thin(self, extra: int = 0) -> None:
        """Drop Checkpoints down to the limits, and `extra` more if one was exceeded.

        The scores stand in a heap. Dropping one changes only those of its two neighbours, so that
        n Checkpoints are thinned in O(n log n) steps.
        """
        count = len(self._items)
        if self._fits(count) or count <= 2:  # noqa: PLR2004 - both ends stay
            return
        # The small term orders Events that took no measurable time.
        work = [item.work_s + 1e-9 * item.index for item in self._items]
        newest = work[-1]
        before, after = list(range(-1, count - 1)), list(range(1, count + 1))

        def score(at: int) -> float:
            return (work[after[at]] - work[before[at]]) / max(newest - work[at], 1e-12)

        scores = [0.0, *map(score, range(1, count - 1)), 0.0]
        heap = [(scores[at], at) for at in range(1, count - 1)]
        heapify(heap)
        dropped: set[int] = set()
        while heap and (extra > 0 or not self._fits(count - len(dropped))):
            found, at = heappop(heap)
            if at in dropped or found != scores[at]:
                continue  # its score has changed since
            extra -= self._fits(count - len(dropped))
            self.nbytes -= self._items[at].nbytes
            dropped.add(at)
            left, right = before[at], after[at]
            after[left], before[right] = right, left
            for neighbour in (left, right):
                if 0 < neighbour < count - 1:
                    scores[neighbour] = score(neighbour)
                    heappush(heap, (scores[neighbour], neighbour))
        self._items = [item for at, item in enumerate(self._items) if at not in dropped]


def tree_bytes(tree: Any) -> int:  # noqa: ANN401 - a tree of anything
    """Estimate the size of a tree of dicts, lists and arrays in memory, in bytes.

    Example:
        >>> import numpy as np
        >>> tree_bytes({"x": np.zeros(100), "n": 1}) >= 800
        True
    """
    total, parts = 0, [tree]
    for part in parts:  # which grows: to call a function for each part takes twice as long
        kind = type(part)
        if kind is np.ndarray:
            total += part.nbytes + 112
        elif kind is dict:
            total += 64 + 96 * len(part)
            parts += part.values()
        elif kind is list or kind is tuple:
            total += 56 + 8 * len(part)
            parts += part
        elif kind is str or kind is bytes:
            total += len(part) + 50
        else:
            total += 32
    return total


def _index(checkpoint: Checkpoint) -> int:
    return checkpoint.index
