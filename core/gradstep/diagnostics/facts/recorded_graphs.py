"""Facts about recorded graphs: saved values that changed, and graphs kept for nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradstep.diagnostics.backward_errors import CHANGED, FREED
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.replaced_tensors import renamed
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
    from collections.abc import Callable, Collection, Iterable, Iterator

    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["GraphRule"]


class _LossGraph:
    """The last graph of a loss that still holds saved values.

    `forward` recorded it from `reads`; `kept` is the last Backward that kept it, in `iteration`.
    `changes` maps each of `reads` that autograd saw a write to, since then, to the first Event that
    did so and its Operation in words. `bypassed` maps each tensor written through `.data` to its
    bytes at the Forward and the last Event that changed them.
    """

    __slots__ = ("bypassed", "changes", "forward", "iteration", "kept", "reads")

    def __init__(self, seen: AppliedEvent) -> None:
        self.forward = seen.index
        self.reads: dict[str, None] = dict.fromkeys(seen.reads_writes.reads)
        self.kept = self.iteration = 0
        self.changes: dict[str, tuple[int, str]] = {}
        self.bypassed: dict[str, tuple[bytes, int]] = {}


class GraphRule:
    """Follows the graph of each loss from Forward to the Backward that frees it."""

    __slots__ = ("_added", "_computed", "_graphs", "_last_added")

    def __init__(self) -> None:
        self._graphs: dict[str, _LossGraph] = {}
        self._added: dict[str, tuple[int, int]] = {}
        self._computed: dict[str, int] = {}
        self._last_added: dict[tuple[str, str], int] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Forward: self._forward,
            Backward: self._backward,
            Step: self._step,
            LoadState: self._write,
            RebuildModule: self._rebuild,
            AddLoss: self._add_loss,
        }

    def failed(self, seen: AppliedEvent, saved: Collection[str] | None) -> Iterable[Observation]:
        """Yield the fact that a failed Backward shows.

        Args:
            seen: Its Event.
            saved: The tensors that the graph has saved; None if that is not known.
        """
        loss = seen.operation_target()
        if FREED in seen.outcome.message:
            return (Observation("graph-freed", (loss,), (seen.index,)),)
        graph = self._graphs.get(loss)
        if graph is None or saved is None or CHANGED not in seen.outcome.message:
            return ()
        changes = {name: change for name, change in graph.changes.items() if name in saved}
        if not changes:
            return ()
        first, cause = min(changes.values())
        names = tuple(name for name in graph.reads if changes.get(name) == (first, cause))
        events = (graph.forward, first, seen.index)
        return (Observation("inplace-after-save", names, events, loss, cause=cause),)

    def at_end(self, last: int) -> Iterable[Observation]:  # noqa: ARG002 - as in ScriptGraphRule
        """Return nothing: a program does not end."""
        return ()

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
        self._computed[loss] = seen.index
        if f"{loss}.graph" in seen.reads_writes.writes:
            self._graphs[loss] = _LossGraph(seen)

    def _backward(self, seen: AppliedEvent) -> Iterator[Observation]:
        operation = seen.operation
        assert isinstance(operation, Backward)
        graph = self._graphs.get(operation.loss)
        if graph is not None:
            used = tuple(name for name in graph.bypassed if name in seen.reads_writes.reads)
            if used:
                write = max(graph.bypassed[name][1] for name in used)
                events = (graph.forward, write, seen.index)
                yield Observation("data-bypass", used, events, operation.loss)
        if operation.retain_graph and graph is not None:
            graph.kept, graph.iteration = seen.index, seen.iteration
        else:
            self._graphs.pop(operation.loss, None)

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Handle a Step; it frees the graph of every loss that it computes itself."""
        for loss in seen.reads_writes.written_losses:
            self._computed[loss] = seen.index
            graph = self._graphs.pop(loss, None)
            if graph is not None and graph.kept:
                yield _retained(loss, graph, seen.index)
        self._write(seen)

    def _write(self, seen: AppliedEvent) -> tuple[()]:
        change = seen.index, _title(seen)
        for graph in self._graphs.values():
            for name in seen.reads_writes.written_tensors:
                if name in graph.reads:
                    graph.changes.setdefault(name, change)
        return ()

    def set_value(self, seen: AppliedEvent, values: tuple[bytes, bytes] | None) -> None:
        """Handle a Set Value.

        Args:
            seen: Its Event.
            values: The bytes of the tensor before and after a write through `.data`; None if they
                are not known.
        """
        operation = seen.operation
        assert isinstance(operation, SetValue)
        if not operation.through_data:
            self._write(seen)
            return
        if values is None or values[0] == values[1]:
            return
        for graph in self._graphs.values():
            if operation.tensor in graph.reads:
                at_forward, _ = graph.bypassed.pop(operation.tensor, (values[0], 0))
                if values[1] != at_forward:
                    graph.bypassed[operation.tensor] = at_forward, seen.index

    def _add_loss(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Yield the fact that a total keeps the graphs of several iterations alive."""
        operation = seen.operation
        assert isinstance(operation, AddLoss)
        total = operation.tensor
        if f"{total}.graph" not in seen.reads_writes.writes:
            return
        graph, key = self._computed.get(operation.loss, 0), (total, operation.loss)
        is_new, self._last_added[key] = self._last_added.get(key) != graph, graph
        if is_new:
            first, iteration = self._added.setdefault(total, (seen.index, seen.iteration))
            if seen.iteration > iteration:
                events = (first, seen.index)
                yield Observation("total-keeps-graphs", (total,), events, operation.loss)

    def _rebuild(self, seen: AppliedEvent) -> tuple[()]:
        for graph in self._graphs.values():
            graph.reads = renamed(graph.reads, seen)
            graph.changes = renamed(graph.changes, seen)
            graph.bypassed = renamed(graph.bypassed, seen)
        return ()


def _title(seen: AppliedEvent) -> str:
    """Return an Operation's kind in words, such as "Set Value"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(seen.operation).__name__)


def _retained(loss: str, graph: _LossGraph, event: int) -> Observation:
    return Observation("graph-retained", (loss,), (graph.forward, graph.kept, event))
