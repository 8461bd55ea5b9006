"""Where a changed script calls backward and step."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from gradstep.diagnostics.script_edits.proposed_edit import proposed_edit
from tests.core.diagnostics.script_edits.loop_edits import LOOP, OPTIMIZER, changed, edited, without


def test_a_missing_step_follows_the_backward():
    assert changed("step-missing", without("step()"), 4, 4, 2) == ["+    optimizer.step()"]


def test_a_missing_step_follows_the_clippings_after_the_backward():
    clipping = "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    code = without("step()") + clipping + "    losses.append(loss.item())\n"
    stepped = without("step()") + clipping + "    optimizer.step()\n"
    assert edited("step-missing", code, 4, 4, 2) == stepped + "    losses.append(loss.item())\n"
    late = "for x in data:\n    f(x).backward()\n    optimizer.zero_grad()\n" + clipping
    assert edited("step-missing", late, 2, 2, 3).splitlines()[2] == "    optimizer.step()"


def test_no_step_is_added_where_a_module_was_cleared_or_in_another_function():
    code = without("step()").replace("optimizer.zero_grad", "model.zero_grad")
    assert changed("step-missing", code, 4, 4, 2) == []
    code = "def clear():\n    optimizer.zero_grad()\n\nclear()\nloss.backward()\n"
    assert changed("step-missing", code, 5, 5, 2) == []


def test_no_step_is_added_where_one_is_written_and_not_reached():
    code = without("step()") + "    if done:\n        optimizer.step()\n"
    assert changed("step-missing", code, 4, 4, 2) == []


def test_a_loop_without_step_and_zero_grad_gets_both():
    both = ["+    optimizer.step()", "+    optimizer.zero_grad()"]
    code = "for x, y in data:\n    loss = f(x)\n    loss.backward()\n"
    assert changed("step-missing", f"optimizer = SGD(p)\n{code}", 4, 4, 4) == both
    assert changed("step-missing", code, 3, 3, 3) == []
    function = "def fit(optimizer):\n    f().backward()\n"
    assert changed("step-missing", function, 2, 2, 2) == both


def test_a_step_before_the_backward_moves_after_it():
    code = LOOP.replace("loss.backward()", "#").replace("step()", "step()\n    loss.backward()")
    assert changed("step-without-grad", code, 5) == [
        "+    loss.backward()",
        "-    loss.backward()",
    ]


def test_the_second_step_becomes_that_of_the_optimizer_that_never_steps():
    code = LOOP + "    optimizer.step()\n    other.zero_grad()\n"
    named = OPTIMIZER._replace(optimizer="other")
    places = ["a.py:4", "a.py:5", "a.py:6"]
    edit = proposed_edit("grad-reused", named, places, {"a.py": code}).splitlines()
    assert edit[-3:] == ["-    optimizer.step()", "+    other.step()", "     other.zero_grad()"]
    unnamed = OPTIMIZER._replace(optimizer="another")
    assert proposed_edit("grad-reused", unnamed, places, {"a.py": code}) == ""


def test_a_backward_that_is_only_named_is_called():
    code = LOOP.replace("backward()", "backward")
    assert changed("step-without-grad", code, 5) == ["-    loss.backward", "+    loss.backward()"]
    assert changed("step-without-grad", LOOP, 5) == []


def test_a_repeated_step_is_removed():
    assert changed("grad-reused", LOOP + "    optimizer.step()\n", 4, 5, 6) == [
        "-    optimizer.step()"
    ]
    assert changed("grad-reused", LOOP, 4, 5, 5) == []


def test_a_schedule_moves_after_the_loop_that_steps():
    inner = "".join(f"    {line}" for line in LOOP.splitlines(keepends=True))
    code = f"for epoch in range(3):\n    scheduler.step()\n{inner}print(1)\n"
    assert changed("scheduler-first", code, 2, 7) == [
        "-    scheduler.step()",
        "+    scheduler.step()",
    ]
    places = ["a.py:2", "a.py:7"]
    edit = proposed_edit("scheduler-first", OPTIMIZER, places, {"a.py": code})
    assert edit.splitlines()[-4:] == [
        "@@ -7,2 +6,3 @@",
        "         optimizer.step()",
        "+    scheduler.step()",
        " print(1)",
    ]


@pytest.mark.parametrize(
    ("line", "after", "is_moved"),
    [
        ("scheduler.step()", "", True),
        ("scheduler.step()", "    else:\n        print(x)\n", False),
        ("scheduler.step(loss)", "", False),
        ("if x: scheduler.step()", "", False),
    ],
)
def test_a_schedule_moves_out_of_the_loop_over_the_batches(line, after, is_moved):
    inner = "".join(f"    {one}" for one in LOOP.splitlines(keepends=True))
    code = f"for epoch in range(3):\n{inner}        {line}\n{after}    print(epoch)\n"
    lines = changed("schedule-per-batch", code, 7)
    moved = ["-        scheduler.step()", "+    scheduler.step()"]
    assert lines == (moved if is_moved else [])


def test_a_schedule_of_a_single_loop_stays_in_it():
    assert changed("schedule-per-batch", "while x:\n    f()\n    scheduler.step()\n", 3) == []
    assert changed("schedule-per-batch", "for x in y:\n    scheduler.step()\n", 2) == []


INNER = """for epoch in range(3):
    optimizer.zero_grad()
    for x, y in data:
        loss = criterion(model(x), y)
        loss.backward()
    optimizer.step()  # Größe
    print(epoch)
