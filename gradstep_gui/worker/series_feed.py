"""SeriesFeed: the new points of the recorded series, for each view that plots columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from gradstep.errors import GradStepError
from gradstep_gui.plotting.columns import output, parse
from gradstep_gui.plotting.series import ColumnPatch, SeriesBatch

if TYPE_CHECKING:
    from gradstep.history.curves.series import Series

__all__ = ["SeriesFeed"]


@dataclass(slots=True)
class _Subscription:
    """The columns of a view, the rows read of each, and the points and values handed out."""

    columns: tuple[str, ...]
    read: dict[str, int] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    in_progress: dict[str, float] = field(default_factory=dict)


class SeriesFeed:
    """Knows which columns each view plots and which points it has, and hands out the rest.

    It lives on the worker thread, next to the Debugger, which writes the series.

    Example:
        >>> feed = SeriesFeed()
        >>> feed.want("plots", ("loss/loss",))
    """

    def __init__(self) -> None:
        self._subscriptions: dict[str, _Subscription] = {}
        self._series: Series | None = None

    def want(self, key: str, columns: tuple[str, ...]) -> None:
        """Hand out these columns to the view `key` from now on, from their first rows."""
        self._subscriptions[key] = _Subscription(columns)

    def pull(self, series: Series) -> dict[str, SeriesBatch]:
        """Return the new points for each view; all points after a change of branch.

        An element or an output that was not recorded is recorded from now on. Other unknown columns
        are skipped: a view may still ask for those of the previous program.
        """
        if series is not self._series:
            self._series = series
            self._subscriptions = {
                key: _Subscription(subscription.columns)
                for key, subscription in self._subscriptions.items()
            }
        batches = {}
        for key, subscription in self._subscriptions.items():
            patches = {name: _patch(series, subscription, name) for name in subscription.columns}
            columns = {name: patch for name, patch in patches.items() if patch is not None}
            now = {name: v for name, v in series.in_progress.items() if name in patches}
            if columns or now != subscription.in_progress:
                subscription.in_progress = now
                batches[key] = SeriesBatch(MappingProxyType(columns), _offered(series), now)
        return batches


def _offered(series: Series) -> tuple[str, ...]:
    """Return every column that can be requested: outputs in the order of the layers."""
    outputs = tuple(output(layer) for layer in series.layers)
    return (*(name for name in series.names if name not in outputs), *outputs)


def _patch(series: Series, subscription: _Subscription, name: str) -> ColumnPatch | None:
    read = subscription.read.get(name)
    if read is None and not _is_recorded(series, name):
        return None
    x, y = series.column(name, since=read or 0)
    if read is not None and not len(x):
        return None
    subscription.read[name] = (read or 0) + len(x)
    if name.startswith("update/"):
        # Updates of huge tensors are measured now and then; rows without one are not gaps.
        measured = np.isfinite(y)
        x, y = x[measured], y[measured]
    start = subscription.given.get(name, 0)
    subscription.given[name] = start + len(x)
    return ColumnPatch(start, x, y)


def _is_recorded(series: Series, name: str) -> bool:
    if name in series.names:
        return True
    column = parse(name)
    try:
        if column.kind == "element":
            series.choose(column.name, column.index)
        elif column.kind == "output":
            series.choose_output(column.name)
    except GradStepError:
        return False
    return name in series.names
