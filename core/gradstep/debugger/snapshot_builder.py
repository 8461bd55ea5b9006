"""SnapshotBuilder: makes Snapshots, each moment once, and only the parts that have changed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.debugger.cursor import quiet
from gradstep.debugger.event_describer import EventDescriber
from gradstep.history.graph_taker import GraphTaker
from gradstep.history.snapshot_taker import SnapshotTaker
from gradstep.program.operation import Step

if TYPE_CHECKING:
    from collections.abc import Collection

    from gradstep.debugger.cursor import Cursor
    from gradstep.debugger.operation_walk import OperationWalk
    from gradstep.history.history import History
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.operation import Operation

__all__ = ["SnapshotBuilder"]


class SnapshotBuilder:
    """The one owner of the cache from Snapshot to Snapshot.

    Args:
        cursor: The live program's place in time; it reports what walks touch to `forget`.
    """

    __slots__ = (
        "_cursor",
        "_describer",
        "_graphs",
        "_history",
        "_last",
        "_position",
        "_steps",
        "_taker",
    )

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._taker = SnapshotTaker(cursor.program)
        self._graphs = GraphTaker(cursor.program)
        self._describer = EventDescriber(cursor)
        self._history: History | None = None
        self._position = 0
        self._steps: dict[str, int] = {}
        self._last: tuple[tuple[object, object], Snapshot] | None = None
        cursor.touched = self.forget

    @quiet
    def take(self, wanted: Collection[str] | None, *, compare: bool = True) -> Snapshot:
        """Return the current moment, also inside an Operation.

        Args:
            wanted: Addresses whose whole arrays it holds, such as "model.0.weight" or
                "model.0.weight.grad"; None for all. It holds summaries of the others.
            compare: Whether its sentence gives values before the Event, which may take a replay.
        """
        snapshot = self._at_event(None if wanted is None else frozenset(wanted))
        walk, sentence = self._cursor.walk, self._describer.sentence(compare=compare)
        if walk is not None:
            return replace(_inside(snapshot, walk), sentence=sentence)
        if snapshot.sentence != sentence:
            snapshot = replace(snapshot, sentence=sentence)
            if self._last is not None:
                self._last = self._last[0], snapshot
        return snapshot

    def _at_event(self, wanted: frozenset[str] | None) -> Snapshot:
        """Return the state of the program, apart from the walk that it is in."""
        cursor = self._cursor
        history, position = cursor.history, cursor.position
        findings, occurrences = cursor.findings, cursor.occurrences
        if history is not self._history or position != self._position:
            self._move(history, position)
        elif self._last is not None and self._last[0] == (wanted, findings):
            last = self._last[1]
            if last.next_operation == cursor.next_operation:  # else the script has ended meanwhile
                return last
        log, metrics = history.log, cursor.program.spec.metrics
        graphs = {
            loss: graph
            if loss in cursor.program.losses_in_progress
            else replace(graph, passes=log.passes(loss, position))
            for loss, graph in self._graphs.take(wanted).items()
        }
        snapshot = self._taker.take(
            log.event(position) if position else None,
            len(log),
            wanted=wanted,
            last_loss=log.last_loss(position, metrics),
            metrics=frozenset(metrics),
            steps=dict(self._steps),
            findings=findings,
            occurrences=occurrences,
            graphs=MappingProxyType(graphs),
        )
        # A failed Event is not replayed, so the mirror of a script does not know that it comes
        # next.
        following = cursor.next_operation
        recorded = None if cursor.is_at_end else log.event(position + 1).operation
        if (following, recorded) != (snapshot.next_operation, None):
            snapshot = replace(snapshot, next_operation=following, recorded_next=recorded)
        self._last = (wanted, findings), snapshot
        return snapshot

    def forget(self, written: Collection[str] | None = None) -> None:
        """Drop cached parts: the program changed without an Event.

        Args:
            written: Addresses at which it may have changed; None for all.
        """
        self._taker.forget(written)
        self._last = None

    def _move(self, history: History, position: int) -> None:
        """Drop the parts that differ between the moment of the last Snapshot and this one."""
        log = history.log
        known = self._position if history is self._history else 0
        if history is self._history:
            # Forwards or backwards: only what the Events in between wrote can differ.
            self._taker.forget(log.written_between(*sorted((known, position))))
        else:
            self._taker.forget(None)
            self._steps = dict.fromkeys(self._cursor.program.optimizers, 0)
        for name in self._steps:
            counted = len(
                log.find(
                    *sorted((known, position)),
                    operation=partial(_is_step_of, name),
                    outcome=lambda outcome: outcome.ok,
                )
            )
            self._steps[name] += counted if position >= known else -counted
        self._history, self._position, self._last = history, position, None


def _is_step_of(optimizer: str, operation: Operation) -> bool:
    return isinstance(operation, Step) and operation.optimizer == optimizer


def _inside(snapshot: Snapshot, walk: OperationWalk) -> Snapshot:
    """Add the position of a walk to a Snapshot."""
    loss, progress = walk.progress.at(walk.index)
    return replace(
        snapshot,
        graphs=MappingProxyType(
            {
                name: replace(graph, progress=progress) if name == loss else graph
                for name, graph in snapshot.graphs.items()
            }
        ),
        micro_step=walk.step,
        inside=walk.operation,
        micro_step_number=walk.index,
    )
