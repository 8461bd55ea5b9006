"""The breakpoints dock: where a run is to stop, and what it is to note."""

from gradstep_gui.views.breakpoints.view import BreakpointsView

__all__ = ["BreakpointsView"]
