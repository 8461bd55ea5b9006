"""Facts about recorded graphs: saved values that changed, and graphs kept for nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation
from gradstep.history.records.snapshot import STALE
from gradstep.program.operation import (
    AddLoss,
    Backward,
    Forward,
    LoadState,
    RebuildModule,
    SetValue,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["GraphRule"]

_CHANGED = "inplace operation"


class _LossGraph:
    """The last graph of a loss that still holds saved values.

    `forward` recorded it from `reads`; `kept` is the last Backward that kept it. `change` is the
    first Event since then that wrote to some of `reads`, namely to `changed`, and `cause` its
    Operation; 0 for none. `bypassed` maps each tensor written through `.data` to the last Event
    that did so.
    """

    __slots__ = (
        "bypassed",
        "cause",
        "change",
        "changed",
        "forward",
        "iteration",
        "kept",
        "reads",
    )

    def __init__(self, seen: AppliedEvent) -> None:
        self.forward, self.iteration = seen.index, seen.iteration
        self.reads = frozenset(seen.reads_writes.reads)
        self.kept = self.change = 0
        self.changed: tuple[str, ...] = ()
        self.cause = ""
        self.bypassed: dict[str, int] = {}


class GraphRule:
    """Follows the graph of each loss from Forward to the Backward that frees it."""

    __slots__ = ("_added", "_graphs")

    def __init__(self) -> None:
        self._graphs: dict[str, _LossGraph] = {}
        self._added: dict[str, tuple[int, int]] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Forward: self._forward,
            Backward: self._backward,
            Step: self._step,
            LoadState: self._write,
            SetValue: self._set_value,
            RebuildModule: self._rebuild,
            AddLoss: self._add_loss,
        }

    def failed(self, seen: AppliedEvent) -> Iterable[Observation]:
        """Yield the fact that a failed Backward shows."""
        loss = seen.operation_target()
        graph = self._graphs.get(loss)
        if graph is None or not graph.change or _CHANGED not in seen.outcome.message:
            return ()
        events = (graph.forward, graph.change, seen.index)
        observed = Observation("inplace-after-save", graph.changed, events, loss, cause=graph.cause)
        return (observed,)

    def end(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Handle the end of an iteration."""
        for loss, graph in self._graphs.items():
            if graph.kept and graph.iteration < seen.iteration:
                yield _retained(loss, graph, seen.index)

    def _forward(self, seen: AppliedEvent) -> Iterator[Observation]:
        loss = seen.operation_target()
        graph = self._graphs.pop(loss, None)
        if graph is not None and graph.kept:
            yield _retained(loss, graph, seen.index)
        if f"{loss}.graph" in seen.reads_writes.writes:
            self._graphs[loss] = _LossGraph(seen)

    def _backward(self, seen: AppliedEvent) -> Iterator[Observation]:
        operation = seen.operation
        assert isinstance(operation, Backward)
        graph = self._graphs.get(operation.loss)
        if graph is not None:
            used = tuple(name for name in graph.bypassed if name in seen.reads_writes.reads)
            if used:
                write = max(graph.bypassed[name] for name in used)
                events = (graph.forward, write, seen.index)
                yield Observation("data-bypass", used, events, operation.loss)
        if operation.retain_graph and operation.loss in self._graphs:
            self._graphs[operation.loss].kept = seen.index
        else:
            self._graphs.pop(operation.loss, None)

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Handle a Step; it frees the graph of every loss that it computes itself."""
        for loss in seen.reads_writes.written_losses:
            graph = self._graphs.pop(loss, None)
            if graph is not None and graph.kept:
                yield _retained(loss, graph, seen.index)
        self._write(seen)

    def _write(self, seen: AppliedEvent) -> tuple[()]:
        for graph in self._graphs.values():
            if not graph.change:
                written = seen.reads_writes.written_tensors
                graph.changed = tuple(name for name in written if name in graph.reads)
                if graph.changed:
                    graph.change, graph.cause = seen.index, _title(seen)
        return ()

    def _set_value(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, SetValue)
        if not operation.through_data:
            return self._write(seen)
        for graph in self._graphs.values():
            if operation.tensor in graph.reads:
                graph.bypassed[operation.tensor] = seen.index
        return ()

    def _add_loss(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Yield the fact that a total keeps the graphs of several iterations alive."""
        operation = seen.operation
        assert isinstance(operation, AddLoss)
        total = operation.tensor
        if f"{total}.graph" in seen.reads_writes.writes:
            first, iteration = self._added.setdefault(total, (seen.index, seen.iteration))
            if seen.iteration > iteration:
                events = (first, seen.index)
                yield Observation("total-keeps-graphs", (total,), events, operation.loss)

    def _rebuild(self, seen: AppliedEvent) -> tuple[()]:
        """Nothing is written, but from now on the names belong to other tensors."""
        replaced = frozenset(seen.reads_writes.written_tensors)
        for graph in self._graphs.values():
            graph.reads = frozenset(
                f"{name}{STALE}" if name in replaced else name for name in graph.reads
            )
            graph.bypassed = {
                f"{name}{STALE}" if name in replaced else name: event
                for name, event in graph.bypassed.items()
            }
        return ()


def _title(seen: AppliedEvent) -> str:
    """Return an Operation's kind in words, such as "Set Value"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(seen.operation).__name__)


def _retained(loss: str, graph: _LossGraph, event: int) -> Observation:
    return Observation("graph-retained", (loss,), (graph.forward, graph.kept, event))
