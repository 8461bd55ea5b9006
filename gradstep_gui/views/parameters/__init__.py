"""The parameters dock: every tensor of the program, and the selected one in numbers."""

from gradstep_gui.views.parameters.view import ParametersView

__all__ = ["ParametersView"]
