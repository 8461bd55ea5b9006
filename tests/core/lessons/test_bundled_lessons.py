"""Every bundled lesson can be walked through, with right and with wrong answers."""

from __future__ import annotations

import pytest

from gradstep.lessons.codec import read
from gradstep.lessons.gallery import lessons
from gradstep.lessons.schema import GROUPS
from gradstep.lessons.walker import check_lesson


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
