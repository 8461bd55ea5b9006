"""Opening lessons, those that ship with GradStep and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger import Debugger
from gradstep.lessons.catalog import LessonEntry, lessons
from gradstep.lessons.codec import lesson_id, program_of, read
from gradstep.lessons.lesson_run import LessonRun

if TYPE_CHECKING:
    from pathlib import Path

    from gradstep.lessons.schema import Lesson

__all__ = ["LessonEntry", "begin_lesson", "lessons", "open_lesson"]


def open_lesson(path: Path) -> LessonRun:
    """Open a lesson and its program, and begin it.

    Args:
        path: The lesson's file.

    Raises:
        ProgramError: The lesson or its program cannot be read; names the place.

    Example:
        >>> run = open_lesson(lessons()[0].path)
        >>> run.record.title, run.record.current
        ('Who does what', 0)
    """
    return begin_lesson(read(path), path.parent, lesson_id(path))


def begin_lesson(
    lesson: Lesson, folder: Path | None, name: str = "", *, strict: bool = False
) -> LessonRun:
    """Open the program of a lesson, and begin the lesson.

    Args:
        lesson: The lesson.
        folder: The folder of its file; None for one that was not saved.
        name: The lesson's name in reports.
        strict: Raise for a text with an expression that cannot be computed.

    Raises:
        ProgramError: The program cannot be read, or an expression is wrong; names the place.
    """
    debugger = Debugger(program_of(lesson, folder), folder)
    return LessonRun(lesson, debugger, name, strict=strict)
