"""LessonRun: follows a Debugger through the steps of a lesson."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from gradstep.errors import ArgumentError, OperationError
from gradstep.history.records.lesson import (
    LessonRecord,
    LessonState,
    Prediction,
    QuestionRecord,
    StepRecord,
)
from gradstep.lessons.actions import operation_title
from gradstep.lessons.codec import decode, encode
from gradstep.lessons.compiled_step import CompiledStep, TextWithValues
from gradstep.lessons.lesson_context import LessonContext
from gradstep.program.document.files import InMemoryFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.debugger import Debugger
    from gradstep.lessons.actions import Action
    from gradstep.lessons.schema import Lesson

__all__ = ["LessonRun"]

_ANSWER_FIRST = "Answer first: undo what you did, or skip the question."

_MAX_EVENTS = 1_000
"""Events since a step began up to which they are compared with what it asks for one by one."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """Where a step began."""

    event: int
    iteration: int
    inside: int
    branch: int
    branches: int


class _Progress(NamedTuple):
    """The progress of the current step.

    Attributes:
        done: How many of its Actions are done.
        partly: How many iterations of the next one are done.
        event: The last Event that it asked for.
        wrong: The first Event that it did not ask for; None for none.
    """

    done: int
    partly: int
    event: int
    wrong: int | None


class LessonRun:
    """A learner's progress through a lesson: the current step, the questions and the answers.

    What is done follows from the Events since the step began: going back in time also goes back in
    the lesson. Answers that were compared with what the program did stay; an answer that was seen
    without one cannot be predicted any more.

    Args:
        lesson: The lesson.
        debugger: A Debugger of its program.
        lesson_id: The lesson's name in reports.
        strict: Raise for a text with an expression that cannot be computed, instead of showing why.

    Raises:
        ProgramError: An expression in the lesson is wrong; names the place.

    Example:
        >>> from gradstep.lessons.gallery import lessons, open_lesson
        >>> run = open_lesson(lessons()[0].path)
        >>> run.proceed()
        >>> run.answer("300")
        >>> _ = run.debugger.forward()
        >>> run.follow()
        >>> run.predictions[0].right, run.record.step.number
        (True, 3)
    """

    def __init__(
        self, lesson: Lesson, debugger: Debugger, lesson_id: str = "", *, strict: bool = False
    ) -> None:
        self.lesson = lesson
        self.id = lesson_id or lesson.title
        self._document = encode(lesson).decode()
        self._debugger = debugger
        self._context = LessonContext(debugger)
        self._steps = tuple(
            CompiledStep(step, self._context, f"$.steps[{number}]", strict=strict)
            for number, step in enumerate(lesson.steps)
        )
        self._end = TextWithValues(lesson.end, self._context, "$.end", strict=strict)
        self._moments: list[_Moment] = []
        self._records: list[StepRecord] = []
        self._predictions: dict[int, Prediction] = {}
        self._seen: set[int] = set()
        self._problem = ""
        self._last_text = ""
        self._first_wrong: int | None = None
        self._ended = 0
        self._begin()

    @classmethod
    def resume(cls, debugger: Debugger) -> LessonRun | None:
        """Continue the lesson of a session that was opened; None if it has none.

        The texts of the steps are filled as they were, at the moments where the steps began.

        Args:
            debugger: The Debugger; it returns to where it is.

        Raises:
            ProgramError: The lesson is not valid, or not one of this program; names the place.
            ReplayError: A moment cannot be reproduced.
        """
        state = debugger.lesson
        if state is None:
            return None
        here, last = debugger.position[0], len(debugger.events)
        began = [min(event, last) for event in state.began] or [here]
        try:
            debugger.seek(began[0])
            run = cls(decode(state.document.encode()), debugger, state.id)
            run._predictions = {item.step - 1: item for item in state.predictions}
            run._seen = {step - 1 for step in state.seen}
            run._continue(state, began)
        finally:
            debugger.seek(here)
        run.follow()
        return run

    def restarted(self) -> LessonRun:
        """Return the lesson from its start, with a new Debugger of its program."""
        program = self._debugger.program
        files = InMemoryFiles(dict(program.files))
        return LessonRun(self.lesson, type(self._debugger)(program.spec, files=files), self.id)

    def _continue(self, state: LessonState, began: Sequence[int]) -> None:
        """Begin each step again where it began before, and tick those before the current one."""
        self._records.clear()
        self._moments.clear()
        for event in began[: len(self._steps)]:
            self._debugger.seek(event)
            self._context.refresh()
            if self._records:
                self._tick()
            self._begin()
        if state.ended is not None:
            self._debugger.seek(min(state.ended, len(self._debugger.events)))
            self._context.refresh()
            self._complete()
            return
        question = self._records[-1].question
        if question is not None and question.is_open:
            with suppress(ArgumentError):
                if state.given is not None:
                    self._steps[self.current].check(state.given)
                self._set_question(
                    replace(question, given=state.given, is_skipped=state.is_skipped)
                )
        step = self._steps[self.current]
        self._point_at(step, self._progress(step))

    # -- what there is -------------------------------------------------------------------------

    @property
    def state(self) -> LessonState:
        """How far it is, for a session."""
        question = self._records[-1].question
        is_pending = question is not None and not self._records[-1].is_done
        return LessonState(
            self.id,
            self._document,
            tuple(moment.event for moment in self._moments),
            self._ended if self.current == len(self._steps) else None,
            question.given if is_pending and question is not None else None,
            is_pending and question is not None and question.is_skipped,
            self.predictions,
            tuple(sorted(step + 1 for step in self._seen)),
        )

    @property
    def debugger(self) -> Debugger:
        """The Debugger that it follows."""
        return self._debugger

    @property
    def record(self) -> LessonRecord:
        """The lesson as it is now."""
        begun = len(self._records)
        later = [
            StepRecord(number, step.title)
            for number, step in enumerate(self.lesson.steps[begun:], begun + 1)
        ]
        return LessonRecord(
            self.id,
            self.lesson.title,
            (*self._records, *later),
            self.current,
            self._problem,
            self._last_text,
            self._asked_up_to,
        )

    @property
    def current(self) -> int:
        """The position of the current step; the number of steps when all are done."""
        done = len(self._records) == len(self._steps) and self._records[-1].is_done
        return len(self._steps) if done else len(self._records) - 1

    @property
    def actions(self) -> tuple[Action, ...]:
        """What the current step asks for, in order."""
        return () if self.current == len(self._steps) else self._steps[self.current].actions

    @property
    def actions_left(self) -> tuple[Action, ...]:
        """The `actions` that are not done yet; of several iterations, those that are left."""
        if self.current == len(self._steps):
            return ()
        progress = self._progress(self._steps[self.current])
        left = list(self.actions[progress.done :])
        if left and progress.partly:
            left[0] = replace(left[0], times=left[0].times - progress.partly)
        return tuple(left)

    @property
    def is_free(self) -> bool:
        """Whether the current step lets the learner do anything."""
        return self.current < len(self._steps) and self._steps[self.current].is_free

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        """The answers so far in the order of the steps, and whether they were right."""
        return tuple(self._predictions[step] for step in sorted(self._predictions))

    # -- what the learner does -----------------------------------------------------------------

    def follow(self) -> None:
        """Check what the learner has done; call it after every command of the Debugger."""
        self._context.refresh()
        self._rewind()
        self._problem = ""
        if self.current == len(self._steps):
            return
        step, now = self._steps[self.current], self._now()
        if not step.waits:
            self._leave_text(now)
            return
        progress, has_moved = self._progress(step), now != self._moments[-1]
        if step.done is None:
            is_done = progress.done == len(step.actions) and progress.wrong is None
        else:
            is_done = has_moved and step.done.holds()
        if self._is_asking:
            if is_done or (has_moved and not step.is_free):
                self._problem = _ANSWER_FIRST
        elif is_done:
            self._complete()
            return
        elif progress.wrong is not None and not step.is_free:
            self._problem = self._wrong(step, progress)
        self._point_at(step, progress)

    def _leave_text(self, now: _Moment) -> None:
        """Leave a step that is only to be read, because something was pressed instead.

        The next step begins where this one did, before the press.
        """
        began = self._moments[-1]
        if now.event <= began.event or now.inside:
            return
        if self._is_asking:
            self._problem = _ANSWER_FIRST
        elif self._records[-1].can_proceed and now.branch == began.branch:
            self._debugger.seek(began.event)
            self._context.refresh()
            self._complete()
            self._debugger.seek(now.event)
            self.follow()

    def answer(self, text: str) -> None:
        """Answer the question of the current step.

        Args:
            text: A number, several or "None"; "yes" or "no"; or the text of a choice.

        Raises:
            OperationError: The step asks nothing, was answered already, or what it asks about has
                happened.
            ArgumentError: It is no answer to such a question.
        """
        step, question = self._asked()
        if self._problem:
            raise OperationError(
                "this was to be predicted before it happens", "undo what you did, then answer"
            )
        step.check(text)
        self._set_question(replace(question, given=text.strip()))
        self._answered(step)

    def skip_question(self) -> None:
        """See what happens without an answer.

        Raises:
            OperationError: The step asks nothing, or was answered already.
        """
        step, question = self._asked()
        self._set_question(replace(question, is_skipped=True))
        self._answered(step)

    def proceed(self) -> None:
        """Leave a step that is only to be read.

        Raises:
            OperationError: The step asks for something.
        """
        if self.current == len(self._steps) or not self._records[-1].can_proceed:
            raise OperationError("this step asks for something", "do it first")
        self._complete()

    def undo(self) -> None:
        """Go back to where the current step was before something that it did not ask for.

        Raises:
            GradStepError: The moment cannot be reproduced.
        """
        if self.current == len(self._steps):
            raise OperationError("all steps are done", "press Back to go through them again")
        step = self._steps[self.current]
        began = self._moments[-1].event
        self._debugger.seek(began if self._is_asking else self._progress(step).event)
        before = self._debugger.branches.current.id
        self._debugger.discard_future()
        now = self._debugger.branches.current.id
        self._moments = [
            replace(moment, branch=now) if moment.branch == before else moment
            for moment in self._moments
        ]
        self.follow()

    # -- how far it is -------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin the next step where the program stands."""
        number = len(self._records)
        step = self._steps[number]
        self._moments.append(self._now())
        self._context.began = self._moments[-1].event
        step.remember()
        self._records.append(
            StepRecord(
                number + 1,
                step.document.title,
                step.text.filled(),
                question=self._question(number, step),
                show=tuple(step.document.show),
                can_proceed=not step.waits and step.question is None,
            )
        )
        self._point_at(step, self._progress(step))

    def _question(self, number: int, step: CompiledStep) -> QuestionRecord | None:
        if step.question is None:
            return None
        known = self._predictions.get(number)
        given = None if known is None else known.answer
        has_seen = given is None and number in self._seen
        return replace(step.question, ask=step.ask.filled(), given=given, is_skipped=has_seen)

    def _complete(self) -> None:
        """Tick the current step, and begin the next."""
        self._tick()
        if len(self._records) < len(self._steps):
            self._begin()
        else:
            self._ended = self._now().event
            self._last_text = self._end.filled()

    def _tick(self) -> None:
        """Tick the current step, and reveal the answer to its question."""
        step, record = self._steps[self.current], self._records[-1]
        question = record.question
        if question is not None:
            question = step.revealed(question)
            number = len(self._records) - 1
            if question.given is None:
                self._seen.add(number)
            elif number not in self._predictions:
                self._predictions[number] = Prediction(
                    self.id, record.number, question.ask, question.given, bool(question.right)
                )
        self._records[-1] = replace(
            record,
            is_done=True,
            question=question,
            after=step.after.filled(),
            press="",
            press_title="",
            press_times=1,
            can_proceed=False,
        )

    def _rewind(self) -> None:
        """Return to an earlier step when the program went back to before the current one."""
        place = self._now().event
        if self.current == len(self._steps):
            if place >= self._ended:
                return
        elif self._steps[self.current].goes_back or place >= self._moments[-1].event:
            return
        while len(self._records) > 1 and place < self._moments[-1].event:
            self._records.pop()
            self._moments.pop()
        self._last_text = ""
        number = len(self._records) - 1
        step, record = self._steps[number], self._records[-1]
        self._context.began = self._moments[-1].event
        question = record.question
        if question is not None and question.is_revealed:
            question = self._question(number, step)
        can_proceed = not step.waits and step.question is None
        self._records[-1] = replace(
            record, is_done=False, question=question, after="", can_proceed=can_proceed
        )

    @property
    def _asked_up_to(self) -> int:
        """The last Event up to which everything was done as the lesson asked."""
        if self.current == len(self._steps):
            return self._ended
        step = self._steps[self.current]
        if step.is_free and not step.actions:
            return self._now().event
        if self._is_asking or not step.waits:
            return self._moments[-1].event
        return self._now().event if self._first_wrong is None else self._first_wrong - 1

    @property
    def _is_asking(self) -> bool:
        """Whether the question of the current step waits for an answer."""
        question = self._records[-1].question
        return question is not None and question.is_open

    def _now(self) -> _Moment:
        debugger = self._debugger
        event, inside = debugger.position
        return _Moment(
            event,
            debugger.program.iteration,
            inside or 0,
            debugger.branches.current.id,
            len(debugger.branches),
        )

    def _progress(self, step: CompiledStep) -> _Progress:
        """Compare the Events since the step began with what it asks for, in order."""
        began, now = self._moments[-1], self._now()
        done, partly, last = 0, 0, min(began.event, now.event)
        actions = step.actions
        if now.event - last > _MAX_EVENTS:
            return self._long_progress(step)
        history, index = self._debugger.history, last
        while index < now.event:
            if done == len(actions) or not (actions[done].is_of_events or actions[done].walks):
                return _Progress(done, partly, last, index + 1)
            index += 1
            if actions[done].walks:  # it walked to the end of the Operation
                while done < len(actions) and actions[done].walks:
                    done += 1
                last = index
                continue
            applied = history.applied_event(index)
            action, is_last = actions[done], done == len(actions) - 1
            wanted = not (step.document.fails and is_last)
            if applied.outcome.ok is not wanted:
                return _Progress(done, partly, last, index)
            if action.verb == "iterate":
                partly += applied.completes
                if partly == action.times:
                    done, partly, last = done + 1, 0, index
            elif action.matches(applied.operation):
                done, last = done + 1, index
            else:
                return _Progress(done, partly, last, index)
        return _Progress(self._moved(actions, done, now), partly, index, None)

    def _long_progress(self, step: CompiledStep) -> _Progress:
        """Compare iterations alone: only they can be so many Events."""
        began, now = self._moments[-1], self._now()
        wanted = sum(action.times for action in step.actions if action.verb == "iterate")
        is_done = now.iteration - began.iteration == wanted
        done = len(step.actions) if is_done else 0
        return _Progress(done, now.iteration - began.iteration, now.event, None)

    def _moved(self, actions: tuple[Action, ...], done: int, now: _Moment) -> int:
        """Return how many Actions are done, including those that make no Events."""
        began = self._moments[-1]
        into = sum(action.times for action in actions[done:] if action.verb == "into")
        back = sum(action.times for action in actions[done:] if action.verb == "back")
        for action in actions[done:]:
            if action.is_of_events:
                is_done = False
            elif action.walks:
                is_done = now.inside != began.inside and now.inside >= into
            elif action.verb == "back":
                is_done = now.event <= began.event - back
            elif action.verb == "checkout":
                is_done = now.branch != began.branch
            else:
                is_done = now.branches > began.branches
            if not is_done:
                break
            done += 1
        return done

    def _wrong(self, step: CompiledStep, progress: _Progress) -> str:
        """Say what was done, and what the step asks for."""
        assert progress.wrong is not None
        applied = self._debugger.history.applied_event(progress.wrong)
        wanted = step.actions[progress.done] if progress.done < len(step.actions) else None
        did = operation_title(applied.operation, wanted)
        if wanted is None:
            asks = "this step asks for no more"
        else:
            asks = f"this step asks for {wanted.title}"
        if not applied.outcome.ok:
            return f"{did} failed; {asks}."
        if step.document.fails and wanted is not None and wanted.matches(applied.operation):
            return f"{did} succeeded, and this step shows how it fails."
        return f"That was {did}; {asks}."

    def _point_at(self, step: CompiledStep, progress: _Progress) -> None:
        """Note what to press next, and what was pressed wrongly."""
        self._first_wrong = progress.wrong
        following = step.actions[progress.done] if progress.done < len(step.actions) else None
        if following is None or self._is_asking:
            press, title, times = "", "", 1
        else:
            press, title, times = following.word, following.title, following.times
        self._records[-1] = replace(
            self._records[-1], press=press, press_title=title, press_times=times
        )

    def _asked(self) -> tuple[CompiledStep, QuestionRecord]:
        question = self._records[-1].question
        if question is None or not question.is_open or self._records[-1].is_done:
            raise OperationError("this step has no open question", "do what it asks for")
        return self._steps[self.current], question

    def _set_question(self, question: QuestionRecord) -> None:
        self._records[-1] = replace(self._records[-1], question=question)

    def _answered(self, step: CompiledStep) -> None:
        if step.waits:
            self.follow()
        else:
            self._complete()
