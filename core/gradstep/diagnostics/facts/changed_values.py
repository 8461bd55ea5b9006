"""Which values an Event changed, byte by byte, where a fact depends on it.

An Event lists what its Operation wrote, not whether that made a difference: a Step with a learning
rate of 0 writes every parameter and moves none. So the bytes are copied before such an Operation
and compared after it. Ordinary loops have nothing to compare: no frozen tensor with a gradient, no
gradient that was only zeroed, no clipping.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from gradstep.diagnostics.observation import Observation
from gradstep.history.live_values import array_of, gradient_of
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    ClipGradValue,
    RebuildModule,
    SchedulerStep,
    SetValue,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.log.event_log import EventLog
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["COMPARED", "ChangedNames", "ChangedValues"]

COMPARED = frozenset((Step, ClipGradNorm, ClipGradValue, SetValue))
"""Kinds of Operations before which values may be copied."""


RESTS = 3
"""Steps in a row with a learning rate of 0 that are no longer the start of a schedule.

Where a schedule goes on once an epoch, so many epochs.
"""


class ChangedNames:
    """For each Event that was compared, the names of the values that it changed.

    Sixteen bytes an Event: equal sets of names are stored once.

    Example:
        >>> changed = ChangedNames()
        >>> changed.add(4, ("x",))
        >>> changed.add(9, ())
        >>> changed.of(4), changed.of(9), changed.of(5)
        (('x',), (), None)
    """

    __slots__ = ("_events", "_ids", "_names", "_numbers")

    def __init__(self) -> None:
        self._events, self._ids = array("q"), array("q")
        self._names: list[tuple[str, ...]] = []
        self._numbers: dict[tuple[str, ...], int] = {}

    def add(self, event: int, names: tuple[str, ...]) -> None:
        """Note what an Event changed; Events come in ascending order."""
        number = self._numbers.setdefault(names, len(self._names))
        if number == len(self._names):
            self._names.append(names)
        self._events.append(event)
        self._ids.append(number)

    def of(self, event: int) -> tuple[str, ...] | None:
        """Return what an Event changed; None if its values were never compared."""
        at = bisect_left(self._events, event)
        if at == len(self._events) or self._events[at] != event:
            return None
        return self._names[self._ids[at]]

    def fork(self, event: int) -> ChangedNames:
        """Return a copy without the Events after one of them."""
        other = ChangedNames()
        length = bisect_left(self._events, event + 1)
        other._events, other._ids = self._events[:length], self._ids[:length]
        other._names, other._numbers = list(self._names), dict(self._numbers)
        return other


class ChangedValues:
    """Compares the bytes of values before and after an Operation.

    Args:
        program: The live program, which stands at the end of the branch whenever an Operation is
            about to be applied.

    Attributes:
        gradients: The gradients that each clipping changed.
        originals: The bytes that each write through `.data` found, and those that it left.
        saved: The tensors that the graph of each failed Backward had saved.
    """

    __slots__ = (
        "_before",
        "_emptied",
        "_frozen",
        "_held",
        "_log",
        "_program",
        "_resting",
        "_still",
        "_structure",
        "_synced",
        "_zeroed",
        "gradients",
        "originals",
        "saved",
    )

    def __init__(self, program: Debuggee) -> None:
        self._program = program
        self._before: list[tuple[str, NDArray[Any], bytes]] = []
        self._held: dict[str, dict[str, Tensor]] = {}
        self._frozen: dict[str, tuple[str, ...]] = {}
        self._emptied: tuple[int, ...] = ()
        self._structure = self._synced = -1
        self._zeroed: dict[str, int] = {}
        self._still: list[tuple[NDArray[Any], bytes]] = []
        self._resting: dict[str, list[int]] = {}
        self._log: EventLog | None = None
        self.gradients = ChangedNames()
        self.originals: dict[int, tuple[bytes, bytes]] = {}
        self.saved: dict[int, tuple[str, ...]] = {}

    def fork(self, event: int) -> ChangedValues:
        """Return one for a branch that leaves after an Event."""
        other = ChangedValues(self._program)
        other.gradients = self.gradients.fork(event)
        other.originals = {at: pair for at, pair in self.originals.items() if at <= event}
        other.saved = {at: names for at, names in self.saved.items() if at <= event}
        return other

    def before(self, operation: Operation, history: History) -> None:
        """Copy what an Operation may change, if a fact depends on whether it does."""
        program, self._before = self._program, []
        if self._synced != len(history):
            self._find_zeroed(history)
        if program.structure != self._structure:
            self._find_held()
        if isinstance(operation, Step) and operation.optimizer in program.optimizers:
            names = [*self._frozen.get(operation.optimizer, ()), *self._zeroed]
            if names:
                self._before = list(self._copies(names, operation.optimizer))
            self._emptied = self._zero_grads(operation.optimizer) if self._zeroed else ()
            self._still = self._without_rate(operation.optimizer)
            self._log = history.log
        elif isinstance(operation, (ClipGradNorm, ClipGradValue)):
            self._before = list(self._gradients(operation.optimizer))
        elif isinstance(operation, SetValue) and operation.through_data:
            tensor = program.tensors.get(operation.tensor)
            if tensor is not None:
                data = array_of(tensor)
                self._before = [(operation.tensor, data, data.tobytes())]

    def after(self, seen: AppliedEvent) -> Sequence[Observation]:
        """Compare what was copied before an Event, and return the facts that it shows."""
        kind, index = type(seen.operation), seen.index
        if self._synced == index - 1:  # else the zeroed gradients have yet to be found
            self._synced = index
        facts: Sequence[Observation] = ()
        if kind in COMPARED:
            before, self._before = self._before, []
            if kind is Step:
                facts = self._after_step(seen, before)
            elif kind is not SetValue:
                self.gradients.add(index, tuple(n for n, now, old in before if _is_new(now, old)))
            elif before:
                ((_, now, old),) = before
                self.originals[index] = old, now.tobytes()
        if not seen.outcome.ok:
            if kind is Backward:
                self.saved[index] = self._program.saved_tensors(seen.operation_target())
        elif self._zeroed or kind is ZeroGrad:
            self._follow(seen, kind)
        return facts

    def _after_step(
        self, seen: AppliedEvent, before: Sequence[tuple[str, NDArray[Any], bytes]]
    ) -> list[Observation]:
        moved = [name for name, now, old in before if _is_new(now, old)]
        facts = list(self._moved(seen, moved)) if moved else []
        if self._emptied and not moved and seen.outcome.ok:
            events = (max(self._emptied), seen.index)
            note = f"zero, or None, since Zero Grad #{events[0]:,}"
            holder = seen.operation_target()
            facts.append(Observation("step-without-grad", (holder,), events, note))
        if self._still or self._resting:
            facts += self._rests(seen)
        return facts

    def _without_rate(self, optimizer: str) -> list[tuple[NDArray[Any], bytes]]:
        """Return copies of what a script's Step should move, if its learning rate is 0.

        A program shows its learning rates in its document.
        """
        found = self._program.optimizers.get(optimizer)
        if found is None or not self._program.abilities.document:
            return []
        if any(group.get("lr") != 0 for group in found.param_groups):
            return []
        arrays = [array_of(tensor) for tensor in self._held.get(optimizer, {}).values()]
        return [(array, array.tobytes()) for array in arrays]

    def _rests(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Yield the fact that a learning rate stays 0; a schedule may begin or end there."""
        still, self._still = self._still, []
        optimizer = seen.operation_target()
        if not still or any(_is_new(now, old) for now, old in still) or not seen.outcome.ok:
            self._resting.pop(optimizer, None)
            return
        events = self._resting.setdefault(optimizer, [])
        events.append(seen.index)
        scheduler, steps = self._schedule(optimizer, seen.index - 1)
        if len(events) >= RESTS * steps:
            note = "its learning rate is 0, as it was in the Steps before"
            advice = f"Give {optimizer} a learning rate above 0"
            first = self._initial_rate(optimizer)
            if first:
                who = scheduler or "a scheduler"
                note = f"{note}. It began with {first:g} (initial_lr), and {who} sets it"
                advice = f"Change what {who} computes, or end the training where it stays 0"
            last = tuple(events[-RESTS:])
            yield Observation("step-without-grad", (optimizer,), last, note, cause=advice)

    def _schedule(self, optimizer: str, up_to: int) -> tuple[str, int]:
        """Return the scheduler of an optimizer, and how many Steps there were between its last two.

        A schedule that goes on once an epoch may have a rate of 0 in one of them, and rise again.

        Returns:
            Its name, empty where it has not stepped yet; and at least 1.
        """
        known = {
            name
            for name, item in self._program.spec.schedulers.items()
            if item.optimizer == optimizer
        }
        log = self._log
        if log is None or not known:
            return "", 1

        def steps_it(operation: Operation, _: ReadsWrites) -> bool:
            return isinstance(operation, SchedulerStep) and operation.scheduler in known

        def is_step(operation: Operation) -> bool:
            return isinstance(operation, Step) and operation.optimizer == optimizer

        last = log.last(up_to, steps_it)
        if last is None:
            return "", 1
        before = log.last(last - 1, steps_it) or 0
        return log.operation(last).scheduler, max(1, len(log.find(before, last, operation=is_step)))  # type: ignore[union-attr]

    def _initial_rate(self, optimizer: str) -> float:
        """Return the rate that the schedule of an optimizer began with; 0 for none."""
        groups = self._program.optimizers[optimizer].param_groups
        found = [group.get("initial_lr") for group in groups]
        return next((float(rate) for rate in found if isinstance(rate, (int, float)) and rate), 0.0)

    def _follow(self, seen: AppliedEvent, kind: type[Operation]) -> None:
        """Note which gradients hold only the zeros that a Zero Grad put there."""
        zeroed = self._zeroed
        if kind is ZeroGrad:
            if seen.operation.set_to_none:  # type: ignore[union-attr]  # a ZeroGrad
                for name in seen.reads_writes.written_gradients if zeroed else ():
                    zeroed.pop(name, None)
            else:
                zeroed |= dict.fromkeys(seen.reads_writes.written_gradients, seen.index)
        elif zeroed:
            if kind is Backward or kind is Step:
                written = seen.reads_writes.written_gradients
            elif kind is RebuildModule:
                written = seen.reads_writes.written_tensors
            else:
                return
            for name in written:
                zeroed.pop(name, None)

    def _moved(self, seen: AppliedEvent, names: list[str]) -> Iterator[Observation]:
        tensors, zeroed = self._program.tensors, self._zeroed
        frozen = tuple(name for name in names if not tensors[name].requires_grad)
        if frozen:
            yield Observation("frozen-but-moved", frozen, (seen.index,))
        # One that a script has unfrozen since is neither.
        moved = tuple(name for name in names if tensors[name].requires_grad and name in zeroed)
        if moved:
            events = (min(zeroed[name] for name in moved), seen.index)
            yield Observation("moved-without-gradient", moved, events, self._mover(moved))

    def _find_held(self) -> None:
        """Find what each optimizer holds, and what of that is frozen."""
        program = self._program
        self._structure, self._held = program.structure, {}
        tensors = program.tensors
        for item in program.optimizer_tensors:
            self._held.setdefault(item.optimizer, {})[item.address] = item.tensor
        self._frozen = {
            optimizer: frozen
            for optimizer, held in self._held.items()
            if (
                frozen := tuple(
                    name for name in held if name in tensors and not held[name].requires_grad
                )
            )
        }

    def _find_zeroed(self, history: History) -> None:
        """Find the zeroed gradients of a branch that was recorded or forked elsewhere."""
        self._zeroed, self._synced, log = {}, len(history), history.log
        for name, tensor in self._program.tensors.items():
            gradient = gradient_of(tensor)
            if gradient is not None and not gradient.any():
                event = _zeroed_at(log, name, self._synced)
                if event:
                    self._zeroed[name] = event

    def _copies(
        self, names: Iterable[str], optimizer: str
    ) -> Iterator[tuple[str, NDArray[Any], bytes]]:
        """Yield the tensors that a Step may move without a gradient of their own."""
        held = self._held.get(optimizer, {})
        searches = bool(held) and self._program.optimizers[optimizer].needs_closure
        for name in dict.fromkeys(names):
            tensor = held.get(name) if name in self._program.tensors else None
            if tensor is None or (searches and tensor.requires_grad):
                continue  # a Step that searches computes gradients of its own
            gradient = gradient_of(tensor)
            if tensor.requires_grad and (gradient is None or gradient.any()):
                continue  # a clipping by a norm that is NaN leaves NaN, not zeros
            if searches or gradient is not None:
                data = array_of(tensor)
                yield name, data, data.tobytes()

    def _zero_grads(self, optimizer: str) -> tuple[int, ...]:
        """Return the Zero Grads that emptied every gradient of an optimizer.

        Returns:
            Their Events, at least one; none if a gradient has another value, or is not known.
        """
        found = []
        if self._program.optimizers[optimizer].needs_closure:
            return ()  # it computes gradients of its own
        if self._program.abilities.document:
            return ()  # ScriptGradientRule also knows what was cleared
        for name, tensor in self._held.get(optimizer, {}).items():
            gradient = gradient_of(tensor)
            if gradient is not None:
                event = self._zeroed.get(name, 0) if name in self._program.tensors else 0
                if not event or gradient.any():
                    return ()
                found.append(event)
        return tuple(found)

    def _gradients(self, optimizer: str) -> Iterator[tuple[str, NDArray[Any], bytes]]:
        for name, tensor in self._held.get(optimizer, {}).items():
            gradient = gradient_of(tensor)
            if gradient is not None:
                yield name, gradient, gradient.tobytes()

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


def _is_new(now: NDArray[Any], before: bytes) -> bool:
    return now.tobytes() != before


def _zeroed_at(log: EventLog, name: str, up_to: int) -> int:
    """Return the Zero Grad that left zeros in a gradient, which no Backward has written to since.

    Returns:
        Its Event; 0 if the zeros are the result of a Backward, or of a clipping.
    """

    def wrote(_: Operation, reads_writes: ReadsWrites) -> bool:
        return name in reads_writes.written_gradients or name in reads_writes.written_tensors

    def writes_gradients(operation: Operation, reads_writes: ReadsWrites) -> bool:
        kinds = (ZeroGrad, Backward, Step, RebuildModule)
        return isinstance(operation, kinds) and wrote(operation, reads_writes)

    event = log.last(up_to, writes_gradients)
    while event is not None:
        operation = log.operation(event)
        if isinstance(operation, ZeroGrad):
            return event if not operation.set_to_none else 0
        if isinstance(operation, Step) and name not in log.reads_writes(event).written_gradients:
            event = log.last(event - 1, writes_gradients)  # it only moved the tensor
            continue
        return 0
    return 0
