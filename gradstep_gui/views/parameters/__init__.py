"""The parameters dock: every tensor of the program, and the values of the selected one."""

from gradstep_gui.views.parameters.view import ParametersView

__all__ = ["ParametersView"]
