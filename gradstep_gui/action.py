"""Action: a command of the window as data: title, tooltip, menu, shortcut and what it runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep_gui.translation import QT_TRANSLATE_NOOP

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.action_ids import ActionId
    from gradstep_gui.controller import Controller
    from gradstep_gui.documents import Documents
    from gradstep_gui.records import State
    from gradstep_gui.targets import Targets
    from gradstep_gui.window_commands import WindowCommands

__all__ = ["Action", "ActionContext", "Menu"]


class Menu(StrEnum):
    """The menus of the menu bar, in order."""

    FILE = QT_TRANSLATE_NOOP("Menu", "&File")
    DEBUG = QT_TRANSLATE_NOOP("Menu", "&Debug")
    EXPERIMENT = QT_TRANSLATE_NOOP("Menu", "&Experiment")
    BREAK = QT_TRANSLATE_NOOP("Menu", "&Break")
    VIEW = QT_TRANSLATE_NOOP("Menu", "&View")
    LESSONS = QT_TRANSLATE_NOOP("Menu", "&Lessons")
    HELP = QT_TRANSLATE_NOOP("Menu", "&Help")


@dataclass(frozen=True, slots=True)
class ActionContext:
    """What Actions act on."""

    controller: Controller
    targets: Targets
    documents: Documents
    window: WindowCommands


def _always(_state: State) -> bool:
    return True


def _no_obstacle(_state: State) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Action:
    """A command of the window.

    Attributes:
        id: Its stable id, the objectName of its QAction.
        title: Its title in menus, with `&` before the mnemonic, and `{tensor}` for the name of the
            selected tensor; such an Action is disabled while none is selected.
        tooltip: What it does, in a sentence.
        menu: Its menu.
        run: Runs it.
        label: Its name on a button, where that is shorter than the title.
        shortcut: Its keyboard shortcut.
        second_shortcut: Another shortcut, which only the list of shortcuts shows.
        icon: The name of its file in `resources/icons`, without the suffix.
        kind: The kind of Operation, which gives it its colour.
        enabled_when: Whether it is enabled in a State.
        obstacle: Why it cannot be done with what is open, for the tooltip; empty if it can be.
        group: Its group in the menu; separators divide groups.
        repeats: Whether holding the shortcut down triggers it again and again.
        checked: Whether an Action that can be on or off is on; None for any other.
    """

    id: ActionId
    title: str
    tooltip: str
    menu: Menu
    run: Callable[[ActionContext], object]
    label: str = ""
    shortcut: str = ""
    second_shortcut: str = ""
    icon: str = ""
    kind: str = ""
    enabled_when: Callable[[State], bool] = _always
    obstacle: Callable[[State], str] = _no_obstacle
    group: str = ""
    repeats: bool = True
    checked: Callable[[ActionContext], bool] | None = None

    @property
    def needs_tensor(self) -> bool:
        """Whether it acts on the selected tensor."""
        return "{tensor}" in self.title

    def text(self, tensor: str = "") -> str:
        """Return the translated title, with the name of a tensor where it has one."""
        named = tensor or QCoreApplication.translate("Action", "Tensor")
        return QCoreApplication.translate("Action", self.title).replace("{tensor}", named)

    def button_text(self) -> str:
        """Return the translated name on a button."""
        return QCoreApplication.translate("Action", self.label) if self.label else self.text()

    def explanation(self) -> str:
        """Return the translated tooltip; in another language with the name that lessons use."""
        text = QCoreApplication.translate("Action", self.tooltip)
        english = self.title.replace("&", "")
        if self.needs_tensor or self.text().replace("&", "") == english:
            return text
        words = QCoreApplication.translate("Action", "Lessons call it {0}.")
        return f"{text}\n{words.format(english.rstrip('…'))}"
