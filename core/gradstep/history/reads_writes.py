"""ReadsWrites: the addresses that an Operation read and wrote, parsed once and shared.

An Operation of a loop reads and writes the same addresses every time, so its addresses are parsed
once, and all its Events refer to the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["Address", "ReadsWrites", "parse", "reads_writes_of", "written_as"]

Kind = Literal["data", "grad", "state", "hyperparameter", "loss", "other"]

_GRAD = ".grad"
_OTHER = (".graph", ".requires_grad", ".training")


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address.

    Attributes:
        kind: What it names; "other" for graphs, positions in data and the generator.
        name: The tensor or the loss; of a hyperparameter, the group's number, if given.
        optimizer: The optimizer of a state buffer or hyperparameter.
        key: The buffer's or hyperparameter's own name.
    """

    kind: Kind
    name: str = ""
    optimizer: str = ""
    key: str = ""

    def __str__(self) -> str:
        """Return the address of a tensor, a gradient or a state buffer.

        Example:
            >>> str(Address("state", "w", "optimizer", "exp_avg")), str(Address("grad", "w"))
            ('optimizer/w/exp_avg', 'w.grad')
        """
        if self.kind == "state":
            return f"{self.optimizer}/{self.name}/{self.key}"
        return f"{self.name}.grad" if self.kind == "grad" else self.name


def parse(address: str, losses: Collection[str]) -> Address:
    """Parse an address.

    Args:
        address: In the notation of `gradstep.history.records.snapshot`.
        losses: Names of the program's losses.

    Example:
        >>> parse("optimizer/model.0.weight/exp_avg", losses=("loss",))
        Address(kind='state', name='model.0.weight', optimizer='optimizer', key='exp_avg')
    """
    if "/" in address:
        optimizer, _, rest = address.partition("/")
        name, _, key = rest.rpartition("/")
        if not name or name.isdecimal():
            return Address("hyperparameter", name, optimizer, key)
        return Address("state", name, optimizer, key)
    if address in losses:
        return Address("loss", address)
    if address.endswith(_GRAD):
        return Address("grad", address.removesuffix(_GRAD))
    other = address == "generator" or address.startswith("data.") or address.endswith(_OTHER)
    return Address("other" if other else "data", address)


def written_as(address: str, parsed: Address) -> str:
    """Return the address that Events list when they write to an address.

    A write to a hyperparameter is listed for its optimizer, without the group.

    Args:
        address: The address.
        parsed: The same, parsed.

    Example:
        >>> written_as("optimizer/1/lr", parse("optimizer/1/lr", ()))
        'optimizer/lr'
    """
    return f"{parsed.optimizer}/{parsed.key}" if parsed.kind == "hyperparameter" else address


@dataclass(frozen=True, slots=True, eq=False)
class ReadsWrites:
    """The addresses that an Operation read and wrote, and the names in them.

    Attributes:
        id: Its number in the Event log.
        reads: Addresses read.
        writes: Addresses written.
        written_options: The written hyperparameters.
        written_states: Optimizers whose state was written, each with the names of the tensors.
        read_gradients: Names of the tensors whose `.grad` was read.
        written_gradients: Names of the tensors whose `.grad` was written.
        written_tensors: Names of the tensors whose data was written.
        written_losses: Names of the losses that were computed.
    """

    id: int
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    written_options: tuple[Address, ...]
    written_states: tuple[tuple[str, tuple[str, ...]], ...]
    read_gradients: tuple[str, ...]
    written_gradients: tuple[str, ...]
    written_tensors: tuple[str, ...]
    written_losses: tuple[str, ...]

    @property
    def tensors(self) -> tuple[tuple[str, ...], ...]:
        """The names of the tensors it concerns: gradients read, gradients and data written."""
        return self.read_gradients, self.written_gradients, self.written_tensors


def reads_writes_of(
    number: int, reads: tuple[str, ...], writes: tuple[str, ...], losses: Collection[str]
) -> ReadsWrites:
    """Parse addresses into a ReadsWrites."""
    read = tuple(parse(address, losses) for address in reads)
    written = tuple(parse(address, losses) for address in writes)
    return ReadsWrites(
        number,
        reads,
        writes,
        tuple(address for address in written if address.kind == "hyperparameter"),
        _states(written),
        _names(read, "grad"),
        _names(written, "grad"),
        _names(written, "data"),
        _names(written, "loss"),
    )


def _names(addresses: Iterable[Address], kind: Kind) -> tuple[str, ...]:
    return tuple(address.name for address in addresses if address.kind == kind)


def _states(addresses: Iterable[Address]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    names: dict[str, dict[str, None]] = {}
    for address in addresses:
        if address.kind == "state":
            names.setdefault(address.optimizer, {})[address.name] = None
    return tuple((optimizer, tuple(held)) for optimizer, held in names.items())
