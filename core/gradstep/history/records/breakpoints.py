"""Breakpoints and watches as the records that sessions keep and views see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from gradstep.history.records.tensor import TensorRecord

__all__ = [
    "ANY",
    "MAX_BREAKS",
    "BreakpointRecord",
    "BreakpointSpec",
    "Breaks",
    "LogLine",
    "StopKind",
    "Unknown",
    "WatchRecord",
    "WatchValue",
]

MAX_BREAKS = 200
"""Breakpoints of one session, and likewise watches; a run evaluates them all."""

ANY = "any"
"""Stands for every kind of Operation."""

StopKind = Literal["breakpoint", "iterations", "failed", "asked", "start", "broken"]
"""Why a run stopped: a breakpoint was hit, as many iterations as asked are done, an Operation was
refused, somebody asked it to, the very start was reached going back, or a breakpoint could not be
computed."""


class BreakpointSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a breakpoint is to do; a session keeps it as its JSON.

    Attributes:
        expression: The condition.
        before: Kinds of Operation before which it is asked, such as "backward"; "any" for all.
        after: Kinds after which it is asked.
        hits: It stops from this hit on; those before are only counted.
        log: A text with `{expressions}` to note instead of stopping; None to stop.
        enabled: Whether it is asked at all.
    """

    expression: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    hits: int = 1
    log: str | None = None
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class BreakpointRecord:
    """A breakpoint as it stands.

    Attributes:
        id: Its number, for ever.
        spec: What it is to do.
        count: How often it was hit.
        error: Why it cannot be asked; empty when it can.
        column: Where in the expression that is, from 1; None when it is no one place.
        after: The kinds after which it is asked, where its `spec` leaves that open too.
    """

    id: int
    spec: BreakpointSpec
    count: int = 0
    error: str = ""
    column: int | None = None
    after: tuple[str, ...] = ()


class Unknown:
    """Stands for a value that was not computed, which is not the same as None."""


WatchValue: TypeAlias = "float | bool | TensorRecord | None"


@dataclass(frozen=True, slots=True)
class WatchRecord:
    """A watch at a moment.

    Attributes:
        id: Its number, for ever.
        expression: What is watched.
        value: A number, a truth value, an array's record, or None where there is nothing.
        before: The value before the last Event; `Unknown` when it was not computed.
        changed: Whether the last Event changed it.
        moved: Of an array, the Euclidean norm of what the last Event added; None otherwise.
        error: Why it cannot be computed; empty when it can.
        column: Where in the expression that is, from 1; None when it is no one place.
    """

    id: int
    expression: str
    value: WatchValue = None
    before: WatchValue | type[Unknown] = Unknown
    changed: bool = False
    moved: float | None = None
    error: str = ""
    column: int | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """What a breakpoint noted instead of stopping.

    Attributes:
        event: The Event after which it was hit.
        breakpoint: The breakpoint's number.
        text: The line.
    """

    event: int
    breakpoint: int
    text: str


@dataclass(frozen=True, slots=True)
class Breaks:
    """All breakpoints and watches at a moment, and why the last run stopped.

    Attributes:
        breakpoints: In the order in which they were set.
        watches: In the order in which they were added.
        lines: What was noted lately, oldest first.
        sentence: Why the last run stopped; empty once something else was done.
        kind: The same, in one word; empty likewise.
        hit: The number of the breakpoint that stopped it; None when none did.
        hits: The latest Events after which a breakpoint stopped a run.
    """

    breakpoints: tuple[BreakpointRecord, ...] = ()
    watches: tuple[WatchRecord, ...] = ()
    lines: tuple[LogLine, ...] = ()
    sentence: str = ""
    kind: StopKind | Literal[""] = ""
    hit: int | None = None
    hits: frozenset[int] = frozenset()
