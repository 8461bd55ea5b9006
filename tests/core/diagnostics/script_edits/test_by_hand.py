"""How a changed script updates parameters by hand."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import changed

REBOUND = """for x in data:
    loss(x, w).backward()
    with torch.no_grad():
        w = w - lr * w.grad
        b = b + (step)
"""


@pytest.mark.parametrize(
    ("names", "code", "expected"),
    [
        (["w"], REBOUND, ["w -= lr * w.grad"]),
        (["b", "w"], REBOUND, ["w -= lr * w.grad", "b += step"]),
        (["c"], REBOUND, []),
        (["w"], REBOUND.replace("w = w - lr", "w = w - 1 - lr"), []),
        (["w"], REBOUND.replace("w = w - lr * w.grad", "w = w - (\n lr)"), []),
        (["w"], REBOUND + "        w = w - 1\n", []),
        (["w"], f"def f():\n    y.backward()\n{REBOUND}", ["w -= lr * w.grad"]),
    ],
)
def test_a_parameter_is_updated_in_place(names, code, expected):
    lines = changed("parameter-rebound", code, 2, named=Named(by_hand=tuple(names)))
    assert [line[1:].strip() for line in lines if line[0] == "+"] == expected


@pytest.mark.parametrize(
    ("updates", "tensors", "expected"),
    [
        (["w -= lr * w.grad"], ["w"], ["w"]),
        (["w.data -= lr * w.grad", "b.data -= lr * b.grad"], ["w", "b"], ["w", "b"]),
        (["w.data.add_(-lr * w.grad)"], ["w"], ["w"]),
        (["w.sub_(lr * w.grad.data)"], ["w"], ["w"]),
        (["w -= lr * w.grad"], ["w", "b"], []),
        (["w -= lr * w.grad", "print(w.grad)"], ["w"], []),
        (["w -= lr * v"], ["w"], []),
        (["if ready:", "  w -= lr * w.grad", "b -= lr * b.grad"], ["w", "b"], []),
    ],
)
def test_gradients_are_cleared_after_an_update_by_hand(updates, tensors, expected):
    lines = ["for x in data:", "    loss(x).backward()", "    with torch.no_grad():"]
    code = "\n".join([*lines, *(f"        {line}" for line in updates)])
    edit = changed("grad-accumulated", code, 2, named=Named(by_hand=tuple(tensors)))
    assert edit == [f"+        {name}.grad = None" for name in expected]
