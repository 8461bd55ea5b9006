"""Locate an error in the text of a program document."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined] # missing in typeshed
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.errors import ProgramError

__all__ = ["JsonMember", "TextSpan", "error_span", "members"]

_PART = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class TextSpan(NamedTuple):
    """Characters from `start` to before `stop`, counted from 0."""

    start: int
    stop: int


class JsonMember(NamedTuple):
    """A member of a JSON object or list in a text.

    Attributes:
        name: Its name; empty in a list.
        start: The start of the member, including its name if it has one.
        value: The start of its value.
        stop: The end of its value.
    """

    name: str
    start: int
    value: int
    stop: int


def error_span(text: str, error: ProgramError) -> TextSpan | None:
    """Return the span of the name and value that caused an error, if the document has them.

    Args:
        text: The document.
        error: The error raised by `decode` or a Program.

    Returns:
        The span; None if the error has no single place, as for a missing section.

    Example:
        >>> from gradstep.program.document import codec
        >>> text = '{"gradstep": 1, "seed": -1}'
        >>> try:
        ...     codec.decode(text.encode())
        ... except codec.ProgramError as error:
        ...     span = error_span(text, error)
        >>> text[slice(*span)]
        '"seed": -1'
    """
    try:
        end = _skip(text, _DECODER.raw_decode(text, _skip(text, 0))[1])
    except json.JSONDecodeError as broken:
        return _around(text, broken.pos)
    except (ValueError, RecursionError):
        return None
    if end < len(text):
        return _around(text, end)
    at, found = _skip(text, 0), None
    for name, index in _PART.findall(error.place):
        inside = list(members(text, at))
        if name:
            chosen = [member for member in inside if member.name == name]
        else:
            chosen = inside[int(index) : int(index) + 1]
        if not chosen:
            break
        found = chosen[-1]  # the last member counts if a name is repeated
        at = found.value
    return None if found is None else TextSpan(found.start, found.stop)


def members(text: str, at: int) -> Iterator[JsonMember]:
    """Yield the members of an object or a list; nothing for any other value.

    Args:
        text: Valid JSON.
        at: The start of the object or the list.

    Example:
        >>> [(m.name, m.start, m.stop) for m in members('{"a": 1, "b": [2]}', 0)]
        [('a', 1, 7), ('b', 9, 17)]
    """
    bracket = text[at]
    if bracket not in "{[":
        return
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        start, name = at, ""
        if bracket == "{":
            name, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        stop = _DECODER.raw_decode(text, at)[1]
        yield JsonMember(name, start, at, stop)
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _around(text: str, place: int) -> TextSpan:
    """Return the character at a position, or the member before it at the end of a line."""
    place = min(place, len(text))
    stop = place + 1
    if place == len(text) or text[place] in "\r\n":
        stop = place
        place = max(place - 1, 0)
    return TextSpan(place, stop)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
