"""Sums of gradients of which only the user can say whether they are intended."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import OperationError, UnsupportedError
from gradstep.program.document.codec import decode
from tests.core.diagnostics.facts.sent_loops import NAMES, Loop, debug, repeat

BEHIND = """import torch

for epoch in range(5):
    for x in batches:
        optimizer.zero_grad()
        loss = model(x)
        loss.backward()
    optimizer.step()
"""
WITHIN = """import torch

for x in batches:
    if True:
        optimizer.zero_grad()
        loss = model(x)
        loss.backward()
        optimizer.step()
"""
"""Scripts whose Backward is in line 7 and whose Step is in line 8, as in a `Loop`."""


def accumulate(text=None, *, every=2, times=9):
    """Return a script with a Step after every few Backwards."""
    loop = Loop()
    if text is not None:
        loop.source("/home/ada/train.py", text)

    def turn(loop):
        loop.call().backward()
        if loop.iteration % every == every - 1:
            loop.step().zero()

    return repeat(times, turn, loop)


def questions(debugger):
    return [item for item in debugger.findings if item.severity == "question"]


def test_a_step_behind_the_loop_of_its_backwards_is_a_question():
    debugger = debug(accumulate(BEHIND))
    (finding,) = debugger.findings
    assert (finding.id, finding.severity) == ("backwards-per-step", "question")
    assert finding.detail == (
        "From Backward #8 (train.py:7) to Backward #10 (train.py:7), 2 Backwards of one line added "
        "up in the same gradients, and Step #11 (train.py:8) of optimizer used the sum."
    )
    assert finding.question.text == "Is this gradient accumulation?"
    assert finding.question.yes_comment == "# gradstep: gradient_accumulation"
    assert (finding.remedy, finding.edit, finding.question.answer) == ("", "", None)


def test_an_answer_changes_the_findings_at_once_and_can_be_undone():
    debugger = debug(accumulate(BEHIND))
    debugger.answer("gradient_accumulation", is_intended=True)
    (finding,) = debugger.findings
    assert (finding.severity, finding.question.answer) == ("info", True)
    assert finding.title == "Gradient accumulation is intended"
    debugger.answer("gradient_accumulation", is_intended=False)
    (finding,) = debugger.findings
    assert (finding.severity, finding.question.answer) == ("fact", False)
    assert "Move the Step (train.py:8), and the Zero Grad, behind the Backward" in finding.remedy
    assert "+        optimizer.step()" in finding.edit.splitlines()
    assert [item.severity for item in debugger.snapshot.occurrences] == ["fact"]
    debugger.answer("gradient_accumulation", is_intended=None)
    assert [item.severity for item in debugger.findings] == ["question"]


def test_an_answer_is_kept_in_the_session(tmp_path):
    debugger = debug(accumulate(BEHIND))
    debugger.answer("gradient_accumulation", is_intended=False)
    debugger.save(tmp_path / "a.gradstep")
    opened = Debugger.open(tmp_path / "a.gradstep")
    assert opened.recording.answers == {"gradient_accumulation": False}
    assert [item.severity for item in opened.findings] == ["fact"]
    opened.answer("gradient_accumulation", is_intended=None)
    assert [item.severity for item in opened.findings] == ["question"]


@pytest.mark.parametrize(
    ("comment", "severities"),
    [
        ("# gradstep: gradient_accumulation", []),
        ("# gradstep: not gradient_accumulation", ["fact"]),
        ("# gradstep: adversarial", ["question"]),
    ],
)
def test_a_comment_answers_too(comment, severities):
    debugger = debug(accumulate(f"{BEHIND}{comment}\n"))
    assert [item.severity for item in debugger.findings] == severities
    assert all(item.question is None for item in debugger.findings) == ("adv" not in comment)


@pytest.mark.parametrize(
    "text",
    [
        WITHIN,
        BEHIND.replace("loss = model(x)", "loss = model(x) / 4"),
        BEHIND.replace("loss.backward", "(loss / steps).backward"),
        f"{BEHIND}accelerator = Accelerator(gradient_accumulation_steps=2)",
        BEHIND.replace("loss.backward", "scaler.scale(loss / steps).backward"),
        BEHIND.replace("loss.backward()", "accelerator.backward(loss / steps)"),
        BEHIND.replace("x in batches", "x in micro_batches"),
        BEHIND.replace("x in batches", "_ in range(accumulation_steps)"),
        BEHIND.replace("        loss = model(x)\n", "        loss /= 4\n"),
    ],
)
def test_what_the_text_shows_to_be_intended_is_not_asked(text):
    assert debug(accumulate(text)).findings == ()


@pytest.mark.parametrize("text", [None, "(", BEHIND.replace("loss = model(x)", "y = x / 255")])
def test_what_the_text_does_not_show_is_asked(text):
    assert len(questions(debug(accumulate(text)))) == 1


def test_one_step_with_several_backwards_is_not_asked_about():
    assert questions(debug(accumulate(BEHIND, every=3, times=5))) == []


def test_backwards_of_several_lines_are_not_asked_about():
    def turn(loop):
        loop.zero().call().backward().event("backward", "other", 9, loop.gradients(), loss=1.0)
        loop.step()

    assert debug(repeat(4, turn)).findings == ()


def test_a_fact_that_an_answer_would_clear_is_no_question_as_well():
    def turn(loop):  # nothing is ever cleared
        loop.call().backward()
        if loop.iteration % 2:
            loop.step()

    debugger = debug(repeat(8, turn))
    assert [item.id for item in debugger.findings] == ["grad-accumulated"]
    debugger.answer("gradient_accumulation", is_intended=True)
    assert [item.severity for item in debugger.findings] == ["info"]


# -- two losses --------------------------------------------------------------------------------


def adversarial(*order, times=3):
    """Return a GAN: `gw` belongs to opt_g, the model to optimizer; g_loss reaches both."""
    loop = Loop("gw")
    loop.optimizer("opt_g", "SGD", ["gw"], lr=1.0)
    parts = {
        "zero": loop.zero,
        "zero_g": lambda: loop.zero("opt_g", names=["gw"], line=4),
        "g": lambda: loop.event("backward", "g_loss", 11, loop.gradients("gw", *NAMES), loss=1.0),
        "d": lambda: loop.event("backward", "d_loss", 12, loop.gradients(), loss=1.0),
        "both": lambda: loop.event(
            "backward", "d_loss", 13, loop.gradients("gw", *NAMES), loss=1.0
        ),
        "step": loop.step,
        "step_g": lambda: loop.step("opt_g", ["gw"], line=14),
    }
    for iteration in range(times):
        loop.then(iteration)
        for part in order:
            parts[part]()
    return loop


@pytest.mark.parametrize(
    "order",
    [
        ("zero_g", "g", "step_g", "d", "step", "zero"),
        ("zero", "zero_g", "g", "d", "step_g", "step"),
        ("zero", "zero_g", "g", "d", "step", "step_g"),
    ],
)
def test_a_step_with_another_optimizers_loss_is_a_question(order):
    debugger = debug(adversarial(*order))
    (finding,) = questions(debugger)
    assert finding.id == "gradients-of-two-losses"
    assert finding.detail.endswith(
        "of optimizer used their sum: g_loss also trains what opt_g holds, d_loss does not."
    )
    debugger.answer("summed_losses", is_intended=False)
    (finding,) = debugger.findings
    assert finding.severity == "fact"
    assert finding.remedy == (
        "Call optimizer.zero_grad() before the Backward of d_loss (train.py:12)."
    )
    debugger.answer("summed_losses", is_intended=True)
    assert [item.severity for item in debugger.findings] == ["info"]


def test_a_loss_that_comes_after_the_own_one_is_stepped_before():
    debugger = debug(adversarial("zero", "zero_g", "d", "g", "step", "step_g"))
    debugger.answer("summed_losses", is_intended=False)
    (finding,) = debugger.findings
    assert finding.remedy == (
        "Step optimizer, and clear its gradients, before the Backward of g_loss (train.py:11)."
    )
    assert finding.edit == ""


@pytest.mark.parametrize(
    "order",
    [
        ("zero_g", "zero", "both", "step", "g", "step_g"),
        ("zero", "zero_g", "d", "both", "step", "g", "step_g"),  # as in DCGAN
    ],
)
def test_a_loss_that_another_step_had_used_is_a_question_about_the_later_step(order):
    debugger = debug(adversarial(*order))
    (finding,) = questions(debugger)
    assert (finding.id, finding.subjects) == ("gradients-of-two-losses", ("opt_g",))
    assert finding.detail.endswith(
        "used their sum: d_loss is what optimizer follows, and its Step had used it before."
    )
    debugger.answer("summed_losses", is_intended=False)
    (finding,) = debugger.findings
    assert finding.remedy == (
        "Call opt_g.zero_grad() before the Backward of g_loss, or compute d_loss from the detach() "
        "of what opt_g trains (train.py:11)."
    )


@pytest.mark.parametrize(
    "order",
    [
        ("zero_g", "g", "step_g", "zero", "d", "step"),  # cleared in between
        ("zero", "d", "step", "zero_g", "g", "step_g"),  # cleared in the next iteration
        ("zero", "both", "d", "step", "zero_g", "g", "step_g"),  # not detached, and not used
        ("zero", "zero_g", "g", "both", "step", "step_g"),  # both are for both
    ],
)
def test_losses_whose_gradients_are_not_mixed_are_no_question(order):
    assert debug(adversarial(*order)).findings == ()


def test_answers_are_about_scripts_and_known_intentions():
    debugger = debug(accumulate(BEHIND))
    with pytest.raises(OperationError, match="unknown intention 'win'; available: gradient_accum"):
        debugger.answer("win", is_intended=True)
    program = Debugger(
        decode(
            b'{"gradstep": 1, "tensors": {"x": {"value": 8, "requires_grad": true}},'
            b' "losses": {"loss": {"expression": "x * x"}},'
            b' "optimizers": {"o": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'
        )
    )
    with pytest.raises(UnsupportedError, match="only scripts are asked what they intend"):
        program.answer("gradient_accumulation", is_intended=True)


UNDIVIDED = """for i, x in enumerate(data):
    loss = f(x)



    _ = x
    loss.backward()
    if i % batches == 0: optimizer.step()
