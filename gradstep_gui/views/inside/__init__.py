"""The inside dock."""

from gradstep_gui.views.inside.view import InsideView

__all__ = ["InsideView"]
