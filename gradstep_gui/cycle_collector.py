"""CycleCollector: collects reference cycles on the window's thread, most of them while it rests."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CycleCollector"]

EVERY_MS = 100
REST_S = 1.0
"""After so long without a new moment on the screen, a pause is not noticed."""

MIDDLE_DELAYED = 10
"""How many times later than usual those that survived once are collected without a rest."""

OLD_DELAYED = 6
"""Likewise those that survived twice; they are counted in collections that are delayed already."""


class CycleCollector(QObject):
    """Does what Python's own collector does, at better moments.

    Widgets may be among the garbage. Python would delete them on the thread that happens to make an
    object, such as the worker's, and Qt allows only its own to do so. And to look through all
    objects takes longer than a picture may, and through those of the last seconds a good part of
    it: both wait until nothing has happened for a second.

    Args:
        parent: Its owner; it collects as long as that lives.
        clock: Returns the time in seconds.
    """

    def __init__(self, parent: QObject, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self._clock = clock
        self._busy_at = clock()
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    @Slot()
    def note_work(self) -> None:
        """Note that something has happened just now."""
        self._busy_at = self._clock()

    @Slot()
    def collect(self) -> None:
        """Collect what is due."""
        counts, limits = gc.get_count(), gc.get_threshold()
        rests = self._clock() - self._busy_at > REST_S
        if counts[0] > limits[0]:
            gc.collect(1 if counts[1] > limits[1] * (1 if rests else MIDDLE_DELAYED) else 0)
        if counts[2] > limits[2] * (1 if rests else OLD_DELAYED):
            gc.collect()
