"""About the program."""

from __future__ import annotations

from gradstep_gui.action import QT_TRANSLATE_NOOP, Action, Menu

__all__ = ["HELP"]

HELP: tuple[Action, ...] = (
    Action(
        id="help.about",
        title=QT_TRANSLATE_NOOP("Action", "&About GradStep"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Say what this program is, and its version."),
        menu=Menu.HELP,
        run=lambda d: d.window.show_about(),
        group="about",
    ),
)
