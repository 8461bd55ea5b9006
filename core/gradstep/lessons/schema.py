"""Lesson: the document of a lesson, described in `resources/help/lessons.md`; it has no code."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from gradstep.program.schema.limits import MAX_EXPRESSION

__all__ = [
    "GROUPS",
    "MAX_LESSON_BYTES",
    "MAX_STEPS",
    "SUFFIX",
    "Choice",
    "ChoiceQuestion",
    "Lesson",
    "NumberQuestion",
    "Question",
    "Step",
    "YesNoQuestion",
]

SUFFIX = ".lesson.json"
"""How the name of a lesson's file ends."""

MAX_LESSON_BYTES = 1024 * 1024
"""Maximum size of a lesson's document in bytes."""

MAX_STEPS = 100
"""Maximum number of steps in a lesson."""

_MAX_CHOICES = 8
_MAX_SHOWN = 12
_MAX_ACTIONS = 40

GROUPS: dict[str, str] = {
    "calls": "The Four Calls",
    "accumulation": "Accumulation",
    "state": "State",
    "losses": "Several Losses",
    "optimizers": "What the Optimizer Holds",
    "graphs": "Graphs",
    "schedules": "Schedules, Clipping, Modes",
    "numbers": "Numbers That Go Wrong",
}
"""The groups of lessons and their titles, in the order of teaching."""

Line: TypeAlias = Annotated[str, msgspec.Meta(max_length=120)]
"""One short line, such as a title."""

Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=MAX_EXPRESSION)]
"""Markdown in which `{expression}` stands for its value; `{{` and `}}` are the braces."""

Formula: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_EXPRESSION)]
"""An expression of the language of watches."""


class _Document(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """Base of all parts of a lesson's document."""


class _Question(_Document, frozen=True, kw_only=True, tag_field="kind"):
    """Asked before the press, and answered by the live program after it.

    Attributes:
        ask: The question.
        explanation: Why it is so, shown with the right answer; it may refer to what is then on the
            screen.
    """

    ask: Text
    explanation: Text = ""


class NumberQuestion(_Question, frozen=True, kw_only=True, tag="number"):
    """Asks for a number, several numbers, or None.

    Attributes:
        answer: An expression for the right answer, computed after the press.
        tolerance: How far off an answer may be, relative to the right one.
    """

    answer: Formula
    tolerance: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.01


class YesNoQuestion(_Question, frozen=True, kw_only=True, tag="yes_no"):
    """Asks whether something will be so.

    Attributes:
        answer: A condition, computed after the press.
    """

    answer: Formula


class Choice(_Document, frozen=True, kw_only=True):
    """One of several answers.

    Attributes:
        text: The answer.
        when: A condition, evaluated after the press, under which it is the right one.
        reply: What to say to a learner who has chosen it.
    """

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    when: Formula
    reply: Text = ""


class ChoiceQuestion(_Question, frozen=True, kw_only=True, tag="choice"):
    """Asks which of several answers is right.

    Attributes:
        choices: The answers.
    """

    choices: Annotated[list[Choice], msgspec.Meta(min_length=2, max_length=_MAX_CHOICES)]


Question: TypeAlias = NumberQuestion | YesNoQuestion | ChoiceQuestion


class Step(_Document, frozen=True, kw_only=True):
    """One thing to do, to read or to answer.

    Attributes:
        title: The step in a few words, beside the check mark.
        text: What to do and to look at.
        show: Ids of buttons, tabs and docks to highlight and to bring up.
        do: What to press, in this order: words such as "backward", "forward loss_a", "iterate 20",
            or objects such as `{"op": "backward", "retain_graph": true}`.
        done: The condition under which the step is done. Without it, the step is done when exactly
            what `do` lists was done; with it, the learner is free to do anything.
        fails: Whether the last Operation of `do` is expected to fail.
        question: Asked before the press.
        after: Shown when the step is done.
    """

    title: Line = ""
    text: Text = ""
    show: Annotated[list[Line], msgspec.Meta(max_length=_MAX_SHOWN)] = []
    do: Annotated[list[Line | dict[str, Any]], msgspec.Meta(max_length=_MAX_ACTIONS)] = []
    done: Annotated[str, msgspec.Meta(max_length=MAX_EXPRESSION)] = ""
    fails: bool = False
    question: Question | None = None
    after: Text = ""


class Lesson(_Document, frozen=True, kw_only=True):
    """A lesson: a program, and steps through it.

    Attributes:
        gradstep_lesson: The version of the format.
        title: Its name.
        summary: What it teaches, in one sentence.
        group: The group of lessons to which it belongs; empty for one that is opened from a file.
        program: The name of the program's file beside it, or the program's document itself.
        steps: The steps.
        end: Shown when all steps are done.
    """

    gradstep_lesson: Literal[1]
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=120)]
    summary: Annotated[str, msgspec.Meta(max_length=300)] = ""
    group: str = ""
    program: Annotated[str, msgspec.Meta(min_length=1, max_length=255)] | dict[str, Any]
    steps: Annotated[list[Step], msgspec.Meta(min_length=1, max_length=MAX_STEPS)]
    end: Text = ""
