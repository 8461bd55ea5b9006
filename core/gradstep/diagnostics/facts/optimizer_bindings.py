"""Facts about which optimizer holds which tensor, and which tensors the losses use.

These bindings change only when tensors are replaced or frozen. Between such Events, each fact is
worked out once for every different set of reads and writes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.history.records.explanation import Binding
from gradstep.history.records.snapshot import STALE
from gradstep.names import steps_of
from gradstep.program.operation import Backward, Freeze, RebuildModule, ReplaceOptimizer, Step
from gradstep.program.schema.gradient_paths import gradient_cuts, gradient_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.records.explanation import Status
    from gradstep.program.operation import Operation

__all__ = ["BindingRule", "Bindings", "bindings_of"]


@dataclass(frozen=True, slots=True)
class Bindings:
    """Which optimizer holds which tensor at one moment, by identity.

    Attributes:
        places: Address, optimizer and group of each held tensor, as often as it is held.
        parameters: Addresses of all tensors but buffers.
        frozen: Addresses of tensors that require no gradient.
        used: Addresses of the tensors that some loss is computed from.
    """

    places: tuple[tuple[str, str, int], ...]
    parameters: tuple[str, ...]
    frozen: frozenset[str]
    used: frozenset[str]

    def held_by(self, optimizer: str) -> tuple[str, ...]:
        """Return the addresses that an optimizer holds, each once."""
        return tuple(dict.fromkeys(item for item, holder, _ in self.places if holder == optimizer))

    def holders(self, address: str) -> tuple[str, ...]:
        """Return the optimizers that hold a tensor, as often as they hold it."""
        return tuple(holder for item, holder, _ in self.places if item == address)

    def is_foreign(self, address: str) -> bool:
        """Whether no loss reaches a tensor, though losses reach others."""
        return bool(self.used) and address not in self.used and not is_stale(address)

    def is_duplicate(self, address: str) -> bool:
        """Whether a tensor is held more than once."""
        return len(self.holders(address)) > 1

    def status(self, address: str) -> Status:
        """Return how a tensor relates to the optimizers, such as "held" or "orphan"."""
        if is_stale(address):
            return "stale"
        if self.is_duplicate(address):
            return "duplicate"
        if not self.holders(address):
            return "frozen" if address in self.frozen else "orphan"
        if self.is_foreign(address):
            return "foreign"
        return "frozen" if address in self.frozen else "held"

    def matrix(self) -> tuple[Binding, ...]:
        """Return every tensor with each group that holds it, or with none; replaced ones last."""
        held = dict.fromkeys(address for address, _, _ in self.places)
        return tuple(
            Binding(address, optimizer, group, self.status(address))
            for address in dict.fromkeys((*self.parameters, *held))
            for optimizer, group in self._groups(address) or (("", None),)
        )

    def _groups(self, address: str) -> tuple[tuple[str, int | None], ...]:
        return tuple((holder, group) for item, holder, group in self.places if item == address)


def _module(address: str) -> str:
    return steps_of(address)[0]


def is_stale(address: str) -> bool:
    """Whether an address is that of a tensor which its module has replaced."""
    return address.endswith(STALE)


def bindings_of(program: Debuggee) -> Bindings:
    """Return the present bindings of a program."""
    unmet = program.unmet
    return Bindings(
        places=tuple(
            (item.address, item.optimizer, item.group) for item in program.optimizer_tensors
        ),
        parameters=tuple(
            name for name in program.tensors if name not in program.buffers and name not in unmet
        ),
        frozen=frozenset(
            name for name, tensor in program.tensors.items() if not tensor.requires_grad
        ),
        used=frozenset(name for loss in program.losses for name in program.reaches(loss)),
    )


def _bindings_at_start(program: Debuggee) -> Bindings:
    """Return the bindings that a program had before its first Event, wherever it stands now.

    An optimizer holds the same tensors for ever; only their names change when they are replaced.
    """
    now, free = bindings_of(program), program.spec.tensors
    return Bindings(
        places=tuple(
            (address.removesuffix(STALE), holder, group) for address, holder, group in now.places
        ),
        parameters=now.parameters,
        frozen=frozenset(
            name
            for name in program.tensors
            if name in program.buffers or (name in free and not free[name].requires_grad)
        ),
        used=now.used,
    )


class BindingRule:
    """Facts about held tensors: orphan, stale, foreign, duplicate; steps without effect.

    It follows the bindings from the start through the log, so that a recording that was opened at
    its end shows the same as one that is being made.

    Args:
        program: The program, wherever it stands.
    """

    __slots__ = (
        "_buffers",
        "_known",
        "_leaves_out",
        "_optimizers",
        "_reaches",
        "_replaced",
        "_shown",
        "_sources",
        "_spec",
        "_used",
        "bindings",
    )

    def __init__(self, program: Debuggee) -> None:
        self._leaves_out = bool({"frozen_backbone", "adversarial"} & set(program.spec.intent))
        self._known: dict[tuple[type[Any], str, int], tuple[Observation, ...]] = {}
        self._buffers = program.buffers
        self._optimizers = tuple(program.optimizers)
        self._used = {loss: tuple(program.reaches(loss)) for loss in program.losses}
        self._reaches = {loss: frozenset(names) for loss, names in self._used.items()}
        self._sources = {loss: gradient_sources(program.spec, loss) for loss in program.losses}
        self._spec = program.spec
        self._replaced: dict[tuple[str, str], int] = {}
        self.bindings = _bindings_at_start(program)
        self._shown = frozenset(self._facts())

    def at_start(self) -> Iterator[Observation]:
        """Yield the facts that the bindings show before the first Event."""
        for id_, names, note in dict.fromkeys(self._facts()):
            yield Observation(id_, names, (), note)

    def _show(self, event: int) -> Iterator[Observation]:
        """Yield the facts that the bindings show now and did not show before an Event."""
        self._known.clear()
        before, self._shown = self._shown, frozenset(self._facts())
        for id_, names, note in dict.fromkeys(self._facts()):
            if (id_, names, note) not in before:
                yield Observation(id_, names, (event,), note)

    def _facts(self) -> Iterator[tuple[str, tuple[str, ...], str]]:
        """Yield the facts that the bindings show by themselves: the id, the names and the note."""
        bindings = self.bindings
        wrong: dict[frozenset[str], tuple[tuple[str, ...], list[str]]] = {}
        for name in self._optimizers:
            foreign = tuple(filter(bindings.is_foreign, bindings.held_by(name)))
            if foreign:
                wrong.setdefault(frozenset(foreign), (foreign, []))[1].append(name)
        for names, holders in wrong.values():
            yield "optimizer-foreign", names, joined_names(tuple(holders))
        held: dict[tuple[str, ...], list[str]] = {}
        for address in dict.fromkeys(address for address, _, _ in bindings.places):
            if bindings.is_duplicate(address):
                held.setdefault(bindings.holders(address), []).append(address)
        for places, shared in held.items():
            note = (
                f"by {' and '.join(dict.fromkeys(places))}"
                if len(set(places)) > 1
                else f"{len(places)} times by {places[0]}"
            )
            yield "optimizer-duplicate", tuple(shared), note

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Step: self._cached,
            Backward: self._cached,
            Freeze: self._freeze,
            RebuildModule: self._rebuild,
            ReplaceOptimizer: self._replace,
        }

    def _freeze(self, seen: AppliedEvent) -> Iterator[Observation]:
        operation = seen.operation
        assert isinstance(operation, Freeze)
        names, frozen = frozenset(seen.reads_writes.written_tensors), self.bindings.frozen
        frozen = frozen | names if operation.frozen else frozen - names
        self.bindings = replace(self.bindings, frozen=frozen)
        return self._show(seen.index)

    def _rebuild(self, seen: AppliedEvent) -> Iterator[Observation]:
        fresh = frozenset(seen.reads_writes.written_tensors)
        for address, holder, _ in self.bindings.places:
            if address in fresh:
                self._replaced[holder, f"{address}{STALE}"] = seen.index
        self.bindings = replace(
            self.bindings,
            places=tuple(
                (f"{address}{STALE}" if address in fresh else address, holder, group)
                for address, holder, group in self.bindings.places
            ),
            frozen=self.bindings.frozen - (fresh - self._buffers),
        )
        return self._show(seen.index)

    def _replace(self, seen: AppliedEvent) -> Iterator[Observation]:
        operation = seen.operation
        assert isinstance(operation, ReplaceOptimizer)
        if not operation.rebind:
            return iter(())
        places = [
            (address.removesuffix(STALE), holder, group)
            if holder == operation.optimizer
            else (address, holder, group)
            for address, holder, group in self.bindings.places
        ]
        self.bindings = replace(self.bindings, places=tuple(places))
        return self._show(seen.index)

    def unconnected(self, loss: str, *events: int) -> Observation:
        """Return the fact that a Backward reached no parameter, and why.

        Args:
            loss: The loss.
            events: The Event of the Backward, where it failed.
        """
        held = {address for address, _, _ in self.bindings.places}
        used = tuple(name for name in self._used[loss] if name in held)
        trainable = tuple(name for name in used if name not in self.bindings.frozen)
        names = joined_names(trainable or used)
        if not used:
            note, cause = f": {loss} is computed from none of them", ""
        elif not trainable:
            thaw = "it" if len(used) == 1 else "them"
            note = f": {names} {'is' if len(used) == 1 else 'are'} frozen (requires_grad is False)"
            cause = f"Thaw {thaw} (Debug > Other Operation). "
        elif self._sources[loss].isdisjoint({*trainable, *map(_module, trainable)}):
            cuts = joined_names(gradient_cuts(self._spec, loss, trainable))
            note = f": {loss} depends on {names} only through {cuts}, where no gradient passes"
            cause = f"Compute {loss} without {cuts}. "
        else:
            note = f": {names} did not require a gradient when {loss} was computed"
            cause = "Run Forward again. "
        return Observation("not-connected", (loss,), events, note, cause=cause)

    def _cached(self, seen: AppliedEvent) -> Iterable[Observation]:
        key = type(seen.operation), seen.operation_target(), seen.reads_writes.id
        known = self._known.get(key)
        if known is None:
            found = self._step(seen) if key[0] is Step else self._backward(seen)
            known = self._known[key] = tuple(found)
        if not known:
            return ()
        return [replace(fact, events=(*fact.events, seen.index)) for fact in known]

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        name = seen.operation_target()
        held = self.bindings.held_by(name)
        stale = tuple(address for address in held if is_stale(address))
        if stale:
            rebuilt = sorted({self._replaced[name, address] for address in stale})
            names = tuple(address.removesuffix(STALE) for address in stale)
            yield Observation("optimizer-stale", names, tuple(rebuilt), name)
        # A Step that evaluates the loss itself finds no gradient; it computes one.
        evaluates = bool(seen.reads_writes.written_losses)
        ready = frozenset(
            seen.reads_writes.written_gradients if evaluates else seen.reads_writes.read_gradients
        )
        skipped = tuple(address for address in held if address not in ready)
        if held and not ready:
            yield Observation("step-without-grad", (name,), note="None")
        elif skipped:
            # Frozen tensors and those that no loss uses have facts of their own.
            reported = self.bindings.frozen | (frozenset(skipped) - self.bindings.used)
            missing = tuple(address for address in skipped if address not in reported)
            if missing:
                yield Observation("step-partly-without-grad", missing)

    def _backward(self, seen: AppliedEvent) -> Iterator[Observation]:
        reached, loss = seen.reads_writes.written_gradients, seen.operation_target()
        held = {address for address, _, _ in self.bindings.places}
        if not reached:
            yield self.unconnected(loss)
        if self._leaves_out:
            return
        orphans = tuple(address for address in reached if address not in held)
        if orphans and held.isdisjoint(reached) and not held.isdisjoint(self._reaches[loss]):
            # A tensor beside what the optimizers hold does not connect the loss with it.
            yield self.unconnected(loss)
        elif orphans:
            yield Observation("optimizer-orphan", orphans)
