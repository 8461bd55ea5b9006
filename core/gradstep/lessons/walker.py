"""Walks through a lesson without a window: with right answers, and with wrong ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError, GradStepError, ProgramError
from gradstep.lessons.answers import parse_numbers
from gradstep.lessons.gallery import begin_lesson
from gradstep.program.operation import Forward, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from gradstep.history.records.lesson import Prediction, QuestionRecord, StepRecord
    from gradstep.lessons.actions import Action
    from gradstep.lessons.lesson_run import LessonRun
    from gradstep.lessons.schema import Lesson
    from gradstep.program.operation import Operation

__all__ = ["Walk", "carry_out", "check_lesson", "wrong_answer"]


@dataclass(frozen=True, slots=True)
class Walk:
    """One way through a lesson.

    Attributes:
        steps: The steps, all of them done.
        predictions: The answers that were given.
        problems: The replies to the wrong presses.
        end: The last text.
    """

    steps: tuple[StepRecord, ...]
    predictions: tuple[Prediction, ...]
    problems: tuple[str, ...]
    end: str


def check_lesson(lesson: Lesson, folder: Path | None, name: str = "") -> tuple[Walk, Walk]:
    """Walk through a lesson twice: all right, and all wrong.

    On the second way every answer is wrong and, before each press that counts, something else is
    pressed and undone.

    Args:
        lesson: The lesson.
        folder: The folder of its file.
        name: Its name in reports.

    Returns:
        Both walks.

    Raises:
        ProgramError: A step cannot be done, a question has no answer or two, a right answer counts
            as wrong, or a wrong press is not noticed; names the place.
    """
    truths = _walked(begin_lesson(lesson, folder, name, strict=True), None, wrongly=False)
    answers = [None if step.question is None else step.question for step in truths.steps]
    right = _walked(begin_lesson(lesson, folder, name, strict=True), answers, wrongly=False)
    wrong = _walked(begin_lesson(lesson, folder, name, strict=True), answers, wrongly=True)
    for walk, expected in ((right, True), (wrong, False)):
        for prediction in walk.predictions:
            if prediction.right is not expected:
                raise ProgramError(
                    f"$.steps[{prediction.step - 1}].question",
                    f"the answer {prediction.answer!r} counts as "
                    f"{'right' if prediction.right else 'wrong'}",
                    "exactly one answer is right",
                )
    return right, wrong


def wrong_answer(question: QuestionRecord) -> str:
    """Return an answer that is not right.

    Args:
        question: The question, with the right answer.
    """
    if question.kind == "yes_no":
        return "no" if question.truth == "yes" else "yes"
    if question.kind == "choice":
        return next(choice for choice in question.choices if choice != question.truth)
    try:
        numbers = parse_numbers(question.truth)
    except ArgumentError:
        numbers = None  # a large array, as text
    return "12345.678" if numbers is None else f"{numbers[0] * 3 + 7}"


def carry_out(
    run: LessonRun, action: Action, should_stop: Callable[[], bool] | None = None
) -> None:
    """Do what a step asks for.

    Args:
        run: The lesson.
        action: What to do.
        should_stop: Called between Operations of a run; True ends it.

    Raises:
        GradStepError: It cannot be done.
    """
    debugger = run.debugger
    if action.verb == "operation":
        loop = [line.operation for line in debugger.program.spec.loop or ()]
        debugger.apply(action.operation(debugger.next_operation, loop))
    elif action.verb == "iterate":
        debugger.iterate(action.times, should_stop=should_stop)
    elif action.verb == "what_if":
        debugger.what_if(**action.edits.arguments())
    elif action.verb == "checkout":
        debugger.checkout(debugger.branches[-1])
    elif action.verb == "remedy":
        found = [item for item in debugger.findings if item.id == action.finding]
        if not found:
            raise ArgumentError(f"{action.finding} is not reported", "name another finding")
        edits = debugger.remedies(found[0])[0].edits
        if edits is None:
            raise ArgumentError(
                f"the remedy of {action.finding} edits the document", "name another"
            )
        debugger.what_if(**edits.arguments())
    else:
        moves = {
            "into": debugger.step_into,
            "over": debugger.step_over,
            "out": debugger.step_out,
            "back": debugger.back,
        }
        for _ in range(action.times):
            moves[action.verb]()


def _walked(
    run: LessonRun, answers: Sequence[QuestionRecord | None] | None, *, wrongly: bool
) -> Walk:
    problems: list[str] = []
    for number in range(len(run.lesson.steps)):
        place = f"$.steps[{number}]"
        question = run.record.steps[number].question
        if question is not None:
            known = None if answers is None else answers[number]
            if known is None:
                run.skip_question()
            else:
                run.answer(wrong_answer(known) if wrongly else known.truth or "")
        if run.current > number:
            _check_truth(run, number, place)
            continue
        if run.record.steps[number].can_proceed:
            run.proceed()
            continue
        if wrongly:
            problems.extend(_press_wrongly(run, place))
        _press_all(run, place)
        if run.current <= number:
            problem = run.record.problem or "it is not done when all is done that `do` lists"
            raise ProgramError(place, problem, "correct `do`, `done` or `fails`")
        _check_truth(run, number, place)
    record = run.record
    return Walk(record.steps, run.predictions, tuple(problems), record.end)


def _press_all(run: LessonRun, place: str) -> None:
    actions = run.actions
    if not actions:
        raise ProgramError(place, "it has `done` and no `do`", "say in `do` how to get there")
    for position, action in enumerate(actions):
        try:
            carry_out(run, action)
        except GradStepError as error:
            raise ProgramError(f"{place}.do[{position}]", error.message, error.remedy) from None
        run.follow()


def _press_wrongly(run: LessonRun, place: str) -> Iterator[str]:
    """Press something that the step does not ask for, and undo it."""
    actions, step = run.actions, run.record.current
    if run.is_free or not actions or not actions[0].is_of_events:
        return
    for operation in _other_operations(run, actions[0]):
        run.debugger.apply(operation)
        run.follow()
        problem = run.record.problem
        if not problem or run.current != step:
            raise ProgramError(place, f"{operation} is not noticed as wrong", "say more in `do`")
        yield problem
        run.undo()
        if run.record.problem or run.current != step:
            raise ProgramError(place, "a wrong press is not undone", "report this")
        return


def _other_operations(run: LessonRun, action: Action) -> Iterator[Operation]:
    """Yield Operations that a step does not ask for."""
    program = run.debugger.program
    if action.verb == "iterate":
        return
    for name in program.optimizers:
        if not action.matches(Step(name)):
            yield Step(name)
    for name in program.losses:
        if not action.matches(Forward(name)):
            yield Forward(name)


def _check_truth(run: LessonRun, number: int, place: str) -> None:
    question = run.record.steps[number].question
    if question is not None and question.is_revealed and not question.truth:
        raise ProgramError(f"{place}.question.choices", "none of them is right", "correct `when`")
