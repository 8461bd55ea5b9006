"""Addresses without quotes, as PyTorch names things: `model.0.weight.grad`, `model.1.output`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gradstep.errors import ExpressionError
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from gradstep.history.debuggee import Debuggee

__all__ = ["OUTPUT", "ExpandedText", "expand_addresses"]

OUTPUT = ".output"
"""The end of the address of a module's or layer's output."""

_GRAD = ".grad"
_TOKEN = re.compile(
    r"(?P<quoted>\"[^\"]*\"?|'[^']*'?)|(?P<number>\d[\w.]*)"
    r"|(?P<address>[A-Za-z_]\w*(?:\.\w+)+)|(?P<name>\w+)"
)


class ExpandedText(NamedTuple):
    """An expression whose addresses are calls of `data`, `grad` and `activation`.

    Attributes:
        text: The expression.
        places: For each replaced address: where the call begins and ends, and the column of the
            address, from 0.
        lengths: The length of each replaced address.
    """

    text: str
    places: tuple[tuple[int, int, int], ...] = ()
    lengths: tuple[int, ...] = ()

    def original_column(self, column: int) -> int:
        """Return the column, from 1, in the text as the user wrote it."""
        shift = 0
        for (begin, end, at), length in zip(self.places, self.lengths, strict=True):
            if column - 1 < begin:
                break
            if column - 1 < end:
                return at + 1
            shift = (at + length) - end
        return column + shift


def expand_addresses(text: str, program: Debuggee) -> ExpandedText:
    """Replace the addresses in an expression by calls.

    Args:
        text: The expression, as the user wrote it.
        program: The program with the tensors and layers.

    Raises:
        ExpressionError: There is nothing at an address.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> program = Program.from_spec(decode(b'''{"gradstep": 1, "modules": {"model": [
        ...     {"kind": "Linear", "in_features": 1, "out_features": 1}]}}'''))
        >>> expand_addresses("norm(model.0.weight) > 1e3", program).text
        'norm(data("model.0.weight")) > 1e3'
    """
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    lengths: list[int] = []
    done = size = 0
    for found in _TOKEN.finditer(text):
        address = found["address"]
        if address is None or not _is_meant(address, program):
            continue
        call = _call(address, program, found.start() + 1)
        between = text[done : found.start()]
        begin = size + len(between)
        parts += [between, call]
        size = begin + len(call)
        places.append((begin, size, found.start()))
        lengths.append(len(address))
        done = found.end()
    if not places:
        return ExpandedText(text)
    return ExpandedText("".join([*parts, text[done:]]), tuple(places), tuple(lengths))


def _is_meant(address: str, program: Debuggee) -> bool:
    """Return whether a name with dots is an address; `loss.item` is left to the compiler."""
    first, *rest = address.split(".")
    own = first in program.modules or first in program.tensors
    return own or any(part.isdigit() for part in rest)


def _call(address: str, program: Debuggee, column: int) -> str:
    """Return the call that reads an address."""
    if address in program.tensors:
        return f'data("{address}")'
    tensor, layer = address.removesuffix(_GRAD), address.removesuffix(OUTPUT)
    if tensor != address and tensor in program.tensors:
        return f'grad("{tensor}")'
    if layer != address and layer in program.activation_losses():
        return f'activation("{layer}")'
    known = [
        *program.tensors,
        *(f"{name}{_GRAD}" for name in program.tensors),
        *(f"{name}{OUTPUT}" for name in program.activation_losses()),
    ]
    raise ExpressionError(f"there is nothing called {address!r}", nearest(address, known), column)
