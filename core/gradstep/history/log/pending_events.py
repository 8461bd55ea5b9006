"""PendingEvent: Events waiting to be written to the log.

Writing many of them together is much faster than writing each at once, when other work has evicted
this code and its data from the processor's caches.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.history.log.checksum import checksum, row_bytes
from gradstep.history.log.effect_cache import CachedEffect  # noqa: TC001 - msgspec reads it
from gradstep.history.records.event import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.log.vocabulary import EventNumbers, Vocabulary

__all__ = ["PendingEvent", "write_pending"]


class PendingEvent(msgspec.Struct, frozen=True, gc=False):
    """An Event that was applied and is not in the log yet.

    Attributes:
        index: Its index.
        iteration: How many iterations were complete before it.
        cached: Its Operation, and what it read and wrote.
        effect: What the Operation returned, a `SourceEffect`.
        written: The bytes that the checksum covers, copied at once because they will change.
    """

    index: int
    iteration: int
    cached: CachedEffect
    effect: Any
    written: bytes


def write_pending(events: Sequence[PendingEvent], log: EventLog) -> None:
    """Append Events to the log, except those that it has already."""
    words, known = log.vocabulary, len(log)
    log.extend([_numbers(event, words) for event in events if event.index > known])


def _numbers(event: PendingEvent, words: Vocabulary) -> EventNumbers:
    cached, effect = event.cached, event.effect
    loss, message, rows = effect.loss, effect.message, row_bytes(effect.rows)
    return (
        cached.number,
        cached.reads_writes.id,
        words.outcome_id(Outcome(message=message)) if message else 0,
        words.rows_id(rows),
        event.iteration,
        checksum(event.written, loss, rows),
        loss is not None,
        nan if loss is None else loss,
    )
