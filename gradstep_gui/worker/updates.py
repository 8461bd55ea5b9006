"""Updates: news from the worker for the window, one frozen record a kind."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from gradstep_gui.plotting.series import ColumnPatch, SeriesBatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from gradstep.history.records.branch import BranchRecord, Fork
    from gradstep.history.records.breakpoints import Breaks
    from gradstep.history.records.event import Event
    from gradstep.history.records.fit import Fit
    from gradstep.history.records.landscape import (
        Landscape,
        LandscapeArrows,
        LandscapeMoment,
        LandscapePlan,
    )
    from gradstep.history.records.lesson import LessonRecord
    from gradstep.history.records.ranks import RankRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.variables import HeldVariables, TensorValues
    from gradstep.history.records.what_if import Remedy, ResumeCheck
    from gradstep.program.listing import Listing
    from gradstep_gui.records import (
        BranchComparison,
        Document,
        Draft,
        DraftCheck,
        ExplainAnswer,
        Failure,
        Ghost,
        LessonPreview,
        Script,
    )

__all__ = [
    "BranchesUpdate",
    "BreaksUpdate",
    "ComparisonUpdate",
    "DocumentUpdate",
    "DraftCheckUpdate",
    "DraftUpdate",
    "ExplainUpdate",
    "FailedOperationUpdate",
    "FailureUpdate",
    "FitUpdate",
    "GhostsUpdate",
    "LandscapeArrowsUpdate",
    "LandscapeMomentUpdate",
    "LandscapePlanUpdate",
    "LandscapeUpdate",
    "LessonCheckUpdate",
    "LessonDraftUpdate",
    "LessonPictureUpdate",
    "LessonUpdate",
    "ListingUpdate",
    "OpenedUpdate",
    "ProgressUpdate",
    "RanksUpdate",
    "RecordedUpdate",
    "RecordingUpdate",
    "RemovedBranchesUpdate",
    "ResumeCheckUpdate",
    "SavedUpdate",
    "SavingUpdate",
    "ScriptUpdate",
    "SeriesUpdate",
    "SnapshotUpdate",
    "Update",
    "ValuesUpdate",
    "VariablesUpdate",
]


@dataclass(frozen=True, slots=True)
class Update:
    """News for the window; while it waits there, a later one of the same key supersedes it."""

    @property
    def key(self) -> tuple[type[Update], str]:
        """What it is news of: its kind, and its subject where a kind has several."""
        return type(self), ""

    def joined_to(self, _earlier: Self) -> Self:
        """Return what to keep of two updates of one key: the later, unless a kind adds up."""
        return self


@dataclass(frozen=True, slots=True)
class SnapshotUpdate(Update):
    """The current moment.

    Attributes:
        snapshot: Its Snapshot.
        events: The Event log of the current branch; it only grows while it is read.
        forks: Where other branches leave the current one.
    """

    snapshot: Snapshot
    events: Sequence[Event] = ()
    forks: tuple[Fork, ...] = ()


@dataclass(frozen=True, slots=True)
class SeriesUpdate(Update):
    """New points of the columns that the view `view` has asked for.

    Example:
        >>> one = SeriesBatch({"loss/loss": ColumnPatch(0, np.array([1.0, 2.0]), np.ones(2))})
        >>> two = SeriesBatch({"loss/loss": ColumnPatch(1, np.array([5.0]), np.zeros(1))})
        >>> both = SeriesUpdate("plots", two).joined_to(SeriesUpdate("plots", one))
        >>> both.batch.columns["loss/loss"].x.tolist()
        [1.0, 5.0]
    """

    view: str
    batch: SeriesBatch

    @property
    def key(self) -> tuple[type[Update], str]:
        """Each view has series of its own."""
        return type(self), self.view

    def joined_to(self, earlier: Self) -> Self:
        """Return the points of both; a later patch replaces rows of an earlier one."""
        joined = dict(earlier.batch.columns)
        for name, patch in self.batch.columns.items():
            joined[name] = _join_patches(joined[name], patch) if name in joined else patch
        now = self.batch.in_progress
        now = earlier.batch.in_progress if now is None else now
        return type(self)(self.view, SeriesBatch(MappingProxyType(joined), self.batch.names, now))


@dataclass(frozen=True, slots=True)
class DocumentUpdate(Update):
    """What is open has changed, or was saved or modified."""

    document: Document


@dataclass(frozen=True, slots=True)
class LessonUpdate(Update):
    """The lesson is at another step, or there is another lesson, or none."""

    lesson: LessonRecord | None


@dataclass(frozen=True, slots=True)
class LessonDraftUpdate(Update):
    """A lesson was read or made, to be edited."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class LessonCheckUpdate(Update):
    """A lesson that is being written was checked."""

    check: DraftCheck
    preview: LessonPreview


@dataclass(frozen=True, slots=True)
class LessonPictureUpdate(Update):
    """The losses of a lesson's program, for a small picture."""

    lesson: str
    curves: tuple[tuple[float, ...], ...]

    @property
    def key(self) -> tuple[type[Update], str]:
        """Each lesson has a picture of its own."""
        return type(self), self.lesson


