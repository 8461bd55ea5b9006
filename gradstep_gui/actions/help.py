"""What there is to read: first steps, questions, keys, program documents, and about GradStep."""

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
            "Action", "Tell what the four calls do and when, where to look, and what words mean."
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
            "Action", "Answer what is asked most, and tell which program shows it."
        ),
        menu=Menu.HELP,
        run=lambda d: d.window.show_page("questions"),
        group="pages",
    ),
    Action(
        id=ActionId.KEYBOARD_SHORTCUTS,
        title=QT_TRANSLATE_NOOP("Action", "&Keyboard Shortcuts"),
        tooltip=QT_TRANSLATE_NOOP("Action", "List the keys of all actions."),
        menu=Menu.HELP,
        run=lambda d: d.window.show_page("shortcuts"),
        group="pages",
    ),
    Action(
        id=ActionId.PROGRAM_REFERENCE,
        title=QT_TRANSLATE_NOOP("Action", "&Programs of Your Own"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Tell how a program document is written, and all that it may name."
        ),
        menu=Menu.HELP,
        run=lambda d: d.window.show_page("programs"),
        group="pages",
    ),
    Action(
        id=ActionId.ABOUT,
        title=QT_TRANSLATE_NOOP("Action", "&About GradStep"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Say what this program is, and its version."),
        menu=Menu.HELP,
        run=lambda d: d.window.show_about(),
        group="about",
    ),
)
