"""Errors that end a script because a variable no longer holds its parameter."""

from types import SimpleNamespace

import pytest

from gradstep_agent.script_errors import rebound_in

REGISTRY = SimpleNamespace(
    rebound=lambda frame: [name for name in ("w", "b") if name in frame.f_locals],
    is_result=lambda value: getattr(value, "grad", 1) is None,
)
UPDATE = "def train(w, b, lr):\n    {line}\n"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("w.grad.zero_()", ["w"]),
        ("w = w - lr * w.grad", ["w"]),
        ("w, b = w - lr * w.grad, b - lr * b.grad", ["w", "b"]),
        ("w.gradient.zero_()", []),
        ("lr.w.grad.zero_()", []),
        ("None.zero_()", []),
        ("w.grad[5]", ["w"]),
        ("raise RuntimeError('NoneType')  # w.grad", []),
    ],
)
def test_the_variables_of_the_failing_line_are_named(tmp_path, line, names):
    script = tmp_path / "train.py"
    script.write_text(UPDATE.format(line=line))
    space = {}
    exec(compile(script.read_text(), str(script), "exec"), space)
    result = SimpleNamespace(grad=None, gradient=None)
    with pytest.raises((AttributeError, TypeError, RuntimeError)) as raised:
        space["train"](result, result, SimpleNamespace(w=result))
    assert rebound_in(REGISTRY, raised.value) == names


LOOP = """def train(items, lr):
    for p in items:
        {line}
        p.grad.zero_()
"""


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("p = p - lr", ["p"]),
        ("p = p + lr", ["p"]),
        ("p -= lr", []),
        ("q = p - lr", []),
        ("lr = p - p", []),
    ],
)
def test_so_is_the_variable_of_a_loop_if_a_line_before_gives_it_a_result(tmp_path, line, names):
    class Result(SimpleNamespace):
        def __sub__(self, other):
            return self

        __add__ = __sub__

    script = tmp_path / "train.py"
    script.write_text(LOOP.format(line=line))
    space = {}
    exec(compile(script.read_text(), str(script), "exec"), space)
    with pytest.raises(AttributeError) as raised:
        space["train"]([Result(grad=None)], 1)
    assert rebound_in(REGISTRY, raised.value) == names


def test_an_error_of_no_line_of_the_users_names_nothing():
    assert rebound_in(REGISTRY, AttributeError("'NoneType' object has no attribute 'zero_'")) == []
