"""The records that the worker thread hands to the window: all frozen, none shared in writing."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from gradstep_gui.plotting.series import ColumnPatch, SeriesBatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gradstep.history.records.branch import BranchRecord, Fork
    from gradstep.history.records.breaks import Breaks
    from gradstep.history.records.comparison import Comparison
    from gradstep.history.records.event import Event
    from gradstep.history.records.explanation import Binding, Contribution, Explanation
    from gradstep.history.records.finding import FindingOccurrences
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.what_if import ResumeCheck
    from gradstep.program.listing import Listing

__all__ = [
    "Checked",
    "Compared",
    "Curves",
    "Delivery",
    "Document",
    "Draft",
    "Failure",
    "Ghost",
    "Script",
    "State",
    "Why",
    "Work",
    "join_series",
]

Curves: TypeAlias = "Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]"
"""Iterations and values by column."""

Work = Literal["empty", "paused", "running", "replaying", "comparing", "loading", "saving"]
"""What the worker is at: `empty` when nothing is open, `paused` when the person holds the loop."""


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
class Why:
    """The answer to why a tensor is as it is.

    Attributes:
        event: The index of the Event after which it was asked.
        explanation: Its last change.
        provenance: What its gradient is made of.
        bindings: Which group holds which tensor, of all tensors.
    """

    event: int
    explanation: Explanation
    provenance: tuple[Contribution, ...]
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class Ghost:
    """What is drawn of a branch that is not on show: its name, and its curves from the fork on."""

    name: str
    curves: Curves


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison of two branches, their ids, and the losses of each over all iterations."""

    comparison: Comparison
    branches: tuple[int, int]
    curves: tuple[Curves, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """What is recorded on a branch, as a script for torch.

    Attributes:
        text: The script.
        is_test: Whether it compares the losses with those recorded.
        branch: What the branch is called.
        events: How many Events it has; without any, the script is the program's loop.
    """

    text: str
    is_test: bool
    branch: str
    events: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A program document to be edited.

    Attributes:
        text: The document.
        path: Its file, beside which the files lie that it names; None when it has none.
        files: Those files themselves, when it has none.
    """

    text: str
    path: Path | None = None
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a document that was to be made a program.

    Attributes:
        draft: The document.
        says: What kind of program it is, or what is wrong with it.
        remedy: What to write instead; empty for a sound one.
        place: The characters that the error blames, from the first to before the second; None when
            it is no one place.
        is_sound: Whether it can be opened.
    """

    draft: Draft
    says: str
    remedy: str = ""
    place: tuple[int, int] | None = None
    is_sound: bool = False


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
    why: Why | None = None
    branches: tuple[BranchRecord, ...] | None = None
    ghosts: Mapping[int, Ghost] | None = None
    removed: tuple[str, ...] | None = None
    compared: Compared | None = None
    resume: ResumeCheck | None = None
    script: Script | None = None
    draft: Draft | None = None
    checked: Checked | None = None
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


@dataclass(frozen=True, slots=True)
class State:
    """What decides which Actions can be used.

    Attributes:
        work: What the worker is at.
        can_go_back: There is an Event or a micro-step before the present moment.
        can_go_forward: There is an Event after it.
        has_loop: The program has a loop of its own.
        has_data: The loss reads a data set, so that a batch can be held.
        modified: There are Events that no file holds.
        left_over: There is a recording that a process left behind.
        is_inside: The moment lies inside an Operation.
        broken: A program document could not be opened, and can be edited.
        has_removed: A branch was removed that can be put back.
        scrubbing: A person drags the time line.
        finding_before: Something was noticed at an earlier Event than that of the moment.
        finding_after: Something was noticed at a later one.
    """

    work: Work = "empty"
    can_go_back: bool = False
    can_go_forward: bool = False
    has_loop: bool = False
    has_data: bool = False
    modified: bool = False
    left_over: bool = False
    broken: bool = False
    is_inside: bool = False
    has_removed: bool = False
    scrubbing: bool = False
    finding_before: bool = False
    finding_after: bool = False

    @property
    def hurried(self) -> bool:
        """Whether moments follow one another faster than anybody reads."""
        return self.work == "running" or self.scrubbing

    @classmethod
    def at(
        cls,
        work: Work,
        snapshot: Snapshot | None,
        document: Document | None,
        wrong: Iterable[FindingOccurrences] = (),
    ) -> State:
        """Return what can be done at a moment.

        Args:
            work: What the worker is at.
            snapshot: The moment on show.
            document: What is open.
            wrong: The mistakes and suspicions that are not muted.
        """
        if snapshot is None:
            return cls(work)
        inside, here = snapshot.inside is not None, snapshot.event_index
        wrong = tuple(wrong)
        return cls(
            work,
            can_go_back=snapshot.event_index > 0 or inside,
            can_go_forward=snapshot.event_index < snapshot.event_count,
            has_loop=snapshot.next_operation is not None,
            has_data=document is not None and bool(document.data),
            is_inside=inside,
            modified=document is not None and document.modified,
            finding_before=any(item.before(here) for item in wrong),
            finding_after=any(item.after(here) for item in wrong),
        )
