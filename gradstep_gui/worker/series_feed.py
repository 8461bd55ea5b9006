"""SeriesFeed: what is new in the recorded series, for each view that asked for columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gradstep.errors import GradStepError
from gradstep_gui.plotting.columns import parse
from gradstep_gui.plotting.series import ColumnPatch, SeriesBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RecordedSeries", "SeriesFeed"]


class RecordedSeries(Protocol):
    """What is asked of the series of a History; `gradstep.history.curves.series.Series` is one."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every column there is."""

    def column(self, name: str, since: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return iterations and values of a column, from row `since` on."""

    def choose(self, tensor: str, index: tuple[int, ...]) -> str:
        """Keep one more element, and that of the gradient, from the next row on."""


@dataclass(slots=True)
class _Wish:
    """The columns one view wants; how many rows of each were read, and how many points given."""

    columns: tuple[str, ...]
    read: dict[str, int] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)


class SeriesFeed:
    """Keeps what each view wants and has, and hands out the difference.

    It lives on the worker thread, next to the Debugger that writes the series.

    Example:
        >>> feed = SeriesFeed()
        >>> feed.want("plots", ("loss/loss",))
    """

    def __init__(self) -> None:
        self._wishes: dict[str, _Wish] = {}
        self._series: RecordedSeries | None = None

    def want(self, key: str, columns: tuple[str, ...]) -> None:
        """Hand the view `key` these columns from now on, from their beginning."""
        self._wishes[key] = _Wish(columns)

    def pull(self, series: RecordedSeries) -> dict[str, SeriesBatch]:
        """Return what is new for each view; everything when the branch is another one.

        An element that was not recorded so far is recorded from now on. Any other column that
        there is none of is left out: a view may still ask for those of the program before.
        """
        if series is not self._series:
            self._series = series
            self._wishes = {key: _Wish(wish.columns) for key, wish in self._wishes.items()}
        batches = {}
        for key, wish in self._wishes.items():
            patches = {name: _patch(series, wish, name) for name in wish.columns}
            columns = {name: patch for name, patch in patches.items() if patch is not None}
            if columns:
                batches[key] = SeriesBatch(MappingProxyType(columns), series.names)
        return batches


def _patch(series: RecordedSeries, wish: _Wish, name: str) -> ColumnPatch | None:
    begun = wish.read.get(name)
    if begun is None and not _is_recorded(series, name):
        return None
    x, y = series.column(name, since=begun or 0)
    if begun is not None and not len(x):
        return None
    wish.read[name] = (begun or 0) + len(x)
    if name.startswith("update/"):
        # The moves of huge tensors are measured now and then: what was not is no gap in a curve.
        measured = np.isfinite(y)
        x, y = x[measured], y[measured]
    start = wish.given.get(name, 0)
    wish.given[name] = start + len(x)
    return ColumnPatch(start, x, y)


def _is_recorded(series: RecordedSeries, name: str) -> bool:
    if name in series.names:
        return True
    column = parse(name)
    if column.kind != "element":
        return False
    try:
        series.choose(column.name, column.index)
    except GradStepError:
        return False
    return name in series.names
