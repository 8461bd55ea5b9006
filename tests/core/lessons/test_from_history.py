"""What was done becomes a lesson that can be gone through."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep.lessons.codec import decode, encode
from gradstep.lessons.from_history import lesson_of
from gradstep.lessons.gallery import lessons
from gradstep.lessons.walker import check_lesson
from gradstep.program.operation import SetHyperparameter


@pytest.fixture
def dbg():
    return Debugger.open(lessons()[0].path.with_name("01_who_does_what.json"))


def test_each_operation_is_a_step_and_whole_iterations_are_one(dbg):
    dbg.iterate(3)
    dbg.forward()
    dbg.apply(SetHyperparameter(name="lr", value=0.5))
    dbg.backward()
    dbg.backward()
    lesson = lesson_of(dbg)
    assert [step.do for step in lesson.steps] == [
        ["zero_grad"],
        ["forward"],
        ["backward"],
        ["step"],
        ["iterate 2"],
        ["forward"],
        [{"op": "set_hyperparameter", "name": "lr", "value": 0.5}],
        ["backward"],
        ["backward"],
    ]
    assert [step.fails for step in lesson.steps] == [False] * 8 + [True]
    right, _ = check_lesson(decode(encode(lesson)), None)
    assert len(right.predictions) == 5


def test_nothing_done_is_one_step_to_read(dbg):
    assert [step.title for step in lesson_of(dbg).steps] == ["Read"]
