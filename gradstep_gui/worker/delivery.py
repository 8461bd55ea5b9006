"""The records that the worker thread hands to the window: all frozen, none shared in writing."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from gradstep_gui.plotting.series import ColumnPatch, SeriesBatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gradstep.history.records.branch import BranchRecord, Fork
    from gradstep.history.records.breakpoints import Breaks
    from gradstep.history.records.event import Event
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.what_if import ResumeCheck
    from gradstep.program.listing import Listing
    from gradstep_gui.records import (
        BranchComparison,
        Document,
        Draft,
        DraftCheck,
        ExplainAnswer,
        Failure,
        Ghost,
        Script,
    )

__all__ = ["Delivery", "join_series"]


def join_series(
    earlier: Mapping[str, SeriesBatch], later: Mapping[str, SeriesBatch]
) -> dict[str, SeriesBatch]:
    """Return the batches of all views as one of each: what a later one replaces is gone.

    Example:
        >>> one = SeriesBatch({"loss/loss": ColumnPatch(0, np.array([1.0, 2.0]), np.ones(2))})
        >>> two = SeriesBatch({"loss/loss": ColumnPatch(1, np.array([5.0]), np.zeros(1))})
        >>> join_series({"plots": one}, {"plots": two})["plots"].columns["loss/loss"].x.tolist()
        [1.0, 5.0]
    """
    joined = dict(earlier)
    for key, batch in later.items():
        joined[key] = _join_batches(joined[key], batch) if key in joined else batch
    return joined


def _join_batches(earlier: SeriesBatch, later: SeriesBatch) -> SeriesBatch:
    joined = dict(earlier.columns)
    for name, patch in later.columns.items():
        joined[name] = _join_patches(joined[name], patch) if name in joined else patch
    return SeriesBatch(MappingProxyType(joined), later.names)


def _join_patches(earlier: ColumnPatch, later: ColumnPatch) -> ColumnPatch:
    kept = later.start - earlier.start
    if kept <= 0:
        return later
    return ColumnPatch(
        earlier.start,
        np.concatenate((earlier.x[:kept], later.x)),
        np.concatenate((earlier.y[:kept], later.y)),
    )


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the window takes from the worker at one moment: the newest, and all that is new.

    Attributes:
        snapshot: The newest Snapshot; None when there is no newer one.
        events: The Event log, to read from; it only ever grows.
        forks: Where other branches leave it.
        series: New points by the key of the view that asked.
        document: What is open; None when that did not change.
        listing: The program to be read; None when it did not change.
        saved: The file that a save just wrote.
        why: The answer to the last question why.
        branches: Every branch; None when they did not change.
        ghosts: The curves of the other branches by id; None when they did not change.
        removed: Names of the branches that can be put back, the latest last; None when they did not
            change.
        compared: Two branches that were just compared.
        resume: What a resume check has just found.
        script: What is recorded, as a script that was asked for.
        draft: The open program's document, to be edited.
        checked: What became of a document that was to be checked.
        progress: How many Operations of a what-if or a check are done, and of how many.
        refused: Events just applied that raised an error.
        failures: Tasks that failed, oldest first.
        breaks: The breakpoints and watches; None when nothing is new.
    """

    snapshot: Snapshot | None = None
    events: Sequence[Event] | None = None
    forks: tuple[Fork, ...] = ()
    series: Mapping[str, SeriesBatch] = field(default_factory=lambda: MappingProxyType({}))
    document: Document | None = None
    listing: Listing | None = None
    saved: Path | None = None
    why: ExplainAnswer | None = None
    branches: tuple[BranchRecord, ...] | None = None
    ghosts: Mapping[int, Ghost] | None = None
    removed: tuple[str, ...] | None = None
    compared: BranchComparison | None = None
    resume: ResumeCheck | None = None
    script: Script | None = None
    draft: Draft | None = None
    checked: DraftCheck | None = None
    progress: tuple[int, int] | None = None
    refused: tuple[Event, ...] = ()
    failures: tuple[Failure, ...] = ()
    breaks: Breaks | None = None

    def followed_by(self, later: Delivery) -> Delivery:
        """Return what is new in both: the later Snapshot, the points of both."""
        return Delivery(
            snapshot=self.snapshot if later.snapshot is None else later.snapshot,
            events=self.events if later.events is None else later.events,
            forks=self.forks if later.events is None else later.forks,
            series=MappingProxyType(join_series(self.series, later.series)),
            document=self.document if later.document is None else later.document,
            listing=self.listing if later.listing is None else later.listing,
            saved=self.saved if later.saved is None else later.saved,
            why=self.why if later.why is None else later.why,
            branches=self.branches if later.branches is None else later.branches,
            ghosts=self.ghosts if later.ghosts is None else later.ghosts,
            removed=self.removed if later.removed is None else later.removed,
            compared=self.compared if later.compared is None else later.compared,
            resume=self.resume if later.resume is None else later.resume,
            script=self.script if later.script is None else later.script,
            draft=self.draft if later.draft is None else later.draft,
            checked=self.checked if later.checked is None else later.checked,
            progress=self.progress if later.progress is None else later.progress,
            refused=self.refused + later.refused,
            failures=self.failures + later.failures,
            breaks=self.breaks if later.breaks is None else later.breaks,
        )
