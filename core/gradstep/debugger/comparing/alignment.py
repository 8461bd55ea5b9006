"""Alignment: pairs the Events of two branches."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import msgspec

from gradstep.history.records.comparison import Pair
from gradstep.program.operation import Skip, loop_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.history.log.event_log import EventLog
    from gradstep.program.operation import Operation

__all__ = ["aligned", "is_same", "is_same_operation"]

_LONGEST = 2000
"""Events of one iteration that are matched; longer ones are paired in order."""


def aligned(a: EventLog, b: EventLog, after: int = 0) -> Iterator[Pair]:
    """Yield the Events of two branches in pairs, iteration by iteration.

    Two Events are paired when they are of the same iteration and their Operations have the same
    kind and target. A skipped Operation is paired with the one that was carried out.

    Args:
        a: The log of one branch.
        b: That of the other.
        after: The last Event that both share.

    Example:
        >>> from gradstep.history.log.vocabulary import Vocabulary
        >>> from gradstep.history.log.event_log import EventLog
        >>> from gradstep.program.operation import Backward, Forward, Step
        >>> one, two = EventLog(Vocabulary(())), EventLog(Vocabulary(()))
        >>> _ = [one.append(0, item) for item in (Forward(), Backward())]
        >>> _ = [two.append(0, item) for item in (Forward(), Step(out_of_loop=True), Backward())]
        >>> [tuple(pair) for pair in aligned(one, two)]
        [(1, 1), (None, 2), (2, 3)]
    """
    at, to = after + 1, after + 1
    while at <= len(a) and to <= len(b):
        if a.iteration(at) == b.iteration(to) and _key(a.operation(at)) == _key(b.operation(to)):
            yield Pair(at, to)
            at, to = at + 1, to + 1
            continue
        iteration = min(a.iteration(at), b.iteration(to))
        ends = _end(a, at, iteration), _end(b, to, iteration)
        yield from _matched(a, range(at, ends[0]), b, range(to, ends[1]))
        at, to = ends
    yield from (Pair(event, None) for event in range(at, len(a) + 1))
    yield from (Pair(None, event) for event in range(to, len(b) + 1))


def is_same(a: EventLog, b: EventLog, pair: Pair) -> bool:
    """Whether both Events did and wrote the same, according to their checksums."""
    one, two = pair
    if one is None or two is None or a.checksum(one) != b.checksum(two):
        return False
    _, operation, outcome, reads_writes, loss = a.brief(one)
    _, operation_b, outcome_b, reads_writes_b, loss_b = b.brief(two)
    same_loss = loss == loss_b or (loss != loss and loss_b != loss_b)  # noqa: PLR0124 - NaN
    return (
        same_loss
        and is_same_operation(operation, operation_b)
        and outcome == outcome_b
        and reads_writes.writes == reads_writes_b.writes
    )


def is_same_operation(a: Operation, b: Operation) -> bool:
    """Return whether two Operations are equal, whatever the lines of the scripts that did them."""
    return a == b or (
        bool(a.at and b.at)
        and msgspec.structs.replace(a, at="") == msgspec.structs.replace(b, at="")
    )


def _key(operation: Operation) -> object:
    inner = operation.operation if isinstance(operation, Skip) else operation
    return operation.out_of_loop, loop_key(inner)


def _end(log: EventLog, start: int, iteration: int) -> int:
    """Return the first Event from `start` on that belongs to a later iteration."""
    at = start
    while at <= len(log) and log.iteration(at) <= iteration:
        at += 1
    return at


def _matched(a: EventLog, own: range, b: EventLog, other: range) -> Iterator[Pair]:
    """Pair the Events of one iteration in the longest common order of their Operations."""
    if max(len(own), len(other)) > _LONGEST:
        yield from (Pair(*both) for both in zip(own, other, strict=False))
        shared = min(len(own), len(other))
        yield from (Pair(event, None) for event in own[shared:])
        yield from (Pair(None, event) for event in other[shared:])
        return
    keys = [_key(a.operation(event)) for event in own]
    keys_b = [_key(b.operation(event)) for event in other]
    for tag, i, j, k, m in SequenceMatcher(None, keys, keys_b, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (Pair(*both) for both in zip(own[i:j], other[k:m], strict=True))
        else:
            yield from (Pair(event, None) for event in own[i:j])
            yield from (Pair(None, event) for event in other[k:m])
