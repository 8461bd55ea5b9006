"""The variables dock."""

from gradstep_gui.views.variables.view import VariablesView

__all__ = ["VariablesView"]
