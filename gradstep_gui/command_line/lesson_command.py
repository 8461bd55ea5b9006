"""`gradstep lesson`: walk through a lesson without a window, as its author tries it out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gradstep.lessons.codec import lesson_id, read
from gradstep.lessons.walker import check_lesson
from gradstep.pluralize import pluralize
from gradstep_gui.command_line.terminal import print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gradstep.history.records.lesson import StepRecord
    from gradstep.lessons.walker import Walk

__all__ = ["lesson"]


def lesson(options: argparse.Namespace) -> int:
    """Print a lesson as a learner reads it, once all is done right."""
    document = read(options.file)
    right, wrong = check_lesson(document, options.file.parent, lesson_id(options.file))
    if options.json:
        print_json({"title": document.title, "right": right, "wrong": wrong})
        return 0
    sys.stdout.write(f"{document.title}\n{document.summary}\n\n")
    for step in right.steps:
        sys.stdout.writelines(f"{line}\n" for line in _lines(step))
    sys.stdout.write(f"{right.end}\n\n{_summary(right, wrong)}\n")
    return 0


def _lines(step: StepRecord) -> Iterator[str]:
    yield f"{step.number}. {step.title}"
    if step.text:
        yield f"   {step.text}"
    question = step.question
    if question is not None:
        yield f"   ? {question.ask}"
        yield from (f"     ( ) {choice}" for choice in question.choices)
        yield f"   = {question.truth}"
        if question.explanation:
            yield f"   {question.explanation}"
    if step.after:
        yield f"   {step.after}"
    yield ""


def _summary(right: Walk, wrong: Walk) -> str:
    steps = pluralize(len(right.steps), "step")
    questions = pluralize(len(right.predictions), "question")
    presses = pluralize(len(wrong.problems), "wrong press", "wrong presses")
    return f"{steps}, {questions}; {presses} answered and undone."
