"""A lesson as records: its steps as they are now, and what a learner has predicted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

if TYPE_CHECKING:
    from gradstep.history.records.finding import Finding

__all__ = ["LessonRecord", "LessonState", "Prediction", "QuestionRecord", "StepRecord"]

MAX_LESSON_TEXT = 1024 * 1024
"""Characters of a lesson's document."""

_MAX_TEXT = 20_000
_MAX_STEPS = 100

_Text = Annotated[str, msgspec.Meta(max_length=_MAX_TEXT)]
_Steps = msgspec.Meta(max_length=_MAX_STEPS)


class Prediction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer that a learner gave before the press, and whether it was right.

    Attributes:
        lesson: The lesson.
        step: The number of the step, from 1.
        question: The question, as it was asked.
        answer: The answer, as it was given.
        right: Whether the program then did what was predicted.
    """

    lesson: _Text
    step: Annotated[int, msgspec.Meta(ge=1, le=_MAX_STEPS)]
    question: _Text
    answer: _Text
    right: bool


class LessonState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a lesson is, as a session stores it.

    Attributes:
        id: The lesson's name in reports.
        document: The lesson's document.
        began: The Events at which the steps so far began.
        ended: The Event with which the last step was done; None before.
        given: The answer to the question of the current step, not yet compared; None for none.
        is_skipped: Whether that question was skipped.
        predictions: The answers that were compared.
        seen: The numbers of the steps whose answer was seen without a prediction.
    """

    id: _Text
    document: Annotated[str, msgspec.Meta(max_length=MAX_LESSON_TEXT)]
    began: Annotated[tuple[Annotated[int, msgspec.Meta(ge=0)], ...], _Steps] = ()
    ended: Annotated[int, msgspec.Meta(ge=0)] | None = None
    given: _Text | None = None
    is_skipped: bool = False
    predictions: Annotated[tuple[Prediction, ...], _Steps] = ()
    seen: Annotated[tuple[Annotated[int, msgspec.Meta(ge=1, le=_MAX_STEPS)], ...], _Steps] = ()


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question of a step.

    Attributes:
        kind: Which kind of answer it asks for.
        ask: The question, as Markdown.
        choices: The answers to choose from.
        given: The answer that was given; None before.
        is_skipped: Whether the learner wants to see what happens without an answer.
        is_revealed: Whether the program has done what the question is about.
        right: Whether the answer is right; None before that is known, and for no answer.
        truth: The right answer, once it is known.
        explanation: Why it is so, as Markdown, once it is known.
    """

    kind: Literal["number", "choice", "yes_no"]
    ask: str
    choices: tuple[str, ...] = ()
    given: str | None = None
    is_skipped: bool = False
    is_revealed: bool = False
    right: bool | None = None
    truth: str = ""
    explanation: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it waits for an answer."""
        return self.given is None and not self.is_skipped and not self.is_revealed


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A step of a lesson.

    Attributes:
        number: Its number, from 1.
        title: The step in a few words.
        text: What to do and to look at, as Markdown; empty for a step that has not begun.
        is_done: Whether it is done.
        question: Its question; None for none, and for a step that has not begun.
        after: Shown when it is done, as Markdown.
        press: What to press next, such as "backward" or "iterate"; empty for nothing in particular.
        press_title: The same as a title, such as "Backward".
        press_times: How many iterations to run, if that is what to press.
        show: Ids of buttons, tabs and docks to highlight and to bring up.
        can_proceed: Whether it is only to be read.
    """

    number: int
    title: str
    text: str = ""
    is_done: bool = False
    question: QuestionRecord | None = None
    after: str = ""
    press: str = ""
    press_title: str = ""
    press_times: int = 1
    show: tuple[str, ...] = ()
    can_proceed: bool = False


@dataclass(frozen=True, slots=True)
class LessonRecord:
    """A lesson as it is now.

    Attributes:
        id: Its name in reports.
        title: Its title.
        steps: All steps.
        current: The position of the current step; the number of steps when all are done.
        problem: Why the last press is not what the step asks for; empty for none.
        end: The last text, when all steps are done, as Markdown.
        asked: The last Event up to which the learner did what the lesson asked. It is not shown, so
            comparisons ignore it.

    Example:
        >>> from gradstep.history.records.finding import Finding
        >>> lesson = LessonRecord("01", "A lesson", (), asked=3)
        >>> asked = Finding("graph-freed", "fact", "A graph was freed", "", events=(3,))
        >>> own = Finding("graph-freed", "fact", "A graph was freed", "", events=(4,))
        >>> lesson.shows(asked), lesson.shows(own)
        (True, False)
    """

    id: str
    title: str
    steps: tuple[StepRecord, ...]
    current: int = 0
    problem: str = ""
    end: str = ""
    asked: int = field(default=0, compare=False)

    @property
    def is_finished(self) -> bool:
        """Whether all steps are done."""
        return self.current == len(self.steps)

    def shows(self, finding: Finding) -> bool:
        """Return whether the lesson itself has caused a finding: it is no mistake of the learner.

        Args:
            finding: What is reported of the same program.
        """
        return (finding.events[-1] if finding.events else finding.last) <= self.asked

    @property
    def step(self) -> StepRecord | None:
        """The current step; None when all are done."""
        return None if self.is_finished else self.steps[self.current]
