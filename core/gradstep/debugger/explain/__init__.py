"""Why a parameter has moved or not, and what its gradient is made of."""

from gradstep.debugger.explain.change import explain
from gradstep.debugger.explain.provenance import contributions

__all__ = ["contributions", "explain"]
