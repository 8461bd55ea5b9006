"""SinceBest: how often a loss or metric was computed since its best value, from the Event log."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from math import isnan, nan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.history.log.event_log import EventLog

__all__ = ["SinceBest"]


@dataclass(slots=True)
class _Known:
    """What has been counted of one loss or metric."""

    up_to: int = 0
    best: float = nan
    events: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)


class SinceBest:
    """Counts how often a loss or metric was computed since its best value on a branch.

    Each Event is looked at once, so that a breakpoint costs the same after a million Events.
    An equal value is not an improvement, and NaN is never the best. Steps that compute several
    losses do not count, since the log has only their sum.

    Args:
        log: Returns the Event log of the branch.

    Example:
        >>> from gradstep.history.log.event_log import EventLog
        >>> from gradstep.history.log.vocabulary import Vocabulary
        >>> from gradstep.program.operation import Forward
        >>> log = EventLog(Vocabulary(losses=("val",)))
        >>> for value in (3.0, 1.0, 2.0, 1.0):
        ...     _ = log.append(0, Forward("val"), writes=("val",), loss=value)
        >>> since_best = SinceBest(lambda: log)
        >>> [since_best(event, "val", "min") for event in range(5)]
        [None, 0, 0, 1, 2]
        >>> since_best(4, "val", "max")
        3
    """

    __slots__ = ("_known", "_log", "_serial")

    def __init__(self, log: Callable[[], EventLog]) -> None:
        self._log = log
        self._serial: object = None
        self._known: dict[tuple[str, str], _Known] = {}

    def __call__(self, event: int, name: str, best: str) -> int | None:
        """Return the count after an Event; None when it was not computed by then.

        Args:
            event: The index of the Event.
            name: The loss or metric.
            best: "min" or "max".
        """
        log = self._log()
        if log.serial != self._serial:
            self._serial = log.serial
            self._known.clear()
        known = self._known.setdefault((name, best), _Known())
        self._count(log, known, min(event, len(log)), name, best)
        place = bisect_right(known.events, event)
        return known.counts[place - 1] if place else None

    @staticmethod
    def _count(log: EventLog, known: _Known, up_to: int, name: str, best: str) -> None:
        """Count on to an Event."""
        if up_to <= known.up_to:
            return
        found = log.find(
            known.up_to,
            up_to,
            reads_writes=lambda item: tuple(item.written_losses) == (name,),
            outcome=lambda item: item.ok,
        )
        for index in found.tolist():
            value = log.brief(index)[4]
            if value is None:
                continue
            better = value > known.best if best == "max" else value < known.best
            if better or (isnan(known.best) and not isnan(value)):
                known.best = value
                count = 0
            else:
                count = known.counts[-1] + 1 if known.counts else 1
            known.events.append(index)
            known.counts.append(count)
        known.up_to = up_to
