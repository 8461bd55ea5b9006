"""The plots dock: loss, gradients and parameters over iterations, in one view."""

from gradstep_gui.views.plots.view import PlotsView

__all__ = ["PlotsView"]
