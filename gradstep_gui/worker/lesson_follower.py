"""LessonFollower: keeps the lesson of the open program at the step where the learner is."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from gradstep.errors import GradStepError
from gradstep.lessons.codec import decode, format_lesson
from gradstep.lessons.lesson_run import LessonRun
from gradstep.lessons.walker import carry_out
from gradstep.program.document import codec
from gradstep.program.document.files import read_bytes
from gradstep_gui.records import Draft
from gradstep_gui.worker.commands import compare
from gradstep_gui.worker.updates import ComparisonUpdate, LessonUpdate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gradstep.debugger import Debugger
    from gradstep.history.records.lesson import LessonRecord
    from gradstep.lessons.schema import Lesson
    from gradstep_gui.worker.worker_thread import WorkerThread

__all__ = ["LessonFollower"]


class LessonFollower:
    """Follows the open Debugger with a lesson, if one was opened; lives on the worker thread.

    Args:
        worker: The mailbox.

    Attributes:
        path: The file of the lesson; None where it has none.
    """

    def __init__(self, worker: WorkerThread) -> None:
        self._worker = worker
        self._run: LessonRun | None = None
        self.path: Path | None = None
        self._posted: LessonRecord | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is a lesson."""
        return self._run is not None

    def begin(self, run: LessonRun) -> None:
        """Follow with a lesson that begins."""
        if self._run is None or run.lesson != self._run.lesson:
            self.path = None
        self._run = run
        run.debugger.lesson = run.state

    def resume(self, debugger: Debugger) -> None:
        """Continue the lesson of a session, if it has one.

        Raises:
            GradStepError: It cannot be continued; there is then no lesson.
        """
        self._run, self.path = None, None
        self._run = LessonRun.resume(debugger)

    @property
    def draft(self) -> Draft:
        """The document of the lesson, with its program in it unless its file is known.

        Raises:
            GradStepError: There is no lesson.
        """
        run = self._known
        if self.path is not None:
            return Draft(_text_of(run.lesson, self.path), self.path)
        program = msgspec.json.decode(codec.encode(run.debugger.program.spec))
        lesson = msgspec.structs.replace(run.lesson, program=program)
        return Draft(format_lesson(lesson))

    @property
    def _known(self) -> LessonRun:
        if self._run is None:
            raise GradStepError("no lesson is open", "open one from the Lessons menu")
        return self._run

    def restarted(self) -> LessonRun:
        """Return the lesson from its start, with a new Debugger.

        Raises:
            GradStepError: There is no lesson.
        """
        return self._known.restarted()

    def follow(self, debugger: Debugger) -> None:
        """Look at what a command did.

        Raises:
            ProgramError: An expression of the lesson cannot be computed; names the place.
        """
        run = self._run
        if run is None:
            return
        if run.debugger is not debugger:  # the program was edited: the lesson was of another
            self._run = None
            return
        try:
            run.follow()
        finally:
            debugger.lesson = run.state

    def do(self, debugger: Debugger, change: Callable[[LessonRun], None]) -> None:
        """Have something done with the lesson, such as giving an answer; without one, nothing."""
        if self._run is not None and self._run.debugger is debugger:
            try:
                change(self._run)
            finally:
                debugger.lesson = self._run.state

    def do_next(
        self, debugger: Debugger, should_stop: Callable[[], bool]
    ) -> ComparisonUpdate | None:
        """Do what the current step asks for next; a what-if is then compared, as that of a dialog.

        Raises:
            GradStepError: It cannot be done.
        """

        def carried_out(run: LessonRun) -> None:
            left = run.actions_left
            if left:
                carry_out(run, left[0], should_stop)

        before = len(debugger.branches)
        self.do(debugger, carried_out)
        made = debugger.branches[-1]
        if len(debugger.branches) == before or made.id == debugger.branches.current.id:
            return None
        return compare(debugger, made.id)

    def publish(self) -> None:
        """Post the lesson as it is now, if that differs from the last time."""
        record = None if self._run is None else self._run.record
        posted = self._posted
        # Which findings are the learner's own may change while nothing else of the lesson does.
        has_same_findings = record is None or posted is None or record.asked == posted.asked
        if record != posted or not has_same_findings:
            self._posted = record
            self._worker.post(LessonUpdate(record))


def _text_of(lesson: Lesson, path: Path) -> str:
    """Return the text of a lesson's file; of a file that was changed since, the lesson's own."""
    with suppress(GradStepError):
        raw = read_bytes(path)
        if decode(raw) == lesson:
            return raw.decode("utf-8-sig")
    return format_lesson(lesson)
