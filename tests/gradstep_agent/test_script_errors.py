"""Errors that end a script because of which tensor a variable holds: a result, or a leaf."""

from types import SimpleNamespace

import numpy as np
import pytest

from gradstep_agent.script_errors import notices_of

REGISTRY = SimpleNamespace(
    rebound=lambda frame: [name for name in ("w", "b") if name in frame.f_locals],
    is_result=lambda value: getattr(value, "grad", 1) is None,
    is_inner_result=lambda _: False,
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
    assert notices_of(REGISTRY, raised.value) == [("rebound", name, "") for name in names]


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
    assert notices_of(REGISTRY, raised.value) == [("rebound", name, "") for name in names]


def test_an_error_of_no_line_of_the_users_names_nothing():
    assert notices_of(REGISTRY, AttributeError("'NoneType' object has no attribute 'zero_'")) == []


LIBRARY = """class Tensor:
    def __init__(self, kind="", **attributes):
        self.kind = kind
        self.__dict__.update(attributes)
    def __isub__(self, *_):
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place oper"
                           "ation.")
    add_ = __setitem__ = __isub__
    def __getitem__(self, place):
        return 1
def optimize(tensors):
    raise ValueError("can't optimize a non-leaf Tensor")
"""
KINDS = SimpleNamespace(
    rebound=lambda frame: ["old"] if "old" in frame.f_locals else [],
    is_result=lambda _: False,
    is_inner_result=lambda value: getattr(value, "kind", "") == "result",
    is_trained_leaf=lambda value: getattr(value, "kind", "") == "leaf",
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("w = w - 2 * w.grad", [("result", "w")]),
        ("b.grad.zero_()", [("result", "b")]),
        ("self.w.grad.zero_()", [("result", "self.w")]),
        ("params[1].grad.zero_()", [("result", "params[1]")]),
        ("table['b'].grad.zero_()", [("result", "table['b']")]),
        ("old.grad.zero_()", [("rebound", "old")]),
        ("params[i].grad.zero_()", []),
        ("p -= 1", [("in_place", "p")]),
        ("p[0] -= 1", [("in_place", "p")]),
        ("p.add_(1)", [("in_place", "p")]),
        ("params[0].add_(1)", [("in_place", "params[0]")]),
        ("module.weight.add_(1)", [("in_place", "module.weight")]),
        ("f(p)", []),
        ("optimize([w, b])", [("result", "w"), ("result", "b")]),
        ("raise ValueError(w)", []),
    ],
)  # fmt: skip
def test_it_is_noticed_what_the_variables_of_the_failing_line_hold(tmp_path, line, expected):
    script = tmp_path / "train.py"
    script.write_text(
        f"def train(w, p, old, params, table, self, module, f):\n    i = 1\n    {line}\n"
    )
    space = {}
    exec(compile(LIBRARY, "<library>", "exec"), space)
    kind = space["Tensor"]
    result, leaf, old = kind("result", grad=None), kind("leaf"), kind(grad=None)
    space["b"] = result
    exec(compile(script.read_text(), str(script), "exec"), space)
    module, owner = kind(_parameters={"weight": leaf}, weight=leaf), kind(w=result, _parameters=1)
    with pytest.raises((AttributeError, TypeError, RuntimeError, ValueError)) as raised:
        space["train"](result, leaf, old, [leaf, result], {"b": result}, owner, module, leaf.add_)
    found = notices_of(KINDS, raised.value)
    assert [(what, name) for what, name, _ in found] == expected
    assert {target for what, _, target in found} <= {"train.py:3", ""}


CRITERION = """def binary_cross_entropy(input):
    raise RuntimeError("all elements of input should be between 0 and 1")
"""


@pytest.mark.parametrize(
    ("line", "values", "names"),
    [
        ("loss = binary_cross_entropy(values)", [0.5, 2.0], ["loss"]),
        ("self.loss = binary_cross_entropy(values)", [-1.0], ["self.loss"]),
        ("return binary_cross_entropy(values)", [2.0], ["binary_cross_entropy"]),
        ("loss = binary_cross_entropy(values)", [0.5, float("nan")], []),
    ],
)
def test_the_loss_of_what_are_no_probabilities_is_named(tmp_path, line, values, names):
    script = tmp_path / "train.py"
    script.write_text(f"def train(self, values):\n    {line}\n")
    space = {}
    library = str(tmp_path / "site-packages" / "functional.py")
    exec(compile(CRITERION, library, "exec"), space)
    exec(compile(script.read_text(), str(script), "exec"), space)
    with pytest.raises(RuntimeError) as raised:
        space["train"](SimpleNamespace(), np.array(values))
    found = notices_of(REGISTRY, raised.value)
    assert [(what, name) for what, name, _ in found] == [("outside", name) for name in names]
