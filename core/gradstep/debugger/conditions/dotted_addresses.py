"""Addresses without quotes, as scripts name things: `model.0.weight.grad`, `nets["gen"].output`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gradstep.errors import ExpressionError
from gradstep.names import quoted
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from gradstep.history.debuggee import Debuggee

__all__ = ["OUTPUT", "ExpandedText", "expand_addresses"]

OUTPUT = ".output"
"""The end of the address of a module's or layer's output."""

_GRAD = ".grad"
_TEXT = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_STEP = re.compile(rf"\.\w+|\[\s*(?:-?\d+|{_TEXT})\s*\]")
_TOKEN = re.compile(
    r"(?P<text>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?)|(?P<number>\d[\w.]*)"
    rf"|(?P<address>(?P<first>[^\W\d]\w*)(?:{_STEP.pattern})+)|(?P<name>\w+)"
)
_METHOD = re.compile(r"\.\w+\s*\(")
_KEY = re.compile(rf"\[\s*({_TEXT}|-?\d+)\s*\]")


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
    known: _Known | None = None
    for found in _TOKEN.finditer(text):
        if found["address"] is None:
            continue
        known = known or _Known(program)
        start = found.start()
        length, call = known.replaced(text[start:], found["address"], found["first"], start + 1)
        if not length:
            continue
        between = text[done:start]
        begin = size + len(between)
        parts += [between, call]
        size = begin + len(call)
        places.append((begin, size, start))
        lengths.append(length)
        done = start + length
    if not places:
        return ExpandedText(text)
    return ExpandedText("".join([*parts, text[done:]]), tuple(places), tuple(lengths))


class _Known:
    """The tensors, modules and layers of a program, by the ways to type their addresses."""

    def __init__(self, program: Debuggee) -> None:
        self._modules = program.modules
        self._tensors = {_plain(name): name for name in program.tensors}
        self._layers = {_plain(name): name for name in program.activation_losses()}

    def replaced(self, text: str, address: str, first: str, column: int) -> tuple[int, str]:
        """Return the length of the longest known address, and the call that reads it.

        Args:
            text: The expression from the address on.
            address: A name with attributes and indices, also those of an element or a method.
            first: The name.
            column: Where it stands, from 1.

        Raises:
            ExpressionError: There is nothing at the address.
        """
        steps = list(_STEP.finditer(address))
        for end in (*(step.end() for step in reversed(steps)), len(first)):
            call = self._call(_plain(address[:end]))
            if not call:
                continue
            is_element = end > len(first) and address[end : end + 1] == "["
            if end == len(address) or is_element or _METHOD.match(text, end):
                return end, call
            break
        if self._is_meant(first, steps):
            last = max((step.end() for step in steps if step[0][0] == "."), default=len(address))
            raise self._unknown(address[:last], column)
        return 0, ""

    def _call(self, address: str) -> str:
        """Return the call that reads an address; empty where there is nothing."""
        tensor, layer = address.removesuffix(_GRAD), address.removesuffix(OUTPUT)
        if address in self._tensors:
            return f"data({quoted(self._tensors[address])})"
        if tensor != address and tensor in self._tensors:
            return f"grad({quoted(self._tensors[tensor])})"
        if layer != address and layer in self._layers:
            return f"activation({quoted(self._layers[layer])})"
        return ""

    def _is_meant(self, first: str, steps: list[re.Match[str]]) -> bool:
        """Return whether it is an address; `loss.item` and `loss[0]` are left to the compiler."""
        if any(name.startswith(f"{first}[") for name in (*self._tensors, *self._modules)):
            return True
        attributes = [step[0][1:] for step in steps if step[0][0] == "."]
        own = first in self._modules or first in self._tensors
        return bool(attributes and own) or any(name.isdigit() for name in attributes)

    def _unknown(self, address: str, column: int) -> ExpressionError:
        known = [
            *self._tensors.values(),
            *(f"{name}{_GRAD}" for name in self._tensors.values()),
            *(f"{name}{OUTPUT}" for name in self._layers.values()),
        ]
        return ExpressionError(
            f"there is nothing called {address!r}", nearest(address, known), column
        )


def _plain(address: str) -> str:
    r"""Return an address with its keys in one spelling.

    Example:
        >>> _plain("nets[ 'a/b' ].weight") == _plain(r'nets["a\x2fb"].weight')
        True
    """
    return _KEY.sub(_plain_key, address) if "[" in address else address


def _plain_key(found: re.Match[str]) -> str:
    key = found[1]
    if key[0] not in "\"'":
        return f"[{key}]"
    inner = key[1:-1].replace('\\"', '"').replace("\\'", "'").replace("\\x2f", "/")
    return f"['{inner}']"
