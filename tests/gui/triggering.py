"""Actions of a window, triggered as a menu does."""

from __future__ import annotations

from PySide6.QtGui import QAction

TIMEOUT_S = 60.0
"""For the worker to finish; longer than any Operation takes on a loaded machine."""


def trigger(window, *names):
    """Trigger actions by their ids, each when the worker has finished the one before."""
    for name in names:
        action = window.findChild(QAction, name)
        assert action.isEnabled(), name
        action.trigger()
        assert window.controller.wait_idle(TIMEOUT_S), name
