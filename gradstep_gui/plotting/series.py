"""Series: what plots need of whoever hands them columns of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Batch", "Points", "SeriesSource"]


class Points(Protocol):
    """New points of one column."""

    @property
    def x(self) -> NDArray[np.float64]:
        """Iterations, never falling: how many were complete when `y` was recorded. Shape `(n,)`."""

    @property
    def y(self) -> NDArray[np.float64]:
        """Values; NaN where there is none, such as a `.grad` that is None. Shape `(n,)`."""


class Batch(Protocol):
    """What is new in the columns that were asked for, since the batch before.

    Columns are named as `gradstep_gui.plotting.columns` writes them.
    """

    @property
    def columns(self) -> Mapping[str, Points]:
        """New points by column; a column without news is absent."""

    @property
    def restart(self) -> bool:
        """True when the batch holds everything, and what came before must be thrown away."""


class SeriesSource(Protocol):
    """Where a plot gets its columns from; the controller is one."""

    def set_series(self, key: str, columns: Collection[str]) -> None:
        """Say which columns the viewer `key` draws; they then come from their beginning."""

    def take_series(self, key: str) -> Batch:
        """Return what is new for the viewer `key` since it last asked, never waiting."""
