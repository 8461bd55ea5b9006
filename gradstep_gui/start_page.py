"""What the first page lists: the lessons, and the files that were open lately."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.lessons.catalog import lessons
from gradstep.lessons.schema import GROUPS
from gradstep_gui.settings import FINISHED_LESSONS, RECENT
from gradstep_gui.widgets.lesson_list import LessonCard

if TYPE_CHECKING:
    from pathlib import Path

    from gradstep_gui.settings import Settings

__all__ = ["finished_lessons", "lesson_cards", "recent_files"]


def lesson_cards(settings: Settings) -> list[LessonCard]:
    """Return the bundled lessons as cards, with the marks of those that are done."""
    done = finished_lessons(settings)
    return [
        LessonCard(
            entry.id, entry.title, entry.summary, GROUPS[entry.group], entry.path, entry.id in done
        )
        for entry in lessons()
    ]


def finished_lessons(settings: Settings) -> frozenset[str]:
    """Return the ids of the lessons that the user has gone through."""
    done: tuple[str, ...] = settings.get(FINISHED_LESSONS)
    return frozenset(done)


def recent_files(settings: Settings) -> tuple[Path, ...]:
    """Return the recently opened or saved files that still exist, the latest first."""
    return tuple(path for path in settings.get(RECENT) if path.is_file())
