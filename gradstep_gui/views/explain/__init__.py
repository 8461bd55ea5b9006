"""The explain dock: why a tensor has moved, what its gradient is made of, and who holds it."""

from gradstep_gui.views.explain.view import ExplainView

__all__ = ["ExplainView"]
