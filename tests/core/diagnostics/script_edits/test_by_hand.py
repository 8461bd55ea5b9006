"""How a changed script updates parameters by hand."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.by_hand import assignment_of
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


UPDATES = """import torch
for x in data:
    loss(x, w, b).backward()
    {}
    show(loss)
"""
W, B = "w = w - lr * w.grad", "b = b + rate * b.grad"
IN_PLACE = ["w -= lr * w.grad", "b += rate * b.grad"]
CLEARS = ["w.grad = None", "b.grad = None"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([W, B], [*IN_PLACE, *CLEARS]),
        ([B, W], [*reversed(IN_PLACE), *reversed(CLEARS)]),
        ([W, B, "w.grad.zero_()"], IN_PLACE),
        ([W, "w.grad.data.zero_()", B, "b.grad = None"], IN_PLACE),
        ([W, B, "optimizer.zero_grad()"], IN_PLACE),
        ([W, "print(w)", B], []),
        ([W, B, "print(w.grad)"], []),
        ([W, W], []),
        ([W, f"{B}; print(b)"], []),
        ([W, "b = b + (\n  rate * b.grad)"], []),
        (["w = w - lr"], []),
    ],
)
def test_updates_that_have_a_graph_are_made_in_place_and_without_one(lines, expected):
    code = UPDATES.format("\n    ".join(lines))
    named = Named(by_hand=("w",), line="train.py:4")
    edit = changed("parameter-rebound", code, 4, named=named)
    added = [line[1:].strip() for line in edit if line[0] == "+"]
    kept = ["w.grad.data.zero_()"] if "w.grad.data.zero_()" in lines else []
    assert sorted(added) == sorted(["with torch.no_grad():", *expected, *kept] if expected else [])
    assert changed("parameter-rebound", code.replace("import torch", ""), 4, named=named) == []


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("w", "w -= lr * w.grad", ["with torch.no_grad():", "w -= lr * w.grad", "w.grad = None"]),
        ("w", "w.sub_(w.grad)", ["with torch.no_grad():", "w.sub_(w.grad)", "w.grad = None"]),
        ("w[0]", "w[0] -= lr", []),
        ("x", "x += 1", []),
        ("w", "w -= lr * v", []),
    ],
)
def test_only_an_update_by_a_gradient_is_put_under_no_grad(name, line, expected):
    named = Named(by_hand=(name,), line="train.py:4")
    edit = changed("leaf-changed-in-place", UPDATES.format(line), 4, named=named)
    assert [text[1:].strip() for text in edit if text[0] == "+"] == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("torch.randn(2, requires_grad=True) * 0.1", "(torch.randn(2) * 0.1).requires_grad_()"),
        ("0.1 * torch.rand(2, requires_grad=True)", "(0.1 * torch.rand(2)).requires_grad_()"),
        ("-torch.ones(n, requires_grad=True, dtype=d) + 1",
         "(-torch.ones(n, dtype=d) + 1).requires_grad_()"),
        ("torch.ones(2, requires_grad=True).double().to(device)",
         "torch.ones(2).double().to(device).requires_grad_()"),
        ("torch.ones(*s, requires_grad=True, **k) / n",
         "(torch.ones(*s, **k) / n).requires_grad_()"),
        ("torch.ones(2, requires_grad=True)", None),
        ("torch.ones(2, requires_grad=True).detach() * 2", None),
        ("torch.ones(2, requires_grad=True) * scale", None),
        ("torch.ones(2, requires_grad=True) * torch.ones(2, requires_grad=True)", None),
        ("f(torch.ones(2, requires_grad=True))", None),
        ("torch.ones(2, requires_grad=True) @ m", None),
        ("torch.ones(2) * 2", None),
    ],
)  # fmt: skip
def test_a_result_of_a_new_tensor_is_made_a_leaf(value, expected):
    code = f"scale = torch.ones(1, requires_grad=True)\nw = {value}\nw -= lr * w.grad\n"
    named = Named(by_hand=("w",), line="train.py:3")
    edit = changed("gradient-of-result", code, 3, named=named)
    assert edit == ([] if expected is None else [f"-w = {value}", f"+w = {expected}"])


SCRIPT = """w = torch.ones(2, requires_grad=True)
h = model(x)
def f(w):
    w.grad.zero_()
class A:
    def __init__(self):
        self.w = make()
        self.v = v = 1
def g(a):
    for h in hs:
        h.grad.zero_()
    v, w = v - v.grad, w - w.grad
    w = 2 * w
    a.w.grad.zero_()
"""


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("h", 2, (2, False)),
        ("w", 1, None),  # a leaf
        ("w", 4, None),  # an argument
        ("h", 11, None),  # of a loop
        ("a.w", 14, (7, False)),
        ("w", 12, (12, True)),
        ("v", 12, (12, True)),
        ("u", 12, None),
    ],
)
def test_the_line_that_assigns_a_result_is_found(name, line, expected):
    assert assignment_of({"a.py": SCRIPT}, f"a.py:{line}", name) == expected
    assert assignment_of({}, f"a.py:{line}", name) is None
