"""Edits: what a what-if does otherwise than it was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.program.operation import Operation

__all__ = ["Edits"]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Edits:
    """What to do otherwise; the fields are what `Debugger.what_if` takes.

    Attributes:
        at: The first Event that is not taken over as it was; None for the first that is edited.
        skip: Events to leave out.
        insert: Pairs of an Event and an Operation to put before it.
        move: Pairs of an Event and the one before which it is to happen.
        set: Values to set before Event `at`.
        name: What to call the branch; what it does otherwise, when empty.
    """

    at: int | None = None
    skip: tuple[int, ...] = ()
    insert: tuple[tuple[int, Operation], ...] = ()
    move: tuple[tuple[int, int], ...] = ()
    set: Mapping[str, Any] = field(default_factory=_nothing)
    name: str = ""
