"""The text of comparisons: what two branches did differently."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.debugger.change_names import json_text, long_name
from gradstep.pluralize import pluralize
from gradstep.program.document.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.debugger.comparing.compared_branch import ComparedBranch
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.records.comparison import Pair

__all__ = ["document_differences", "notes", "pair_text"]

_MAX_SHOWN = 8
_MISSING = object()


def pair_text(a: ComparedBranch, b: ComparedBranch, pair: Pair) -> str:
    """Return what a pair of Events did; nothing at the start."""
    texts = [
        long_name(branch.history.log.operation(event))
        for branch, event in zip((a, b), pair, strict=True)
        if event
    ]
    return " and ".join(dict.fromkeys(texts))


def notes(a: ComparedBranch, b: ComparedBranch, first_diverging: Pair | None) -> Iterator[str]:
    """Yield what differs apart from values.

    Args:
        a: One branch.
        b: The other.
        first_diverging: The first pair of Events that did something different.
    """
    if a.program.abilities.diverge and b.program.abilities.diverge:
        yield from _source_notes(a, b)
    elif a.program.spec != b.program.spec:
        found = document_differences(a.program, b.program)
        texts = [f"{place} is {one} and {two}" for place, (one, two) in found]
        yield from (f"The programs differ: {text}." for text in texts[:_MAX_SHOWN])
        if len(texts) > _MAX_SHOWN:
            yield f"The programs differ in {len(texts) - _MAX_SHOWN} more places."
    if first_diverging is None:
        return
    lengths = len(a.history), len(b.history)
    shorter, longer = ((a, b), (b, a))[lengths[0] > lengths[1]]
    if None in first_diverging and max(filter(None, first_diverging)) > len(shorter.history):
        more = abs(lengths[0] - lengths[1])
        yield f"'{longer.name}' has {pluralize(more, 'more Event')}."
        return
    did = [
        _operation_at(branch, event) for branch, event in zip((a, b), first_diverging, strict=True)
    ]
    event = first_diverging.a or first_diverging.b
    yield f"The Operations diverge at Event {event:,}: {did[0]}, {did[1]}."
    if lengths[0] != lengths[1]:
        yield f"'{a.name}' has {pluralize(lengths[0], 'Event')} and '{b.name}' has {lengths[1]:,}."


def document_differences(a: Debuggee, b: Debuggee) -> list[tuple[str, tuple[str, str]]]:
    """Return where the documents of two programs differ, and what each has there."""
    return list(_parts("$", *(msgspec.json.decode(encode(program.spec)) for program in (a, b))))


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
    return f"{long_name(log.operation(event))}{failed} in '{branch.name}'"


def _are_alike(one: Any, two: Any) -> bool:  # noqa: ANN401 - parts of a document
    """Return whether two values are lists of as many objects, such as layers or lines of a loop."""
    return (
        isinstance(one, list)
        and isinstance(two, list)
        and len(one) == len(two)
        and all(isinstance(item, dict) for item in (*one, *two))
    )


def _parts(
    place: str,
    one: Any,  # noqa: ANN401 - a part of a document
    two: Any,  # noqa: ANN401
) -> Iterator[tuple[str, tuple[str, str]]]:
    if one == two:
        return
    if isinstance(one, dict) and isinstance(two, dict):
        for key in {**one, **two}:
            yield from _parts(f"{place}.{key}", one.get(key, _MISSING), two.get(key, _MISSING))
    elif _are_alike(one, two):
        for index, parts in enumerate(zip(one, two, strict=True)):
            yield from _parts(f"{place}[{index}]", *parts)
    else:
        left, right = ("missing" if value is _MISSING else json_text(value) for value in (one, two))
        yield place, (left, right)
