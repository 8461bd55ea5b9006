"""Records the window shows: what is open, what can be done now, and the worker's answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from gradstep.program.abilities import Abilities
from gradstep.program.operation import ScriptCall
from gradstep_gui.theme import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from gradstep.history.records.comparison import Comparison
    from gradstep.history.records.explanation import Binding, Contribution, Explanation
    from gradstep.history.records.finding import FindingOccurrences
    from gradstep.history.records.lesson import StepRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.operation import Operation

__all__ = [
    "BranchComparison",
    "Curves",
    "Document",
    "Draft",
    "DraftCheck",
    "ExplainAnswer",
    "Failure",
    "Ghost",
    "LessonPreview",
    "Recording",
    "Script",
    "State",
    "Work",
]

Curves: TypeAlias = "Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]"
"""Iterations and values by column name."""

Work = Literal["empty", "paused", "running", "replaying", "comparing", "loading"]
"""What the worker is doing: `empty` when nothing is open, `paused` when it waits for the user."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Of which script what is open is a recording.

    Attributes:
        script: The name of its file or module.
        backend: What it imported as torch, such as "torch 2.13.0"; empty for nothing.
        status: The status with which it ended; None where that is not known.
        error: The error that ended it; empty for none.
        lost: Why nothing more was recorded; empty if it was recorded to its end.
        is_running: Whether the script still runs, held before its next Operation.
        traceback: That of its error; empty for none.
    """

    script: str
    backend: str = ""
    status: int | None = None
    error: str = ""
    lost: str = ""
    is_running: bool = False
    traceback: str = ""

    @property
    def error_and_line(self) -> tuple[str, str]:
        """The error, and the line that raised it, such as "train.py:13"; empty where unknown.

        Example:
            >>> Recording("train.py", error="ValueError: no data (train.py:13)").error_and_line
            ('ValueError: no data', 'train.py:13')
        """
        error, _, line = self.error.rpartition(" (")
        line = line.removesuffix(")")
        is_known = error != "" and line.rpartition(":")[2].isdecimal()
        return (error, line) if is_known else (self.error, "")


@dataclass(frozen=True, slots=True)
class Document:
    """What is open.

    Attributes:
        name: The program's name.
        path: The file it was opened from or last saved to; None when it has no file.
        description: The program's description of itself.
        iterations: The number of iterations its author suggests; None when unspecified.
        data: Names of its data sets.
        losses: Names of its losses.
        optimizers: Names of its optimizers.
        modified: Whether there are changes that no session file holds.
        recording: Of which script it is a recording; None for a program.
        alteration: What was changed in its session after GradStep wrote it; "" for nothing.
    """

    name: str
    path: Path | None = None
    description: str = ""
    iterations: int | None = None
    data: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    optimizers: tuple[str, ...] = ()
    modified: bool = False
    recording: Recording | None = None
    alteration: str = ""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A recording that a process left behind when it ended unexpectedly.

    Attributes:
        path: Its file.
        name: The name of the program or the script; empty when it cannot be told.
        changed: When it was written last, in seconds since 1970.
        size: What it takes on the disk, in bytes.
    """

    path: Path
    name: str
    changed: float
    size: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A command that failed: a `GradStepError` is the user's to fix, any other error is a bug."""

    task: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class ExplainAnswer:
    """Why a tensor has its current value.

    Attributes:
        event: The index of the Event after which it was asked.
        explanation: The tensor's last change.
        provenance: The contributions to its gradient.
        bindings: Which parameter group holds which tensor, for all tensors.
    """

    event: int
    explanation: Explanation
    provenance: tuple[Contribution, ...]
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class Ghost:
    """The curves of a branch other than the current one, from its fork on."""

    name: str
    curves: Curves


