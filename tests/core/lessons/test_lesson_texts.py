"""No number in a lesson is typed where it could be computed, and no title gives an answer away."""

from __future__ import annotations

import json
import re

import pytest

from gradstep.lessons.codec import read
from gradstep.lessons.gallery import lessons
from gradstep.lessons.schema import ChoiceQuestion, NumberQuestion, YesNoQuestion

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,]\d+)*(?![\w])")
WORDS = {
    "three": 3, "four": 4, "fourth": 4, "five": 5, "fifth": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "tenth": 10, "twenty": 20, "forty": 40, "fifty": 50, "hundred": 100,
    "thousand": 1000, "twice": 2, "half": 0.5, "third": 1 / 3, "quarter": 0.25,
}  # fmt: skip
WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
CODE = re.compile(r"`[^`]*`")
FILLED = re.compile(r"\{\{|\}\}|\{[^{}]*\}")

PROGRAM = {
    ("02", 2): "data.line.slope",
    ("04", 10): "loop.3.every",
    ("05", 10): "loop.4.every",
    ("12", 0.8): "schedulers.decay.gamma",
    ("13", 2): "data.line.slope",
    ("13", 4): "loop.2.every",
    ("15", 14): "data.wave.high",
    ("15", 8): "data.wave.low",
    ("15", 5): "loop.0.every",
    ("22", 2): "data.real.low",
    ("22", 4): "data.real.high",
    ("24", 2): "data.line.slope",
    ("26", 2): "data.line.slope",
    ("27", 4): "loop.2.every",
}
"""Numbers of the program's document that a text names, and where they are in it."""

REASONS = {
    ("01", 4): "the calls of a training loop: Zero Grad, Forward, Backward, Step",
    ("02", 4): "the calls of a training loop",
    ("05", 3): "the Backwards that the steps of the lesson ask for",
    ("06", 3): "the species of the iris data",
    ("07", -1): "a / |a|",
    ("09", 2): "the derivative of x ** 2",
    ("09", 3): "the cures that the steps of the lesson show",
    ("10", 0): "an error message",
    ("12", 2): "the derivative of x ** 2",
    ("13", 3): "the other batches of a window of four",
    ("16", 0): "weight decay pulls towards 0, by definition",
    ("16", 60): "an iteration that a step asks for",
    ("18", 0.1): "an example of code",
    ("18", 2): "an example of code",
    ("21", 0): "the derivative of a step function",
    ("21", 1 / 3): "a third set of rows, for training, choosing and testing",
    ("26", 4): "the calls of a training loop",
    ("27", 0.5): "two batches, each divided by four; the question compares the gradients",
    ("28", 0): "where the root has an infinite derivative, and what where() passes back",
    ("28", 2): "the derivative of sqrt(x)",
    ("29", 0): "the mean of targets that lie symmetrically, and a weight near it",
    ("29", 1): "an example of code",
}
"""Other numbers that are no results of the program, and why."""


def texts(lesson):
    """Yield each text of a lesson with the step that it belongs to."""
    yield None, lesson.summary
    yield None, lesson.end
    for step in lesson.steps:
        yield step, step.title
        yield step, step.text
        yield step, step.after
        asked = step.question
        if asked is not None:
            yield step, asked.ask
            yield step, asked.explanation
            if isinstance(asked, ChoiceQuestion):
                for choice in asked.choices:
                    yield step, choice.text
                    yield step, choice.reply


def numbers_asked_for(step):
    """Return the numbers of what a step asks for, and those that its question compares with."""
    if step is None:
        return set()
    written = [*map(json.dumps, step.do), step.done]
    asked = step.question
    if isinstance(asked, ChoiceQuestion):
        written += [choice.when for choice in asked.choices]
    elif isinstance(asked, (NumberQuestion, YesNoQuestion)):
        written.append(asked.answer)
    numbers = [float(number) for number in NUMBER.findall(" ".join(written))]
    return {*numbers, *(1 / number for number in numbers if number), len(step.do)}


def typed_numbers(text, program):
    """Return the numbers in a text that are neither computed nor code of the program."""
    document = json.dumps(program).replace(" ", "")

    def own(code):
        return code.group() if code.group()[1:-1].replace(" ", "") not in document else " "

    text = CODE.sub(own, FILLED.sub(" ", text))
    text = re.sub(r"\b\w+\.\d+\.\w+", " ", text)  # the name of a tensor, such as model.0.weight
    numbers = {float(number.replace(",", "")) for number in NUMBER.findall(text)}
    return numbers | {WORDS[word.lower()] for word in WORD.findall(text)}


def part_of(document, place):
    for key in place.split("."):
        document = document[int(key)] if key.isdigit() else document[key]
    return document


@pytest.mark.parametrize("entry", lessons(), ids=lambda entry: entry.id)
def test_no_number_in_a_lesson_is_typed_that_could_become_false(entry):
    lesson = read(entry.path)
    program = json.loads(entry.path.with_name(f"{entry.id}.json").read_text("utf-8"))
    for step, text in texts(lesson):
        for number in typed_numbers(text, program) - numbers_asked_for(step):
            known = (entry.id[:2], number)
            if known in PROGRAM:
                assert number == part_of(program, PROGRAM[known]), text
            else:
                assert known in REASONS, f"{number} is typed: {text}"


def test_each_reason_for_a_typed_number_is_needed():
    typed = {
        (entry.id[:2], number)
        for entry in lessons()
        for step, text in texts(read(entry.path))
        for number in typed_numbers(
            text, json.loads(entry.path.with_name(f"{entry.id}.json").read_text("utf-8"))
        )
        - numbers_asked_for(step)
    }
    assert {*PROGRAM, *REASONS} == typed


@pytest.mark.parametrize("entry", lessons(), ids=lambda entry: entry.id)
def test_no_title_gives_an_answer_away(entry):
    """Titles are in the list of steps from the beginning."""
    verbs = r"writes|moves|adds|clears|keeps|fails|shrinks|grows|smaller|too large|nothing|none|not"
    for step in read(entry.path).steps:
        asked = step.question
        if asked is None:
            continue
        assert not re.search(rf"\b(?:{verbs})\b", step.title, re.IGNORECASE) or step.title in {
            "A smaller lr",
            "What if lr were smaller?",
            "What else was not restored?",
        }, step.title
        if isinstance(asked, ChoiceQuestion):
            assert step.title.lower() not in {choice.text.lower() for choice in asked.choices}
