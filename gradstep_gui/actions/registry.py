"""The registry of Actions, from which menus, toolbar and command palette are built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_gui.actions.branches import BRANCHES
from gradstep_gui.actions.breakpoints import BREAKPOINTS
from gradstep_gui.actions.files import FILES
from gradstep_gui.actions.help import HELP
from gradstep_gui.actions.lessons import LESSONS
from gradstep_gui.actions.navigation import NAVIGATION
from gradstep_gui.actions.operations import OPERATIONS
from gradstep_gui.actions.view import VIEW

if TYPE_CHECKING:
    from gradstep_gui.action import Action

__all__ = ["ACTIONS"]

ACTIONS: tuple[Action, ...] = (
    *FILES,
    *OPERATIONS,
    *NAVIGATION,
    *BREAKPOINTS,
    *BRANCHES,
    *VIEW,
    *LESSONS,
    *HELP,
)
