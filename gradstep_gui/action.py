"""Action: one thing a person can do in the window, as data."""

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
    HELP = QT_TRANSLATE_NOOP("Menu", "&Help")


@dataclass(frozen=True, slots=True)
class ActionContext:
    """What an Action may act on."""

    controller: Controller
    targets: Targets
    documents: Documents
    window: WindowCommands


def _always(_state: State) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do in the window.

    Attributes:
        id: Its name for ever; the objectName of its QAction.
        title: Its words in menus, with a `&` before the letter to press, and `{tensor}` for the
            name of the tensor that is looked at; without one such an Action cannot be done.
        tooltip: What it does, in a line or two.
        menu: The menu it stands in.
        run: Does it.
        shortcut: Its key.
        icon: Its file in `resources/icons`, without the ending.
        kind: The kind of Operation, which gives it its colour.
        enabled_when: Whether it can be done in a State.
        group: Actions of different groups are parted by a line in the menu.
        checked: For one that is on or off: reads which.
    """

    id: ActionId
    title: str
    tooltip: str
    menu: Menu
    run: Callable[[ActionContext], object]
    shortcut: str = ""
    icon: str = ""
    kind: str = ""
    enabled_when: Callable[[State], bool] = _always
    group: str = ""
    checked: Callable[[ActionContext], bool] | None = None

    @property
    def needs_tensor(self) -> bool:
        """Whether it acts on the tensor that is looked at."""
        return "{tensor}" in self.title

    def text(self, tensor: str = "") -> str:
        """Return the title in the person's language, with the name of a tensor where it has one."""
        named = tensor or QCoreApplication.translate("Action", "the Tensor")
        return QCoreApplication.translate("Action", self.title).replace("{tensor}", named)

    def explanation(self) -> str:
        """Return the tooltip in the person's language."""
        return QCoreApplication.translate("Action", self.tooltip)
