"""Why a parameter moved or not, what its gradient is made of, and who wrote a value last."""

from gradstep.debugger.explain.explainer import Explainer

__all__ = ["Explainer"]
