"""Targets: which loss or optimizer an Operation is meant for when nobody says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import OperationError
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradstep.program.operation import Operation

__all__ = ["choose_target", "target_of"]


def choose_target(
    kind: str, name: str | None, known: Iterable[str], expected: Operation | None
) -> str:
    """Return the name of what an Operation is meant for.

    Args:
        kind: "loss" or "optimizer", for messages and to read `expected`.
        name: What was asked for; None to choose.
        known: The names there are.
        expected: The next line of the loop: its target is chosen where it has one, else the first.

    Raises:
        OperationError: There is no such name, or there is nothing to choose from.

    Example:
        >>> from gradstep.program.operation import Step
        >>> choose_target("optimizer", None, ["a", "b"], Step("b"))
        'b'
    """
    names = tuple(known)
    if not names:
        raise OperationError(f"the program has no {kind}", "add one to its document")
    if name is None:
        wanted = target_of(kind, expected)
        return wanted if wanted in names else names[0]
    if name not in names:
        raise OperationError(f"there is no {kind} {name!r}", nearest(name, names))
    return name


def target_of(kind: str, operation: Operation | None) -> str | None:
    """Return the loss or the optimizer that an Operation names, if any."""
    name = getattr(operation, kind, None)
    return name if isinstance(name, str) else None
