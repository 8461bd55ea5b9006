"""Session: all that a `.gradstep` file holds, as plain records that know no file."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import Finding
    from gradstep.program.schema.program_spec import ProgramSpec
    from gradstep.session.series_rows import SeriesRows

__all__ = ["Session", "SessionBranch"]


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SessionBranch:
    """One line of Events.

    Attributes:
        id: Its number; 0 is the first line.
        parent: The branch it left, or None.
        forked_at: The index of the last Event that it shares with its parent; 0 for none.
        name: What people call it.
        events: Its own Events, from `forked_at + 1` on.
        checkpoints: State trees by the index of the Event after which they were taken.
        series: What plots draw, a row an iteration; None when it was not kept.
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
    """A History and what a person has set up around it.

    Attributes:
        spec: The program's document.
        files: The data files that the spec names, by the path it names them with: a session opens
            on another machine.
        branches: At least one.
        branch: The id of the branch that is looked at.
        position: The index of the Event that is looked at.
        breakpoints: Their expressions.
        watches: Their expressions.
        findings: What the diagnostics have said.
        layout: The window's arrangement, which only the window understands.
    """

    spec: ProgramSpec
    files: Mapping[str, bytes] = field(default_factory=_nothing)
    branches: tuple[SessionBranch, ...] = (SessionBranch(),)
    branch: int = 0
    position: int = 0
    breakpoints: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    layout: bytes = b""
