"""FitFeed: what the model predicts, now and then during a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gradstep_gui.worker.commands import read_fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.debugger import Debugger
    from gradstep_gui.worker.updates import FitUpdate

__all__ = ["FitFeed"]

_PAUSE = 9
"""After predicting, a run has the worker to itself for this many times as long."""

_LEAST_PAUSE_S = 0.1
"""Views are drawn at most ten times a second during a run: nobody can see more."""


class FitFeed:
    """Predicts with the parameters of a run in progress, while a view wants to see it.

    It lives on the worker thread, and takes at most a tenth of its time.

    Args:
        clock: Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._loss: str | None = None
        self._next = 0.0

    def want(self, loss: str | None) -> None:
        """Predict for a loss from now on, empty for the first; None to predict nothing."""
        self._loss = loss
        self._next = 0.0

    def pull(self, debugger: Debugger) -> Iterator[FitUpdate]:
        """Yield what is predicted now, if it is wanted and time for it."""
        begun = self._clock()
        if self._loss is None or begun < self._next:
            return
        found = read_fit(debugger, self._loss, bool)
        ended = self._clock()
        self._next = ended + max(_PAUSE * (ended - begun), _LEAST_PAUSE_S)
        if found is not None:
            yield found
