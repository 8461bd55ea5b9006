"""Names of tensors that RebuildModule has replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from gradstep.history.records.snapshot import STALE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.history.log.applied_event import AppliedEvent

__all__ = ["renamed"]

_Value = TypeVar("_Value")


def renamed(named: Mapping[str, _Value], seen: AppliedEvent) -> dict[str, _Value]:
    """Return what is kept by the names of tensors, by their names after a RebuildModule.

    Nothing is written to the old tensors, but from now on their names belong to the new ones.

    Args:
        named: What is kept, by name.
        seen: The Event of the RebuildModule.
    """
    replaced = frozenset(seen.reads_writes.written_tensors)
    return {f"{name}{STALE}" if name in replaced else name: value for name, value in named.items()}
