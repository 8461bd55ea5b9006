"""CompiledStep: a step of a lesson with its expressions, compiled for the program."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gradstep.debugger.conditions.condition import Condition, Query
from gradstep.debugger.conditions.log_template import LogTemplate, value_text
from gradstep.errors import ExpressionError, ProgramError
from gradstep.history.records.lesson import QuestionRecord
from gradstep.lessons.actions import parse_actions
from gradstep.lessons.answers import is_close, parse_choice, parse_numbers, parse_yes_no
from gradstep.lessons.schema import ChoiceQuestion, NumberQuestion, YesNoQuestion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.lessons.lesson_context import LessonContext
    from gradstep.lessons.schema import Question, Step

__all__ = ["CompiledStep", "TextWithValues"]

_Kind = TypeVar("_Kind", bound=Query)

_DIGITS = 4
"""Significant digits of the numbers in a lesson."""


class CompiledStep:
    """A step with its expressions, compiled for the program.

    Args:
        document: The step.
        context: Where names get their values.
        place: The place of the step in the document.
        strict: As in `LessonRun`.

    Raises:
        ProgramError: An expression is wrong.
    """

    def __init__(self, document: Step, context: LessonContext, place: str, *, strict: bool) -> None:
        self.document = document
        self.actions = parse_actions(document.do, f"{place}.do")

        def text(written: str, name: str) -> TextWithValues:
            return TextWithValues(written, context, f"{place}.{name}", strict=strict)

        def formula(kind: type[_Kind], written: str, name: str) -> _Formula[_Kind]:
            return _Formula(kind, written, context, f"{place}.{name}")

        self.text = text(document.text, "text")
        self.after = text(document.after, "after")
        self.done = formula(Condition, document.done, "done") if document.done else None
        asked = self._asked = document.question
        self.question = _question_record(asked)
        self.ask = text("" if asked is None else asked.ask, "question.ask")
        why = "" if asked is None else asked.explanation
        self._explanation = text(why, "question.explanation")
        self._number: _Formula[Query] | None = None
        self._whens: list[_Formula[Condition]] = []
        self._replies: list[TextWithValues] = []
        if isinstance(asked, ChoiceQuestion):
            for number, choice in enumerate(asked.choices):
                at = f"question.choices[{number}]"
                self._whens.append(formula(Condition, choice.when, f"{at}.when"))
                self._replies.append(text(choice.reply, f"{at}.reply"))
        elif isinstance(asked, YesNoQuestion):
            self._whens.append(formula(Condition, asked.answer, "question.answer"))
        elif isinstance(asked, NumberQuestion):
            self._number = formula(Query, asked.answer, "question.answer")

    @property
    def waits(self) -> bool:
        """Whether it waits for something to be done."""
        return bool(self.actions) or self.done is not None

    @property
    def is_free(self) -> bool:
        """Whether the learner may do anything until its condition holds."""
        return self.done is not None

    @property
    def goes_back(self) -> bool:
        """Whether it asks to go back in time."""
        return self.is_free or any(action.verb in {"back", "checkout"} for action in self.actions)

    def remember(self) -> None:
        """Remember the values that its expressions compare with."""
        for query in self._queries():
            query.remember()

    def check(self, text: str) -> None:
        """Check that a text answers the question.

        Raises:
            ArgumentError: It does not.
        """
        asked = self._asked
        if isinstance(asked, ChoiceQuestion):
            parse_choice(text, [choice.text for choice in asked.choices])
        elif isinstance(asked, YesNoQuestion):
            parse_yes_no(text)
        else:
            parse_numbers(text)

    def revealed(self, question: QuestionRecord) -> QuestionRecord:
        """Return the question with the right answer, now that the program has computed it.

        Raises:
            ProgramError: The right answer cannot be computed.
        """
        given = question.given
        if self._number is not None and isinstance(self._asked, NumberQuestion):
            value = self._number.value()
            truth, reply = value_text(value, _DIGITS), ""
            right = given is not None and is_close(
                parse_numbers(given), value, self._asked.tolerance
            )
        elif self._replies:
            holds = [when.holds() for when in self._whens]
            true = [text for text, held in zip(question.choices, holds, strict=True) if held]
            chosen = None if given is None else parse_choice(given, question.choices)
            truth = true[0] if true else ""
            reply = "" if chosen is None else self._replies[chosen].filled()
            right = chosen is not None and holds[chosen]
        else:
            is_so = self._whens[0].holds()
            truth, reply = ("yes" if is_so else "no"), ""
            right = given is not None and parse_yes_no(given) is is_so
        words = (reply, self._explanation.filled())
        return replace(
            question,
            is_revealed=True,
            right=None if given is None else right,
            truth=truth,
            explanation="\n\n".join(word for word in words if word),
        )

    def _queries(self) -> Iterator[Query]:
        for text in (self.text, self.after, self.ask, self._explanation, *self._replies):
            yield from text.queries
        for formula in (*self._whens, self.done, self._number):
            if formula is not None:
                yield formula.query


class TextWithValues:
    """A text with expressions, and its place in the document."""

    def __init__(self, text: str, context: LessonContext, place: str, *, strict: bool) -> None:
        self._place, self._strict = place, strict
        with _located(place):
            self._template = LogTemplate(text, context, _in_a_sentence)

    @property
    def queries(self) -> tuple[Query, ...]:
        """The expressions in it."""
        return self._template.queries

    def filled(self) -> str:
        """Return the text with its values."""
        if self._strict:
            with _located(self._place):
                for query in self.queries:
                    query.value()
        return self._template.filled()


class _Formula(Generic[_Kind]):
    """An expression, and its place in the document."""

    def __init__(self, kind: type[_Kind], text: str, context: LessonContext, place: str) -> None:
        self._place = place
        with _located(place):
            self.query: _Kind = kind(text, context)

    def value(self) -> Any:  # noqa: ANN401 - a number, an array, or MISSING
        """Return the value.

        Raises:
            ProgramError: It cannot be computed.
        """
        with _located(self._place):
            return self.query.value()

    def holds(self) -> bool:
        """Return whether the condition holds.

        Raises:
            ProgramError: It cannot be computed.
        """
        with _located(self._place):
            query: Any = self.query
            return bool(query())


def _in_a_sentence(value: Any) -> str:  # noqa: ANN401 - the value of a query
    """Return a value as a sentence has it: counts with separators, other numbers in few digits."""
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if is_count else value_text(value, _DIGITS)


@contextmanager
def _located(place: str) -> Iterator[None]:
    """Name the place in the document of an expression that is wrong."""
    try:
        yield
    except ExpressionError as error:
        raise ProgramError(place, error.message, error.remedy) from None


def _question_record(asked: Question | None) -> QuestionRecord | None:
    if asked is None:
        return None
    if isinstance(asked, ChoiceQuestion):
        return QuestionRecord("choice", "", tuple(choice.text for choice in asked.choices))
    return QuestionRecord("yes_no" if isinstance(asked, YesNoQuestion) else "number", "")
