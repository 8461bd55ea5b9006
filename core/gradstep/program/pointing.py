"""Where in the text of a program document an error lies, for those who mend it by hand."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined] # missing in typeshed
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gradstep.errors import ProgramError

__all__ = ["Span", "span_of"]

_PART = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Span(NamedTuple):
    """Characters from `start` to before `stop`, counted from 0."""

    start: int
    stop: int


class _Found(NamedTuple):
    """A value of the document: where its name begins, if it has one, and where it begins itself."""

    name: int
    value: int


def span_of(text: str, error: ProgramError) -> Span | None:
    """Return where an error lies: the name and the value that it blames, as far as they are there.

    Args:
        text: The document.
        error: What `decode`, or a Program, said of it.

    Returns:
        Where to look; None when it is no one place, as for a document that lacks a section.

    Example:
        >>> from gradstep.program import document
        >>> text = '{"gradstep": 1, "seed": -1}'
        >>> try:
        ...     document.decode(text.encode())
        ... except document.ProgramError as error:
        ...     span = span_of(text, error)
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
    found = _Found(-1, _skip(text, 0))
    for name, index in _PART.findall(error.place):
        inner = _member(text, found.value, name) if name else _item(text, found.value, int(index))
        if inner is None:
            break
        found = inner
    if found.name < 0:
        return None
    return Span(found.name, _DECODER.raw_decode(text, found.value)[1])


def _around(text: str, place: int) -> Span:
    """Return what stands at a place, or before it at the end of a line: something to be seen."""
    place = min(place, len(text))
    stop = place + 1
    if place == len(text) or text[place] in "\r\n":
        stop = place
        place = max(place - 1, 0)
    return Span(place, stop)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _member(text: str, at: int, wanted: str) -> _Found | None:
    """Return the member of an object; of a name that occurs twice, the last."""
    if text[at] != "{":
        return None
    found, at = None, _skip(text, at + 1)
    while text[at] != "}":
        begin = at
        name, at = scanstring(text, at + 1)
        at = _skip(text, _skip(text, at) + 1)
        if name == wanted:
            found = _Found(begin, at)
        at = _past(text, at)
    return found


def _item(text: str, at: int, index: int) -> _Found | None:
    if text[at] != "[":
        return None
    at = _skip(text, at + 1)
    while text[at] != "]":
        if index == 0:
            return _Found(at, at)
        at, index = _past(text, at), index - 1
    return None


def _past(text: str, at: int) -> int:
    """Return where the next member begins, or the bracket that closes what holds it."""
    at = _skip(text, _DECODER.raw_decode(text, at)[1])
    return _skip(text, at + 1) if text[at] == "," else at
