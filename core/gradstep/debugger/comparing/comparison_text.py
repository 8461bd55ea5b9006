"""Telling: what two lines of Events did otherwise, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.pluralize import pluralize
from gradstep.program.operation import Skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.debugger.comparing.compared_branch import ComparedBranch
    from gradstep.history.records.comparison import Pair
    from gradstep.program.operation import Operation

__all__ = ["deed", "notes", "operation_words"]

_MOST = 8
_SHOWN = 60
"""Characters of a value of a document."""


def operation_words(operation: Operation) -> str:
    """Return an Operation in words: its kind, what it acts on, and what is not as usual.

    Example:
        >>> from gradstep.program.operation import SetHyperparameter, Step
        >>> edit = SetHyperparameter("lr", 0.1, out_of_loop=True)
        >>> operation_words(Skip(Step())), operation_words(edit)
        ('Step optimizer left out', 'SetHyperparameter lr 0.1 optimizer')
    """
    if isinstance(operation, Skip):
        return f"{operation_words(operation.operation)} left out"
    values = [
        f"{getattr(operation, field.name)}"
        for field in msgspec.structs.fields(operation)
        if field.name in {"optimizer", "loss"}
        or (field.name != "out_of_loop" and getattr(operation, field.name) != field.default)
    ]
    return " ".join([type(operation).__name__, *values])


def deed(a: ComparedBranch, b: ComparedBranch, pair: Pair) -> str:
    """Say what a pair of Events did; nothing for the start."""
    told = [
        operation_words(line.history.log.operation(event))
        for line, event in zip((a, b), pair, strict=True)
        if event
    ]
    return " and ".join(dict.fromkeys(told))


def notes(a: ComparedBranch, b: ComparedBranch, parted: Pair | None) -> Iterator[str]:
    """Say what is not the same beside the values.

    Args:
        a: One line.
        b: The other.
        parted: The first pair of Events that did something else.
    """
    if a.program.spec != b.program.spec:
        trees = [msgspec.to_builtins(line.program.spec) for line in (a, b)]
        told = list(_parts("$", *trees))
        yield from (f"The programs differ: {text}." for text in told[:_MOST])
        if len(told) > _MOST:
            yield f"The programs differ in {len(told) - _MOST} more places."
    if parted is None:
        return
    lengths = len(a.history), len(b.history)
    shorter, longer = ((a, b), (b, a))[lengths[0] > lengths[1]]
    if None in parted and max(filter(None, parted)) > len(shorter.history):
        more = abs(lengths[0] - lengths[1])
        yield f"'{longer.name}' goes on for {pluralize(more, 'more Event')}."
        return
    did = [_did(line, event) for line, event in zip((a, b), parted, strict=True)]
    yield f"The Operations part at Event {parted.a or parted.b:,}: {did[0]}, {did[1]}."
    if lengths[0] != lengths[1]:
        yield f"'{a.name}' has {pluralize(lengths[0], 'Event')} and '{b.name}' has {lengths[1]:,}."


def _did(line: ComparedBranch, event: int | None) -> str:
    if event is None:
        return f"nothing in '{line.name}'"
    log = line.history.log
    refused = ", refused," if log.failed(event) else ""
    return f"{operation_words(log.operation(event))}{refused} in '{line.name}'"


def _parts(place: str, one: Any, two: Any) -> Iterator[str]:  # noqa: ANN401 - parts of a document
    if one == two:
        return
    if isinstance(one, dict) and isinstance(two, dict):
        for key in {**one, **two}:
            yield from _parts(f"{place}.{key}", one.get(key), two.get(key))
    else:
        shown = [f"{value!r:.{_SHOWN}}" for value in (one, two)]
        yield f"{place} is {shown[0]} and {shown[1]}"
