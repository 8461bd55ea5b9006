"""The tensors dock: one card a tensor, with its data, its gradient and its optimizer state."""

from gradstep_gui.views.tensors.view import TensorsView

__all__ = ["TensorsView"]
