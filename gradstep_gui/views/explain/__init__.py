"""The explain dock: why a tensor changed, the parts of its gradient, and who holds it."""

from gradstep_gui.views.explain.view import ExplainView

__all__ = ["ExplainView"]
