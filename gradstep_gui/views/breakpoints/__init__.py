"""The breakpoints dock: where a run stops, and what it logs."""

from gradstep_gui.views.breakpoints.view import BreakpointsView

__all__ = ["BreakpointsView"]
