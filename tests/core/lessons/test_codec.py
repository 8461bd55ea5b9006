"""Lessons are read and written, and every error names its place."""

from __future__ import annotations

import pytest

from gradstep.errors import ProgramError
from gradstep.lessons.codec import decode, encode, program_of, read
from gradstep.lessons.gallery import begin_lesson, lessons
from tests.core.lessons.conftest import PROGRAM, document

QUESTION = {"kind": "number", "ask": "?", "answer": "loss"}
CHOICES = {"kind": "choice", "ask": "?", "choices": [{"text": "a", "when": "ok"}]}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the document is empty; start with"),
        (b"[]", "an object is expected, not a list"),
        (b'{"gradstep_lesson": 2}', r"\$.gradstep_lesson: version 2 is not supported"),
        (document({"txt": ""}), r"\$.steps\[0\].txt: no such field; did you mean 'text'"),
        (document({}, titel="x"), r"\$.titel: no such field; did you mean 'title'"),
        (document(), r"\$.steps: the list is too short"),
        (document({}, group="call"), r"\$.group: no group 'call'; did you mean 'calls'"),
        (document({"do": ["walk"]}), r"\$.steps\[0\].do\[0\]: nothing is called 'walk'"),
        (document({"do": ["iterate x"]}), r"do\[0\]: 'x' is not how often; write"),
        (document({"do": [{"op": "bakward"}]}), r"do\[0\].op: no kind 'bakward'; did you mean"),
        (
            document({"do": [{"op": "backward", "retain": True}]}),
            r"do\[0\].retain: no such field",
        ),
        (document({"do": [{"what_if": {"skip": "9"}}]}), r"do\[0\].what_if.skip: expected a list"),
        (document({"do": [{}]}), r"do\[0\]: not something to do"),
        (document({"question": {**QUESTION, "kind": "nmber"}}), "kind: no kind 'nmber'; did you"),
        (document({"question": {**QUESTION, "when": "x"}}), r"question.when: no such field"),
        (document({"question": CHOICES}), r"\$.steps\[0\].question.choices: the list is too short"),
        (
            document({"question": {**CHOICES, "choices": [{"tekst": "a"}, {}]}}),
            r"choices\[0\].tekst: no such field; did you mean 'text'",
        ),
        (document({"text": "x" * 2001}), r"\$.steps\[0\].text: the string is too long"),
    ],
)
def test_an_error_names_its_place(raw, message):
    with pytest.raises(ProgramError, match=message):
        decode(raw)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"text": "{dat}"}, r"\$.steps\[0\].text: in the log text, {dat}: column 1: there is no"),
        ({"done": "loss <"}, r"\$.steps\[0\].done: "),
        ({"done": 'count("bakward")'}, r"done: column 7: nothing is called 'bakward'"),
        ({"done": 'found("grad-reusd")'}, r"done: column 7: there is no finding .* did you mean"),
        ({"done": 'before("x") == 1'}, r"done: column 8: before takes a value; write before\(data"),
        ({"question": {**QUESTION, "answer": 'grad("y")'}}, r"question.answer: column 6: there is"),
    ],
)
def test_an_expression_that_is_wrong_is_found_when_the_lesson_begins(lesson_of, step, message):
    with pytest.raises(ProgramError, match=message):
        begin_lesson(lesson_of(step), None)


@pytest.mark.parametrize("entry", lessons(), ids=lambda entry: entry.id)
def test_a_lesson_that_was_written_is_read_again(entry):
    lesson = read(entry.path)
    assert decode(encode(lesson)) == lesson


def test_a_program_in_the_lesson_itself_is_built(lesson_of):
    assert program_of(lesson_of({}), None).tensors["x"].value == [1, 2]
    wrong = lesson_of({}, program={**PROGRAM, "seed": -1})
    with pytest.raises(ProgramError, match=r"\$.program.seed: the number is too small"):
        program_of(wrong, None)


@pytest.mark.parametrize("name", ["../p.json", "/etc/passwd", "..", "a\\b.json", "a/b.json"])
def test_a_program_is_not_looked_for_in_other_folders(lesson_of, tmp_path, name):
    with pytest.raises(ProgramError, match="is not the name of a file; put it beside the lesson"):
        program_of(lesson_of({}, program=name), tmp_path)
