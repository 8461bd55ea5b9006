"""Batches of new points for the series that plots draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ColumnPatch", "SeriesBatch", "SeriesSource"]


@dataclass(frozen=True, slots=True)
class ColumnPatch:
    """New points of one column, which replace its rows from `start` on.

    An append has `start` equal to the rows already known; a whole new column has 0; a History that
    was forked has the row of the fork.

    Args:
        start: The first row that these points replace.
        x: Iterations, never falling. Shape `(n,)`.
        y: Values; NaN where there is none, such as a `.grad` of None. Shape `(n,)`.

    Example:
        >>> import numpy as np
        >>> patch = ColumnPatch(0, np.array([0.0, 1.0]), np.array([np.nan, 4.0]))
        >>> patch.start + len(patch.x)
        2
    """

    start: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]


def _no_columns() -> Mapping[str, ColumnPatch]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SeriesBatch:
    """The new points of the requested columns since the last batch.

    Args:
        columns: A patch for each column that has news; a column without news is absent.
        names: Every column that can be requested, as named in `gradstep_gui.plotting.columns`;
            empty when not known.
        in_progress: The values so far in the iteration in progress, of columns that no Snapshot
            has; None when they are those of the last batch.

    Example:
        >>> SeriesBatch().columns
        mappingproxy({})
    """

    columns: Mapping[str, ColumnPatch] = field(default_factory=_no_columns)
    names: tuple[str, ...] = ()
    in_progress: Mapping[str, float] | None = None


class SeriesSource(Protocol):
    """A source of columns for plots, such as the controller."""

    def set_series_wanted(self, key: str, columns: Collection[str]) -> None:
        """Request columns for the view `key`; the next Snapshot brings them from row 0."""

    def take_series(self, key: str) -> SeriesBatch:
        """Return the new points for the view `key` since its last call, without waiting."""
