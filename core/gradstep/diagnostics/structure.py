"""Structure: which optimizer holds which tensor, and which tensor which loss is computed from.

It changes only when tensors are replaced, frozen or loaded; between such Events every fact about it
is worked out once for each different footprint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradstep.diagnostics.report import Fact
from gradstep.program.operation import Backward, Freeze, LoadState, RebuildModule, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gradstep.history.occurrence import Occurrence
    from gradstep.program.program import Program

__all__ = ["Bindings", "StructureRule", "bindings_of"]

STALE = " (stale)"


@dataclass(frozen=True, slots=True)
class Bindings:
    """Who holds what, by identity, at a moment.

    Attributes:
        held: Per optimizer, the addresses of what it holds, as often as it holds it.
        frozen: Addresses of tensors that require no gradient.
        used: Addresses of the tensors that some loss is computed from.
    """

    held: Mapping[str, tuple[str, ...]]
    frozen: frozenset[str]
    used: frozenset[str]

    def holders(self, address: str) -> tuple[str, ...]:
        """Return the optimizers that hold a tensor, as often as they hold it."""
        return tuple(
            name for name, addresses in self.held.items() for item in addresses if item == address
        )


def bindings_of(program: Program) -> Bindings:
    """Return the present bindings of a program."""
    held: dict[str, list[str]] = {name: [] for name in program.optimizers}
    for binding in program.bindings:
        held[binding.optimizer].append(binding.address)
    return Bindings(
        held={name: tuple(addresses) for name, addresses in held.items()},
        frozen=frozenset(
            name for name, tensor in program.tensors.items() if not tensor.requires_grad
        ),
        used=frozenset(name for loss in program.losses for name in program.reaches(loss)),
    )


class StructureRule:
    """Facts about who holds what: orphan, stale, foreign, duplicate, frozen, and steps in vain.

    Args:
        program: The program, to ask for its bindings whenever they may have changed.
    """

    __slots__ = ("_known", "_leaves_out", "_program", "bindings")

    def __init__(self, program: Program) -> None:
        self._program = program
        self._leaves_out = bool({"frozen_backbone", "adversarial"} & set(program.spec.intent))
        self._known: dict[tuple[type[Any], str, int], tuple[Fact, ...]] = {}
        self.bindings = bindings_of(program)

    def look(self, event: int) -> Iterator[Fact]:
        """Take the bindings in anew, and give the facts that they show by themselves.

        Args:
            event: The Event that changed them; 0 at the start.
        """
        self._known.clear()
        self.bindings = bindings = bindings_of(self._program)
        cited = (event,) if event else ()
        for name, addresses in bindings.held.items():
            stale = tuple(address for address in addresses if address.endswith(STALE))
            if stale:
                plain = tuple(address.removesuffix(STALE) for address in stale)
                yield Fact("optimizer-stale", plain, cited, note=name)
            foreign = tuple(
                address
                for address in dict.fromkeys(addresses)
                if address not in bindings.used and address not in stale
            )
            if foreign and bindings.used:
                yield Fact("optimizer-foreign", foreign, cited, note=name)
        for address in dict.fromkeys(item for held in bindings.held.values() for item in held):
            holders = bindings.holders(address)
            if len(holders) > 1:
                note = (
                    f"by {' and '.join(dict.fromkeys(holders))}"
                    if len(set(holders)) > 1
                    else f"{len(holders)} times by {holders[0]}"
                )
                yield Fact("optimizer-duplicate", (address,), cited, note=note)

    def observe(self, seen: Occurrence) -> Iterable[Fact]:
        """Take in an Event that went well, and give the facts that it shows."""
        kind = type(seen.operation)
        if kind is Step or kind is Backward:
            key = kind, seen.operation_target(), seen.footprint.id
            known = self._known.get(key)
            if known is None:
                found = self._step(seen) if kind is Step else self._backward(seen)
                known = self._known[key] = tuple(found)
            if known:
                return [Fact(fact.id, fact.subjects, (seen.index,), fact.note) for fact in known]
        elif kind in (Freeze, RebuildModule, LoadState):
            return self.look(seen.index)
        return ()

    def _step(self, seen: Occurrence) -> Iterator[Fact]:
        name = seen.operation_target()
        held = tuple(dict.fromkeys(self.bindings.held.get(name, ())))
        ready = frozenset(seen.footprint.read_gradients)
        skipped = tuple(address for address in held if address not in ready)
        if held and not ready:
            yield Fact("step-without-grad", (name,))
        elif skipped:
            # What no loss uses, or is frozen, is told as such; here only what could have had one.
            told = self.bindings.frozen | (frozenset(skipped) - self.bindings.used)
            missing = tuple(address for address in skipped if address not in told)
            if missing:
                yield Fact("step-partly-without-grad", missing)
        moved = tuple(
            address
            for address in seen.footprint.written_tensors
            if address in self.bindings.frozen and not address.endswith(STALE)
        )
        if moved:
            yield Fact("frozen-but-moved", moved)

    def _backward(self, seen: Occurrence) -> Iterator[Fact]:
        reached = seen.footprint.written_gradients
        if not reached:
            note = "all that it is computed from requires no gradient."
            yield Fact("not-connected", (seen.operation_target(),), note=note)
        if self._leaves_out:
            return
        held = {address for addresses in self.bindings.held.values() for address in addresses}
        orphans = tuple(address for address in reached if address not in held)
        if orphans:
            yield Fact("optimizer-orphan", orphans)
