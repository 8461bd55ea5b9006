"""Insert a new entry into the text of a program document."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from gradstep.program.document.positions import JsonMember, members

__all__ = ["TextEdit", "insertion_edit"]

_INDENT = "  "


class TextEdit(NamedTuple):
    """The characters from `start` to before `stop`, and their replacement."""

    start: int
    stop: int
    text: str


def insertion_edit(text: str, section: str, entry: str, at: int) -> TextEdit | None:
    """Return the edit that inserts an entry, such as one that `reference.snippet` returns.

    The entry is inserted after the entry of its section that contains the cursor, or else after the
    last member. A missing section is added. A criterion replaces the criterion of the loss.

    Args:
        text: The document.
        section: The section of the entry, as in `reference.DocumentKind`.
        entry: The text of the entry.
        at: The position of the cursor, in characters from 0.

    Returns:
        The edit; None if the document is not valid JSON or has no place for the entry.

    Example:
        >>> text = '{"modules": {"model": [{"kind": "ReLU"}]}}'
        >>> insertion_edit(text, "modules", '{"kind": "Tanh"}', 0)
        TextEdit(start=39, stop=39, text=', {"kind": "Tanh"}')
    """
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(tree, dict):
        return None
    top = len(text) - len(text.lstrip())
    whole = JsonMember("", top, top, len(text.rstrip()))
    name = {"criterion": "losses", "every": "loop"}.get(section, section)
    found = [member for member in members(text, whole.value) if member.name == name]
    if section in {"modules", "criterion"}:
        inner = list(members(text, found[-1].value)) if found else []
        if not inner:
            return None
        holder = _at_cursor(inner, at) or inner[-1]
        return (
            _set_criterion(text, holder, entry)
            if name == "losses"
            else _append(text, holder, entry, at)
        )
    if not found:
        opened, closed = "[]" if name == "loop" else "{}"
        added = f'"{name}": {opened}\n{2 * _INDENT}{entry}\n{_INDENT}{closed}'
        return _append(text, whole, added, -1)
    return _append(text, found[-1], entry, at)


def _at_cursor(entries: list[JsonMember], at: int) -> JsonMember | None:
    return next((member for member in entries if member.start <= at <= member.stop), None)


def _set_criterion(text: str, loss: JsonMember, entry: str) -> TextEdit | None:
    own = [member for member in members(text, loss.value) if member.name == "criterion"]
    if own:
        return TextEdit(own[-1].value, own[-1].stop, entry)
    return _append(text, loss, f'"criterion": {entry}', -1)


def _append(text: str, holder: JsonMember, entry: str, at: int) -> TextEdit | None:
    """Return the edit that adds an entry to an object or a list, laid out as its neighbours are."""
    if text[holder.value] not in "{[":
        return None
    entries = list(members(text, holder.value))
    if not entries:
        return TextEdit(holder.value + 1, holder.value + 1, entry)
    previous = _at_cursor(entries, at) or entries[-1]
    line_start = re.search(r"\n[ \t]*\Z", text[: previous.start])
    separator = line_start[0] if line_start else " "
    return TextEdit(previous.stop, previous.stop, f",{separator}{entry}")
