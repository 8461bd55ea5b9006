"""Where the present training of a script began, and the curves since then.

A script may train one model after the other under the same names, as in a loop over learning rates
or over the folds of a validation. What is read from a curve must not be compared across them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gradstep.program.operation import ScriptCall, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.log.event_log import EventLog
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["Curves", "CurvesSince", "Trainings"]

_BEGINS = frozenset(("new_tensors", "load_state_dict"))
"""Calls after which a model has other values than its Steps have given it."""


class Curves(Protocol):
    """What the rules read of a Series, or of its last rows."""

    @property
    def tensors(self) -> Sequence[str]:
        """The names of the tensors that have curves."""

    @property
    def losses(self) -> Sequence[str]:
        """The losses."""

    @property
    def weights(self) -> Sequence[str]:
        """The tensors of more than one dimension."""

    @property
    def ends(self) -> Sequence[tuple[str, str]]:
        """The first and the last weight of each model."""

    def __len__(self) -> int: ...

    def place(self, name: str) -> int:
        """Return the position of a column in the rows of `tail`."""

    def size(self, tensor: str) -> int:
        """Return how many elements a tensor has."""

    def tail(self, rows: int) -> NDArray[np.floating]:
        """Return the last rows, or all when there are fewer."""

    def column(
        self, name: str, since: int = 0
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the iterations and the values of a column from a row on."""


class CurvesSince:
    """Curves from one of their rows on.

    Args:
        curves: All rows.
        first: The number of the first row.
    """

    def __init__(self, curves: Curves, first: int) -> None:
        self._curves = curves
        self._first = first
        self.tensors, self.losses = curves.tensors, curves.losses
        self.weights, self.ends = curves.weights, curves.ends

    def __len__(self) -> int:
        return len(self._curves) - self._first

    def place(self, name: str) -> int:
        """Return the position of a column in the rows of `tail`."""
        return self._curves.place(name)

    def size(self, tensor: str) -> int:
        """Return how many elements a tensor has."""
        return self._curves.size(tensor)

    def tail(self, rows: int) -> NDArray[np.floating]:
        """Return the last rows, or all when there are fewer."""
        return self._curves.tail(min(rows, len(self)))

    def column(
        self, name: str, since: int = 0
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the iterations and the values of a column from a row on."""
        return self._curves.column(name, self._first + since)


class Trainings:
    """Follows where trainings of a script begin.

    One begins where tensors that an optimizer holds are replaced or loaded, and with the first Step
    that moves none of the tensors that any Step has moved before.

    Args:
        script: The script.

    Attributes:
        begun: The Event with which the present one began; 0 for the first.
    """

    def __init__(self, script: Debuggee) -> None:
        self._script = script
        self._moved: set[str] = set()
        self._known: set[int] = set()
        self.begun = 0

    def catch_up(self, log: EventLog, up_to: int) -> None:
        """Follow a branch that already has Events, up to one of them."""
        self._moved, self._known = set(), set()
        begins = log.find(0, up_to, operation=_replaces, reads_writes=self._are_held)
        self.begun = int(begins[-1]) if len(begins) else 0
        for event in log.find(0, up_to, operation=_is_step).tolist():
            if self._moves_others(log.reads_writes(event)):
                self.begun = max(self.begun, event)

    def observe(self, seen: AppliedEvent) -> bool:
        """Return whether a training begins with an Event that has just been recorded."""
        if _is_step(seen.operation):
            begins = self._moves_others(seen.reads_writes)
        else:
            begins = _replaces(seen.operation) and self._are_held(seen.reads_writes)
        if begins:
            self.begun = seen.index
        return begins

    def _moves_others(self, reads_writes: ReadsWrites) -> bool:
        """Return whether a Step moves only what no Step has moved; note what it moves."""
        if reads_writes.id in self._known:
            return False
        self._known.add(reads_writes.id)
        before, moved = bool(self._moved), reads_writes.written_tensors
        others = self._moved.isdisjoint(moved)
        self._moved.update(moved)
        return before and others and bool(moved)

    def _are_held(self, reads_writes: ReadsWrites) -> bool:
        held = {item.address for item in self._script.optimizer_tensors}
        return not held.isdisjoint(reads_writes.written_tensors)


def _is_step(operation: Operation) -> bool:
    return type(operation) is Step


def _replaces(operation: Operation) -> bool:
    return type(operation) is ScriptCall and operation.call in _BEGINS
