"""Writes the rows of Events: what happened, and of chosen iterations the values too."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from gradstep_agent.operation import NAN
from gradstep_agent.sources import Sources
from gradstep_agent.tensor_reader import layout, shard_of
from gradstep_agent.wire import NUMBERS_OF_ROW, packed_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep_agent.loop_position import LoopPosition
    from gradstep_agent.operation import Operation, WrappedFunction
    from gradstep_agent.recording import RecordingRate
    from gradstep_agent.registry import Registry
    from gradstep_agent.ring import Buffer
    from gradstep_agent.wire import Wire


class Recorder:
    """Turns Operations into rows, and describes each place once.

    Args:
        wire: Where rows go.
        rate: Chooses the iterations whose values are recorded.
        position: Where the loop stands.

    Attributes:
        rows: The numbers of the Events that wait to be written, those of one after the other; the
            number of each Event itself is put there when they are.
        takes_values: Whether norms or arrays of this iteration are recorded.
        takes_arrays: Whether arrays of this iteration are recorded.
        registry: What has names, once the script has imported torch.
    """

    def __init__(self, wire: Wire, rate: RecordingRate, position: LoopPosition) -> None:
        self.takes_values = self.takes_arrays = False
        self.registry: Registry | None = None
        self.sources = Sources(wire)
        self.rows: list[float] = []
        self._wire = wire
        self._rate = rate
        self._position = position
        self._written = 0  # how many Events
        self._places = 0
        self._norms: _Norms | None = None
        wire.before_flush = self.write_rows
        self.choose_values(0)

    @property
    def count(self) -> int:
        """The number of Events so far."""
        return self._written + len(self.rows) // NUMBERS_OF_ROW

    def start(self, registry: Registry, torch: Any) -> None:
        """Begin to record, now that the script has imported torch."""
        self.registry = registry
        self._norms = _Norms(registry, torch)

    def choose_values(self, iteration: int, *, held: bool = False) -> None:
        """Choose what is recorded in an iteration: arrays, or else the norms of Steps, or neither.

        Args:
            iteration: Its number.
            held: Whether the script is held at each Operation, so that there is time for all.
        """
        rate = self._rate
        self.takes_arrays = rate.level == "full" and (held or rate.is_recorded(iteration))
        self.takes_values = rate.level != "events" and (held or rate.is_measured(iteration))

    def takes_values_of(self, function: WrappedFunction) -> bool:
        """Return whether values are recorded with a function, where they are recorded at all."""
        return self.takes_arrays or function.kind == "step"

    def record(
        self, operation: Operation, depth: int, seconds: float, error: BaseException | None = None
    ) -> None:
        """Record one Event, with its values if they are taken."""
        if self.takes_values and self.takes_values_of(operation.function):
            self._record_values(operation, depth, seconds)
        else:
            function, target, detail = operation.function, operation.target, operation.detail
            before, before_target, before_detail, place = operation.site.recent
            # mostly the very same objects as the last time, which is quicker to see than a hash
            if before is not function or before_target is not target or before_detail is not detail:
                place = self._describe(operation, (), ())
                operation.site.recent = function, target, detail, place
            self._add_row(operation, place, depth, seconds)
        if error is not None:
            text = f"{type(error).__name__}: {error}"[:2000]
            self._wire.send({"type": "error", "event": self.count, "message": text})

    def _add_row(self, operation: Operation, place: int, depth: int, seconds: float) -> None:
        position = self._position
        self.rows += (0, place, depth, position.iteration, position.epoch, operation.loss, seconds)

    def _record_values(self, operation: Operation, depth: int, seconds: float) -> None:
        """Record one Event with the arrays that it wrote, and the norms of a Step."""
        started = time.perf_counter()
        arrays, norms, values, alive = self._values(operation)
        if arrays and self._is_new(operation, arrays) and self._rename_altered():
            arrays, norms, values, alive = self._values(operation)
        place = self._describe(operation, arrays, norms)
        self._add_row(operation, place, depth, seconds)
        if values:
            self.write_rows()
            self._wire.add_values(values)  # sends what it does not own, which is `alive` until then
            self._rate.nbytes += sum(map(len, values))
        del alive
        self._rate.spent_on_values += time.perf_counter() - started

    def _values(
        self, operation: Operation
    ) -> tuple[Sequence[tuple[str, Any]], tuple[str, ...], list[Buffer], list[Any]]:
        """Return the arrays that an Operation wrote, the norms of a Step, and their bytes."""
        function, registry = operation.function, self.registry
        arrays: Sequence[tuple[str, Any]] = ()
        norms: tuple[str, ...] = ()
        values: list[Buffer] = []
        alive: list[Any] = []
        if self.takes_arrays and registry is not None and function.writes is not None:
            arrays = function.writes(operation)
            present = [array for _, array in arrays if array is not None]
            if present:
                values, alive = registry.reader.buffers_of(present)
        if self._norms is not None and not self.takes_arrays:
            norms, numbers = self._norms.measure()
            values.append(numbers)
        return arrays, norms, values, alive

    def _is_new(self, operation: Operation, arrays: Sequence[tuple[str, Any]]) -> bool:
        """Return whether these arrays are written here for the first time."""
        return _key(operation, arrays, ()) not in operation.site.places

    def _rename_altered(self) -> bool:
        """Give what has another form now another name; return whether anything has."""
        assert self.registry is not None, "arrays have names"
        return self.registry.rename_altered()

    def write_rows(self) -> None:
        """Write the rows of the Events that wait, all at once."""
        numbers = self.rows
        if numbers:
            count = len(numbers) // NUMBERS_OF_ROW
            self._wire.add_rows(count, packed_rows(numbers, self._written + 1))
            self._written += count
            numbers.clear()

    def _describe(
        self,
        operation: Operation,
        arrays: Sequence[tuple[str, Any]],
        norms: tuple[str, ...],
    ) -> int:
        """Return the number of a place; send what it is the first time."""
        site, key = operation.site, _key(operation, arrays, norms)
        known = site.places.get(key)
        if known is not None:
            return known
        number = site.places[key] = self._places
        self._places += 1
        self.sources.send(site.file)
        self._wire.send(
            {
                "type": "place",
                "id": number,
                "kind": operation.function.kind,
                "target": operation.target,
                "file": site.file,
                "line": site.line,
                "detail": dict(operation.detail),
                "arrays": [layout(name, a) for name, a in arrays if a is not None],
                "cleared": [name for name, a in arrays if a is None],
                "norms": list(norms),
            }
        )
        return number


def _key(
    operation: Operation, arrays: Sequence[tuple[str, Any]], norms: tuple[str, ...]
) -> tuple[Any, ...]:
    """Return what distinguishes the places of one site."""
    key: tuple[Any, ...] = (operation.function.kind, operation.target, operation.detail)
    if arrays or norms:
        layouts = [(name, None if a is None else (a.dtype, a.shape)) for name, a in arrays]
        key = (*key, tuple(layouts), norms)
    return key


class _Norms:
    """The norms of what optimizers hold: of values, gradients, and moves since the last time.

    Args:
        registry: The tensors.
        torch: The script's own torch.
    """

    def __init__(self, registry: Registry, torch: Any) -> None:
        self._registry = registry
        self._torch = torch
        self._nan = torch.full((), NAN)
        self._held: list[Any] = []
        self._before: list[Any] = []

    def measure(self) -> tuple[tuple[str, ...], bytes]:
        """Return the names of what is held, and the norms as float64."""
        held = [(tracked, tensor) for tracked, tensor in self._registry.tensors() if tracked.held]
        if not held:
            return (), b""
        torch = self._torch
        with self._registry.outside_inference(), torch.no_grad():
            values = [shard_of(tensor).detach() for _, tensor in held]
            moves = self._moves(
                [(tracked, tensor.shape, tensor.dtype) for tracked, tensor in held], values
            )
            present = [shard_of(tensor.grad) for _, tensor in held if tensor.grad is not None]
            if any([gradient.is_sparse for gradient in present]):  # noqa: C419 - quicker so
                found = iter([gradient.norm() for gradient in present])
            else:
                found = iter(torch._foreach_norm(present) if present else ())
            gradients = [self._nan if tensor.grad is None else next(found) for _, tensor in held]
            rows = [*torch._foreach_norm(values), *gradients, *moves]
            first = rows[0].dtype
            if any([row.dtype is not first or not getattr(row, "is_cpu", True) for row in rows]):  # noqa: C419
                rows = [row.double().cpu() for row in rows]
            names = tuple([tracked.name for tracked, _ in held])
            return names, self._registry.reader.bytes_of(torch.stack(rows).double())

    def _moves(self, held: list[Any], values: list[Any]) -> list[Any]:
        """Return the norms of the moves; keep the values for the next time."""
        torch = self._torch
        if self._held != held:
            self._held = held
            self._before = [value.clone() for value in values]
            return [self._nan] * len(held)
        moved = torch._foreach_sub(values, self._before)
        torch._foreach_copy_(self._before, values)
        return list(torch._foreach_norm(moved))
