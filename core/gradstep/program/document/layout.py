"""Format program documents for reading and editing; values that fit are written on one line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gradstep.program.document.codec import encode

if TYPE_CHECKING:
    from gradstep.program.document.validation_errors import Json
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["format_document", "format_tree"]

_WIDTH = 96
_INDENT = "  "


def format_document(spec: ProgramSpec) -> str:
    r"""Return the document of a spec in a readable layout.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> print(format_document(decode(b'{"gradstep": 1, "tensors": {"x": {"value": [1, 2]}}}')))
        {
          "gradstep": 1,
          "tensors": {
            "x": {"value": [1, 2]}
          }
        }
    """
    return format_tree(json.loads(encode(spec)))


def format_tree(tree: dict[str, Json]) -> str:
    """Return a document, whose sections have each entry on its own line.

    Args:
        tree: The document as dicts and lists.
    """
    sections = [f"{_INDENT}{json.dumps(name)}: {_section(value)}" for name, value in tree.items()]
    return "{\n" + ",\n".join(sections) + "\n}"


def _section(value: Json) -> str:
    """Format a section, with each entry on its own line."""
    if isinstance(value, dict | list) and value:
        return _multiline(value, _INDENT)
    return _one_line(value)


def _formatted(value: Json, indent: str, taken: int) -> str:
    """Format a value on a line of which `taken` columns are already used."""
    line = _one_line(value)
    if not isinstance(value, dict | list) or not value or taken + len(line) <= _WIDTH:
        return line
    return _multiline(value, indent)


def _multiline(value: Json, indent: str) -> str:
    inner = indent + _INDENT
    if isinstance(value, dict):
        heads = [f"{inner}{json.dumps(name, ensure_ascii=False)}: " for name in value]
        members, brackets = list(value.values()), "{}"
    else:
        heads, members, brackets = [inner] * len(value), value, "[]"
        if all(isinstance(member, int | float | str) for member in value):
            return _wrapped(value, indent)
    lines = [
        head + _formatted(member, inner, len(head) + 1)
        for head, member in zip(heads, members, strict=True)
    ]
    return brackets[0] + "\n" + ",\n".join(lines) + "\n" + indent + brackets[1]


def _wrapped(values: list[Json], indent: str) -> str:
    """Format a long list of numbers or names, with as many per line as fit."""
    inner, lines = indent + _INDENT, [""]
    for place, value in enumerate(values):
        word = _one_line(value) + ("," if place < len(values) - 1 else "")
        if lines[-1] and len(inner) + len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "[\n" + "\n".join(inner + line for line in lines) + "\n" + indent + "]"


def _one_line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
