"""Publisher: what the window needs to show the current moment, and what of it is news."""

from __future__ import annotations

import math
import time
from collections import deque
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from gradstep.history.records.branch import BranchRecord
from gradstep.history.records.breakpoints import Breaks
from gradstep_gui.records import Ghost
from gradstep_gui.worker.commands import curves_of
from gradstep_gui.worker.fit_feed import FitFeed
from gradstep_gui.worker.overlays import Overlays
from gradstep_gui.worker.series_feed import SeriesFeed
from gradstep_gui.worker.updates import (
    BranchesUpdate,
    BreaksUpdate,
    DocumentUpdate,
    GhostsUpdate,
    LandscapeMomentUpdate,
    ProgressUpdate,
    SeriesUpdate,
    SnapshotUpdate,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from gradstep.debugger import Debugger, StopReason
    from gradstep.history.history import Branch
    from gradstep_gui.records import Document
    from gradstep_gui.worker.updates import Update
    from gradstep_gui.worker.worker_thread import WorkerThread

__all__ = ["Publisher"]

PROGRESS_S = 1 / 30
"""The progress of a replay is posted at most this often."""

MOST_GHOSTS = 8
"""The number of latest other branches whose curves are drawn."""

MOST_GHOST_POINTS = 2_000_000
"""Points of their curves that are read; of long runs, the last of the wanted columns are not."""

HITS = 1000
"""The number of latest breakpoint hits that stay marked in the log."""

LOG_LINES = 1000
"""The number of latest lines logged by breakpoints that are shown."""


class Publisher:
    """Posts the current moment to the window; lives on the worker thread.

    A Snapshot is posted each time. Everything else is posted when it differs from the last time.

    Args:
        worker: The mailbox.

    Attributes:
        wanted: Addresses whose whole arrays Snapshots hold.
        ghost_columns: Columns of the other branches that are drawn; none for no ghosts.
        has_landscape: Whether the place of each moment in the landscape is posted.
        series: The columns that views plot.
        overlays: Other runs, whose losses are drawn like those of other branches.
        fit: What a view shows of the data during a run.
    """

    def __init__(self, worker: WorkerThread) -> None:
        self._worker = worker
        self.wanted: frozenset[str] = frozenset()
        self.ghost_columns: tuple[str, ...] = ()
        self.has_landscape = False
        self.series = SeriesFeed()
        self.overlays = Overlays()
        self.fit = FitFeed()
        self._document: Document | None = None
        self._branches: tuple[BranchRecord, ...] = ()
        self._ghosts: object = None
        self._stops = _Stops()
        self._progress_at = -math.inf  # the clock may have started a moment ago

    def begin(self) -> None:
        """Start over with another Debugger."""
        self._stops = _Stops()
        self.overlays = Overlays()

    def publish(self, debugger: Debugger, document: Document, *, resting: bool = True) -> None:
        """Post the current moment.

        Args:
            debugger: The Debugger.
            document: What is open.
            resting: Whether nothing runs, so that values can be compared with the Event before.
        """
        if self.has_landscape:
            self._worker.post(LandscapeMomentUpdate(debugger.landscapes.moment()))
        moment = SnapshotUpdate(
            debugger.capture_snapshot(self.wanted, compare=resting),
            debugger.events,
            debugger.branches.forks,
        )
        self._worker.post(*self._news(debugger, document, resting=resting), moment)
        if not resting:  # else the view asks
            self._worker.post(*self.fit.pull(debugger))

    def progress(self, done: int, total: int) -> None:
        """Post how many Operations of a replay are done, now and then."""
        now = time.monotonic()
        if done == total or now - self._progress_at >= PROGRESS_S:
            self._progress_at = now
            self._worker.post(ProgressUpdate(done, total))

    def stopped(self, debugger: Debugger, reason: StopReason) -> None:
        """Note why a run has stopped."""
        self._stops.add(debugger, reason)

    def _news(self, debugger: Debugger, document: Document, *, resting: bool) -> Iterator[Update]:
        """Yield everything but the Snapshot that differs from the last time."""
        for view, batch in self.series.pull(debugger.history.series).items():
            yield SeriesUpdate(view, batch)
        if document != self._document:
            self._document = document
            yield DocumentUpdate(document)
        branches = _branch_records(debugger)
        if branches != self._branches:
            self._branches = branches
            yield BranchesUpdate(branches)
        current = debugger.branches.current
        every = [branch for branch in debugger.branches if branch is not current]
        others = every[-MOST_GHOSTS:]
        drawn = (
            current.history,
            self.ghost_columns,
            (self.overlays, self.overlays.version),
            tuple((branch.name, branch.history, len(branch.history.events)) for branch in others),
        )
        if drawn != self._ghosts:
            self._ghosts = drawn
            found = _ghosts(debugger, others, self.ghost_columns)
            overlaid = self.overlays.ghosts(self.ghost_columns)
            left_out = len(every) - len(others) if self.ghost_columns else 0
            ghosts = MappingProxyType({**found, **overlaid})
            yield GhostsUpdate(ghosts, left_out, has_overlays=not self.overlays.is_empty)
        breaks = self._stops.news(debugger, resting=resting)
        if breaks is not None:
            yield BreaksUpdate(breaks)


class _Stops:
    """Why the last run stopped, where runs have stopped, and the breakpoints posted last."""

    def __init__(self) -> None:
        self._reason: StopReason | None = None
        self._hits: deque[int] = deque(maxlen=HITS)
        self._history: object = None
        self._posted: Breaks | None = None

    def add(self, debugger: Debugger, reason: StopReason) -> None:
        self._follow(debugger)
        self._reason = reason
        if reason.breakpoint is not None:
            self._hits.append(reason.event)

    def news(self, debugger: Debugger, *, resting: bool) -> Breaks | None:
        """Return breakpoints, watches and the last stop; None when nothing differs."""
        self._follow(debugger)
        at, inside = debugger.position
        reason = self._reason
        if reason is not None and (at != reason.event or inside is not None):
            reason = self._reason = None
        point = None if reason is None else reason.breakpoint
        breaks = Breaks(
            debugger.breakpoints.records,
            debugger.watches.records(compare=resting),
            debugger.breakpoints.lines[-LOG_LINES:],
            sentence="" if reason is None else reason.sentence,
            kind="" if reason is None else reason.kind,
            hit=None if point is None else point.id,
            hits=frozenset(self._hits),
        )
        # Records of watches may hold arrays, which do not compare as a whole.
        if not breaks.watches and breaks == self._posted:
            return None
        self._posted = breaks
        return breaks

    def _follow(self, debugger: Debugger) -> None:
        if debugger.history is not self._history:
            self._history = debugger.history
            self._hits.clear()


def _ghosts(
    debugger: Debugger, others: Collection[Branch], columns: tuple[str, ...]
) -> Mapping[int, Ghost]:
    """Return the curves of the other branches, from their forks on, where they have any there."""
    if not others or not columns:
        return {}
    found = {}
    rows = sum(branch.history.series.rows_up_to(len(branch.history.events)) for branch in others)
    read = columns[: max(1, MOST_GHOST_POINTS // max(1, rows))]
    shared = debugger.branches.shared_events(debugger.branches.current)
    for branch in others:
        series = branch.history.series
        own = series.rows_up_to(shared[branch.id])
        if any(len(series.column(name, own)[0]) for name in read if name in series.names):
            found[branch.id] = Ghost(branch.name, curves_of(branch, read, shared[branch.id]))
    return found


def _branch_records(debugger: Debugger) -> tuple[BranchRecord, ...]:
    names = {branch.id: branch.name for branch in debugger.branches}
    loss = next(iter(debugger.program.spec.losses), "")
    return tuple(
        _branch_record(
            branch,
            names,
            f"loss/{loss}",
            debugger.process_of(branch),
            is_current=branch is debugger.branches.current,
        )
        for branch in debugger.branches
    )


def _branch_record(
    branch: Branch,
    names: Mapping[int, str],
    column: str,
    process: Literal["", "held", "ended"],
    *,
    is_current: bool,
) -> BranchRecord:
    series = branch.history.series
    events = branch.history.events
    iterations, loss = 0, None
    if column in series.names:
        x, y = series.column(column, max(0, series.rows_up_to(len(events)) - 1))
        iterations = int(x[-1]) if len(x) else 0
        loss = float(y[-1]) if len(y) and y[-1] == y[-1] else None
    return BranchRecord(
        branch.id,
        branch.name,
        "" if branch.parent is None else names.get(branch.parent, ""),
        branch.forked_at,
        len(events),
        iterations,
        loss,
        is_current,
        process,
    )
