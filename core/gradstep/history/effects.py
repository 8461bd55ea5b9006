"""What an Event read, what it wrote, and what it left alone, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradstep.history.reads_writes import parse
from gradstep.pluralize import listed, pluralize
from gradstep.program.operation import Backward, Forward, Freeze, SetMode, Skip

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from gradstep.history.reads_writes import Address
    from gradstep.history.records.event import Event
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.operation import Operation

__all__ = ["Effects", "effects_of"]

_MOST_NAMED = 3
_GRAPH = ".graph"
_GRAPH_NOTES: Mapping[type, str] = {
    Forward: ": recorded",
    Backward: ": its saved values are freed",
}


@dataclass(frozen=True, slots=True)
class Effects:
    """What an Event did to the parts of the state.

    Attributes:
        reads: What it read, a line for each kind of thing; empty for nothing.
        writes: What it wrote, in the same form.
        leaves: What it did not write, although another Operation does.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    leaves: tuple[str, ...]


def effects_of(event: Event, snapshot: Snapshot) -> Effects:
    """Return what an Event read, wrote and left alone.

    Args:
        event: The Event.
        snapshot: The moment after it, which says what else there is.

    Example:
        >>> from gradstep.history.records.event import Event
        >>> from gradstep.history.records.snapshot import Snapshot
        >>> event = Event(2, 0, Backward(), reads=("loss.graph",), writes=("x.grad", "loss.graph"))
        >>> effects_of(event, Snapshot(event, 2, 2, 0, 3.0, losses={"loss": 3.0}))
        Effects(reads=('the graph of loss',),
                writes=('x.grad', 'the graph of loss: its saved values are freed'),
                leaves=('the value of loss',))
    """
    operation = event.operation
    words = _Words(snapshot, operation)
    wrote = () if isinstance(operation, (Freeze, SetMode)) else event.writes
    return Effects(
        tuple(words.lines(event.reads, written=False)),
        tuple(words.flags(event.writes) if wrote != event.writes else words.lines(event.writes)),
        tuple(words.lines(_others(snapshot, frozenset(wrote)), written=False)),
    )


def _others(snapshot: Snapshot, wrote: Collection[str]) -> Iterator[str]:
    """Yield the addresses of the state that an Event did not write."""
    parameters = snapshot.parameters.values()
    yield from (item.name for item in parameters if item.name not in wrote)
    for item in parameters:
        if item.requires_grad and f"{item.name}.grad" not in wrote:
            yield f"{item.name}.grad"
    for item in parameters:
        for optimizer, state in item.buffers.items():
            addresses = (f"{optimizer}/{item.name}/{key}" for key in state)
            yield from (address for address in addresses if address not in wrote)
    for optimizer in snapshot.optimizers:
        if f"{optimizer}/lr" not in wrote:
            yield f"{optimizer}/lr"
    for loss, value in snapshot.losses.items():
        if value is not None and loss not in wrote:
            yield loss


class _Words:
    """Describes addresses in words, with a line for each kind of thing."""

    def __init__(self, snapshot: Snapshot, operation: Operation) -> None:
        self._snapshot = snapshot
        self._operation = operation.operation if isinstance(operation, Skip) else operation

    def lines(self, addresses: Iterable[str], *, written: bool = True) -> Iterator[str]:
        """Yield the lines of addresses; `written` when an Event wrote them."""
        losses = self._snapshot.losses
        tensors: list[str] = []
        buffers: list[str] = []
        gradients: list[str] = []
        state: dict[str, list[str]] = {}
        options: dict[str, list[str]] = {}
        rest: list[str] = []
        for address in addresses:
            parsed = parse(address, losses)
            match parsed.kind:
                case "data":
                    (buffers if self._is_buffer(parsed.name) else tensors).append(parsed.name)
                case "grad":
                    gradients.append(parsed.name)
                case "state":
                    state.setdefault(parsed.key, []).append(parsed.name)
                case "hyperparameter":
                    options.setdefault(parsed.optimizer, []).append(parsed.key)
                case _:
                    rest.append(self._other(address, parsed, written=written))
        yield from self._tensors(tensors)
        if gradients:
            yield self._gradients(gradients)
        yield from _state(state)
        yield from (f"{listed(keys)} of {name}" for name, keys in options.items())
        if buffers:
            yield _counted(buffers, "buffer")
        yield from rest

    def flags(self, addresses: Sequence[str]) -> Iterator[str]:
        """Yield the line of an Operation that sets a flag of tensors or modules."""
        if isinstance(self._operation, Freeze):
            yield f"requires_grad of {_counted(addresses, 'tensor')}"
        elif addresses:
            yield f"the mode of {_counted(addresses, 'module')}"

    def _is_buffer(self, name: str) -> bool:
        record = self._snapshot.parameters.get(name)
        return record is not None and record.is_buffer

    def _tensors(self, names: Sequence[str]) -> Iterator[str]:
        records = self._snapshot.parameters
        tracked = [name for name in names if name not in records or records[name].requires_grad]
        others = [name for name in names if name in records and not records[name].requires_grad]
        if tracked:
            yield self._of_all(tracked, "parameter")
        if others:
            yield _counted(others, "tensor without gradient", "tensors without gradient")

    def _gradients(self, names: Sequence[str]) -> str:
        if len(names) <= _MOST_NAMED:
            return listed(f"{name}.grad" for name in names)
        return f"the gradients of {self._of_all(names, 'parameter')}"

    def _of_all(self, names: Sequence[str], noun: str) -> str:
        if len(names) <= _MOST_NAMED:
            return listed(names)
        total = sum(item.requires_grad for item in self._snapshot.parameters.values())
        if len(names) < total:
            return f"{len(names):,} of {pluralize(total, noun)}"
        return f"all {pluralize(len(names), noun)}"

    def _other(self, address: str, parsed: Address, *, written: bool) -> str:
        if parsed.kind == "loss":
            return f"the value of {address}"
        if address.endswith(_GRAPH):
            name = f"the graph of {address.removesuffix(_GRAPH)}"
            return name + (_GRAPH_NOTES.get(type(self._operation), "") if written else "")
        if address.startswith("data."):
            name = address.removeprefix("data.")
            return f"the position in {name}" if written else f"a batch of {name}"
        return "the random generator" if address == "generator" else address


def _state(state: dict[str, list[str]]) -> Iterator[str]:
    """Yield what optimizers store, with the keys that concern the same tensors in one line."""
    together: dict[tuple[str, ...], list[str]] = {}
    for key, names in state.items():
        together.setdefault(tuple(names), []).append(key)
    for owners, keys in together.items():
        yield f"{listed(keys)} of {_counted(owners, 'parameter')}"


def _counted(names: Sequence[str], noun: str, several: str = "") -> str:
    return listed(names) if len(names) <= _MOST_NAMED else pluralize(len(names), noun, several)
