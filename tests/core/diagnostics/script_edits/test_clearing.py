"""Where a changed script clears gradients."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import LOOP, changed, edited, without


def test_gradients_that_add_up_are_cleared_before_the_backward():
    code = without("zero_grad")
    added = "    optimizer.zero_grad()\n    loss.backward()"
    assert edited("grad-accumulated", code, 4, 3, 4) == code.replace("    loss.backward()", added)


def test_a_zero_grad_that_is_named_between_backward_and_step_is_not_called_there():
    code = without("zero_grad").replace(
        "    optimizer.step()", "    optimizer.zero_grad\n    optimizer.step()"
    )
    assert changed("grad-accumulated", code, 5, 3, 5) == ["+    optimizer.zero_grad()"]


def test_gradients_of_a_loop_of_backwards_are_cleared_after_the_step_behind_it():
    code = "for x in a:\n    for part in x:\n        loss(part).backward()\n    o.step()\n"
    named = Named(optimizers=("o",))
    assert changed("grad-accumulated", code, 4, 3, 4, named=named) == ["+    o.zero_grad()"]


def test_a_zero_grad_between_backward_and_step_moves_after_the_step():
    code = without("zero_grad").replace("loss.backward()\n", "loss.backward()\n    o.zero_grad()\n")
    assert edited("grad-discarded", code, 3, 4, 5) == without("zero_grad") + "    o.zero_grad()\n"


def test_a_zero_grad_in_another_block_than_the_step_stays():
    code = without("zero_grad").replace(
        "    optimizer.step()", "    o.zero_grad()\n    if ready:\n        optimizer.step()"
    )
    assert changed("grad-discarded", code, 3, 4, 6) == []


def test_gradients_are_cleared_to_none_where_zeros_moved_a_parameter():
    code = LOOP.replace("zero_grad()", "zero_grad(set_to_none=False)  # Größe")
    assert changed("moved-without-gradient", code, 2, 5) == [
        "-    optimizer.zero_grad(set_to_none=False)  # Größe",
        "+    optimizer.zero_grad()  # Größe",
    ]
    assert changed("moved-without-gradient", LOOP, 2, 5) == []


@pytest.mark.parametrize(
    ("called", "name", "expected"),
    [
        ("model(", "model", "+    model.zero_grad()"),
        ("self.model(", "model", "+    self.model.zero_grad()"),
        ("models[1](", "models[1]", "+    models[1].zero_grad()"),
        ("models[0](", "models[1]", None),
    ],
)
def test_the_gradients_of_a_module_are_cleared_as_the_script_spells_it(called, name, expected):
    code = LOOP.replace("model(", called)
    edit = changed("one-step-of-two", code, 4, 4, 5, named=Named(spared=name))
    assert edit == ([expected] if expected else [])


def test_gradients_of_another_loss_are_cleared_before_the_backward():
    code = "for x in data:\n    a.backward()\n    one.step()\n    b.backward()\n    two.step()\n"
    named = Named(uncleared="two")
    edit = changed("gradients-of-two-losses", code, 2, 4, 5, named=named)
    assert edit == ["+    two.zero_grad()"]
    assert changed("gradients-of-two-losses", code, 2, 4, 5) == []
    inner = code.replace("    b.b", "    if x:\n      b.b")
    assert changed("gradients-of-two-losses", inner, 2, 5, 6, named=named) == []


ACCUMULATED = """for i, x in enumerate(data):
    optimizer.zero_grad()
    loss(x).backward()
    if i % 4 == 3:
        optimizer.step()
"""


def test_a_sum_is_cleared_after_its_step_only():
    assert edited("sum-cleared", ACCUMULATED, 3, 2, 5) == (
        "for i, x in enumerate(data):\n"
        "    loss(x).backward()\n"
        "    if i % 4 == 3:\n"
        "        optimizer.step()\n"
        "        optimizer.zero_grad()\n"
    )


@pytest.mark.parametrize(
    "code",
    [
        ACCUMULATED.replace("    optimizer.zero_grad()", "    clear(optimizer)"),
        ACCUMULATED.replace("if i % 4 == 3", "for _ in range(i)"),
        ACCUMULATED.replace("optimizer.step()", "other.step()"),
    ],
)
def test_a_sum_that_is_cleared_elsewhere_has_no_edit(code):
    assert changed("sum-cleared", code, 3, 2, 5) == []
