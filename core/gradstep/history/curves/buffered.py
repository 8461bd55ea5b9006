"""BufferedRows: the raw values of closed rows, which are measured many rows at a time."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - msgspec reads the annotations
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np

from gradstep.history.curves.probe import Probe, moved, norm

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BufferedRows", "is_measured"]

ROWS = 64
"""Most rows in the buffer."""

MOST = 2**16
"""Most numbers of small tensors in the buffer: 512 KB when they are measured."""

HUGE = 2**16
"""Size from which a tensor's update is not measured in every row."""

EARLY = 32
"""Number of first rows in which the updates of all tensors are measured."""

EVERY = 8
"""After those, the update of a huge tensor is measured in every eighth row. It takes a copy of the
tensor; a network of 400 000 parameters would otherwise spend a tenth of its time on that."""


def is_measured(row: int, size: int) -> bool:
    """Whether the update of a tensor of `size` elements is measured in a row.

    Example:
        >>> is_measured(100, size=1000), is_measured(100, size=1_000_000)
        (True, False)
    """
    return size < HUGE or row <= EARLY or row % EVERY == 0


_Large: TypeAlias = tuple[list[float], list[float], list[float]]
_NONE_LARGE: _Large = ([], [], [])


class _Row(msgspec.Struct, frozen=True, gc=False):
    """A closed row.

    Attributes:
        moment: The index of the Event that closed it, and how many iterations were complete.
        losses: The values of the losses.
        data: The bytes of the small tensors, as the probe gathers them.
        gradients: The same of their gradients.
        absent: The places of tensors without a gradient.
        large: Norms, updates, and norms of the gradients of the large tensors.
        chosen: The values of elements and outputs that the user has chosen.
    """

    moment: tuple[int, int]
    losses: list[float]
    data: bytes
    gradients: bytes
    absent: Sequence[int]
    large: _Large
    chosen: Sequence[float]


