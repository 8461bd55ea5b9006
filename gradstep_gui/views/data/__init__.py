"""The data tab."""

from gradstep_gui.views.data.view import DataView

__all__ = ["DataView"]
