"""Names that no two living objects share."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_NAME = 160
"""Characters of a name; of a longer one the end, where it differs from others."""


class Names:
    """Objects by weak reference, each with a name of its own."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], str]] = {}

    def find(self, thing: object) -> str:
        """Return the name of an object; "" when it has none."""
        known = self._known.get(id(thing))
        return known[1] if known is not None and known[0]() is thing else ""

    def add(self, thing: Any, name: str) -> str:
        """Give an object this name, or one like it that no living object has."""
        taken = {other for other, _ in self.items()}
        unused = unused_name(name, taken.__contains__)
        self._known[id(thing)] = (weakref.ref(thing), unused)
        return unused

    def items(self) -> list[tuple[str, Any]]:
        """Return the names and objects that are alive."""
        found = [(name, reference()) for reference, name in self._known.values()]
        return [(name, thing) for name, thing in found if thing is not None]


def label(name: str) -> str:
    """Return a name as addresses can have it: short, without a slash, and not a gradient's."""
    name = name.replace("/", "|")
    if name.endswith(".grad"):
        name += "_"
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"


def unused_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """Return a name, with a number where it is taken: "model (2)"."""
    unused, number = name, 2
    while is_taken(unused):
        unused, number = f"{name} ({number})", number + 1
    return unused
