"""What the worker remembers of breaks between two pictures: why the last run stopped."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep.history.records.breakpoints import Breaks
    from gradstep_gui.worker.engine import Engine, Reason

__all__ = ["BreakState"]

HITS = 1000
"""Events at which runs were stopped that stay marked in the log."""


class BreakState:
    """Lives on the worker thread, one for each program that is opened."""

    def __init__(self) -> None:
        self._reason: Reason | None = None
        self._hits: deque[int] = deque(maxlen=HITS)
        self._branch: object = None
        self._told: Breaks | None = None

    def stopped(self, engine: Engine, reason: Reason) -> None:
        """Take in why a run has stopped."""
        self._follow(engine)
        self._reason = reason
        if reason.breakpoint is not None:
            self._hits.append(reason.event)

    def news(self, engine: Engine, *, resting: bool) -> Breaks | None:
        """Return breakpoints and watches as they stand; None when nothing differs.

        Args:
            engine: The Debugger.
            resting: Nothing runs, so that there is time to compare with the moment before.
        """
        self._follow(engine)
        at, inside = engine.position
        reason = self._reason
        if reason is not None and (at != reason.event or inside is not None):
            reason = self._reason = None
        point = None if reason is None else reason.breakpoint
        breaks = replace(
            engine.breaks(compare=resting),
            sentence="" if reason is None else reason.sentence,
            kind="" if reason is None else reason.kind,
            hit=None if point is None else point.id,
            hits=frozenset(self._hits),
        )
        # Records of watches may hold arrays, which do not compare as a whole.
        if not breaks.watches and breaks == self._told:
            return None
        self._told = breaks
        return breaks

    def _follow(self, engine: Engine) -> None:
        if engine.history is not self._branch:
            self._branch = engine.history
            self._hits.clear()
