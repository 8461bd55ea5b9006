"""FrameScheduler: how often the window draws a run, and the time it gets for drawing."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.worker.worker_thread import WorkerThread

__all__ = ["FrameScheduler"]

FRAME_MS = 16


class FrameScheduler(QObject):
    """Signals when to draw the next picture of a run, and pauses the run meanwhile.

    During a run the window takes the newest picture at the screen's rate, or less often, so that
    half of its time is left for input. Views draw in turns; between two turns the event loop paints
    and handles input, so that the user never waits for all of them.

    Args:
        worker: Pauses while the window draws.
        parent: Its owner.
    """

    due = Signal()
    """It is time for the next picture."""

    def __init__(self, worker: WorkerThread, parent: QObject) -> None:
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
        """Start taking pictures."""
        self._timer.start()

    def stop(self) -> None:
        """Stop taking pictures: nothing runs."""
        self._timer.stop()
        self._rest_until = 0.0

    def close(self) -> None:
        """Stop for good."""
        self._timer.stop()
        self._turn.stop()
        self._turns.clear()

    def draw(self) -> None:
        """Hold the run until the event loop has drawn what it has now."""
        if self._since is None:
            self._since = time.perf_counter()
        self._worker.hold()
        self._turn.start(0)

    def in_turn(self, draw: Callable[[], None]) -> None:
        """Call `draw` soon, in an event-loop turn of its own."""
        if draw not in self._turns:
            self._turns.append(draw)
        if not self._turn.isActive():
            self._turn.start(max(0, round(1000 * (self._rest_until - time.perf_counter()))))

    def finish(self) -> None:
        """Draw everything that is waiting, now."""
        while self._turns:
            self._turns.popleft()()

    @Slot()
    def _take_turn(self) -> None:
        """Draw what is next in line, or let the worker continue when nothing is left."""
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
