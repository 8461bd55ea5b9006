"""What is done between the first picture of the window and its being complete."""

from __future__ import annotations

from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.main_window import MainWindow

__all__ = ["Startup"]

_PARTS = ("gradstep_gui.controller", "gradstep_gui.worker.autosave", "gradstep_gui.window_parts")
_UNSEEN_MS = 1000
"""A window that is not painted, because it begins minimized, is completed after this time."""

_LOOK_MS = 10


class Startup(QObject):
    """Completes the window once it has been painted, in idle time.

    What it is made of is imported on a thread, and then made part by part between two events.

    Args:
        window: The window.
        then: Called when it is complete.
    """

    def __init__(self, window: MainWindow, then: Callable[[], None]) -> None:
        super().__init__(window)
        self._window = window
        self._then = then
        self._thread = Thread(target=_import_all, daemon=True)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._advance)

    def begin(self) -> None:
        """Wait for the first picture."""
        page = self._window.centralWidget()
        if page is not None:
            page.installEventFilter(self)
        self._timer.start(_UNSEEN_MS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Begin to import after the first picture."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            self._timer.start(0)
        return False

    def _advance(self) -> None:
        window = self._window
        if self._thread.ident is None and not window.is_complete:
            self._thread.start()
        if self._thread.is_alive() and not window.is_complete:
            self._timer.start(_LOOK_MS)
        elif not window.is_complete:
            window.complete_next()
            self._timer.start(0)
        else:
            self._timer.stop()
            self._then()


def _import_all() -> None:
    for name in _PARTS:
        import_module(name)
