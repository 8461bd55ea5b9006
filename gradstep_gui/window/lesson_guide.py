"""LessonGuide: points at what the current step of a lesson asks for, and brings it up."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QMenu, QToolButton

from gradstep_gui.action_ids import ActionId, ViewId
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.spotlight import Spotlight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QAction

    from gradstep.history.records.lesson import LessonRecord, StepRecord
    from gradstep_gui.controller import Controller
    from gradstep_gui.documents import Documents
    from gradstep_gui.views.lesson import LessonStepsView
    from gradstep_gui.window.layouts import Layouts
    from gradstep_gui.window.toolbar import DebugToolbar

__all__ = ["LessonGuide", "LessonMenus"]

PRESSES: Mapping[str, ActionId] = {
    "zero_grad": ActionId.ZERO_GRAD,
    "forward": ActionId.FORWARD,
    "backward": ActionId.BACKWARD,
    "step": ActionId.STEP,
    "iterate": ActionId.ITERATE,
    "into": ActionId.STEP_INTO,
    "over": ActionId.STEP_OVER,
    "out": ActionId.STEP_OUT,
    "back": ActionId.STEP_BACK,
    "what_if": ActionId.WHAT_IF,
}
"""The Actions of what steps ask for; other Operations are in a menu."""


class LessonGuide(QObject):
    """Rings around buttons and menus, and docks and tabs that appear when a lesson needs them.

    Args:
        window: The window.
        toolbar: Its buttons.
        controller: Has the lesson.
        actions: The QActions by id.
        layouts: Shows docks and tabs.
    """

    def __init__(
        self,
        window: QMainWindow,
        toolbar: DebugToolbar,
        controller: Controller,
        actions: Mapping[str, QAction],
        layouts: Layouts,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._toolbar = toolbar
        self._actions = actions
        self._layouts = layouts
        self._at: tuple[str, int] | None = None
        self._pointed: tuple[str, ...] = ()
        self._rings: list[Spotlight] = []
        self._brought: list[str] = []
        controller.lessons.changed.connect(self._follow)

    @property
    def rings(self) -> tuple[Spotlight, ...]:
        """The rings that are shown."""
        return tuple(self._rings)

    @property
    def pointed(self) -> tuple[str, ...]:
        """The ids of the Actions that are pointed at."""
        return self._pointed

    def put_away(self) -> None:
        """Hide what appeared for a lesson that is over: the next one begins with what it needs."""
        for name in self._brought:
            self._layouts.put_away(name)
        self._brought.clear()

    def _follow(self, record: LessonRecord | None) -> None:
        step = None if record is None else record.step
        self._point(() if step is None else self._wanted(step))
        is_new = record is not None and (self._at is None or record.id != self._at[0])
        if record is None or is_new:
            self.put_away()
        if record is None or step is None:
            self._at = None if record is None else (record.id, record.current)
            return
        here = (record.id, record.current)
        if here == self._at:
            return
        self._at = here
        for name in step.show:
            if name in set(ViewId) and self._layouts.bring_up(name, marked=True):
                self._brought.append(name)
        if is_new:
            self._layouts.bring_up(ViewId.LESSON)

    def _wanted(self, step: StepRecord) -> tuple[str, ...]:
        """Return the ids of the Actions to point at."""
        pressed = PRESSES.get(step.press)
        shown = [name for name in step.show if name in self._actions]
        return tuple(dict.fromkeys((*([] if pressed is None else [pressed]), *shown)))

    def _point(self, wanted: tuple[str, ...]) -> None:
        if wanted == self._pointed:
            return
        for ring in self._rings:
            ring.hide()
            ring.deleteLater()
        self._rings = []
        for name in self._pointed:
            self._actions[name].setFont(self._window.font())
        self._pointed = wanted
        self._toolbar.reveal([name for name in wanted if name in self._toolbar.small_buttons])
        for name in wanted:
            self._actions[name].setFont(emphasis_font(self._window.font()))
            self._ring(self._actions[name])

    def _ring(self, action: QAction) -> None:
        """Put a ring around the button of an Action, or around the menu that has it."""
        buttons = [
            button
            for button in self._window.findChildren(QToolButton)
            if button.defaultAction() is action
        ]
        if buttons:
            self._rings.extend(Spotlight(button) for button in buttons)
            return
        bar = self._window.menuBar()
        for entry in bar.actions():
            menu = entry.menu()
            if isinstance(menu, QMenu) and action in menu.actions():
                self._rings.append(Spotlight(bar, partial(bar.actionGeometry, entry)))


class LessonMenus(QObject):
    """The lessons in the Lessons menu, by group, with the marks of those that are done.

    Args:
        menu: The menu; the lessons follow the entry that shows them all.
        before: The entry before which they are inserted.
        documents: Knows the lessons, and opens them.
        dock: The lesson dock, which names the next one.
    """

    def __init__(
        self, menu: QMenu, before: QAction, documents: Documents, dock: LessonStepsView
    ) -> None:
        super().__init__(menu)
        self._documents = documents
        self._dock = dock
        self._entries: dict[str, QAction] = {}
        groups: dict[str, QMenu] = {}
        for card in documents.lesson_cards:
            if card.group not in groups:
                groups[card.group] = QMenu(card.group.replace("&", "&&"), menu)
                menu.insertMenu(before, groups[card.group])
            entry = groups[card.group].addAction(card.title.replace("&", "&&"))
            entry.setToolTip(card.summary)
            entry.triggered.connect(
                lambda _checked=False, path=card.path: documents.open_lesson(path)
            )
            self._entries[card.id] = entry
        menu.insertSeparator(before)
        documents.lessons_changed.connect(self._follow)
        dock.next_requested.connect(documents.open_next_lesson)
        dock.page_requested.connect(documents.ask_lesson)
        self._follow()

    def _follow(self) -> None:
        for card in self._documents.lesson_cards:
            entry = self._entries[card.id]
            entry.setText(f"✓ {card.title}" if card.is_done else card.title)
        following = self._documents.next_lesson
        self._dock.name_next("" if following is None else following.title)
