"""The loss over one or two directions of the parameters, around the present moment."""

from gradstep.debugger.landscape.landscapes import MOST_STORED, Landscapes

__all__ = ["MOST_STORED", "Landscapes"]
