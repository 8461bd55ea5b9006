"""THE registry of Actions: menus, toolbar, shortcuts and command palette are built from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_gui.actions.branches import BRANCHES
from gradstep_gui.actions.breakpoints import BREAKS
from gradstep_gui.actions.files import FILES
from gradstep_gui.actions.help import HELP
from gradstep_gui.actions.navigation import TRAVEL
from gradstep_gui.actions.operations import OPERATIONS
from gradstep_gui.actions.view import VIEW

if TYPE_CHECKING:
    from gradstep_gui.action import Action

__all__ = ["ACTIONS"]

ACTIONS: tuple[Action, ...] = (*FILES, *OPERATIONS, *TRAVEL, *BREAKS, *BRANCHES, *VIEW, *HELP)
