"""Everything a person can trigger, one file a subject."""

from gradstep_gui.actions.registry import ACTIONS

__all__ = ["ACTIONS"]
