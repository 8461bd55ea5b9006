"""The records that the worker thread hands to the window: all frozen, none shared in writing."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gradstep.history.event import Event
    from gradstep.history.snapshot import Snapshot

__all__ = ["ColumnPoints", "Delivery", "Document", "Failure", "SeriesBatch", "State", "Work"]

Work = Literal["empty", "paused", "running", "loading", "saving"]
"""What the worker is at: `empty` when nothing is open, `paused` when the person holds the loop."""


@dataclass(frozen=True, slots=True)
class ColumnPoints:
    """New points of one column: `x` is the iteration after which `y` was recorded."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SeriesBatch:
    """The points that were recorded since the last batch, per column asked for.

    Attributes:
        columns: New points by column, such as "loss/loss" or "norm/model.0.weight.grad".
        restart: True when `columns` holds everything, and what came before must be thrown away:
            another program, another branch, or other columns.

    Example:
        >>> one = SeriesBatch({"loss/loss": ColumnPoints(np.array([1.0]), np.array([0.5]))})
        >>> two = SeriesBatch({"loss/loss": ColumnPoints(np.array([2.0]), np.array([0.4]))})
        >>> one.followed_by(two).columns["loss/loss"].y.tolist()
        [0.5, 0.4]
    """

    columns: Mapping[str, ColumnPoints]
    restart: bool = False

    def followed_by(self, later: SeriesBatch) -> SeriesBatch:
        """Return both batches as one."""
        if later.restart:
            return later
        joined = dict(self.columns)
        for name, points in later.columns.items():
            before = joined.get(name)
            joined[name] = (
                points
                if before is None
                else ColumnPoints(
                    np.concatenate((before.x, points.x)), np.concatenate((before.y, points.y))
                )
            )
        return SeriesBatch(MappingProxyType(joined), self.restart)


@dataclass(frozen=True, slots=True)
class Document:
    """What is open.

    Attributes:
        name: The program's name.
        path: Where it was opened from or last saved to; None for one that has no file.
        description: The program's own words about itself.
        iterations: How many iterations its author suggests; None when not told.
        data: Names of its data sets.
        losses: Names of its losses.
        optimizers: Names of its optimizers.
        modified: True when there are Events that no session file holds.
    """

    name: str
    path: Path | None = None
    description: str = ""
    iterations: int | None = None
    data: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    optimizers: tuple[str, ...] = ()
    modified: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A task that did not end well: `error` is the user's to mend, or else a bug of ours."""

    task: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the window takes from the worker at one moment: the newest, and all that is new.

    Attributes:
        snapshot: The newest Snapshot; None when there is no newer one.
        events: The Event log, to read from; it only ever grows.
        series: New points by the key of the view that asked.
        document: What is open; None when that did not change.
        refused: Events just applied that raised an error.
        failures: Tasks that failed, oldest first.
    """

    snapshot: Snapshot | None = None
    events: Sequence[Event] | None = None
    series: Mapping[str, SeriesBatch] = field(default_factory=lambda: MappingProxyType({}))
    document: Document | None = None
    refused: tuple[Event, ...] = ()
    failures: tuple[Failure, ...] = ()

    def followed_by(self, later: Delivery) -> Delivery:
        """Return what is new in both: the later Snapshot, the points of both."""
        series = dict(self.series)
        for key, batch in later.series.items():
            series[key] = series[key].followed_by(batch) if key in series else batch
        return Delivery(
            snapshot=self.snapshot if later.snapshot is None else later.snapshot,
            events=self.events if later.events is None else later.events,
            series=MappingProxyType(series),
            document=self.document if later.document is None else later.document,
            refused=self.refused + later.refused,
            failures=self.failures + later.failures,
        )


@dataclass(frozen=True, slots=True)
class State:
    """What decides which Actions can be used.

    Attributes:
        work: What the worker is at.
        can_go_back: There is an Event before the present moment.
        can_go_forward: There is an Event after it.
        has_loop: The program has a loop of its own.
        has_data: The loss reads a data set, so that a batch can be held.
        modified: There are Events that no file holds.
    """

    work: Work = "empty"
    can_go_back: bool = False
    can_go_forward: bool = False
    has_loop: bool = False
    has_data: bool = False
    modified: bool = False
