"""Conditions: their values, and the errors of wrong ones."""

import re
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.debugger.conditions.condition import Condition, Query
from gradstep.debugger.conditions.evaluation_context import MISSING, EvaluationContext
from gradstep.debugger.conditions.language import WorkLimit, condition_language
from gradstep.debugger.conditions.log_template import value_text
from gradstep.errors import ExpressionError
from gradstep.history.records.breakpoints import CONDITION_TERMS
from gradstep.program.expressions.compiler import ExpressionFunction
from tests.core.debugger.conftest import NETWORK, open_program


@pytest.fixture
def holds(network):
    def evaluate(text, last_loss="loss", event=0):
        return Condition(text, EvaluationContext(network.program, event, last_loss))()

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
def test_a_wrong_expression_is_reported_with_the_reason(holds, text, message):
    with pytest.raises(ExpressionError, match=message):
        holds(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('grad("model.0.wieght") > 1', "column 6: there is no tensor 'model.0.wieght'"),
        ("loss > lr('optimiser')", "column 11: there is no optimizer .*did you mean 'optimizer'"),
        ('option("optimizer", "momentun") > 0', "column 8: there is no hyperparameter"),
        ('lr("optimizer", 3) > 0', "optimizer has no group 3; it has 1, from 0"),
        ("grad(loss) > 0", "column 6: the name of the tensor is needed; write it in quotes"),
        ('changed("model.0.weight[7, 7]")', r"column 9: model.0.weight has no element \[7, 7\]"),
        ('changed("nothing")', "column 9: there is nothing called 'nothing'"),
        ("changed()", "column 1: changed takes 1 argument, not 0"),
        ('data("model.0.weight") @ data("model.0.weight")', "operator @ is not allowed"),
        ('dot(data("model.0.weight"), data("model.0.bias")) > 0', "dot of 8 and 4 elements"),
    ],
)
def test_a_wrong_name_is_reported_with_its_column(holds, text, message):
    with pytest.raises(ExpressionError, match=message):
        holds(text)


def test_a_buffer_that_the_optimizer_does_not_keep_is_reported(network, holds):
    network.iterate(1)
    with pytest.raises(ExpressionError, match="no state 'exp_vag'; did you mean 'exp_avg'"):
        holds('norm(state("model.0.weight", "exp_vag")) > 0')
    assert holds('norm(state("model.0.weight", "exp_avg")) > 0')


def test_a_tensor_that_several_optimizers_hold_needs_the_name_of_one(make):
    twice = make(
        "line",
        optimizers={
            name: {"kind": "SGD", "params": ["x"], "lr": 0.1, "momentum": 0.9} for name in "ab"
        },
    )
    with pytest.raises(ExpressionError, match="a, b hold x; name one"):
        Condition('is_none(state("x", "momentum_buffer"))', EvaluationContext(twice.program))
    assert Condition(
        'is_none(state("b", "x", "momentum_buffer"))', EvaluationContext(twice.program)
    )()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("isnan(any_grad)", False),
        ("norm(any_data) > 0", True),
        ('std(data("model.0.weight")) > 0 and not isnan(std(data("model.3.bias")))', False),
        ("dot(buf, grad) > 0", True),
        ("norm(grad) > 1e9 or all(data == data)", True),
        ('lr("optimizer") == option("optimizer", "lr") == 0.05', True),
        ('option("optimizer", "betas")[1] == 0.999', True),
        ('max(abs(sign(data("model.0.bias")))) == 1', True),
        ("raised or non_finite or new_finding", False),
    ],
)
def test_the_whole_language(network, holds, text, expected):
    network.iterate(1)
    assert holds(text) is expected


def test_every_name_and_function_is_in_the_table(network):
    condition = Condition("loss > 0", EvaluationContext(network.program))
    language = condition_language(
        condition.context, WorkLimit(), [], {"changed": ExpressionFunction(lambda: None)}
    )
    words = set(re.findall(r"[a-z_]+", " ".join(form for form, _ in CONDITION_TERMS)))
    missing = {*language.functions, *language.names} - words
    assert missing == set()


def test_work_is_bounded(make):
    wide = make(
        "line",
        tensors={
            "x": {"value": [[1.0] * 20_000], "requires_grad": True},
            "y": {"value": [[1.0]] * 20_000, "requires_grad": True},
        },
        losses={},
        optimizers={},
    )
    condition = Condition('any(data("x") * data("y") > 0)', EvaluationContext(wide.program))
    with pytest.raises(ExpressionError, match="it would touch more than 200,000,000 numbers"):
        condition()


_ATOMS = (
    "loss", "iteration", "event", "1", "0", "-2.5", "inf", "any_grad", "any_data", "data", "grad",
    "buf", "raised", "non_finite", 'data("model.0.weight")', 'grad("model.3.bias")', "True",
    'state("model.0.weight", "exp_avg")', 'lr("optimizer")', 'option("optimizer", "betas")',
    '"model.0.weight"', "nobody", "()", "[]", "lambda: 0",
)  # fmt: skip
_FORMS = (
    "({0})", "-{0}", "not {0}", "{0} + {1}", "{0} / {1}", "{0} ** {1}", "{0} < {1} < {0}",
    "{0} == {1}", "{0} and {1}", "{0}[0]", "{0}[-1, 1]", "norm({0})", "min({0})", "any({0})",
    "dot({0}, {1})", "changed({0})", "isnan({0})", "sqrt({0})", "std({0})", "is_none({0})",
    "{0}.real", "data({0})", "state({0}, {1})", "lr({0}, {1})",
)  # fmt: skip


