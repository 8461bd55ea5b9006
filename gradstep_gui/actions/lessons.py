"""Lessons: opening them, going through them, writing them."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions.enabled_when import at_rest, has_lesson, paused
from gradstep_gui.actions.obstacles import no_document
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["LESSONS"]

LESSONS: tuple[Action, ...] = (
    Action(
        id=ActionId.ALL_LESSONS,
        title=QT_TRANSLATE_NOOP("Action", "&All Lessons…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Choose a lesson; those that are done are marked."),
        menu=Menu.LESSONS,
        run=lambda d: d.documents.ask_lesson(),
        shortcut="Ctrl+L",
        group="choose",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.NEXT_LESSON,
        title=QT_TRANSLATE_NOOP("Action", "&Next Lesson"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Open the lesson that follows this one."),
        menu=Menu.LESSONS,
        run=lambda d: d.documents.open_next_lesson(),
        shortcut="Ctrl+Shift+L",
        group="choose",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.RESTART_LESSON,
        title=QT_TRANSLATE_NOOP("Action", "&Restart Lesson"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Begin this lesson anew, with its program."),
        menu=Menu.LESSONS,
        run=lambda d: d.controller.lessons.restart(),
        group="choose",
        enabled_when=has_lesson,
    ),
    Action(
        id=ActionId.OPEN_LESSON,
        title=QT_TRANSLATE_NOOP("Action", "&Open Lesson…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Open a lesson from a file, with its program beside it or in it."
        ),
        menu=Menu.LESSONS,
        run=lambda d: d.documents.ask_open_lesson(),
        group="write",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.WRITE_LESSON,
        title=QT_TRANSLATE_NOOP("Action", "&Write a Lesson…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Write a lesson, or change the one that is open; what a learner reads is shown\n"
            "as you type.",
        ),
        menu=Menu.LESSONS,
        run=lambda d: d.controller.lessons.edit(),
        group="write",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.EXPORT_LESSON,
        title=QT_TRANSLATE_NOOP("Action", "&Make a Lesson of What Was Done…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Begin a lesson with a step for each operation up to this moment, to fill in.",
        ),
        menu=Menu.LESSONS,
        run=lambda d: d.controller.lessons.draft_from_history(),
        group="write",
        enabled_when=paused,
        obstacle=no_document,
    ),
)
