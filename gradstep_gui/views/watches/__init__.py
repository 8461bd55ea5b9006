"""The watches dock: expressions, their values, and what the last event did to them."""

from gradstep_gui.views.watches.view import WatchesView

__all__ = ["WatchesView"]
