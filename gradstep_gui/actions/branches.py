"""Asking what would have been, and what is done with branches."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions.enabled_when import recorded, removed
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["BRANCHES"]

BRANCHES: tuple[Action, ...] = (
    Action(
        id=ActionId.WHAT_IF,
        title=QT_TRANSLATE_NOOP("Action", "&What If…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Replay the rest of the events on a branch of its own, with one left out,\n"
            "something done before it, or a value set. What is on show stays.",
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.window.ask_what_if(),
        shortcut="Ctrl+I",
        group="ask",
        enabled_when=recorded,
    ),
    Action(
        id=ActionId.RESUME_CHECK,
        title=QT_TRANSLATE_NOOP("Action", "&Resume Check…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Tell whether the run could have been broken off and resumed from a checkpoint,\n"
            "and what the weights alone would have lacked.",
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.window.ask_resume_check(),
        group="ask",
        enabled_when=recorded,
    ),
    Action(
        id=ActionId.RESTORE_BRANCH,
        title=QT_TRANSLATE_NOOP("Action", "&Bring Back the Removed Branch"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Put the branch back that was removed last, with all its events.\n"
            "It is kept for that as long as the program is open.",
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.controller.branches.restore(),
        group="branch",
        enabled_when=removed,
    ),
)