"""


def undivided(text=UNDIVIDED, **options):
    return [
        item for item in debug(accumulate(text, **options)).findings if item.id == "sum-of-batches"
    ]


def test_a_sum_of_batches_that_nothing_divides_is_a_question_once():
    (finding,) = undivided()
    assert (finding.severity, finding.question.intent) == ("question", "undivided_sum")
    assert finding.detail == (
        "From Backward #8 (train.py:7) to Backward #10 (train.py:7), 2 Backwards added up, and "
        "Step #11 (train.py:8) of optimizer used the sum: no loss was divided by 2, so that the "
        "steps are about 2 times as long as those of a batch of that size."
    )


@pytest.mark.parametrize(
    "text",
    [
        UNDIVIDED.replace("f(x)", "f(x) / batches"),
        UNDIVIDED.replace("f(x)", "f(x) / self.batches"),
        UNDIVIDED.replace("f(x)", "f(x) / accum_steps"),
        UNDIVIDED.replace("f(x)", "f(x).sum()"),
        UNDIVIDED.replace("_ = x", "loss /= batches"),
        UNDIVIDED.replace("_ = x", "rate = 0.1 * (1 / batches)"),
        UNDIVIDED.replace("_ = x", "clip_grad_norm_(p, 1.0)"),
        UNDIVIDED.replace("f(x)", 'f(x, reduction="sum")'),
        UNDIVIDED.replace("i % batches == 0", "is_full(i)"),
        UNDIVIDED.replace("    if i %", "if i %"),
    ],
)
def test_a_sum_that_the_text_makes_up_for_is_no_question(text):
    assert undivided(text) == []
    assert undivided(UNDIVIDED, every=1) == []


def test_a_single_sum_is_no_habit():
    assert undivided(times=3) == []
