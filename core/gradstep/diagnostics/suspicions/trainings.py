"""Where the present training of a script began, and the curves since then.

A script may train one model after the other under the same names, as in a loop over learning rates
or over the folds of a validation. What is read from a curve must not be compared across them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from gradstep.program.operation import ScriptCall, Step

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
    of an optimizer that shares no tensor with those that have stepped before.

    Args:
        script: The script.

    Attributes:
        begun: The Event with which the present one began; 0 for the first.
    """

    def __init__(self, script: Debuggee) -> None:
        self._script = script
        self._stepped: set[str] = set()
        self.begun = 0

    def catch_up(self, log: EventLog, up_to: int) -> None:
        """Follow a branch that already has Events, up to one of them."""
        self._stepped.clear()
        first_steps: dict[int, str] = {}
        for name in self._script.optimizers:
            steps = log.find(0, up_to, operation=partial(_is_step, name))
            if len(steps):
                first_steps[int(steps[0])] = name
        begins = log.find(0, up_to, operation=_replaces, reads_writes=self._are_held)
        self.begun = int(begins[-1]) if len(begins) else 0
        for event, name in sorted(first_steps.items()):
            if self._is_another(name):
                self.begun = max(self.begun, event)
            self._stepped.add(name)

    def observe(self, seen: AppliedEvent) -> bool:
        """Return whether a training begins with an Event that has just been recorded."""
        operation = seen.operation
        if type(operation) is Step and operation.optimizer not in self._stepped:
            begins = self._is_another(operation.optimizer)
            self._stepped.add(operation.optimizer)
        else:
            begins = _replaces(operation) and self._are_held(seen.reads_writes)
        if begins:
            self.begun = seen.index
        return begins

    def _is_another(self, optimizer: str) -> bool:
        before = self._held(self._stepped)
        return bool(before) and before.isdisjoint(self._held((optimizer,)))

    def _are_held(self, reads_writes: ReadsWrites) -> bool:
        held = self._held(self._script.optimizers)
        return not held.isdisjoint(reads_writes.written_tensors)

    def _held(self, optimizers: Collection[str]) -> set[str]:
        return {
            item.address for item in self._script.optimizer_tensors if item.optimizer in optimizers
        }


def _is_step(optimizer: str, operation: Operation) -> bool:
    return type(operation) is Step and operation.optimizer == optimizer


def _replaces(operation: Operation) -> bool:
    return type(operation) is ScriptCall and operation.call in _BEGINS
