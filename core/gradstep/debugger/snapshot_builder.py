"""Camera: takes the Snapshots of a Debugger, each moment once, and only what has changed anew."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.history.graph_taker import GraphTaker
from gradstep.history.snapshot_taker import SnapshotTaker
from gradstep.program.operation import Step

if TYPE_CHECKING:
    from collections.abc import Collection

    from gradstep.history.history import History
    from gradstep.history.records.finding import Finding, FindingOccurrences
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.operation import Operation
    from gradstep.program.program import Program

__all__ = ["Camera"]


class Camera:
    """The one owner of what is remembered from Snapshot to Snapshot.

    Args:
        program: The live program.
    """

    __slots__ = ("_graphs", "_history", "_last", "_position", "_program", "_steps", "_taker")

    def __init__(self, program: Program) -> None:
        self._program = program
        self._taker = SnapshotTaker(program)
        self._graphs = GraphTaker(program)
        self._history: History | None = None
        self._position = 0
        self._steps: dict[str, int] = {}
        self._last: tuple[tuple[object, object], Snapshot] | None = None

    def take(
        self,
        history: History,
        position: int,
        wanted: Collection[str] | None,
        findings: tuple[Finding, ...],
        occurrences: tuple[FindingOccurrences, ...],
    ) -> Snapshot:
        """Return the moment at which the program stands.

        Args:
            history: The branch that is looked at.
            position: The Event that is looked at.
            wanted: Addresses whose whole arrays shall be in it; None for all.
            findings: What the diagnostics say.
            occurrences: Where they were noticed.
        """
        asked = None if wanted is None else frozenset(wanted)
        moved = history is not self._history or position != self._position
        if moved:
            self._move(history, position)
        elif self._last is not None and self._last[0] == (asked, findings):
            return self._last[1]
        log = history.log
        graphs = {
            loss: graph
            if loss in self._program.losses_in_progress
            else replace(graph, passes=log.passes(loss, position))
            for loss, graph in self._graphs.take(asked).items()
        }
        snapshot = self._taker.take(
            log.event(position) if position else None,
            len(log),
            wanted=asked,
            last_loss=log.last_loss(position),
            steps=dict(self._steps),
            findings=findings,
            occurrences=occurrences,
            graphs=MappingProxyType(graphs),
        )
        self._last = (asked, findings), snapshot
        return snapshot

    def forget(self, written: Collection[str] | None = None) -> None:
        """Take the next Snapshot anew: the program has moved without an Event.

        Args:
            written: Addresses at which it may have changed; None for all.
        """
        self._taker.forget(written)
        self._last = None

    def _move(self, history: History, position: int) -> None:
        """Forget what differs between the moment of the last Snapshot and this one."""
        log = history.log
        known = self._position if history is self._history else 0
        if history is self._history:
            # Forwards or backwards: only what the Events between have written can differ.
            self._taker.forget(log.written_between(*sorted((known, position))))
        else:
            self._taker.forget(None)
            self._steps = dict.fromkeys(self._program.optimizers, 0)
        for name in self._steps:
            counted = len(
                log.find(
                    *sorted((known, position)),
                    operation=partial(_steps, name),
                    outcome=lambda outcome: outcome.ok,
                )
            )
            self._steps[name] += counted if position >= known else -counted
        self._history, self._position, self._last = history, position, None


def _steps(optimizer: str, operation: Operation) -> bool:
    return isinstance(operation, Step) and operation.optimizer == optimizer
