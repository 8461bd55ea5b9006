"""Insert a new entry into the text of a program document."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from gradstep.program.document.positions import JsonMember, members

__all__ = ["TextEdit", "change_for"]

_INDENT = "  "


class TextEdit(NamedTuple):
    """The characters from `start` to before `stop`, and their replacement."""

    start: int
    stop: int
    text: str


def change_for(text: str, section: str, entry: str, at: int) -> TextEdit | None:
    """Return the edit that inserts an entry, as written by `reference.snippet`.

    It goes behind the entry of its section in which the cursor is, or else behind the last one;
    a section that is missing is begun. A criterion takes the place of the loss's own.

    Args:
        text: The document.
        section: The part that the entry belongs to, as `reference.DocumentKind` calls it.
        entry: The entry.
        at: The cursor's position.

    Returns:
        The edit; None if the document is not JSON, or has no place for the entry.

    Example:
        >>> text = '{"modules": {"model": [{"kind": "ReLU"}]}}'
        >>> change_for(text, "modules", '{"kind": "Tanh"}', 0)
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
    name = {"criterion": "losses"}.get(section, section)
    found = [one for one in members(text, whole.value) if one.name == name]
    if section in {"modules", "criterion"}:
        inner = list(members(text, found[-1].value)) if found else []
        if not inner:
            return None
        holder = _at_cursor(inner, at) or inner[-1]
        return (
            _criterion(text, holder, entry) if name == "losses" else _added(text, holder, entry, at)
        )
    if not found:
        opened, closed = "[]" if section == "loop" else "{}"
        begun = f'"{section}": {opened}\n{2 * _INDENT}{entry}\n{_INDENT}{closed}'
        return _added(text, whole, begun, -1)
    return _added(text, found[-1], entry, at)


def _at_cursor(entries: list[JsonMember], at: int) -> JsonMember | None:
    return next((one for one in entries if one.start <= at <= one.stop), None)


def _criterion(text: str, loss: JsonMember, entry: str) -> TextEdit | None:
    own = [one for one in members(text, loss.value) if one.name == "criterion"]
    if own:
        return TextEdit(own[-1].value, own[-1].stop, entry)
    return _added(text, loss, f'"criterion": {entry}', -1)


def _added(text: str, holder: JsonMember, entry: str, at: int) -> TextEdit | None:
    """Return the edit that adds an entry to an object or a list, on its own line if others are."""
    if text[holder.value] not in "{[":
        return None
    entries = list(members(text, holder.value))
    if not entries:
        return TextEdit(holder.value + 1, holder.value + 1, entry)
    behind = _at_cursor(entries, at) or entries[-1]
    lead = re.search(r"\n[ \t]*\Z", text[: behind.start])
    return TextEdit(behind.stop, behind.stop, f",{lead[0] if lead else ' '}{entry}")
