"""The lessons that ship with GradStep, in the order that teaches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from gradstep.debugger import Debugger
from gradstep.lessons.codec import lesson_id, program_of, read
from gradstep.lessons.lesson_run import LessonRun
from gradstep.lessons.schema import GROUPS, SUFFIX
from gradstep.program.resources import resource

if TYPE_CHECKING:
    from pathlib import Path

    from gradstep.lessons.schema import Lesson

__all__ = ["LessonEntry", "begin_lesson", "lessons", "open_lesson"]


@dataclass(frozen=True, slots=True)
class LessonEntry:
    """A bundled lesson.

    Attributes:
        id: Its name in reports, such as "01_who_does_what".
        title: Its title.
        summary: What one learns, in one sentence.
        group: The id of its group.
        path: Its file.
        steps: The number of its steps.
    """

    id: str
    title: str
    summary: str
    group: str
    path: Path
    steps: int


@cache
def lessons() -> tuple[LessonEntry, ...]:
    """Return the bundled lessons, by group, and in a group by number.

    Example:
        >>> lessons()[0].id
        '01_who_does_what'
    """
    found = []
    for path in sorted(resource("scenarios").glob(f"*{SUFFIX}")):
        lesson = read(path)
        found.append(
            LessonEntry(
                lesson_id(path),
                lesson.title,
                lesson.summary,
                lesson.group,
                path,
                len(lesson.steps),
            )
        )
    order = list(GROUPS)
    return tuple(sorted(found, key=lambda entry: order.index(entry.group)))


def open_lesson(path: Path, *, strict: bool = False) -> LessonRun:
    """Open a lesson and its program, and begin it.

    Args:
        path: The lesson's file.
        strict: Raise for a text with an expression that cannot be computed.

    Raises:
        ProgramError: The lesson or its program cannot be read; names the place.

    Example:
        >>> run = open_lesson(lessons()[0].path)
        >>> run.record.title, run.record.current
        ('Who does what', 0)
    """
    return begin_lesson(read(path), path.parent, lesson_id(path), strict=strict)


def begin_lesson(
    lesson: Lesson, folder: Path | None, name: str = "", *, strict: bool = False
) -> LessonRun:
    """Open the program of a lesson, and begin the lesson.

    Args:
        lesson: The lesson.
        folder: The folder of its file; None for one that was not saved.
        name: The lesson's name in reports.
        strict: As in `open_lesson`.

    Raises:
        ProgramError: The program cannot be read, or an expression is wrong; names the place.
    """
    debugger = Debugger(program_of(lesson, folder), folder)
    return LessonRun(lesson, debugger, name, strict=strict)
