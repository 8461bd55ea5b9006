"""PendingRows: what an iteration leaves behind, kept raw, and measured many rows at a time."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.probe import Probe, moved, norm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["PendingRows", "is_measured"]

ROWS = 64
"""Rows that wait at most."""

MOST = 2**16
"""Numbers of small tensors that wait at most: 512 KB, which stays in the cache."""

HUGE = 2**16
"""Elements from which the move of a tensor is not measured in every row."""

EARLY = 32
"""Rows in which moves of tensors of any size are measured."""

EVERY = 8
"""After those, rows from one move of a huge tensor to the next that is measured: it takes a copy,
and a network of 400 000 parameters would else spend a tenth of its time on that."""


def is_measured(row: int, size: int) -> bool:
    """Whether the move of a tensor of `size` elements is measured in a row.

    Example:
        >>> is_measured(100, size=1000), is_measured(100, size=1_000_000)
        (True, False)
    """
    return size < HUGE or row <= EARLY or row % EVERY == 0


class PendingRows:
    """The rows that have closed since the last were taken, and the one that has begun.

    Args:
        sizes: How many elements each tensor has.
        picked: Elements to read out of every row, as `(tensor, element)`; of small tensors.
        losses: How many losses there are.

    Attributes:
        finite_gradients: Whether the gradients sampled last had neither NaN nor Inf.
        finite_data: The same of the tensors, when a row closed last.

    Example:
        >>> import numpy as np
        >>> rows = PendingRows([2], (), losses=1)
        >>> rows.reset([np.array([3.0, 4.0])], 1)
        >>> rows.sample_loss(0, 0.5)
        >>> rows.sample_gradients([None])
        >>> rows.close([np.array([3.0, 0.0])], (4, 1), ())
        >>> rows.take()[1].tolist()
        [[0.5, 3.0, 4.0, nan]]
    """

    __slots__ = (
        "_absent",
        "_before",
        "_chosen",
        "_data",
        "_gradients",
        "_huge",
        "_large",
        "_losses",
        "_moments",
        "_next",
        "_owners",
        "_probe",
        "_sampled",
        "_sizes",
        "capacity",
        "finite_data",
        "finite_gradients",
    )

    def __init__(
        self, sizes: Sequence[int], picked: Sequence[tuple[int, int]], losses: int
    ) -> None:
        self._sizes = tuple(sizes)
        self._probe = Probe(sizes, picked)
        width, large = self._probe.width, len(self._probe.large)
        self.capacity = max(1, min(ROWS, MOST // max(1, width)))
        self._data = np.zeros((self.capacity + 1, width))
        self._gradients = np.zeros((self.capacity, width))
        self._large = np.full((self.capacity, 3, large), nan)
        self._losses = np.full((self.capacity, losses), nan)
        self._owners = np.array([tensor for tensor, _ in picked], np.intp)
        self._absent: list[tuple[int, ...]] = []
        self._moments: list[tuple[int, int]] = []
        self._chosen: list[Sequence[float]] = []
        self._before: dict[int, NDArray[Any]] = {}
        self._next = 0
        self._sampled: tuple[int, ...] | None = None
        self.finite_gradients = self.finite_data = True

    def __len__(self) -> int:
        return len(self._moments)

    @property
    def last_event(self) -> int:
        """The index of the Event that closed the last row."""
        return self._moments[-1][0]

    @property
    def has_gradients(self) -> bool:
        """Whether the row that has begun has its gradients."""
        return self._sampled is not None

    @property
    def is_full(self) -> bool:
        """Whether rows have to be taken before another can close."""
        return len(self._moments) == self.capacity

    def reset(self, arrays: Sequence[NDArray[Any]], row: int) -> None:
        """Take these as what the next row's moves are measured from.

        Args:
            arrays: The tensors' data.
            row: The number that the next row will have among all that ever closed.
        """
        self._next = row
        self._probe.gather(arrays, self._data[len(self)])
        self._keep_large(arrays)
        self._begin_row()

    def sample_loss(self, place: int, value: float) -> None:
        """Note the value of a loss for the row that will close next."""
        self._losses[len(self._moments), place] = value

    def sample_gradients(self, arrays: Sequence[NDArray[Any] | None]) -> None:
        """Note the gradients, None where there is none, for the row that will close next."""
        at, probe = len(self._moments), self._probe
        row = probe.gather(arrays, self._gradients[at])
        finite = isfinite(row.dot(row))
        for place, tensor in enumerate(probe.large):
            array = arrays[tensor]
            value = nan if array is None else norm(array)
            finite = finite and (array is None or isfinite(value))
            self._large[at, 2, place] = value
        absent = [array is None for array in arrays]
        self._sampled = tuple(np.flatnonzero(absent).tolist()) if True in absent else ()
        self.finite_gradients = finite

    def close(
        self,
        arrays: Sequence[NDArray[Any]],
        moment: tuple[int, int],
        chosen: Sequence[float],
    ) -> None:
        """Close a row, whose gradients have been sampled.

        Args:
            arrays: The tensors' data.
            moment: The Event's index, and how many iterations are complete.
            chosen: Values that follow the others in the row.
        """
        at = len(self._moments)
        row = self._probe.gather(arrays, self._data[at + 1])
        self.finite_data = isfinite(row.dot(row))
        if self._probe.large:
            self._measure_large(arrays, at)
        self._absent.append(self._sampled or ())
        self._moments.append(moment)
        self._chosen.append(chosen)
        self._next += 1
        if self._probe.large:
            self._keep_large(arrays)
        self._begin_row()

    def take(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Measure the rows that have closed, and forget them.

        Returns:
            `(event, iteration)` pairs, and the rows: losses, norms, moves, norms of gradients,
            elements, elements of gradients, and what was chosen.
        """
        count, probe = len(self._moments), self._probe
        data, gradients = self._data[1 : count + 1], self._gradients[:count]
        parts = [
            probe.norms(data),
            probe.norms(np.diff(self._data[: count + 1], axis=0)),
            probe.norms(gradients),
        ]
        for kind, part in enumerate(parts):
            part[:, probe.large] = self._large[:count, kind]
        elements = probe.elements(gradients)
        for row, absent in enumerate(self._absent):
            if absent:
                parts[2][row, absent] = nan
                elements[row, np.isin(self._owners, absent)] = nan
        moments = np.array(self._moments, np.int64).reshape(-1, 2)
        chosen = np.array(self._chosen, np.float64).reshape(count, -1)
        values = np.concatenate(
            (self._losses[:count], *parts, probe.elements(data), elements, chosen), axis=1
        )
        self._begin_again(count)
        return moments, values

    def _begin_again(self, count: int) -> None:
        """Let the row that has begun be the first one."""
        self._data[0] = self._data[count]
        if count < self.capacity:
            for part in (self._gradients, self._large, self._losses):
                part[0] = part[count]
        for rows in (self._absent, self._moments, self._chosen):
            rows.clear()
        if count == self.capacity:
            self._begin_row()

    def _begin_row(self) -> None:
        self._sampled = None
        at = len(self._moments)
        if at < self.capacity:
            self._losses[at] = nan
            if self._probe.large:
                self._large[at] = nan

    def _measure_large(self, arrays: Sequence[NDArray[Any]], at: int) -> None:
        for place, tensor in enumerate(self._probe.large):
            value = norm(arrays[tensor])
            self.finite_data = self.finite_data and isfinite(value)
            self._large[at, 0, place] = value
            if is_measured(self._next, self._sizes[tensor]):
                self._large[at, 1, place] = moved(arrays[tensor], self._before[tensor])

    def _keep_large(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Keep the large tensors whose move is measured in the next row."""
        for tensor in self._probe.large:
            if is_measured(self._next, self._sizes[tensor]):
                kept = self._before.get(tensor)
                if kept is None:
                    self._before[tensor] = arrays[tensor].copy()
                else:
                    np.copyto(kept, arrays[tensor])
