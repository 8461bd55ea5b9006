"""The graph view: the recorded graph of a loss, and the gradients of a backward pass."""

from gradstep_gui.views.graph.view import GraphView

__all__ = ["GraphView"]
