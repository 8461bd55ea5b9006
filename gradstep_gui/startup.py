"""What is done between the first picture of the window and its being complete."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.main_window import MainWindow

__all__ = ["Startup"]

_PARTS = (
    *("numpy", "gradstep.autograd", "gradstep.nn", "gradstep.optim", "gradstep.history.records"),
    *("gradstep.program.program", "gradstep.diagnostics", "gradstep.debugger"),
    *("gradstep.lessons.gallery", "gradstep.session.opening", "gradstep_gui.controller"),
    *("gradstep_gui.worker.autosave", "pyqtgraph", "gradstep_gui.views.plots"),
    *("gradstep_gui.window.centre", "gradstep_gui.window.docks"),
    *("gradstep_gui.dialog_controllers.lessons", "gradstep_gui.window_parts"),
)
"""What is imported, in turns: the last of them imports all; the others divide the time."""

_UNSEEN_MS = 1000
"""A window that is not painted, because it begins minimized, is completed after this time."""


class Startup(QObject):
    """Completes the window once it has been painted, in idle time.

    What it is made of is imported and then made part by part, and events are handled between any
    two parts. Not on a thread: a test crashed inside PySide while classes were made on one thread
    and the other was drawing.

    Args:
        window: The window.
        then: Called when it is complete.
    """

    def __init__(self, window: MainWindow, then: Callable[[], None]) -> None:
        super().__init__(window)
        self._window = window
        self._then = then
        self._names = list(_PARTS)
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
        if self._names and not window.is_complete:
            import_module(self._names.pop(0))
            self._timer.start(0)
        elif not window.is_complete:
            window.complete_next()
            self._timer.start(0)
        else:
            self._timer.stop()
            self._then()
