"""The text of comparisons: what two branches did differently."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.pluralize import pluralize
from gradstep.program.document.codec import encode
from gradstep.program.operation import Skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.debugger.comparing.compared_branch import ComparedBranch
    from gradstep.history.records.comparison import Pair
    from gradstep.program.operation import Operation

__all__ = ["notes", "operation_text", "pair_text"]

_MAX_SHOWN = 8
_MISSING = object()
_SHOWN = 60
"""Characters that are shown of a value in a document."""


def operation_text(operation: Operation) -> str:
    """Return an Operation as text: its kind, its target, and options that are not default.

    Example:
        >>> from gradstep.program.operation import SetHyperparameter, Step
        >>> edit = SetHyperparameter("lr", 0.1, out_of_loop=True)
        >>> operation_text(Skip(Step())), operation_text(edit)
        ('skipped Step optimizer', 'SetHyperparameter lr 0.1 optimizer')
        >>> from gradstep.program.operation import Backward, ZeroGrad
        >>> operation_text(Backward(retain_graph=True)), operation_text(ZeroGrad(set_to_none=False))
        ('Backward loss retain_graph', 'ZeroGrad optimizer set_to_none: false')
    """
    if isinstance(operation, Skip):
        return f"skipped {operation_text(operation.operation)}"
    values = [
        _value_text(field.name, getattr(operation, field.name))
        for field in msgspec.structs.fields(operation)
        if field.name in {"optimizer", "loss"}
        or (field.name != "out_of_loop" and getattr(operation, field.name) != field.default)
    ]
    return " ".join([type(operation).__name__, *values])


def _value_text(name: str, value: Any) -> str:  # noqa: ANN401 - of any field
    """Return a field of an Operation: a name or a number alone, anything else with its name."""
    if value is True:
        return name
    if isinstance(value, str) or (isinstance(value, (int, float)) and value is not False):
        return f"{value}"
    return f"{name}: {_json(value)}"


def _json(value: Any) -> str:  # noqa: ANN401 - a part of a document
    text = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def pair_text(a: ComparedBranch, b: ComparedBranch, pair: Pair) -> str:
    """Return what a pair of Events did; nothing at the start."""
    texts = [
        operation_text(branch.history.log.operation(event))
        for branch, event in zip((a, b), pair, strict=True)
        if event
    ]
    return " and ".join(dict.fromkeys(texts))


def notes(a: ComparedBranch, b: ComparedBranch, parted: Pair | None) -> Iterator[str]:
    """Yield what differs apart from values.

    Args:
        a: One branch.
        b: The other.
        parted: The first pair of Events that did something different.
    """
    if a.program.abilities.diverge and b.program.abilities.diverge:
        yield from _source_notes(a, b)
    elif a.program.spec != b.program.spec:
        trees = [msgspec.json.decode(encode(branch.program.spec)) for branch in (a, b)]
        texts = list(_parts("$", *trees))
        yield from (f"The programs differ: {text}." for text in texts[:_MAX_SHOWN])
        if len(texts) > _MAX_SHOWN:
            yield f"The programs differ in {len(texts) - _MAX_SHOWN} more places."
    if parted is None:
        return
    lengths = len(a.history), len(b.history)
    shorter, longer = ((a, b), (b, a))[lengths[0] > lengths[1]]
    if None in parted and max(filter(None, parted)) > len(shorter.history):
        more = abs(lengths[0] - lengths[1])
        yield f"'{longer.name}' has {pluralize(more, 'more Event')}."
        return
    did = [_operation_at(branch, event) for branch, event in zip((a, b), parted, strict=True)]
    yield f"The Operations diverge at Event {parted.a or parted.b:,}: {did[0]}, {did[1]}."
    if lengths[0] != lengths[1]:
        yield f"'{a.name}' has {pluralize(lengths[0], 'Event')} and '{b.name}' has {lengths[1]:,}."


def _source_notes(a: ComparedBranch, b: ComparedBranch) -> Iterator[str]:
    """Yield the first line that differs in each file of two scripts."""
    ours, theirs = a.program.sources, b.program.sources
    names = [(name, name) for name in ours if name in theirs]
    if not names and ours and theirs:
        names = [(next(iter(ours)), next(iter(theirs)))]  # one script, by two names
    for name, other in names:
        one, two = ours[name], theirs[other]
        lines = [text.splitlines() for text in (one, two)]
        for number, (left, right) in enumerate(zip_longest(*lines, fillvalue=""), 1):
            if left != right:
                yield f"{name} differs first in line {number}: {_line(left)} and {_line(right)}."
                break


def _line(text: str) -> str:
    return f"`{text.strip()}`" if text.strip() else "an empty line"


def _operation_at(branch: ComparedBranch, event: int | None) -> str:
    if event is None:
        return f"nothing in '{branch.name}'"
    log = branch.history.log
    failed = ", failed," if log.failed(event) else ""
    return f"{operation_text(log.operation(event))}{failed} in '{branch.name}'"


def _are_alike(one: Any, two: Any) -> bool:  # noqa: ANN401 - parts of a document
    """Return whether two values are lists of as many objects, such as layers or lines of a loop."""
    return (
        isinstance(one, list)
        and isinstance(two, list)
        and len(one) == len(two)
        and all(isinstance(item, dict) for item in (*one, *two))
    )


def _parts(place: str, one: Any, two: Any) -> Iterator[str]:  # noqa: ANN401 - parts of a document
    if one == two:
        return
    if isinstance(one, dict) and isinstance(two, dict):
        for key in {**one, **two}:
            yield from _parts(f"{place}.{key}", one.get(key, _MISSING), two.get(key, _MISSING))
    elif _are_alike(one, two):
        for index, parts in enumerate(zip(one, two, strict=True)):
            yield from _parts(f"{place}[{index}]", *parts)
    else:
        shown = ["missing" if value is _MISSING else _json(value) for value in (one, two)]
        yield f"{place} is {shown[0]} and {shown[1]}"
