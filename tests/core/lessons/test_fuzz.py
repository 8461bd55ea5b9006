"""A lesson from a stranger is rejected with a GradStepError, or can be gone through."""

from __future__ import annotations

import contextlib
import json
import random

import pytest

from gradstep.errors import GradStepError
from gradstep.lessons.codec import decode
from gradstep.lessons.gallery import begin_lesson, lessons
from gradstep.lessons.lesson_run import LessonRun
from gradstep.lessons.walker import check_lesson

ROUNDS = 3000
STRAY = [
    *(None, True, -1, 0, 10**30, 1e308, "", "x", "\0", "\ud800", "{", "{{", "{x", "(" * 500),
    *([], {}, [[]], {"kind": "choice"}, "loss", 'grad("x")', 'before("x")', "before(before(loss))"),
    *("iterate 99999999999", "iterate 3", "into", "out", "back 5", "checkout", "1/0", "0 * loss"),
    *('count("iterate")', 'in_order("step", "step")', "x" * 3000, {"op": "freeze", "pattern": "*"}),
    *({"op": "rebuild_module", "module": "x"}, {"what_if": {"skip": [1]}}, {"remedy": "x"}),
    *(
        {"op": "set_value", "tensor": "x", "value": [1]},
        {"op": "load_state", "event": 9},
        'data("x")[9]',
    ),
]


@pytest.fixture(scope="module")
def documents():
    found = []
    for entry in lessons()[:2]:
        document = json.loads(entry.path.read_text("utf-8"))
        program = entry.path.with_name(document["program"])
        document["program"] = json.loads(program.read_text("utf-8"))
        document["program"]["iterations"] = 1
        found.append(document)
    return found


def places(tree):
    """Yield every list and object with each of its keys."""
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        yield tree, key
        yield from places(tree[key])


def mutated(document, draw):
    """Return a document with a few parts replaced, removed or doubled."""
    tree = json.loads(json.dumps(document))
    for _ in range(draw.randint(1, 3)):
        known = [(owner, key) for owner, key in places(tree["steps"])] or [(tree, "title")]
        owner, key = draw.choice([*known, *((tree, name) for name in tree)])
        if draw.random() < 0.2 and isinstance(owner, dict) and owner is not tree:
            owner.pop(key, None)
        elif draw.random() < 0.2:
            owner[key] = [owner[key], owner[key]]
        else:
            owner[key] = draw.choice(STRAY)
        if not isinstance(tree.get("steps"), list):
            break
    return json.dumps(tree).encode()


def test_mutated_bytes_raise_no_other_error(documents):
    draw = random.Random(1)
    raw = bytearray(json.dumps(documents[0]).encode())
    rejected = 0
    for _ in range(ROUNDS):
        changed = bytearray(raw)
        for _ in range(draw.randint(1, 4)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        try:
            begin_lesson(decode(bytes(changed)), None)
        except GradStepError:
            rejected += 1
    assert rejected > ROUNDS // 2


def answered(run: LessonRun, draw):
    """Do something that a learner may do."""
    step = run.record.step
    question = None if step is None else step.question
    choices = ("Both",) if question is None or not question.choices else question.choices
    actions = (
        lambda: run.answer(draw.choice(["yes", "no", "1", "None", "[1, 2]", "Both", ""])),
        run.skip_question,
        run.proceed,
        run.undo,
        run.debugger.forward,
        run.debugger.backward,
        run.debugger.step,
        run.debugger.zero_grad,
        run.debugger.back,
        run.debugger.step_into,
        lambda: run.debugger.iterate(1),
        lambda: run.answer(choices[0]),
    )
    draw.choice(actions)()


@pytest.mark.slow
def test_mutated_lessons_are_rejected_or_gone_through(documents):
    draw = random.Random(2)
    begun = 0
    for turn in range(ROUNDS):
        raw = mutated(documents[turn % 2], draw)
        try:
            run = begin_lesson(decode(raw), None)
        except GradStepError:
            continue
        begun += 1
        for _ in range(12):
            with contextlib.suppress(GradStepError):
                answered(run, draw)
                run.follow()
        assert run.record.title
        run.debugger.lesson = run.state
        LessonRun.resume(run.debugger)
    assert begun > ROUNDS // 20


@pytest.mark.slow
def test_mutated_lessons_are_checked_without_another_error(documents):
    draw = random.Random(3)
    for turn in range(ROUNDS // 10):
        raw = mutated(documents[turn % 2], draw)
        with contextlib.suppress(GradStepError):
            check_lesson(decode(raw), None)
