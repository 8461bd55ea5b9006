"""The landscape tab: the loss over two directions of the parameters, and the paths of all runs."""

from gradstep_gui.views.landscape.view import LandscapeView

__all__ = ["LandscapeView"]
