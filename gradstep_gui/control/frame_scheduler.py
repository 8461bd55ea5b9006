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

DRAWING_SHARE = 0.1
"""The share of a run's time that its pictures may take: making them, and drawing them."""

LONGEST_REST_S = 1.0
"""However long a picture takes, the next one comes after this time."""


class FrameScheduler(QObject):
    """Asks for the pictures of a run, and pauses the run while the window draws.

    Pictures come at the screen's rate, or less often, so that they take a tenth of the time: the
    window and the run need the same interpreter, and the run is what the user waits for. The run
    makes a picture when it is asked, so that it is never an old one. Views draw in turns; between
    two turns the event loop paints and handles input, so that the user never waits for all of them.

    Args:
        worker: Pauses while the window draws.
        parent: Its owner.
    """

    due = Signal()
    """It is time to look for updates."""

    def __init__(self, worker: WorkerThread, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._timer = QTimer(self, interval=FRAME_MS)
        self._timer.timeout.connect(self._tick)
        self._turns: deque[Callable[[], None]] = deque()
        self._turn = QTimer(self, singleShot=True)
        self._turn.timeout.connect(self._take_turn)
        self._since: float | None = None
        self._rest_until = 0.0

    def start(self) -> None:
        """Start taking pictures."""
        self._timer.start(FRAME_MS)
        self._worker.want_picture()

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

    @Slot()
    def _tick(self) -> None:
        if self._since is None and not self._turns and time.perf_counter() >= self._rest_until:
            self._worker.want_picture()
        self._timer.setInterval(FRAME_MS)  # until there is another picture
        self.due.emit()

    def _let_work(self) -> None:
        self._worker.release()
        now = time.perf_counter()
        spent = now - (now if self._since is None else self._since) + self._worker.take_cost()
        self._since = None
        if self._timer.isActive():
            rest = max(0.0, self._rest_until - now) + spent * (1 / DRAWING_SHARE - 1)
            rest = min(rest, LONGEST_REST_S)
            self._rest_until = now + rest
            self._timer.setInterval(max(FRAME_MS, round(1000 * rest)))
