"""Why a parameter moved or not, where its gradient comes from, and which Event wrote a value."""

from gradstep.debugger.explain.explainer import Explainer

__all__ = ["Explainer"]
