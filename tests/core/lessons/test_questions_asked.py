"""Every question that people bring to a forum is asked by a lesson, and answered by its program."""

from __future__ import annotations

import pytest

from gradstep.lessons.codec import read
from gradstep.lessons.gallery import lessons
from gradstep.lessons.schema import GROUPS

ASKED = (
    # in the words of the forum threads, posts and tutorials that the lessons were written for
    ("the difference between step() and backward()", "01", "What will Backward change?"),
    ("is the gradient None or 0 at first?", "01", "a number, or None?"),
    ("are gradients added up, or stacked?", "01", "after this second Backward"),
    ("does step() use the gradient up?", "01", "No Backward has run since the last Step"),
    ("when should we use zero_grad()?", "26", "Zero Grad comes after Forward this time"),
    ("why zero_grad, backward, step in this order?", "26", "What will Step do?"),
    ("x = x - lr * x.grad", "02", "What will it be?"),
    (
        "does zero_grad clear all state of the optimizer?",
        "03",
        "What will be left after Zero Grad?",
    ),
    ("does the optimizer keep something of the last batch?", "06", "clear the momentum too"),
    ("do I need a new optimizer for another batch size?", "23", "state of the optimizers"),
    ("can I ping-pong between two heads?", "25", "will come from `loss_b`?"),
    ("does a loss of another head confuse the optimizer?", "04", "`head_b` has momentum"),
    ("should two heads have two optimizers?", "05", "What will it move?"),
    ("which gradients does a loss write?", "05", "Which gradients will Backward"),
    ("the optimizer was created before the model was replaced", "24", "What will happen?"),
    ("the optimizer was created before the weights were loaded", "24", "Will Step move them?"),
    ("SGD(other_model.parameters())", "08", "Which parameters will have a gradient?"),
    ("zero_grad() clears what was passed to the optimizer", "08", "Zero Grad runs first"),
    ("a network that fits noise", "03", "The targets are noise"),
    # the confusions of DIAGNOSTICS
    ("a second backward", "09", "What will happen?"),
    ("retain_graph", "09", "after both"),
    ("element 0 of tensors does not require grad", "10", "Nothing that the loss was computed from"),
    ("loss.requires_grad_()", "10", "Which gradients will there be?"),
    ("modified by an inplace operation", "11", "weights that its graph has saved"),
    ("the scheduler steps first", "12", "What will `lr` be?"),
    ("accumulation without scale", "13", "What will `.grad` be then?"),
    ("the last window", "27", "mean gradient of these two batches"),
    ("resume without the state of the optimizer", "14", "How many Steps has Adam counted"),
    ("eval() without train()", "15", "In which mode"),
    ("None is not zero", "04", "gradient of `head_b` is zeros now"),
    ("frozen yet moving", "16", "The trunk is frozen"),
    ("several losses", "22", "gradients of the discriminator too"),
    ("clipping at the wrong place", "17", "How far will `x` move?"),
    ("total += loss", "20", "Which graphs will"),
    (".grad of a tensor that is not a leaf", "18", "Which leaves will move?"),
    ("a new lr and the state of Adam", "19", "What will happen to `exp_avg`?"),
    ("NaN", "28", "What will the loss be now?"),
    ("Using a target size", "29", "Which sign will its gradient have?"),
)


@pytest.mark.parametrize(("question", "lesson", "words"), ASKED, ids=lambda value: value[:40])
def test_a_question_of_a_forum_is_asked_by_a_lesson(question, lesson, words):
    entry = next(entry for entry in lessons() if entry.id.startswith(lesson))
    asked = [step.question for step in read(entry.path).steps if step.question is not None]
    assert any(words in item.ask and item.explanation for item in asked), question


def test_each_group_has_a_lesson_and_each_lesson_answers_a_question():
    assert {entry.group for entry in lessons()} == set(GROUPS)
    own = {entry.id[:2] for entry in lessons()}
    assert own - {lesson for _, lesson, _ in ASKED} == {"07", "21"}
