"""IndexedAddress: the address of a value of the program, or of one element of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.conditions.evaluation_context import or_missing
from gradstep.errors import ExpressionError
from gradstep.history.live_values import read
from gradstep.history.reads_writes import Address, parse
from gradstep.names import quoted
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Collection

    from gradstep.history.debuggee import Debuggee

__all__ = ["IndexedAddress", "expression_of", "parse_indexed_address"]

_PLACE = re.compile(r"(.+?)\s*\[\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\]\s*")


class IndexedAddress:
    """The address of a value, or of one element of it.

    Args:
        address: The address, in the notation of `gradstep.history.records.snapshot`.
        parsed: The same, parsed.
        index: The index of the element; empty for the whole value.
    """

    __slots__ = ("address", "index", "parsed")

    def __init__(self, address: str, parsed: Address, index: tuple[int, ...] = ()) -> None:
        self.address = address
        self.parsed = parsed
        self.index = index

    def value(self, program: Debuggee) -> Any:  # noqa: ANN401 - an array, a number, or none
        """Return the current value."""
        value = read(program, self.parsed)
        if value is None or not self.index:
            return or_missing(value)
        shape = value.shape if isinstance(value, np.ndarray) else ()
        if len(self.index) != len(shape) or not all(
            -size <= at < size for at, size in zip(self.index, shape, strict=True)
        ):
            raise ExpressionError(
                f"{self.address} has no element {list(self.index)}", f"its shape is {shape}"
            )
        return np.asarray(value)[self.index]


def parse_indexed_address(program: Debuggee, text: str) -> IndexedAddress:
    """Parse an address such as "model.0.weight.grad[0, 1]".

    Args:
        program: The program.
        text: An address in the notation of `gradstep.history.records.snapshot`, with or without an
            index.

    Raises:
        ExpressionError: There is no such value, or no such element.
    """
    address, inner = _split(text, program.tensors)
    index = tuple(int(at) for at in inner.split(",")) if inner else ()
    parsed = parse(address, program.losses)
    if not _is_known(program, parsed):
        raise ExpressionError(
            f"there is nothing called {address!r}", nearest(address, _all(program))
        )
    found_address = IndexedAddress(address, parsed, index)
    found_address.value(program)  # raises for an index that does not fit the current value
    return found_address


def _split(text: str, tensors: Collection[str]) -> tuple[str, str]:
    """Return an address, and the index of an element; "weights[0]" can be a tensor's name."""
    found = None if text.strip() in tensors else _PLACE.fullmatch(text)
    return (found[1].strip(), found[2]) if found else (text.strip(), "")


def expression_of(text: str, losses: Collection[str] = (), tensors: Collection[str] = ()) -> str:
    """Return the expression for the value at an address.

    Args:
        text: An address, and an index or not, as `indexed_address` takes it.
        losses: The names of the program's losses.
        tensors: The names of its tensors.

    Example:
        >>> expression_of("x.grad[0, 1]"), expression_of("loss", ("loss",))
        ('grad("x")[0, 1]', 'loss')
        >>> expression_of("optimizer/x/exp_avg"), expression_of("optimizer/lr")
        ('state("optimizer", "x", "exp_avg")', 'option("optimizer", "lr")')
        >>> expression_of("optimizer/1/lr")
        'option("optimizer", "lr", 1)'
        >>> expression_of("weights[0][1]", (), ("weights[0]", "weights[1]"))
        'data("weights[0]")[1]'
    """
    place, inner = _split(text, tensors)
    address = parse(place, losses)
    index = f"[{inner}]" if inner else ""
    name, optimizer, key = address.name, address.optimizer, address.key
    match address.kind:
        case "loss":
            return name
        case "state":
            return f"state({quoted(optimizer)}, {quoted(name)}, {quoted(key)}){index}"
        case "hyperparameter":
            group = f", {name}" if name else ""
            return f"option({quoted(optimizer)}, {quoted(key)}{group}){index}"
    return f"{address.kind}({quoted(name)}){index}"


def _is_known(program: Debuggee, address: Address) -> bool:
    optimizer = program.optimizers.get(address.optimizer)
    tensor = program.tensors.get(address.name)
    match address.kind:
        case "data" | "grad":
            return tensor is not None
        case "state":
            # An optimizer has no buffers before its first step; any name may be one.
            kept = optimizer.state.get(tensor) if optimizer and tensor is not None else {}
            return bool(optimizer) and tensor is not None and (not kept or address.key in kept)
        case "hyperparameter":
            return (
                optimizer is not None
                and address.key in optimizer.defaults
                and int(address.name or 0) < len(optimizer.param_groups)
            )
    return address.kind == "loss"


def _all(program: Debuggee) -> list[str]:
    tensors = list(program.tensors)
    kept = [
        f"{optimizer}/{name}/{key}"
        for optimizer, item in program.optimizers.items()
        for name, tensor in program.tensors.items()
        for key in item.state.get(tensor, ())
    ]
    options = [
        f"{name}/{group}{key}"
        for name, item in program.optimizers.items()
        for group in ("", *(f"{number}/" for number in range(len(item.param_groups))))
        for key in item.defaults
    ]
    return [*tensors, *(f"{name}.grad" for name in tensors), *program.losses, *kept, *options]
