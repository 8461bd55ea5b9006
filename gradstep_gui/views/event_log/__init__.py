"""The event log dock: every Event in a table; a click seeks there."""

from gradstep_gui.views.event_log.view import EventLogView

__all__ = ["EventLogView"]
