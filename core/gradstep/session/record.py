"""Session: the contents of a `.gradstep` file as plain records."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import BranchFindings
    from gradstep.history.records.landscape import StoredLandscape
    from gradstep.history.records.lesson import LessonState
    from gradstep.program.schema.program_spec import ProgramSpec
    from gradstep.script.tape import Tape
    from gradstep.session.series_rows import SeriesRows

__all__ = ["Session", "SessionBranch"]


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SessionBranch:
    """One branch of a session.

    Attributes:
        id: Its number; 0 is the first branch.
        parent: The id of the branch it was forked from; None for the first.
        forked_at: The index of the last Event that it shares with its parent; 0 for none.
        name: Its name.
        events: Its own Events, from `forked_at + 1` on.
        checkpoints: State trees by the index of the Event after which they were taken.
        series: The rows that plots draw, one per iteration; None when they were not saved.
    """

    id: int = 0
    parent: int | None = None
    forked_at: int = 0
    name: str = ""
    events: Sequence[Event] = ()
    checkpoints: Mapping[int, Mapping[str, Any]] = field(default_factory=_nothing)
    series: SeriesRows | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A program, its branches, and what the user has set up around them.

    Attributes:
        spec: The program's document.
        files: The contents of the data files that the spec names, by path, so that the session
            opens on another machine.
        branches: At least one.
        branch: The id of the current branch.
        position: The index of the current Event.
        breakpoints: Their texts.
        watches: Their texts.
        findings: What the diagnostics found, by branch.
        layout: The window's arrangement, opaque to all but the window.
        landscapes: Landscapes that need not be computed again.
        lesson: How far the lesson is that was opened; None without one.
        tape: What a script did, when it is a script that was recorded; None for a program.
        altered: The tables of its file that were changed after GradStep wrote them.
    """

    spec: ProgramSpec
    files: Mapping[str, bytes] = field(default_factory=_nothing)
    branches: tuple[SessionBranch, ...] = (SessionBranch(),)
    branch: int = 0
    position: int = 0
    breakpoints: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    findings: tuple[BranchFindings, ...] = ()
    layout: bytes = b""
    landscapes: tuple[StoredLandscape, ...] = ()
    lesson: LessonState | None = None
    tape: Tape | None = None
    altered: tuple[str, ...] = ()
