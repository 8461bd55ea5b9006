"""The event log dock: everything that happened, and the way back to it."""

from gradstep_gui.views.event_log.view import EventLogView

__all__ = ["EventLogView"]