class BufferedRows:
    """The rows that have closed since `take` was last called, and the current row.

    Args:
        arrays: Arrays with the shapes and dtypes of the tensors.
        picked: Elements of small tensors to keep in every row, as `(tensor, element)`.
        losses: The number of losses.

    Example:
        >>> import numpy as np
        >>> rows = BufferedRows([np.zeros(2)], (), losses=1)
        >>> rows.reset([np.array([3.0, 4.0])], 1)
        >>> rows.sample_loss(0, 0.5)
        >>> _ = rows.sample_gradients([None], absent=[0])
        >>> _ = rows.close([np.array([3.0, 0.0])], (4, 1), ())
        >>> rows.take()[1].tolist()
        [[0.5, 3.0, 4.0, nan]]
    """

    __slots__ = (
        "_absent",
        "_base",
        "_before",
        "_gradients",
        "_large_gradients",
        "_losses",
        "_next",
        "_owners",
        "_probe",
        "_rows",
        "_sizes",
        "capacity",
    )

    def __init__(
        self, arrays: Sequence[NDArray[Any]], picked: Sequence[tuple[int, int]], losses: int
    ) -> None:
        self._sizes = [array.size for array in arrays]
        self._probe = Probe(arrays, picked)
        self.capacity = max(1, min(ROWS, MOST // max(1, self._probe.width)))
        self._owners = np.array([tensor for tensor, _ in picked], np.intp)
        self._rows: list[_Row] = []
        self._base = self._probe.gather(arrays)
        self._before: dict[int, NDArray[Any]] = {}
        self._next = 0
        self._losses = [nan] * losses
        self._gradients: bytes | None = None
        self._absent: Sequence[int] = ()
        self._large_gradients: list[float] = []

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def last_event(self) -> int:
        """The index of the Event that closed the last row."""
        return self._rows[-1].moment[0]

    @property
    def has_gradients(self) -> bool:
        """Whether the gradients of the current row were sampled."""
        return self._gradients is not None

    @property
    def is_full(self) -> bool:
        """Whether rows must be taken before another one can close."""
        return len(self._rows) == self.capacity

    def reset(self, arrays: Sequence[NDArray[Any]], row: int) -> None:
        """Start a row, whose updates are measured from these values; the buffer must be empty.

        Args:
            arrays: The tensors' data.
            row: The number of the row among all rows of the Series.
        """
        self._next = row
        self._base = self._probe.gather(arrays)
        self._keep_large(arrays)
        self._begin_row()

    def sample_loss(self, place: int, value: float) -> None:
        """Set the value of a loss in the current row."""
        self._losses[place] = value

    def sample_gradients(
        self, arrays: Sequence[NDArray[Any] | None], absent: Sequence[int] = ()
    ) -> bool:
        """Set the gradients of the current row.

        Args:
            arrays: The gradients; None for tensors without one.
            absent: The places of those.

        Returns:
            Whether all are finite.
        """
        probe = self._probe
        self._gradients = row = probe.gather(arrays)
        self._absent = absent
        if not probe.large:
            return probe.is_finite(row)
        self._large_gradients = [
            nan if (array := arrays[at]) is None else norm(array) for at in probe.large
        ]
        return probe.is_finite(row) and all(
            isfinite(value)
            for at, value in zip(probe.large, self._large_gradients, strict=True)
            if at not in absent
        )

    def close(
        self,
        arrays: Sequence[NDArray[Any]],
        moment: tuple[int, int],
        chosen: Sequence[float],
    ) -> bool:
        """Close the current row; its gradients must have been sampled.

        Args:
            arrays: The tensors' data.
            moment: The Event's index, and how many iterations are complete.
            chosen: Values to append to the row.

        Returns:
            Whether all data are finite.
        """
        probe, gradients = self._probe, self._gradients or b""
        data = probe.gather(arrays)
        large = self._measure_large(arrays) if probe.large else _NONE_LARGE
        self._rows.append(_Row(moment, self._losses, data, gradients, self._absent, large, chosen))
        self._next += 1
        if probe.large:
            self._keep_large(arrays)
        self._begin_row()
        return probe.is_finite(data) and all(map(isfinite, large[0]))

    def take(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Measure and remove the closed rows; there must be at least one.

        Returns:
            `(event, iteration)` pairs, and the rows: losses, norms, updates, norms of gradients,
            elements, elements of gradients, and chosen values.
        """
        probe, rows = self._probe, self._rows
        data = probe.numbers([self._base, *[row.data for row in rows]])
        gradients = probe.numbers([row.gradients for row in rows])
        parts = [
            probe.norms(data[1:]),
            probe.norms(np.diff(data, axis=0)),
            probe.norms(gradients),
        ]
        if probe.large:
            for part, large in zip(
                parts, zip(*[row.large for row in rows], strict=True), strict=True
            ):
                part[:, probe.large] = large
        elements = probe.elements(gradients)
        for at, row in enumerate(rows):
            if row.absent:
                parts[2][at, row.absent] = nan
                elements[at, np.isin(self._owners, row.absent)] = nan
        values = np.concatenate(
            (
                np.array([row.losses for row in rows]),
                *parts,
                probe.elements(data[1:]),
                elements,
                np.array([row.chosen for row in rows]),
            ),
            axis=1,
        )
        moments = np.array([row.moment for row in rows], np.int64)
        self._base, self._rows = rows[-1].data, []
        return moments, values

    def _begin_row(self) -> None:
        self._losses = [nan] * len(self._losses)
        self._gradients = None

    def _measure_large(self, arrays: Sequence[NDArray[Any]]) -> _Large:
        norms, moves = [], []
        for at in self._probe.large:
            value, move = norm(arrays[at]), nan
            if is_measured(self._next, self._sizes[at]):
                move = moved(arrays[at], self._before[at])
            norms.append(value)
            moves.append(move)
        return norms, moves, self._large_gradients

    def _keep_large(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Copy the large tensors whose update is measured in the next row."""
        for tensor in self._probe.large:
            if is_measured(self._next, self._sizes[tensor]):
                kept = self._before.get(tensor)
                if kept is None:
                    self._before[tensor] = arrays[tensor].copy()
                else:
                    np.copyto(kept, arrays[tensor])