@given(st.data())
@settings(max_examples=300)
def test_any_text_gives_a_value_or_an_expression_error(data):
    text = data.draw(st.sampled_from(_ATOMS))
    for _ in range(data.draw(st.integers(0, 4))):
        text = data.draw(st.sampled_from(_FORMS)).format(text, data.draw(st.sampled_from(_ATOMS)))
    trained = _trained()
    with suppress(ExpressionError), np.errstate(all="ignore"):
        condition = Condition(text, EvaluationContext(trained, 4, "loss"))
        condition.remember()
        assert condition() in {True, False}
        value_text(condition.value())


@cache
def _trained():
    network = open_program(NETWORK)
    network.iterate(1)
    return network.program


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        (
            'dot(data("model.0.bias"), data("model.3.bias")) > 0',
            "dot of 4 and 1 elements",
            "give both the same number of elements",
        ),
        (
            'data("model.0.bias") > 0',
            "'data(\"model.0.bias\") > 0' gives 4 values",
            "put any(...) or all(...) around it",
        ),
    ],
)
def test_an_error_has_a_reason_and_a_remedy(holds, text, message, remedy):
    with pytest.raises(ExpressionError) as raised:
        holds(text)
    assert (raised.value.message, raised.value.remedy) == (message, remedy)


@pytest.mark.parametrize(
    "group",
    ["loss", "iteration", 'since_best("loss")', 'activation("model.0")', "changed(loss)", "0.0"],
)
def test_a_group_must_be_a_constant_whole_number(holds, group):
    with pytest.raises(ExpressionError, match="a group is a whole number; write 0 for the first"):
        holds(f'option("optimizer", "lr", {group}) > 0')


def test_a_best_value_is_the_lowest_or_the_highest(holds):
    with pytest.raises(ExpressionError) as raised:
        holds('since_best("loss", "least") > 3')
    assert raised.value.message.endswith("the best value is either the lowest or the highest")
    assert raised.value.remedy == 'write since_best("loss", "min") or since_best("loss", "max")'


def test_the_error_of_too_much_work_has_a_remedy():
    limit = WorkLimit()
    limit.begin()
    with pytest.raises(ExpressionError) as raised:
        limit.spend(np.broadcast_to(np.zeros(()), (10**9,)))
    assert raised.value.remedy == "use fewer or smaller tensors"


@pytest.mark.parametrize(
    ("text", "expected"), [("isnan(nan)", True), ("isinf(inf)", True), ("3 < pi < 4", True)]
)
def test_constants_have_their_values(holds, text, expected):
    assert holds(text) is expected


def test_norms_and_distances_are_computed_in_double_precision(make):
    large = make("line", tensors={"x": {"value": [3e20, 4e20], "requires_grad": True}})
    norm = Query('norm(data("x"))', EvaluationContext(large.program)).value()
    assert norm == pytest.approx(5e20, rel=1e-6)


def test_changed_is_false_until_a_value_is_remembered(network):
    condition = Condition('changed("model.0.weight")', EvaluationContext(network.program))
    assert condition() is False
    condition.remember()
    assert condition() is False
    network.iterate(1)
    assert condition() is True


@pytest.mark.parametrize("place", ["nobody/model.0.weight/exp_avg", "optimizer/nobody/exp_avg"])
def test_state_of_an_unknown_optimizer_or_tensor_is_unknown(holds, place):
    with pytest.raises(ExpressionError, match=f"there is nothing called '{place}'"):
        holds(f'changed("{place}")')


def test_the_error_of_a_loss_that_does_not_use_a_layer_names_those_that_do(make):
    heads = {name: [{"kind": "Linear", "in_features": 2, "out_features": 1}] for name in "ab"}
    criterion = {"kind": "BCEWithLogitsLoss"}
    network = make(
        modules=heads,
        losses={
            f"loss_{name}": {"data": "a", "chain": [name], "criterion": criterion} for name in heads
        },
        optimizers={"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
        schedulers={},
        loop=[{"op": "forward", "loss": "loss_a"}],
    )
    with pytest.raises(ExpressionError) as raised:
        Query('activation("a.0", "loss_b")', EvaluationContext(network.program))
    assert raised.value.message.endswith("loss_b is not computed with a.0")
    assert raised.value.remedy == "a.0 is used by loss_a"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.zeros((2, 3, 4)), "2 x 3 x 4 array of norm 0"),
        (np.full(100, 3e20, np.float32), "100 array of norm 3e21"),
        (np.array(0.25, np.float32), "0.25"),
        (MISSING, "None"),
        (np.True_, "True"),
        (np.int64(12), "12"),
    ],
)
def test_values_in_log_lines_fit_on_one_line(value, expected):
    assert value_text(value) == expected
