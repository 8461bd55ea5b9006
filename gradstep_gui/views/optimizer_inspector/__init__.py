"""The optimizer inspector dock: groups, hyperparameters, and the state of each tensor."""

from gradstep_gui.views.optimizer_inspector.view import OptimizerInspectorView

__all__ = ["OptimizerInspectorView"]
