"""Checkpoints: restorable states within a memory budget, denser in the recent past."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Checkpoint", "CheckpointStore", "tree_bytes"]

BUDGET_BYTES = 256 * 2**20
"""Default memory limit for the Checkpoints of a History."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete, restorable state.

    Attributes:
        index: The Event after which it was taken; 0 for the very start.
        work_s: The computing time of all Events up to it, in seconds.
        nbytes: Its size in memory, in bytes.
        state: The state as the program captured it.
    """

    index: int
    work_s: float
    nbytes: int
    state: Any


class CheckpointStore:
    """The Checkpoints of one branch, in order, within a memory budget.

    When the budget is exceeded, the Checkpoint that leaves the smallest gap for its age is dropped.
    The rest is spaced exponentially: a seek to the recent past stays quick, and one far back
    replays more. The first and the last Checkpoint are never dropped.

    Args:
        budget_bytes: Limit for the size of all states.

    Example:
        >>> store = CheckpointStore(budget_bytes=3000)
        >>> for index in range(10):
        ...     store.add(Checkpoint(index, float(index), 1000, state=None))
        >>> store.indices[0], store.indices[-1], len(store)
        (0, 9, 3)
    """

    __slots__ = ("_budget_bytes", "_items", "nbytes")

    def __init__(self, budget_bytes: int = BUDGET_BYTES) -> None:
        self._budget_bytes = budget_bytes
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
        self._enforce_budget()

    def add(self, checkpoint: Checkpoint) -> None:
        """Add a Checkpoint, unless there is one at the same Event."""
        at = bisect_right(self._items, checkpoint.index, key=_index)
        if at and self._items[at - 1].index == checkpoint.index:
            return
        self._items.insert(at, checkpoint)
        self.nbytes += checkpoint.nbytes
        self._enforce_budget()

    def before(self, index: int) -> Checkpoint:
        """Return the last Checkpoint at or before an Event."""
        return self._items[bisect_right(self._items, index, key=_index) - 1]

    def since(self, index: int) -> tuple[Checkpoint, ...]:
        """Return the Checkpoints after an Event."""
        return tuple(self._items[bisect_right(self._items, index, key=_index) :])

    def fork(self, index: int) -> CheckpointStore:
        """Return a store with the Checkpoints up to an Event; the states are shared."""
        other = CheckpointStore(self._budget_bytes)
        other._items = [item for item in self._items if item.index <= index]
        other.nbytes = sum(item.nbytes for item in other._items)
        return other

    def _enforce_budget(self) -> None:
        while self.nbytes > self._budget_bytes and len(self._items) > 2:  # noqa: PLR2004 - both ends
            work = np.array([item.work_s for item in self._items])
            # The small term orders Events that took no measurable time.
            work += 1e-9 * np.array([item.index for item in self._items])
            gaps = work[2:] - work[:-2]
            ages = work[-1] - work[1:-1]
            dropped = self._items.pop(1 + int(np.argmin(gaps / np.maximum(ages, 1e-12))))
            self.nbytes -= dropped.nbytes


def tree_bytes(tree: Any) -> int:  # noqa: ANN401 - a tree of anything
    """Estimate the size of a tree of dicts, lists and arrays in memory, in bytes.

    Example:
        >>> import numpy as np
        >>> tree_bytes({"x": np.zeros(100), "n": 1}) >= 800
        True
    """
    if isinstance(tree, np.ndarray):
        return tree.nbytes + 112
    if isinstance(tree, dict):
        return 64 + sum(96 + tree_bytes(value) for value in tree.values())
    if isinstance(tree, (list, tuple)):
        return 56 + sum(8 + tree_bytes(value) for value in tree)
    return len(tree) + 50 if isinstance(tree, (str, bytes)) else 32


def _index(checkpoint: Checkpoint) -> int:
    return checkpoint.index
