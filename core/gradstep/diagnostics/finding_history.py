"""A finding with every Event at which it was observed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.diagnostics.script_edits.named import Named
from gradstep.diagnostics.script_edits.proposed_edit import proposed_edit
from gradstep.diagnostics.tables.registry import REGISTRY
from gradstep.diagnostics.tables.script_texts import SCRIPT_TEXTS, ScriptText
from gradstep.history.records.finding import (
    Finding,
    FindingOccurrences,
    FindingRecord,
    packed_indices,
)
from gradstep.program.operation import ScriptCall

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Severity
    from gradstep.program.operation import Operation

__all__ = ["FindingHistory", "ScriptLines"]

CITED = 12
"""Occurrences of one finding whose Events are cited: the first ones."""

_FIRST_CAPACITY = 4


class ScriptLines(NamedTuple):
    """What the findings on a person's own script name.

    Attributes:
        log: The Events, with their lines.
        files: The texts of the script's own files by name.
        optimizers: The names of its optimizers.
        tensors: The names of its tensors.
    """

    log: EventLog
    files: Mapping[str, str]
    optimizers: Sequence[str]
    tensors: Collection[str]


class FindingHistory:
    """A finding with every occurrence, so that it can be shown as of any Event.

    Args:
        first: The first occurrence.

    Attributes:
        first: The first occurrence.
        first_event: The Event that showed it; 0 when the program itself does.
    """

    __slots__ = ("_cited", "_indices", "first", "first_event")

    def __init__(self, first: Observation) -> None:
        self.first = first
        self.first_event = first.events[-1] if first.events else 0
        self._cited: list[tuple[int, ...]] = []
        self._indices = _EventIndices(self.first_event)

    @classmethod
    def of(cls, record: FindingRecord) -> FindingHistory:
        """Return a finding that a session stored."""
        found = cls(
            Observation(
                record.id,
                record.subjects,
                record.events,
                record.note,
                record.value,
                record.threshold,
                record.cause,
            )
        )
        found._cited = list(record.cited)
        found._indices = _EventIndices(*record.occurrences.tolist())
        return found

    @property
    def record(self) -> FindingRecord:
        """All of it, to be stored."""
        first = self.first
        return FindingRecord(
            first.id,
            first.subjects,
            first.events,
            first.note,
            first.value,
            first.threshold,
            first.cause,
            tuple(self._cited),
            packed_indices(self._indices.events),
        )

    @property
    def severity(self) -> Severity:
        """The severity of the diagnostic."""
        return REGISTRY[self.first.id].severity

    def is_shown(self, event: int) -> bool:
        """Whether it is shown at the moment after an Event."""
        return self.first_event <= event or REGISTRY[self.first.id].is_timeless

    @property
    def occurrences(self) -> FindingOccurrences:
        """Every Event that showed it."""
        entry = REGISTRY[self.first.id]
        return FindingOccurrences(
            entry.id, self.first.subjects, entry.severity, entry.title, self._indices.events
        )

    def add(self, observation: Observation) -> None:
        """Add one more occurrence; what a replay shows may be earlier than the first."""
        if not observation.events:
            return
        event = observation.events[-1]
        self._indices.add(event)
        if event < self.first_event:
            self._cited = [self.first.events, *self._cited[: CITED - 2]]
            self.first, self.first_event = observation, event
        elif len(self._cited) < CITED - 1:
            self._cited.append(observation.events)

    def fork(self, event: int) -> FindingHistory:
        """Return a copy without the occurrences after an Event."""
        other = FindingHistory(self.first)
        other._cited = [events for events in self._cited if events[-1] <= event]
        other._indices = self._indices.fork(event)
        return other

    def finding(self, up_to: int, script: ScriptLines | None = None) -> Finding:
        """Return the finding as it stood after an Event.

        Args:
            up_to: The Event.
            script: The lines of a person's own script, which are named; None of a program.
        """
        first = self.first
        entry = REGISTRY[first.id]
        detail, remedy, trial, edit = entry.detail, entry.remedy, entry.trial, ""
        if script is not None:
            text = SCRIPT_TEXTS.get(first.id, ScriptText(remedy))
            detail, remedy, trial = text.detail or detail, text.remedy, ""
            edit = _edit(first, script)
        cited = dict.fromkeys(first.events)
        for events in self._cited:
            if events[-1] <= up_to:
                cited.update(dict.fromkeys(events))
        count = max(1, self._indices.count(up_to))
        threshold = entry.threshold if first.threshold is None else first.threshold
        words = {**_words(first, script), "threshold": _number(threshold)}
        return Finding(
            id=entry.id,
            severity=entry.severity,
            title=entry.title,
            detail=detail.format(**words),
            remedy=remedy.format(**words),
            events=tuple(sorted(cited)),
            subjects=first.subjects,
            value=first.value,
            threshold=threshold if entry.severity == "suspicion" else None,
            source=entry.source,
            trial=trial,
            edit=edit,
            count=count,
            last=int(self._indices.events[count - 1]),
        )


def _words(observation: Observation, script: ScriptLines | None) -> dict[str, str]:
    """Return what the placeholders in the text of a diagnostic stand for."""
    places = ["" if script is None else _place(script.log, event) for event in observation.events]
    events = [
        f"#{event:,} ({place})" if place else f"#{event:,}"
        for event, place in zip(observation.events, places, strict=True)
    ]
    lines = [place or event for place, event in zip(places, events, strict=True)] or [""]
    several = len(observation.subjects) > 1
    return {
        "names": joined_names(observation.subjects),
        "them": "them" if several else "it",
        "are": "are" if several else "is",
        "were": "were" if several else "was",
        "events": joined_names(tuple(events)),
        "first": events[0] if events else "",
        "second": events[min(1, len(events) - 1)] if events else "",
        "last": events[-1] if events else "",
        "at_first": lines[0],
        "at_second": lines[min(1, len(lines) - 1)],
        "at_last": lines[-1],
        "cause": observation.cause,
        "note": observation.note,
        "value": _number(observation.value),
    }


def _edit(observation: Observation, script: ScriptLines) -> str:
    """Return the change of the script that clears a finding; empty where none is sure to."""
    log, events = script.log, observation.events
    calls = [event for event in events if not _is_by_hand(_operation(log, event))]
    optimizers = tuple(script.optimizers)
    named = _named(observation, optimizers, script.tensors) or Named(optimizers)
    if observation.id == "grad-accumulated" and len(calls) < len(events):
        named = Named(by_hand=observation.subjects)
    places = [_place(log, event) for event in (calls if named.by_hand else events)]
    if named.line:
        places = [named.line]
    return proposed_edit(observation.id, named, places, script.files)


def _named(
    observation: Observation, optimizers: tuple[str, ...], tensors: Collection[str]
) -> Named | None:
    """Return the variables that the change for a finding names; None if only optimizers."""
    first, note, cause = observation.subjects[:1], observation.note, observation.cause
    are_modules = not any(name in tensors for name in observation.subjects)
    named = {
        "criterion-mismatch": Named(loss="".join(first), fit=cause),
        "criterion-out-of-range": Named(loss="".join(first), line=cause, fit="BCELoss Linear"),
        "evaluation-in-training-mode": Named(modules=observation.subjects),
        "mode-left-eval": Named(modules=observation.subjects),
        "gradient-of-result": Named(by_hand=observation.subjects, line=cause),
        "learning-rate-loaded": Named(optimizer="".join(first), line=cause),
        "leaf-changed-in-place": Named(by_hand=observation.subjects, line=cause),
        "network-aliased": Named(modules=observation.subjects, line=cause),
        "parameter-rebound": Named(by_hand=observation.subjects, line=cause),
        "freeze-without-effect": Named(modules=observation.subjects, attribute=note),
        "graph-carried": Named(carried=observation.subjects),
        "sampler-epoch-not-set": Named(loader="".join(first)),
        "sum-of-batches": Named(divisor=cause),
        "total-keeps-graphs": Named(total="".join(first), loss=note),
        "broadcast-loss": Named(loss="".join(first), expanded=note),
        "grad-reused": Named(optimizers, optimizer=cause.lstrip(". ").partition(" ")[0]),
        "scheduler-of-idle-optimizer": Named(scheduler="".join(first), optimizer=note),
        "optimizer-orphan": Named(plain="" if " and " in cause else cause),
        "gradients-of-two-losses": Named(uncleared="".join(first) if "zero_grad" in cause else ""),
        "optimizer-stale": Named(unheld=observation.subjects, optimizer=note),
        "parameters-left-out": Named(
            modules=observation.subjects if are_modules else (),
            unheld=observation.subjects,
            optimizer=note,
        ),
        "one-step-of-two": Named(spared="".join(first) if first == observation.subjects else ""),
    }
    return named.get(observation.id)


def _place(log: EventLog, event: int) -> str:
    """Return the line of a script that an Event belongs to, such as "train.py:12"."""
    operation = _operation(log, event)
    if operation is None or not operation.at:
        return ""
    # What is done by hand is noticed at the call that follows.
    is_before = _is_by_hand(operation) and not operation.is_line_known
    return f"before {operation.at}" if is_before else operation.at


def _operation(log: EventLog, event: int) -> Operation | None:
    return log.operation(event) if 0 < event <= len(log) else None


def _is_by_hand(operation: Operation | None) -> TypeGuard[ScriptCall]:
    return isinstance(operation, ScriptCall) and operation.call.endswith("_by_hand")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


class _EventIndices:
    """Indices of Events in ascending order, to which more are added.

    Entries never change once added, so `events` is a view and not a copy: a caller that holds it
    keeps seeing the same Events while the run continues.

    Args:
        events: At least one.

    Example:
        >>> indices = _EventIndices(4)
        >>> for event in (8, 8, 12, 6):
        ...     indices.add(event)
        >>> indices.events.tolist(), indices.count(11), indices.fork(11).events.tolist()
        ([4, 6, 8, 12], 3, [4, 6, 8])
    """

    __slots__ = ("_events", "_length")

    def __init__(self, *events: int) -> None:
        known = np.unique(np.array(events, np.int64))
        self._length = len(known)
        self._events = np.empty(max(_FIRST_CAPACITY, self._length), np.int64)
        self._events[: self._length] = known

    @property
    def events(self) -> NDArray[np.int64]:
        """All of them, read-only."""
        events = self._events[: self._length]
        events.flags.writeable = False
        return events

    def add(self, event: int) -> None:
        """Add an Event; adding one again changes nothing."""
        length = self._length
        if event <= self._events[length - 1]:
            if event not in self._events[:length]:
                at = self.count(event)
                self._events = np.insert(self._events[:length], at, event)
                self._length += 1
            return
        if length == len(self._events):
            self._events = np.resize(self._events, 2 * length)
        self._events[length] = event
        self._length += 1

    def count(self, up_to: int) -> int:
        """Return how many there are up to an Event."""
        return int(np.searchsorted(self._events[: self._length], up_to, side="right"))

    def fork(self, up_to: int) -> _EventIndices:
        """Return a copy with the Events up to one of them, and always with the first."""
        other = _EventIndices(int(self._events[0]))
        other._length = max(1, self.count(up_to))
        other._events = np.resize(self._events[: other._length], 2 * other._length)
        return other
