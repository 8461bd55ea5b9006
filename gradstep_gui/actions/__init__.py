"""The registry of Actions, one file a subject."""

from gradstep_gui.actions.registry import ACTIONS

__all__ = ["ACTIONS"]
