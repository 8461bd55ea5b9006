"""Lessons being written, on the worker thread: checked, walked through, and shown as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.errors import GradStepError, ProgramError
from gradstep.lessons.codec import decode, format_lesson
from gradstep.lessons.from_history import lesson_of
from gradstep.lessons.gallery import begin_lesson, open_lesson
from gradstep.lessons.walker import check_lesson
from gradstep.program.document.files import read_bytes
from gradstep.program.document.positions import error_span
from gradstep_gui.records import Draft, DraftCheck, LessonPreview
from gradstep_gui.translation import counted
from gradstep_gui.worker.updates import LessonCheckUpdate, LessonDraftUpdate, LessonPictureUpdate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gradstep.debugger import Debugger
    from gradstep.history.records.lesson import StepRecord
    from gradstep.lessons.schema import Lesson

__all__ = ["check_draft", "draft_from_history", "draft_of_lesson", "picture_of"]

_PICTURE_ITERATIONS = 40
_PICTURE_POINTS = 60


def check_draft(draft: Draft) -> LessonCheckUpdate:
    """Walk through a lesson, and return what a learner reads, or the error."""
    folder = None if draft.path is None else draft.path.parent
    lesson: Lesson | None = None
    try:
        lesson = decode(draft.text.encode("utf-8", "surrogatepass"))
        right, _ = check_lesson(lesson, folder)
    except GradStepError as error:
        place = error_span(draft.text, error) if isinstance(error, ProgramError) else None
        steps = _begun(lesson, folder)
        preview = LessonPreview("" if lesson is None else lesson.title, steps)
        return LessonCheckUpdate(DraftCheck(draft, error.message, error.remedy, place), preview)
    done = counted(len(right.steps), _tr("{0} step"), _tr("{0} steps"))
    questions = counted(len(right.predictions), _tr("{0} question"), _tr("{0} questions"))
    summary = _tr("Valid lesson: {0}, {1}.").format(done, questions)
    return LessonCheckUpdate(
        DraftCheck(draft, summary, is_valid=True),
        LessonPreview(lesson.title, right.steps, right.end),
    )


def _begun(lesson: Lesson | None, folder: Path | None) -> tuple[StepRecord, ...]:
    """Return the steps of a lesson that cannot be walked through, as far as they can be shown."""
    if lesson is None:
        return ()
    try:
        return begin_lesson(lesson, folder).record.steps
    except GradStepError:
        return ()


def draft_from_history(debugger: Debugger) -> LessonDraftUpdate:
    """Return a lesson made of what was done, to fill in."""
    return LessonDraftUpdate(Draft(format_lesson(lesson_of(debugger))))


def draft_of_lesson(path: Path) -> LessonDraftUpdate:
    """Return the text of a lesson's file.

    Raises:
        GradStepError: It cannot be read.
    """
    return LessonDraftUpdate(Draft(read_bytes(path).decode("utf-8-sig", "replace"), path))


def picture_of(name: str, path: Path) -> LessonPictureUpdate:
    """Run the program of a lesson a little, and return its losses for a small picture."""
    return LessonPictureUpdate(name, tuple(_curves(open_lesson(path).debugger)))


def _curves(debugger: Debugger) -> Iterator[tuple[float, ...]]:
    debugger.iterate(_PICTURE_ITERATIONS)
    series = debugger.history.series
    for name in debugger.program.losses:
        column = f"loss/{name}"
        if column in series.names:
            values = series.column(column, 0)[1]
            yield tuple(float(value) for value in values[:_PICTURE_POINTS])


def _tr(text: str) -> str:
    return QCoreApplication.translate("LessonDrafts", text)
