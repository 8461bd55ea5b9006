"""ActionSet: the QActions made from the registry, their state, icons and menus."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from gradstep_gui.action import Action, Menu
from gradstep_gui.actions import ACTIONS
from gradstep_gui.resources import icon

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

    from gradstep_gui.action import ActionContext
    from gradstep_gui.records import State
    from gradstep_gui.theme import Theme

__all__ = ["ActionSet"]

_ONE_OF = ("theme", "layout")
"""Groups of menus in which one of the Actions that can be checked is on."""


class ActionSet(QObject):
    """One QAction for each Action, with its id as objectName.

    Args:
        context: Returns what they act on; before the window is complete, it completes it.
        parent: The window, in which their shortcuts work.
    """

    def __init__(self, context: Callable[[], ActionContext], parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._exclusive = {group: QActionGroup(self) for group in _ONE_OF}
        self._obstacles: dict[str, str] = {}
        self._made: dict[str, QAction] = {
            action.id: self._make(action, parent) for action in ACTIONS
        }

    @property
    def by_id(self) -> Mapping[str, QAction]:
        """The QActions by id, in the order of the registry."""
        return self._made

    def show_state(self, state: State) -> None:
        """Enable and check the Actions as a State demands."""
        for action in ACTIONS:
            made = self._made[action.id]
            obstacle = action.obstacle(state)
            made.setEnabled(
                not obstacle and action.enabled_when(state) and self._has_subject(action)
            )
            if obstacle != self._obstacles.get(action.id, ""):
                self._obstacles[action.id] = obstacle
                _explain(action, made, obstacle)
            if action.checked is not None:
                made.setChecked(action.checked(self._context()))

    def show_tensor(self, name: str) -> None:
        """Put the name of the selected tensor in the Actions on it."""
        for action in ACTIONS:
            if action.needs_tensor:
                self._made[action.id].setText(action.text(name))

    def color_icons(self, theme: Theme, names: Collection[str] | None = None) -> None:
        """Draw the icons in the colours of a theme; of these Actions, or of all."""
        for action in ACTIONS:
            if action.icon and (names is None or action.id in names):
                color = theme.kind(action.kind).strong if action.kind else theme.text
                self._made[action.id].setIcon(icon(action.icon, color, theme.border))

    def fill(self, bar: QMenuBar) -> dict[Menu, QMenu]:
        """Fill a menu bar, and return its menus."""
        menus = {}
        for menu in Menu:
            made = bar.addMenu(QCoreApplication.translate("Menu", menu.value))
            made.setToolTipsVisible(True)
            menus[menu] = made
            group = None
            for action in ACTIONS:
                if action.menu is not menu:
                    continue
                if group is not None and group != action.group:
                    made.addSeparator()
                group = action.group
                made.addAction(self._made[action.id])
        return menus

    def _run(self, action: Action) -> None:
        context = self._context()
        if self._made[action.id].isEnabled():  # which an incomplete window does not know
            action.run(context)

    def _has_subject(self, action: Action) -> bool:
        return bool(self._context().controller.selected) or not action.needs_tensor

    def _make(self, action: Action, window: QWidget) -> QAction:
        made = QAction(action.text(), window)
        made.setObjectName(action.id)
        if action.label:
            made.setIconText(action.button_text())
        made.setShortcuts(
            [QKeySequence(keys) for keys in (action.shortcut, action.second_shortcut) if keys]
        )
        made.setAutoRepeat(action.repeats)
        _explain(action, made)
        if action.checked is not None:
            made.setCheckable(True)
            if action.group in self._exclusive:
                self._exclusive[action.group].addAction(made)
        made.triggered.connect(lambda: self._run(action))
        window.addAction(made)
        return made


def _explain(action: Action, made: QAction, obstacle: str = "") -> None:
    """Set the tooltip: title, keys, what it does, and why that cannot be done now."""
    shown = made.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    title = action.text().replace("&", "").rstrip("…")
    head = f"<b>{title}</b>" + (f" &nbsp;{shown}" if shown else "")
    words = action.explanation().replace("\n", "<br>")
    why = f"<br><i>{escape(obstacle, quote=False)}</i>" if obstacle else ""
    made.setToolTip(f"<p style='white-space:pre'>{head}<br>{words}{why}</p>")
