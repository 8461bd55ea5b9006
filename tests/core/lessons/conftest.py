"""Lessons on a small program."""

from __future__ import annotations

import json

import pytest

from gradstep.lessons.codec import decode
from gradstep.lessons.gallery import begin_lesson

PROGRAM = {
    "gradstep": 1,
    "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(100 * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
    "loop": [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}],
}


def document(*steps, program=PROGRAM, **fields):
    lesson = {"gradstep_lesson": 1, "title": "T", "program": program, "steps": list(steps)}
    return json.dumps({**lesson, **fields}).encode()


@pytest.fixture
def lesson_of():
    """Return a function that reads a lesson with these steps."""
    return lambda *steps, **fields: decode(document(*steps, **fields))


@pytest.fixture
def begin(lesson_of):
    """Return a function that begins a lesson with these steps."""
    return lambda *steps, **fields: begin_lesson(lesson_of(*steps, **fields), None, "a lesson")
