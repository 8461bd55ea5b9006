"""LessonController: the lesson that is open, and what a learner does with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.records import Draft
from gradstep_gui.resources import resource
from gradstep_gui.worker.lesson_drafts import (
    check_draft,
    draft_from_history,
    draft_of_lesson,
    picture_of,
)
from gradstep_gui.worker.updates import (
    LessonCheckUpdate,
    LessonDraftUpdate,
    LessonPictureUpdate,
    LessonUpdate,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from gradstep.history.records.lesson import LessonRecord
    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.worker.debugger_host import DebuggerHost
    from gradstep_gui.worker.updates import Update

__all__ = ["LessonController"]

_TEMPLATE = "help/own_lesson.json"


class LessonController(QObject):
    """The controller's part for lessons; its commands return at once.

    Args:
        queue: Runs the commands.
        host: Opens lessons, and follows the program with them.
        parent: Its owner.

    Attributes:
        record: The lesson as it is now; None without one.
        handlers: What to do with updates about lessons.
    """

    changed = Signal(object)
    """The lesson is at another step, or there is another one: a `LessonRecord`, or None."""

    drafted = Signal(object)
    """A lesson is ready to be edited: a `Draft`."""

    checked = Signal(object, object)
    """A lesson being written was checked: a `DraftCheck`, and a `LessonPreview`."""

    pictured = Signal(str, object)
    """The picture of a lesson is known: the lesson, and the curves of its losses."""

    def __init__(self, queue: CommandQueue, host: DebuggerHost, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self._host = host
        self.record: LessonRecord | None = None
        self._pictures: dict[str, object] = {}
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {
            LessonUpdate: self._take,
            LessonDraftUpdate: lambda update: self.drafted.emit(update.draft),
            LessonCheckUpdate: lambda update: self.checked.emit(update.check, update.preview),
            LessonPictureUpdate: self._take_picture,
        }

    def open(self, path: Path) -> None:
        """Open a lesson and its program."""
        title = self.tr("open {name}").format(name=path.name)
        self._queue.begin_call(title, "loading", lambda: self._host.open_lesson(path))

    def begin(self, text: str, folder: Path | None, name: str) -> None:
        """Open the lesson in a text, whose program is in a folder or in the text itself."""
        self._queue.begin_call(
            self.tr("open the lesson"),
            "loading",
            lambda: self._host.begin_lesson(text, folder, name),
        )

    def restart(self) -> None:
        """Begin the lesson anew."""
        self._queue.begin_call(self.tr("restart the lesson"), "loading", self._host.restart_lesson)

    def answer(self, text: str) -> None:
        """Answer the question of the current step."""
        self._queue.submit(
            self.tr("take the answer"),
            lambda debugger: self._host.change_lesson(debugger, lambda run: run.answer(text)),
        )

    def skip_question(self) -> None:
        """See what happens without an answer."""
        self._queue.submit(
            self.tr("skip the question"),
            lambda debugger: self._host.change_lesson(debugger, lambda run: run.skip_question()),
        )

    def proceed(self) -> None:
        """Go on from a step that is only to be read."""
        self._queue.submit(
            self.tr("go on"),
            lambda debugger: self._host.change_lesson(debugger, lambda run: run.proceed()),
        )

    def undo(self) -> None:
        """Undo what the current step did not ask for."""
        self._queue.submit(
            self.tr("undo"),
            lambda debugger: self._host.change_lesson(debugger, lambda run: run.undo()),
        )

    def do_next(self) -> None:
        """Do what the current step asks for next."""
        self._queue.begin(
            self.tr("do what the lesson asks for"), "running", self._host.do_next_of_lesson
        )

    def edit(self) -> None:
        """Edit the lesson that is open; without one, a small one as the start of a new one."""
        if self.record is None:
            self.drafted.emit(Draft(resource(_TEMPLATE).read_text(encoding="utf-8")))
        else:
            self._queue.call(self.tr("edit the lesson"), self._host.lesson_draft)

    def edit_file(self, path: Path) -> None:
        """Edit the file of a lesson, valid or not."""
        title = self.tr("edit {name}").format(name=path.name)
        self._queue.call(title, lambda: draft_of_lesson(path))

    def draft_from_history(self) -> None:
        """Edit a lesson made of what was done."""
        self._queue.query(
            self.tr("make a lesson"), lambda debugger, _: draft_from_history(debugger)
        )

    def check(self, draft: Draft) -> None:
        """Check whether a draft is a valid lesson."""
        self._queue.call(self.tr("check the lesson"), lambda: check_draft(draft))

    def ask_picture(self, lesson: str, path: Path) -> None:
        """Have the picture of a lesson made, unless it is known."""
        if lesson in self._pictures:
            self.pictured.emit(lesson, self._pictures[lesson])
        else:
            self._queue.call(self.tr("draw a lesson"), lambda: picture_of(lesson, path))

    def _take_picture(self, update: LessonPictureUpdate) -> None:
        self._pictures[update.lesson] = update.curves
        self.pictured.emit(update.lesson, update.curves)

    def _take(self, update: LessonUpdate) -> None:
        self.record = update.lesson
        self.changed.emit(update.lesson)
