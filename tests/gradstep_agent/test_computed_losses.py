"""Which loss was computed before a Zero Grad, by the lines of the script."""

from __future__ import annotations

import linecache
from types import SimpleNamespace

import pytest

from gradstep_agent.computed_losses import ComputedLoss, computed_loss, line_of_loss


def found(text, monkeypatch):
    """Return what is found at the line of the (last) Zero Grad of a text."""
    lines = text.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, "train.py", (len(text), None, lines, "train.py"))
    line = max(at for at, one in enumerate(lines, start=1) if "zero_grad" in one)
    return computed_loss(compile(text, "train.py", "exec"), line)


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("for x in b:\n    loss = f(x)\n    o.zero_grad()\n    loss.backward()\n", "loss", 2),
        ("for x in b:\n    loss = f(x)\n    o.zero_grad(); loss.backward()\n", "loss", 2),
        (
            "for x in b:\n    out = f(x)\n    loss = g(out)\n    n += 1\n    m.zero_grad()\n"
            "    if s:\n        s.scale(loss).backward()\n    else:\n        loss.backward()\n",
            *("loss", 3),
        ),
        (
            "def fit():\n  for x in b:\n    with cast():\n      out = f(x)\n      l = g(out)\n"
            "    for o in os:\n        o.zero_grad()\n    accelerator.backward(l)\n",
            *("l", 5),
        ),
        (
            "for x in b:\n    loss = 0\n    for t in x:\n        loss += f(t)\n    o.zero_grad()\n"
            "    loss.backward()\n",
            *("loss", 4),
        ),
        (
            "for x in b:\n    loss, n = f(x)\n    if n % 4 == 0:\n        o.zero_grad()\n"
            "    loss.backward()\n",
            *("loss", 2),
        ),
        (
            "def closure():\n    loss = f()\n    o.zero_grad()\n    loss.backward()\n"
            "    return loss\n",
            *("loss", 2),
        ),
        (
            "for x in b:\n    loss = f(x)\n    o.zero_grad()\n    s.scale(loss).backward()\n",
            *("loss", 2),
        ),
        (
            "for x in b:\n    a = f(x)\n    c = g(x)\n    o.zero_grad()\n    a.backward()\n"
            "    c.backward()\n",
            *("a", 2),
        ),
        (
            "for x in b:\n    a = f(x)\n    a.backward()\n    a = g(x)\n    o.zero_grad()\n"
            "    a.backward()\n",
            *("a", 4),
        ),
    ],
)
def test_it_is_the_one_whose_backward_comes_first(text, name, line, monkeypatch):
    assert found(text, monkeypatch) == ComputedLoss(name, line, False)


@pytest.mark.parametrize(
    "expression",
    ["(y / 2)", "y.mean()", "y.loss", "(y + other)", "s.scale(y / 2)", "y[0].sum()"],
)
def test_it_may_be_in_an_expression(expression, monkeypatch):
    text = f"for x in b:\n    y = f(x)\n    o.zero_grad()\n    {expression}.backward()\n"
    assert found(text, monkeypatch) == (loss := ComputedLoss("loss", 2, is_expression=True))
    assert loss.tensor(SimpleNamespace(f_locals={"loss": 8}, f_globals={})) is None


def test_it_may_be_an_attribute_of_self(monkeypatch):
    text = (
        "class T:\n    def step(self, x):\n        self.loss = self.f(x)\n"
        "        self.o.zero_grad()\n        self.loss.backward()\n"
    )
    loss = found(text, monkeypatch)
    assert loss == ComputedLoss("loss", 3, True)
    owner = type("T", (), {})()
    owner.loss = 7
    frame = SimpleNamespace(f_locals={"self": owner}, f_globals={"loss": 8})
    assert loss.tensor(frame) == 7
    assert ComputedLoss("loss", 3, False).tensor(frame) == 8
    assert loss.tensor(None) is None


@pytest.mark.parametrize(
    "text",
    [
        "for x in b:\n    o.zero_grad()\n    loss = f(x)\n    loss.backward()\n    o.step()\n",
        "for x in b:\n    loss = f(x)\n    loss.backward()\n    o.step()\n    o.zero_grad()\n",
        "loss = f(x)\nfor x in b:\n    o.zero_grad()\n    loss.backward()\n",
        "loss = f(x)\ndef clear():\n    o.zero_grad()\nloss.backward()\n",
        "for x in b:\n    out = f(x)\n    o.zero_grad()\n    loss = g(out)\n    loss.backward()\n",
        "for x in b:\n    loss = 0\n    o.zero_grad()\n    for t in x:\n        loss += f(t)\n"
        "    loss.backward()\n",
        "for x in b:\n    loss = f(x)\n    o.zero_grad()\n    g(x).backward()\n"
        "    loss.backward()\n",
        "for x in b:\n    loss = []\n    o.zero_grad()\n    loss = sum(loss)\n"
        "    loss.backward()\n",
        "for x in b:\n    loss = f(x)\n    o.zero_grad()\n    loss = g(x)\n    loss.backward()\n",
        "loss = f(x)\no.zero_grad(\n",
    ],
)
def test_otherwise_there_is_none(text, monkeypatch):
    code = "" if text.endswith("(\n") else text
    lines = text.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, "train.py", (len(text), None, lines, "train.py"))
    line = next(at for at, one in enumerate(lines, start=1) if "zero_grad" in one)
    assert computed_loss(compile(code, "train.py", "exec"), line) is None


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("for x in b:\n    loss = f(x)\n    loss.backward()\n", "loss", 2),
        ("for x in b:\n    loss = f(x)\n    loss = loss / 4\n    loss.backward()\n", "loss", 2),
        ("for x in b:\n    loss = 0\n    loss += f(x)\n    loss.backward()\n", "loss", 3),
        ("for x in b:\n    y = f(x); y.backward(); o.step()\n", "y", 2),
        ("for x in b:\n    self.loss = f(x)\n    self.loss.backward()\n", "loss", 2),
        ("for x in b:\n    loss = f(x)\n    for p in q:\n        loss.backward()\n", "loss", 0),
        ("loss = f(x)\ndef go(loss):\n    loss.backward()\n", "loss", 0),
        ("for x in b:\n    f(x).backward()\n", "loss", 0),
        ("for x in b:\n    y = f(x)\n    (y / 4).backward()\n", "loss", 2),
    ],
)
def test_the_line_that_computes_a_loss_comes_before_its_backward(text, name, line, monkeypatch):
    lines = text.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, "train.py", (len(text), None, lines, "train.py"))
    at = next(at for at, one in enumerate(lines, start=1) if "backward" in one)
    assert line_of_loss(compile(text, "train.py", "exec"), at, name) == line
