"""Which line changes tensors between two Operations, by the source of the script."""

from __future__ import annotations

import linecache
from types import CodeType

import pytest

from gradstep_agent.changing_lines import Place, changing_line


@pytest.fixture
def line_of(monkeypatch):
    """Return a function that gives the line that changes tensors.

    The Operation before is at the line that ends in `# before`, the one after at `# after`.
    """

    def find(text, what="update", names=("w",)):
        lines = text.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, "train.py", (len(text), None, lines, "train.py"))
        code = compile(text, "train.py", "exec")
        places = [_place(code, lines, mark) for mark in ("# before", "# after")]
        found = changing_line(what, names, *places)
        return 0 if found is None else found[1]

    return find


def _place(code, lines, mark):
    line = next((at for at, one in enumerate(lines, start=1) if mark in one), 0)
    return Place(_around(code, line), line) if line else None


def _around(code, line):
    """Return the innermost code that has a line."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    for one in inner:
        if line in {number for _, _, number in one.co_lines()}:
            return _around(one, line)
    return code


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("f(w)  # before\nw -= 0.1\no()  # after\n", 2),
        ("f(w)  # before\nw.data -= 0.1 * w.grad\no()  # after\n", 2),
        ("f(w)  # before\nw.data = w.data * 2\no()  # after\n", 2),
        ("f(w)  # before\nw[0] = 3\no()  # after\n", 2),
        ("f(w)  # before\nw.sub_(0.1)\no()  # after\n", 2),
        ("f(w)  # before\nnn.init.zeros_(w)\no()  # after\n", 2),
        ("f(w)  # before\ntorch._foreach_mul_(ws, 2)\no()  # after\n", 2),
        ("f(w)  # before\nvector_to_parameters(v, m.parameters())\no()  # after\n", 2),
        ("f(w)  # before\nw -= 1\nw -= 2\no()  # after\n", 2),
        ("f(w)  # before\nw -= 1\n", 2),
        ("w -= 1\no()  # after\nw -= 2\n", 1),
        (  # the loop has come back
            "for x in xs:\n    o()  # after\n    f(w)  # before\n    for p in ps:\n"
            "        p.mul_(0.9)\nw -= 1\n",
            5,
        ),
        ("for x in xs:\n    w -= 1\n    o()  # after\n    f(w)  # before\n", 2),
        (  # the rest of the pass comes before the next one
            "for x in xs:\n    w -= 1\n    o()  # after\n    f(w)  # before\n    w -= 2\n",
            5,
        ),
        (  # a function was called
            "def decay(p):\n    p.mul_(0.9)\nfor x in xs:\n    o()  # after\n    f(w)  # before\n"
            "    decay(w)\n",
            2,
        ),
        (  # from one function to another
            "def one():\n    w -= 1\n    f(w)  # before\n    w -= 2\ndef other():\n"
            "    o()  # after\n    w -= 3\n",
            4,
        ),
        (
            "class M:\n    @no_grad()\n    def step(self):\n        self.w -= 1\n"
            "f(w)  # before\nm.step()\no()  # after\n",
            4,
        ),
        ("f(w)  # before\ntotal += 1\nself.count += 1\ntotal += w.grad.norm()\no()  # after\n", 0),
        ("f(w)  # before\nv -= 1\nnoise.normal_()\nw.requires_grad_()\no()  # after\n", 0),
        ("f(w)  # before\nw.grad.mul_(2)\nw.grad = None\no()  # after\n", 0),
        (  # either of two functions may have done it
            "def a(p):\n    p.mul_(0.9)\ndef b(p):\n    p.mul_(0.8)\nf(w)  # before\na(w)\n"
            "o()  # after\n",
            0,
        ),
        ("f(w)  # before\no()  # after\n", 0),
        ("o()\n", 0),
    ],
)
def test_a_value_is_changed_by_what_writes_in_place(text, line, line_of):
    assert line_of(text) == line


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("f(w)  # before\nw -= 0.1 * w.grad\nw.grad = None\no()  # after\n", "clear", 3),
        ("f(w)  # before\nw.grad *= 2\nw.grad.zero_()\no()  # after\n", "clear", 3),
        ("f(w)  # before\nw.grad.data.zero_()\no()  # after\n", "clear", 2),
        ("f(w)  # before\nw.grad = torch.zeros_like(w)\no()  # after\n", "clear", 2),
        ("f(w)  # before\nw.grad *= 0\no()  # after\n", "clear", 2),
        ("f(w)  # before\nw.grad.fill_(0)\no()  # after\n", "clear", 2),
        ("f(w)  # before\ndel w.grad\no()  # after\n", "clear", 2),
        ("f(w)  # before\nw.grad -= w.grad\no()  # after\n", "clear", 2),
        ("f(w)  # before\nw.grad.zero_()\nw.grad *= 2\no()  # after\n", "gradient", 3),
        ("f(w)  # before\nfor p in ps:\n    p.grad.clamp_(-1, 1)\no()  # after\n", "gradient", 3),
        ("f(w)  # before\nw.grad = other.grad.clone()\no()  # after\n", "gradient", 2),
        ("f(w)  # before\nw -= w.grad\no()  # after\n", "gradient", 0),
    ],
)
def test_a_gradient_is_cleared_or_changed_by_what_writes_to_it(text, what, line, line_of):
    assert line_of(text, what, ("w.grad",)) == line


def test_a_file_that_is_gone_tells_nothing(line_of, monkeypatch):
    assert line_of("f(w)  # before\nw -= 1\no()  # after\n") == 2
    code = compile("o()\n", "gone.py", "exec")
    assert changing_line("update", ("w",), Place(code, 1), None) is None
