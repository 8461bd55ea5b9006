"""The plots dock: loss, gradients and parameters over iterations."""

from gradstep_gui.views.plots.view import PlotsView

__all__ = ["PlotsView"]
