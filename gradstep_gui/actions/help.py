"""Help pages, and About."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["HELP"]

HELP: tuple[Action, ...] = (
    Action(
        id=ActionId.FIRST_STEPS,
        title=QT_TRANSLATE_NOOP("Action", "&First Steps"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Read what the four calls do, where to look, and what the terms mean."
        ),
        menu=Menu.HELP,
        run=lambda d: d.window.show_page("first_steps"),
        shortcut="F1",
        group="pages",
    ),
    Action(
        id=ActionId.QUESTIONS,
        title=QT_TRANSLATE_NOOP("Action", "&Questions and Error Messages"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Read answers to frequent questions, with an example program for each."
        ),
        menu=Menu.HELP,
        run=lambda d: d.window.show_page("questions"),
        group="pages",
    ),
    Action(
        id=ActionId.OWN_SCRIPTS,
        title=QT_TRANSLATE_NOOP("Action", "&Your Own Scripts"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Read how to debug and record a PyTorch script, and what can be done with it."
        ),
        menu=Menu.HELP,
        run=lambda d: d.window.show_page("scripts"),
        group="pages",
    ),
    Action(
        id=ActionId.KEYBOARD_SHORTCUTS,
        title=QT_TRANSLATE_NOOP("Action", "&Keyboard Shortcuts"),
        tooltip=QT_TRANSLATE_NOOP("Action", "List all keyboard shortcuts."),
        menu=Menu.HELP,
        run=lambda d: d.window.show_page("shortcuts"),
        group="pages",
    ),
    Action(
        id=ActionId.PROGRAM_REFERENCE,
        title=QT_TRANSLATE_NOOP("Action", "&Program Documents"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Read how a program document is written, and everything it may contain."
        ),
        menu=Menu.HELP,
        run=lambda d: d.window.show_page("programs"),
        group="pages",
    ),
    Action(
        id=ActionId.ABOUT,
        title=QT_TRANSLATE_NOOP("Action", "&About GradStep"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Show the version and licence of GradStep."),
        menu=Menu.HELP,
        run=lambda d: d.window.show_about(),
        group="about",
    ),
)
