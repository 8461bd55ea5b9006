"""Series: the columns of numbers that plots draw, and how new points travel to them."""

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
    """New points of one column: what stood from row `start` on is replaced by these.

    An append has `start` equal to the rows already known; a whole new column has 0; a History that
    was forked has the row of the fork.

    Args:
        start: The first row that these points replace.
        x: Iterations, never falling. Shape `(n,)`.
        y: Values; NaN where there is none, such as a `.grad` that is None. Shape `(n,)`.

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
    """What is new in the columns that were asked for, since the batch before.

    Args:
        columns: A patch for each column that has news; a column without news is absent.
        names: Every column that could be asked for, as `gradstep_gui.plotting.columns` writes
            them; empty when that is not known.

    Example:
        >>> SeriesBatch().columns
        mappingproxy({})
    """

    columns: Mapping[str, ColumnPatch] = field(default_factory=_no_columns)
    names: tuple[str, ...] = ()


class SeriesSource(Protocol):
    """Where a plot gets its columns from; the controller is one."""

    def set_series_wanted(self, key: str, columns: Collection[str]) -> None:
        """Say which columns the viewer `key` draws; the next Snapshot brings them from row 0."""

    def take_series(self, key: str) -> SeriesBatch:
        """Return what is new for the viewer `key` since it last asked, never waiting."""
