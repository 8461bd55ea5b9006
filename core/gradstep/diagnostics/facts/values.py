"""Facts about values: NaN and infinity, and parameters that move without a gradient."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.history.live_values import array_of, gradient_of
from gradstep.program.operation import (
    Backward,
    LoadState,
    RebuildModule,
    SetValue,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.history.curves.series import Series
    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.log.event_log import EventLog
    from gradstep.program.program import Program

__all__ = ["ValueRule"]


_WRITERS = frozenset((LoadState, RebuildModule, SetValue))
"""Operations that write parameters besides Step: they may have moved what did not learn."""


class ValueRule:
    """Reads the norms that the Series measure anyway.

    Values that are not finite are found with the Event; parameters that moved without a gradient at
    the next `settle`, when the Series have measured several rows together.

    Args:
        program: The live program, inspected only when a norm is not finite.
    """

    __slots__ = ("_columns", "_finite", "_looked", "_program", "_rows")

    def __init__(self, program: Program) -> None:
        self._program = program
        self._columns: tuple[list[int], list[int]] | None = None
        self._looked = 0
        self.rewind(1, 0, finite=True)

    def rewind(self, rows: int, event: int, *, finite: bool) -> None:
        """Start again at a row of the Series.

        Args:
            rows: How many rows there are.
            event: The last Event.
            finite: Whether all was finite up to it.
        """
        self._rows, self._finite = rows, finite
        self._looked = min(self._looked, event)

    def look(self, event: int) -> Iterator[Observation]:
        """Yield the fact that optimizer state is not finite, although all else is.

        A square overflows long before a gradient does, and an update divided by infinity is 0:
        the parameter stops moving, and nothing else shows why.

        Args:
            event: The Event just done.
        """
        since, self._looked = self._looked, event
        if not self._finite:
            return
        for name, optimizer in self._program.optimizers.items():
            broken = _broken_state(self._program, optimizer.state)
            if broken:
                self._finite = False
                entries = joined_names(tuple(dict.fromkeys(entry for _, entry in broken)))
                tensors = tuple(dict.fromkeys(tensor for tensor, _ in broken))
                then = f"#{since:,}" if since else "the start"
                note = (
                    f"{entries} of {joined_names(tensors)} in {name} became NaN or infinite after "
                    f"{then}"
                )
                yield Observation(
                    "non-finite", tensors, (since, event) if since else (event,), note
                )
                return

    def observe(self, seen: AppliedEvent, history: History) -> Iterable[Observation]:
        """Return the facts about an Event that left a value NaN or infinite."""
        fact = self._not_finite(seen) if self._finite else None
        if fact is None:
            return ()
        before = tuple(self.settle(history))
        self._finite = False
        return (*before, fact)

    def settle(self, history: History) -> Iterator[Observation]:
        """Yield the facts that the rows since the last call show, while all values are finite."""
        series = history.series
        since, self._rows = self._rows, len(series)
        if since == len(series) or not self._finite:
            return
        if self._columns is None:
            self._columns = (
                [series.place(f"norm/{name}.grad") for name in series.tensors],
                [series.place(f"update/{name}") for name in series.tensors],
            )
        rows = series.tail(len(series) - since)
        gradients, updates = (rows[:, columns] for columns in self._columns)
        moved = (gradients == 0.0) & (updates > 0.0)
        if not moved.any():
            return
        moved[:, self._moved_by_closure(series)] = False
        tensors = self._program.tensors
        ends = series.column("event", since - 1)[1].astype(np.int64)
        stepped = _rows_with((Step,), history.log, ends)
        written = _rows_with(_WRITERS, history.log, ends)
        for row in np.setdiff1d(stepped, written).tolist():
            reached = _reached(history.log, int(ends[row - 1]), int(ends[row]))
            names = tuple(
                name
                for at in np.flatnonzero(moved[row - 1]).tolist()
                if (name := series.tensors[at]) not in reached
                and tensors[name].requires_grad  # frozen ones have a fact of their own
            )
            if names:
                event = int(ends[row])
                yield Observation("moved-without-gradient", names, (event,), self._mover(names))

    def _not_finite(self, seen: AppliedEvent) -> Observation | None:
        operation, tensors = seen.operation, self._program.tensors
        if seen.loss is not None and not isfinite(seen.loss):
            return _broken("value", seen.reads_writes.written_losses, seen.index)
        if type(operation) is not ZeroGrad:
            written = [name for name in seen.reads_writes.written_gradients if name in tensors]
            broken = tuple(name for name in written if not _is_finite(gradient_of(tensors[name])))
            if broken:
                return _broken("gradient", broken, seen.index)
        if seen.completes:
            broken = tuple(name for name in tensors if not _is_finite(array_of(tensors[name])))
            if broken:
                return _broken("data", broken, seen.index)
        return None

    def _moved_by_closure(self, series: Series) -> list[int]:
        """Return the tensors that an optimizer moves by gradients it computes within a Step."""
        program = self._program
        names = {
            binding.address
            for binding in program.optimizer_tensors
            if program.optimizers[binding.optimizer].needs_closure
        }
        return [at for at, name in enumerate(series.tensors) if name in names]

    def _mover(self, names: tuple[str, ...]) -> str:
        """Return what moved tensors without a gradient: weight decay, or momentum."""
        moved = {id(self._program.tensors[name]) for name in names}
        causes: dict[str, None] = {}
        for optimizer in self._program.optimizers.values():
            for group in optimizer.param_groups:
                held = [tensor for tensor in group["params"] if id(tensor) in moved]
                if held and group.get("weight_decay"):
                    causes["weight decay"] = None
                if any(optimizer.state.get(tensor) for tensor in held):
                    causes["the memory of earlier gradients"] = None
        return " and ".join(causes) or "its optimizer"


def _broken(what: str, names: tuple[str, ...], event: int) -> Observation:
    note = f"The {what} of {joined_names(names)} became NaN or infinite"
    return Observation("non-finite", names, (event,), note)


def _broken_state(program: Program, state: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """Return the tensors whose optimizer state is not finite, with the names of the entries."""
    names = {id(tensor): name for name, tensor in program.tensors.items()}
    return [
        (names[id(tensor)], entry)
        for tensor, entries in state.items()
        if id(tensor) in names
        for entry, value in entries.items()
        if (array := getattr(value, "_array", None)) is not None
        and array.dtype.kind == "f"
        and not _is_finite(array)
    ]


def _reached(log: EventLog, after: int, up_to: int) -> frozenset[str]:
    """Return the tensors whose gradients some Backward wrote, even if with zeros.

    The gradient of a bias before a normalisation, or behind dead units, really is zero.
    """
    events = log.find(
        after,
        up_to,
        operation=lambda operation: type(operation) is Backward,
        outcome=lambda outcome: outcome.ok,
    )
    all_reads_writes = (log.reads_writes(event) for event in events.tolist())
    return frozenset(name for found in all_reads_writes for name in found.written_gradients)


def _is_finite(array: NDArray[Any] | None) -> bool:
    return array is None or bool(np.isfinite(array).all())


def _rows_with(kinds: Collection[type], log: EventLog, ends: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the rows in which Operations of some kinds were carried out.

    Args:
        kinds: The kinds.
        log: The Events.
        ends: The Events that closed the rows; the first only tells where the second row begins.
    """
    events = log.find(
        int(ends[0]),
        int(ends[-1]),
        operation=lambda operation: type(operation) in kinds,
        outcome=lambda outcome: outcome.ok,
    )
    return np.searchsorted(ends, events)
