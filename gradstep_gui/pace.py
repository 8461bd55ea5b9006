"""Pace: how often the window takes a picture of a run, and that it gets the time to draw it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

if TYPE_CHECKING:
    from gradstep_gui.engine_worker import EngineWorker

__all__ = ["Pace"]

FRAME_MS = 16


class Pace(QObject):
    """Says when to take the next picture, and holds the run while one is drawn.

    While a run goes on the window takes the newest picture at the screen's rate, or as often as
    leaves it half of its time for the person.

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
        self._drawn = QTimer(self, interval=0, singleShot=True)
        self._drawn.timeout.connect(self._let_work)
        self._drawing_since = 0.0

    def start(self) -> None:
        """Take pictures from now on."""
        self._timer.start()

    def stop(self) -> None:
        """Take no more: nothing runs."""
        self._timer.stop()

    def close(self) -> None:
        """Stop for good."""
        self._timer.stop()
        self._drawn.stop()

    def draw(self) -> None:
        """Hold the run until the event loop has drawn what it is given now."""
        self._drawing_since = time.perf_counter()
        self._worker.hold()
        self._drawn.start()

    @Slot()
    def _let_work(self) -> None:
        """Let the worker go on, now that the event loop has nothing more to draw."""
        self._worker.release()
        spent_ms = round(1000 * (time.perf_counter() - self._drawing_since))
        self._timer.setInterval(max(FRAME_MS, spent_ms))
