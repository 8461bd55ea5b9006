"""How the outputs of a model compare with the targets of its data."""

from gradstep.debugger.fit.fit_reader import FitReader

__all__ = ["FitReader"]