"""


def test_a_step_behind_the_loop_of_its_backward_moves_into_it():
    assert edited("backwards-per-step", INNER, 5, 5, 6) == INNER.replace(
        "backward()\n    optimizer.step()  # Größe\n",
        "backward()\n        optimizer.step()  # Größe\n        optimizer.zero_grad()\n",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    optimizer.step()", "    clip()\n    optimizer.step()"),
        ("optimizer.step()", "scaler.step(optimizer)"),
        ("        loss.backward()", "        if ready:\n          loss.backward()"),
        ("optimizer.step()", "optimizer.step(\n    )"),
    ],
)
def test_a_step_stays_where_it_is_not_sure_what_belongs_to_it(old, new):
    code = INNER.replace(old, new)
    lines = code.splitlines()
    backward = next(n for n, line in enumerate(lines, 1) if "backward" in line)
    step = next(n for n, line in enumerate(lines, 1) if ".step(" in line)
    assert changed("backwards-per-step", code, backward, backward, step) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("loss.backward()", "(loss / steps).backward()"),
        (
            "self.loss.backward(retain_graph=True)",
            "(self.loss / steps).backward(retain_graph=True)",
        ),
        ("scaler.scale(loss).backward()", "scaler.scale(loss / steps).backward()"),
        ("loss(x).backward()", None),
        ("(a + b).backward()", None),
    ],
)
def test_a_loss_is_divided_before_its_backward(line, expected):
    code = f"for x in data:\n    {line}\n    if x:\n        optimizer.step()\n"
    lines = changed("sum-of-batches", code, 2, 2, 4, named=Named(divisor="steps"))
    assert lines == ([] if expected is None else [f"-    {line}", f"+    {expected}"])


CLOSURE = """def closure():
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    return loss


optimizer.step(closure)
"""


def test_a_closure_differentiates_the_loss_before_it_returns_it():
    assert changed("step-without-grad", CLOSURE, 7) == ["+    loss.backward()"]
    code = CLOSURE.replace("step(closure)", "step(closure=closure)")
    assert changed("step-without-grad", code, 7) == ["+    loss.backward()"]
    code = CLOSURE.replace("    return", "    loss.backward\n    return")
    assert changed("step-without-grad", code, 8) == ["-    loss.backward", "+    loss.backward()"]


def test_a_closure_that_returns_no_variable_is_left_as_it_is():
    code = CLOSURE.replace("return loss", "return loss + penalty")
    assert changed("step-without-grad", code, 7) == []


def test_a_schedule_of_batches_steps_after_its_optimizer():
    code = LOOP + "scheduler.step()\nprint(loss)\n"
    lines = changed("schedule-per-epoch", code, 5, 6)
    assert lines == ["-scheduler.step()", "+    scheduler.step()"]
    assert changed("schedule-per-epoch", code.replace("er.step()", "er.step(loss)"), 5, 6) == []
    assert changed("schedule-per-epoch", "scheduler.step()\n" + LOOP, 6, 1) == []
