"""Every bundled lesson can be walked through, with right and with wrong answers."""

from __future__ import annotations

import pytest

from gradstep.lessons.codec import read
from gradstep.lessons.gallery import lessons, open_lesson
from gradstep.lessons.schema import GROUPS
from gradstep.lessons.walker import carry_out, check_lesson


@pytest.mark.parametrize("entry", lessons(), ids=lambda entry: entry.id)
def test_a_bundled_lesson_is_walked_with_right_and_with_wrong_answers(entry):
    lesson = read(entry.path)
    right, wrong = check_lesson(lesson, entry.path.parent, entry.id)
    assert all(step.is_done for step in (*right.steps, *wrong.steps))
    assert [item.step for item in right.predictions] == [item.step for item in wrong.predictions]
    assert {item.right for item in right.predictions} == {True}
    assert {item.right for item in wrong.predictions} == {False}
    assert right.predictions, "a lesson asks before it tells"
    assert all(step.question.explanation for step in right.steps if step.question)


def test_lessons_come_in_the_order_of_their_groups():
    groups = [list(GROUPS).index(entry.group) for entry in lessons()]
    assert groups == sorted(groups)
    assert lessons()[0].id == "01_who_does_what"
    assert all(entry.summary and entry.steps for entry in lessons())


@pytest.mark.parametrize("start", ["08", "09", "17", "24"])
def test_doing_as_told_is_no_mistake_of_the_learner(start):
    entry = next(entry for entry in lessons() if entry.id.startswith(start))
    run = open_lesson(entry.path)
    while not run.record.is_finished:
        step = run.record.step
        if step.question is not None and step.question.is_open:
            run.skip_question()
        elif step.can_proceed:
            run.proceed()
        for action in run.actions if run.record.step is not None else ():
            carry_out(run, action)
            run.follow()
    found = [item for item in run.debugger.findings if item.severity == "fact"]
    assert found
    assert all(run.record.shows(item) for item in found)
