"""Pace: how often the window takes a picture of a run, and that it gets the time to draw it."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.worker.engine_worker import EngineWorker

__all__ = ["FrameScheduler"]

FRAME_MS = 16


class FrameScheduler(QObject):
    """Says when to take the next picture, and holds the run while one is drawn.

    While a run goes on the window takes the newest picture at the screen's rate, or as often as
    leaves it half of its time for the person. What takes long to draw is drawn in turns, between
    which the event loop paints and hears the person: nobody waits for all of it.

    Args:
        worker: What gives way while a picture is drawn.
        parent: Its owner.
    """

    due = Signal()
    """It is time to take a picture."""

    def __init__(self, worker: EngineWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._timer = QTimer(self, interval=FRAME_MS)
        self._timer.timeout.connect(self.due)
        self._turns: deque[Callable[[], None]] = deque()
        self._turn = QTimer(self, singleShot=True)
        self._turn.timeout.connect(self._take_turn)
        self._since: float | None = None
        self._rest_until = 0.0

    def start(self) -> None:
        """Take pictures from now on."""
        self._timer.start()

    def stop(self) -> None:
        """Take no more: nothing runs."""
        self._timer.stop()
        self._rest_until = 0.0

    def close(self) -> None:
        """Stop for good."""
        self._timer.stop()
        self._turn.stop()
        self._turns.clear()

    def draw(self) -> None:
        """Hold the run until the event loop has drawn what it is given now."""
        if self._since is None:
            self._since = time.perf_counter()
        self._worker.hold()
        self._turn.start(0)

    def in_turn(self, draw: Callable[[], None]) -> None:
        """Draw something soon, in a turn of the event loop of its own."""
        if draw not in self._turns:
            self._turns.append(draw)
        if not self._turn.isActive():
            self._turn.start(max(0, round(1000 * (self._rest_until - time.perf_counter()))))

    def finish(self) -> None:
        """Draw at once what waits for its turn."""
        while self._turns:
            self._turns.popleft()()

    @Slot()
    def _take_turn(self) -> None:
        """Draw what comes next, or let the worker go on when there is nothing more."""
        if self._turns:
            self.draw()
            self._turns.popleft()()
        else:
            self._let_work()

    def _let_work(self) -> None:
        self._worker.release()
        now = time.perf_counter()
        spent = now - (now if self._since is None else self._since)
        self._since = None
        self._timer.setInterval(max(FRAME_MS, round(1000 * spent)))
        if self._timer.isActive():
            self._rest_until = now + spent
