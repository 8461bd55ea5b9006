"""SnapshotTaker: the live program as a Snapshot; only what has changed is computed again."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.live_values import array_of, gradient_of, plain
from gradstep.history.reads_writes import parse
from gradstep.history.records.snapshot import (
    BatchRecord,
    GroupRecord,
    ModuleRecord,
    OptimizerRecord,
    Snapshot,
)
from gradstep.history.records.tensor import ParameterRecord, TensorRecord
from gradstep.history.summary import summarise, unrecorded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import Finding, FindingOccurrences
    from gradstep.history.records.graph import GraphRecord
    from gradstep.program.runtime.descriptions import ModuleDescription

__all__ = ["SnapshotTaker"]

_NO_STEPS: Mapping[str, int] = MappingProxyType({})
_NO_GRAPHS: Mapping[str, GraphRecord] = MappingProxyType({})
_NOT_OPTIONS = frozenset(("params", "param_names"))


class SnapshotTaker:
    """Takes Snapshots of one program; summaries of what was not written since are reused.

    Args:
        program: The live program.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> program = Program.from_spec(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": [3, 4], "requires_grad": true}}}'''))
        >>> snapshot = SnapshotTaker(program).take(None, 0, wanted=())
        >>> snapshot.parameters["x"].value.norm, snapshot.parameters["x"].grad is None
        (5.0, True)
    """

    __slots__ = ("_alike", "_modules", "_parameters_of", "_program", "_records")

    def __init__(self, program: Debuggee) -> None:
        self._program = program
        self._records: dict[str, TensorRecord] = {}
        self._modules: tuple[object, tuple[ModuleRecord, ...]] | None = None
        self._parameters_of: dict[str, ParameterRecord] = {}
        self._alike: tuple[int, Collection[str] | None] | None = None

    def forget(self, written: Collection[str] | None) -> None:
        """Drop the cached summaries of these addresses; all of them when None."""
        if written is None:
            self._records.clear()
            self._parameters_of.clear()
            return
        for address in written:
            self._records.pop(address, None)
            self._parameters_of.pop(parse(address, ()).name, None)

    def take(
        self,
        event: Event | None,
        event_count: int,
        *,
        wanted: Collection[str] | None = None,
        last_loss: str = "",
        metrics: frozenset[str] = frozenset(),
        steps: Mapping[str, int] = _NO_STEPS,
        findings: tuple[Finding, ...] = (),
        occurrences: tuple[FindingOccurrences, ...] = (),
        graphs: Mapping[str, GraphRecord] = _NO_GRAPHS,
    ) -> Snapshot:
        """Return the current state as a Snapshot.

        Args:
            event: The last Event; None at the start.
            event_count: The number of Events on the branch.
            wanted: Addresses whose whole arrays are included; None for all.
            last_loss: The loss that was computed last; empty for none.
            metrics: The names of losses that are metrics.
            steps: The number of steps of each optimizer.
            findings: What the diagnostics found.
            occurrences: The Events where they were noticed.
            graphs: The recorded graphs to include, by loss.
        """
        program = self._program
        losses = {
            name: None if tensor is None else array_of(tensor).item()
            for name, tensor in program.losses.items()
        }
        return Snapshot(
            event=event,
            event_index=0 if event is None else event.index,
            event_count=event_count,
            iteration=program.iteration,
            loss=losses.get(last_loss),
            losses=MappingProxyType(losses),
            metrics=metrics,
            parameters=self._parameters(wanted),
            optimizers=self._optimizers(steps),
            modules=self._module_tree(),
            batches=MappingProxyType(
                {
                    loss: BatchRecord(
                        batch.data, batch.rows, batch.epoch, batch.number, batch.count
                    )
                    for loss, batch in program.batches.items()
                }
            ),
            last_loss=last_loss,
            graphs=graphs,
            findings=findings,
            occurrences=occurrences,
            changed=frozenset() if event is None else frozenset(event.writes),
            next_operation=program.next_operation,
            next_line=program.next_line,
            abilities=program.abilities,
        )

    def _parameters(self, wanted: Collection[str] | None) -> Mapping[str, ParameterRecord]:
        """Return the records of all tensors; unchanged ones are reused."""
        if self._alike != (alike := (self._program.structure, wanted)):
            self._parameters_of.clear()
            self._alike = alike
        known, tensors = self._parameters_of, self._program.tensors
        holders: dict[int, dict[str, None]] = {}
        for binding in self._program.optimizer_tensors:
            holders.setdefault(id(binding.tensor), {})[binding.optimizer] = None
        for name, tensor in tensors.items():
            record = known.get(name)
            if record is None or record.version != tensor._version:  # noqa: SLF001 - torch's own name
                held_by = tuple(holders.get(id(tensor), ()))
                known[name] = self._parameter(name, tensor, held_by, wanted)
        unmet = self._program.unmet
        return MappingProxyType({name: known[name] for name in tensors if name not in unmet})

    def _parameter(
        self, name: str, tensor: Tensor, held_by: tuple[str, ...], wanted: Collection[str] | None
    ) -> ParameterRecord:
        buffers: dict[str, Mapping[str, TensorRecord | float]] = {}
        for optimizer in held_by:
            state = self._program.optimizers[optimizer].state.get(tensor)
            if state:
                buffers[optimizer] = MappingProxyType(
                    {
                        key: self._buffer(f"{optimizer}/{name}/{key}", value, wanted)
                        for key, value in state.items()
                    }
                )
        return ParameterRecord(
            name=name,
            value=self._record(name, array_of(tensor), wanted),
            gradient=self._gradient(name, tensor, wanted),
            version=tensor._version,  # noqa: SLF001 - torch's own name for the version counter
            requires_grad=tensor.requires_grad,
            held_by=held_by,
            buffers=MappingProxyType(buffers),
            is_buffer=name in self._program.buffers,
        )

    def _gradient(
        self, name: str, tensor: Tensor, wanted: Collection[str] | None
    ) -> TensorRecord | None:
        gradient, address = gradient_of(tensor), f"{name}.grad"
        if address in self._program.unrecorded:  # whether it is None is not known either
            return self._record(address, array_of(tensor), wanted)
        return None if gradient is None else self._record(address, gradient, wanted)

    def _buffer(
        self,
        address: str,
        value: Any,  # noqa: ANN401 - any state
        wanted: Collection[str] | None,
    ) -> TensorRecord | float:
        number = plain(value)
        if address in self._program.unrecorded:
            number = np.asarray(number)
        return number if isinstance(number, float) else self._record(address, number, wanted)

    def _record(
        self, address: str, array: NDArray[Any], wanted: Collection[str] | None
    ) -> TensorRecord:
        whole = wanted is None or address in wanted
        known = self._records.get(address)
        if address in self._program.unrecorded:
            known = self._records[address] = unrecorded(array.shape, array.dtype.name)
            return known
        if known is None or (whole and known.array is None):
            known = self._records[address] = summarise(array, whole=whole)
        return known

    def _optimizers(self, steps: Mapping[str, int]) -> Mapping[str, OptimizerRecord]:
        held: dict[tuple[str, int], list[str]] = {}
        for binding in self._program.optimizer_tensors:
            held.setdefault((binding.optimizer, binding.group), []).append(binding.address)
        return MappingProxyType(
            {
                name: OptimizerRecord(
                    name,
                    type(optimizer).__name__,
                    tuple(
                        GroupRecord(tuple(held.get((name, number), ())), _options(group))
                        for number, group in enumerate(optimizer.param_groups)
                    ),
                    steps.get(name, 0),
                )
                for name, optimizer in self._program.optimizers.items()
                if name not in self._program.unmet
            }
        )

    def _module_tree(self) -> tuple[ModuleRecord, ...]:
        key = self._program.structure, self._program.unmet
        if self._modules is None or self._modules[0] != key:
            tree = [_module_record(item) for item in self._program.describe_modules()]
            self._modules = key, tuple(_met(tree, self._program.unmet))
        return self._modules[1]


def _options(group: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType({key: value for key, value in group.items() if key not in _NOT_OPTIONS})


def _met(modules: Iterable[ModuleRecord], unmet: Collection[str]) -> Iterator[ModuleRecord]:
    """Yield the modules without the tensors that are not known yet, and those that have others."""
    for module in modules:
        if not unmet:
            yield module
            continue
        children = tuple(_met(module.children, unmet))
        parameters = tuple(name for name in module.parameters if name not in unmet)
        if children or parameters or not (module.children or module.parameters):
            yield replace(module, children=children, parameters=parameters)


def _module_record(description: ModuleDescription) -> ModuleRecord:
    return ModuleRecord(
        description.name,
        description.kind,
        description.detail,
        description.training,
        description.parameters,
        tuple(_module_record(child) for child in description.children),
    )
