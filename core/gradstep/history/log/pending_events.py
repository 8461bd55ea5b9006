"""PendingEvent: Events on their way into the log.

Writing many of them together takes much less than writing each as it comes, when the processor has
long been busy with something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.history.log.checksum import checksum
from gradstep.history.log.effect_cache import CachedEffect  # noqa: TC001 - msgspec reads it
from gradstep.history.records.event import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.log.event_log import EventLog

__all__ = ["PendingEvent", "write"]


class PendingEvent(msgspec.Struct, frozen=True, gc=False):
    """An Event, carried out and not yet in the log.

    Attributes:
        index: Its index.
        iteration: How many whole passes of the loop were complete before it.
        cached: Its Operation, and what that read and wrote.
        effect: What the Operation told of itself, a `SourceEffect`.
        written: What the checksum covers of what it wrote; taken at once, as it will change.
    """

    index: int
    iteration: int
    cached: CachedEffect
    effect: Any
    written: bytes


def write(events: Sequence[PendingEvent], log: EventLog) -> None:
    """Write Events into the log, but for those that are there already."""
    words = log.vocabulary
    for event in events:
        if event.index > len(log):
            effect, cached = event.effect, event.cached
            log.append_interned(
                event.iteration,
                cached.number,
                words.outcome_id(Outcome(message=effect.message)) if effect.message else 0,
                cached.reads_writes.id,
                checksum(event.written, effect.loss, effect.rows),
                effect.loss,
                words.rows_id(effect.rows),
            )