@dataclass(frozen=True, slots=True)
class BranchComparison:
    """A comparison of two branches, their ids, and the losses of each over all iterations."""

    comparison: Comparison
    branches: tuple[int, int]
    curves: tuple[Curves, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A branch's recorded Operations as a PyTorch script.

    Attributes:
        text: The script.
        is_test: Whether it is a test that compares the losses with the recorded ones.
        branch: The name of the branch.
        events: Its number of Events; with none, the script is the program's loop.
    """

    text: str
    is_test: bool
    branch: str
    events: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A program document being edited.

    Attributes:
        text: The document.
        path: Its file, in whose folder the data files are looked up; None when it has no file.
        files: The contents of the data files by name, when it has no file.
    """

    text: str
    path: Path | None = None
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """The result of building a program from a draft.

    Attributes:
        draft: The draft.
        message: A summary of the program, or the error.
        remedy: What to write instead; empty for a valid program.
        place: The range of characters that the error is about, end excluded; None when it is about
            no single place.
        is_valid: Whether the draft can be opened.
    """

    draft: Draft
    message: str
    remedy: str = ""
    place: tuple[int, int] | None = None
    is_valid: bool = False


@dataclass(frozen=True, slots=True)
class LessonPreview:
    """What a learner reads of a lesson that is being written.

    Attributes:
        title: The lesson's title.
        steps: Its steps; of a lesson that is not valid, as far as they can be shown.
        end: The last text.
    """

    title: str
    steps: tuple[StepRecord, ...] = ()
    end: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """What decides which Actions are enabled.

    Attributes:
        work: What the worker is doing.
        saving: A session is being written to a file, while everything else continues.
        recording: A script is being recorded, while everything else continues.
        has_recorded: A script was recorded that is not open yet.
        has_debugged: A script was debugged that this window can start again.
        can_go_back: There is an Event or a micro-step before the current moment.
        can_go_forward: There is an Event after it.
        has_loop: The program has a loop.
        has_data: The program has data sets, so that a batch can be held.
        modified: There are changes that no session file holds.
        has_recovery: A process that ended without closing left a recording.
        has_broken_document: The last program document to be opened has errors.
        is_inside: The current moment lies inside an Operation.
        has_removed_branch: A branch was removed and can be restored.
        has_overlays: There are other seeds or sessions to draw, whether or not a plot shows them.
        scrubbing: The user is dragging the time line.
        finding_before: There is a finding at an Event before the current moment.
        finding_after: There is a finding at a later Event.
        abilities: What can be done with what is open, and why not.
        has_lesson: A lesson leads through the program.
        next_kind: The kind of the next Operation, where only that can be applied; else empty.
        why_not_into: Why the next Operation cannot be stepped into; empty if it can be.
    """

    work: Work = "empty"
    saving: bool = False
    recording: bool = False
    has_recorded: bool = False
    has_debugged: bool = False
    can_go_back: bool = False
    can_go_forward: bool = False
    has_loop: bool = False
    has_data: bool = False
    modified: bool = False
    has_recovery: bool = False
    has_broken_document: bool = False
    is_inside: bool = False
    has_removed_branch: bool = False
    has_overlays: bool = False
    scrubbing: bool = False
    finding_before: bool = False
    finding_after: bool = False
    abilities: Abilities = field(default_factory=Abilities)
    has_lesson: bool = False
    next_kind: str = ""
    why_not_into: str = ""

    @property
    def changes_rapidly(self) -> bool:
        """Whether moments change faster than anyone can read them."""
        return self.work == "running" or self.scrubbing

    @classmethod
    def at(
        cls,
        work: Work,
        snapshot: Snapshot | None,
        document: Document | None,
        findings: Iterable[FindingOccurrences] = (),
    ) -> State:
        """Return the state at a moment.

        Args:
            work: What the worker is doing.
            snapshot: The current moment.
            document: What is open.
            findings: Where facts and suspicions that are not muted occurred.
        """
        if snapshot is None:
            return cls(work)
        inside, here = snapshot.inside is not None, snapshot.event_index
        abilities, following = snapshot.abilities, snapshot.next_operation
        bound_to = following if abilities.diverge else None
        findings = tuple(findings)
        return cls(
            work,
            can_go_back=snapshot.event_index > 0 or inside,
            can_go_forward=snapshot.event_index < snapshot.event_count,
            has_loop=snapshot.next_operation is not None,
            has_data=document is not None and bool(document.data),
            is_inside=inside,
            modified=document is not None and document.modified,
            finding_before=any(item.before(here) for item in findings),
            finding_after=any(item.after(here) for item in findings),
            abilities=abilities,
            next_kind="" if bound_to is None else _button_of(bound_to),
            why_not_into="" if following is None or inside else abilities.inside(following),
        )


def _button_of(operation: Operation) -> str:
    """Return the kind of the button that applies what comes next in a script.

    Before the Backward of a loss, it is unknown whether the call of a model is its Forward.
    """
    is_call = isinstance(operation, ScriptCall) and operation.call == "forward"
    return "forward" if is_call else kind_of(operation)
