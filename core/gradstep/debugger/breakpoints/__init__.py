"""Where runs stop, forwards and in the recorded past."""

from gradstep.debugger.breakpoints.breakpoints import Breakpoints

__all__ = ["Breakpoints"]
