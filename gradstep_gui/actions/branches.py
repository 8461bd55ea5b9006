"""Asking what would have been."""

from __future__ import annotations

from gradstep_gui.action import QT_TRANSLATE_NOOP, Action, Menu
from gradstep_gui.actions.conditions import recorded

__all__ = ["BRANCHES"]

BRANCHES: tuple[Action, ...] = (
    Action(
        id="debug.what_if",
        title=QT_TRANSLATE_NOOP("Action", "&What If…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Replay the rest of the events on a branch of its own, with one left out,\n"
            "something done before it, or a value set. What is on show stays.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.window.ask_what_if(),
        shortcut="Ctrl+I",
        group="branch",
        enabled_when=recorded,
    ),
)
