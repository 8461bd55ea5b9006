"""Happened: Events on their way into the log.

Writing many of them together takes much less than writing each as it comes, when the processor has
long been busy with something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.history.log.checksum import checksum
from gradstep.history.log.effect_cache import Habit  # noqa: TC001 - msgspec reads the annotations
from gradstep.history.records.event import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.log.event_log import EventLog

__all__ = ["Happened", "write"]


class Happened(msgspec.Struct, frozen=True, gc=False):
    """An Event, carried out and not yet in the log.

    Attributes:
        index: Its index.
        iteration: How many whole passes of the loop were complete before it.
        habit: Its Operation, and what that read and wrote.
        effect: What the Operation told of itself, a `SourceEffect`.
        written: What the checksum covers of what it wrote; taken at once, as it will change.
    """

    index: int
    iteration: int
    habit: Habit
    effect: Any
    written: bytes


def write(events: Sequence[Happened], log: EventLog) -> None:
    """Write Events into the log, but for those that are there already."""
    words = log.vocabulary
    for event in events:
        if event.index > len(log):
            effect, habit = event.effect, event.habit
            log.append_interned(
                event.iteration,
                habit.number,
                words.outcome_id(Outcome(message=effect.message)) if effect.message else 0,
                habit.footprint.id,
                checksum(event.written, effect.loss, effect.rows),
                effect.loss,
                words.rows_id(effect.rows),
            )
