"""Conditions: what they can say, and what they refuse."""

import pytest

from gradstep.debugger.condition import Condition, Moment
from gradstep.errors import ExpressionError


@pytest.fixture
def holds(network):
    def evaluate(text, last_loss="loss", event=0):
        return Condition(text, Moment(network.program, event, last_loss))()

    return evaluate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loss < 1e9", False),
        ("not loss < 1e9", True),
        ("loss < 1 or iteration == 0", True),
        ("isnan(loss)", False),
        ("is_none(loss)", True),
        ('is_none(grad("model.0.weight"))', True),
        ('norm(grad("model.0.weight")) > 0', False),
        ('norm(data("model.0.weight")) > 0', True),
        ('data("model.0.weight")[0, 1] == data("model.0.weight")[0, 1]', True),
        ('max(abs(data("model.0.bias"))) <= 1', True),
        ('is_none(state("optimizer", "model.0.weight", "exp_avg"))', True),
        ('option("optimizer", "lr") == 0.05', True),
        ("event == 7", True),
        ("iteration + 1 == 2 - 1", True),
        ("-loss * 2 + 1 > 0 and True", False),
    ],
)
def test_before_anything_was_computed(holds, text, expected):
    assert holds(text, last_loss="", event=7) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 < loss < 10", True),
        ("isfinite(loss) and not is_none(loss)", True),
        ('norm(grad("model.3.weight")) > 0', True),
        ('norm(state("optimizer", "model.3.weight", "exp_avg")) > 0', True),
        ('isnan(grad("model.3.weight"))', False),
        ('any(grad("model.3.bias") != 0)', True),
        ("iteration == 1", True),
    ],
)
def test_after_an_iteration(network, holds, text, expected):
    network.iterate(1)
    assert holds(text) is expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("loss <", "column"),
        ("los < 1", "did you mean 'loss'"),
        ('grad("model.0.wieght") > 1', "did you mean 'model.0.weight'"),
        ('data("nobody") > 1', "no tensor 'nobody'"),
        ('option("nobody", "lr") > 1', "no optimizer 'nobody'"),
        ('data("model.0.weight") > 1', "gives 8 values"),
        ("().__class__", "not allowed"),
        ("9**9**9 > 1", "too large"),
        ("loss.__class__", "not allowed"),
        ("open('x')", "no function 'open'"),
        ("(" * 300 + "1" + ")" * 300, "nested"),
        ("loss < " + "1" * 3000, "characters"),
    ],
)
def test_what_is_wrong_is_said(holds, text, message):
    with pytest.raises(ExpressionError, match=message):
        holds(text)
