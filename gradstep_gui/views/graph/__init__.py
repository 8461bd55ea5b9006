"""The graph view: the recorded computation of a loss, and gradients on their way back."""

from gradstep_gui.views.graph.view import GraphView

__all__ = ["GraphView"]