@dataclass(frozen=True, slots=True)
class OpenedUpdate(Update):
    """A program, a session or a script was opened in the place of another."""


@dataclass(frozen=True, slots=True)
class ListingUpdate(Update):
    """Another program was opened, or the text of the present one changed.

    Attributes:
        listing: The program as text.
        is_edited: It is the present one, whose loop has other lines at this moment.
    """

    listing: Listing
    is_edited: bool = False


@dataclass(frozen=True, slots=True)
class SavedUpdate(Update):
    """A session was saved to a file."""

    path: Path


@dataclass(frozen=True, slots=True)
class SavingUpdate(Update):
    """`done` of `total` Events and Checkpoints of a session are written to its file."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class RecordingUpdate(Update):
    """`events` of a script are recorded so far."""

    script: str
    events: int


@dataclass(frozen=True, slots=True)
class RecordedUpdate(Update):
    """A script was recorded, and can be opened: its name, and how many Events it has."""

    script: str
    events: int


@dataclass(frozen=True, slots=True)
class BreaksUpdate(Update):
    """Breakpoints, watches or the reason of the last stop have changed."""

    breaks: Breaks


@dataclass(frozen=True, slots=True)
class BranchesUpdate(Update):
    """The branches, or which one is current, have changed."""

    branches: tuple[BranchRecord, ...]


@dataclass(frozen=True, slots=True)
class RanksUpdate(Update):
    """Where the ranks of a distributed script are has changed; none for any other program."""

    ranks: tuple[RankRecord, ...]


@dataclass(frozen=True, slots=True)
class GhostsUpdate(Update):
    """The curves of the other branches, by branch id, have changed.

    Attributes:
        ghosts: The curves, of the latest branches.
        left_out: How many older branches there are.
        has_overlays: There are other seeds or sessions to draw, whether or not a plot shows them.
    """

    ghosts: Mapping[int, Ghost]
    left_out: int = 0
    has_overlays: bool = False


@dataclass(frozen=True, slots=True)
class RemovedBranchesUpdate(Update):
    """The names of the branches that can be restored, the latest last."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparisonUpdate(Update):
    """Two branches were compared."""

    comparison: BranchComparison


@dataclass(frozen=True, slots=True)
class RemediesUpdate(Update):
    """The remedies that clear a finding, and what each changes."""

    remedies: tuple[Remedy, ...]


@dataclass(frozen=True, slots=True)
class ResumeCheckUpdate(Update):
    """A resume check has ended."""

    check: ResumeCheck


@dataclass(frozen=True, slots=True)
class ProgressUpdate(Update):
    """`done` of `total` Operations of a replay are done."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ScriptUpdate(Update):
    """The current branch was written as a script."""

    script: Script


@dataclass(frozen=True, slots=True)
class DraftUpdate(Update):
    """A document was read, to be edited."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class DraftCheckUpdate(Update):
    """A draft was checked."""

    check: DraftCheck


@dataclass(frozen=True, slots=True)
class ExplainUpdate(Update):
    """The answer to an explain request."""

    answer: ExplainAnswer


@dataclass(frozen=True, slots=True)
class FitUpdate(Update):
    """How the model's outputs compare with the targets of its data."""

    fit: Fit


@dataclass(frozen=True, slots=True)
class LandscapeUpdate(Update):
    """A slice of a landscape was computed; `turn` is the number of the request."""

    landscape: Landscape
    turn: int


@dataclass(frozen=True, slots=True)
class LandscapePlanUpdate(Update):
    """What a landscape would take."""

    plan: LandscapePlan


@dataclass(frozen=True, slots=True)
class LandscapeMomentUpdate(Update):
    """Where the present moment is in the landscape; None where there is none."""

    moment: LandscapeMoment | None


@dataclass(frozen=True, slots=True)
class LandscapeArrowsUpdate(Update):
    """The last gradient and the last Step in the landscape."""

    arrows: LandscapeArrows


@dataclass(frozen=True, slots=True)
class VariablesUpdate(Update):
    """The answer to a request for the variables of a script."""

    variables: HeldVariables


@dataclass(frozen=True, slots=True)
class ValuesUpdate(Update):
    """The answer to a request for the values of a tensor of a script."""

    values: TensorValues


@dataclass(frozen=True, slots=True)
class FailedOperationUpdate(Update):
    """Events just applied whose Operations raised an error, oldest first."""

    events: tuple[Event, ...]

    def joined_to(self, earlier: Self) -> Self:
        """Return the Events of both."""
        return type(self)(earlier.events + self.events)


@dataclass(frozen=True, slots=True)
class FailureUpdate(Update):
    """Commands that failed, oldest first."""

    failures: tuple[Failure, ...]

    def joined_to(self, earlier: Self) -> Self:
        """Return the failures of both."""
        return type(self)(earlier.failures + self.failures)


def _join_patches(earlier: ColumnPatch, later: ColumnPatch) -> ColumnPatch:
    kept = later.start - earlier.start
    if kept <= 0:
        return later
    return ColumnPatch(
        earlier.start,
        np.concatenate((earlier.x[:kept], later.x)),
        np.concatenate((earlier.y[:kept], later.y)),
    )
