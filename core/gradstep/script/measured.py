"""The norms that a script's own process measured, where what it wrote was not recorded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.script.tape import TapeRow

__all__ = ["MeasuredNorms"]


class MeasuredNorms:
    """Collects the norms of one iteration from the Steps in it.

    The agent measures a move since the Step before, whichever optimizer that was of. So a tensor's
    move in an iteration is known where one of its Steps alone has moved it, and the iteration
    before was measured too.

    Args:
        groups: The names of the tensors that were measured together.
    """

    def __init__(self, groups: Sequence[tuple[str, ...]]) -> None:
        self._groups = groups
        self._iteration = -2
        self._is_next = False
        self._norms: dict[str, tuple[float, float, float]] = {}

    def take(self, row: TapeRow) -> None:
        """Take the norms of an Event, if it has any."""
        if row.norms is None:
            return
        if row.iteration != self._iteration:
            self._is_next = row.iteration == self._iteration + 1
            self._iteration, self._norms = row.iteration, {}
        before = self._norms
        names = self._groups[row.norms.group]
        for name, value, gradient, move in zip(names, *row.norms.values.tolist(), strict=True):
            moved = move if self._is_next else math.nan
            if name in before:
                moved = _joined(before[name][2], moved)
            before[name] = value, gradient, moved

    def of(self, iteration: int) -> Mapping[str, tuple[float, float, float]]:
        """Return the norms of each tensor's values, gradient and move in an iteration, by name."""
        return self._norms if iteration == self._iteration else {}


def _joined(one: float, two: float) -> float:
    """Return how far two moves lead; NaN where that depends on their directions."""
    if not one or not two:
        return one + two
    return math.nan
