"""Addresses without quotes in conditions, watches and log texts."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.conditions.indexed_address import expression_of
from gradstep.errors import ExpressionError
from gradstep.program.document.codec import decode
from gradstep.script.mirror import Mirror
from tests.core.script.sent_frames import Sent, take

NET = {
    "gradstep": 1,
    "seed": 1,
    "data": {"a": {"kind": "blobs", "samples": 30, "batch_size": 10, "shuffle": True}},
    "modules": {
        "model": [
            {"kind": "Linear", "in_features": 2, "out_features": 4},
            {"kind": "ReLU"},
            {"kind": "Linear", "in_features": 4, "out_features": 3},
        ]
    },
    "tensors": {"x": {"value": [3, 4], "requires_grad": True}},
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
}


@pytest.fixture
def dbg():
    return Debugger(decode(json.dumps(NET).encode()))


@pytest.mark.parametrize(
    ("dotted", "called"),
    [
        ("model.1.output", 'activation("model.1")'),
        ("model.output", 'activation("model")'),
        ("model.0.weight", 'data("model.0.weight")'),
        ("model.0.weight.grad", 'grad("model.0.weight")'),
        ("x.grad", 'grad("x")'),
        ("max(model.1.output)-1.5e0", 'max(activation("model.1")) - 1.5'),
        ("model.1.output[0, 1]", 'activation("model.1")[0, 1]'),
        ('model.0.bias[0] + norm(data("x"))', "data('model.0.bias')[0] + norm(data('x'))"),
        ("model.0.weight.grad.norm()", 'norm(grad("model.0.weight"))'),
        ("model.1.output.abs().max() - 1", 'max(abs(activation("model.1"))) - 1'),
        ("x.norm() * x.grad[0].abs()", 'norm(data("x")) * abs(grad("x")[0])'),
        ("x.dot(x.grad)", 'dot(data("x"), grad("x"))'),
        ('(data("x") - 1).norm() + loss.sqrt()', 'norm(data("x") - 1) + sqrt(loss)'),
    ],
)
def test_an_address_is_watched_like_its_call(dbg, dotted, called):
    one, other = dbg.watch(dotted), dbg.watch(called)
    for _ in range(9):
        dbg.step_over()
        assert one.error is None
        np.testing.assert_array_equal(one.value, other.value)
    assert one.expression == dotted


def test_an_activation_stops_a_run_at_the_forward_that_made_it(dbg):
    dbg.break_when("max(model.1.output) > 0 and iteration >= 2")
    dbg.run()
    assert type(dbg.event.operation).__name__ == "Forward"
    assert dbg.program.iteration == 2
    assert dbg.breakpoints[0].expression == "max(model.1.output) > 0 and iteration >= 2"


@pytest.mark.parametrize("condition", ["changed(model.1.output)", 'changed("model.1.output")'])
def test_a_run_stops_where_an_activation_changes(dbg, condition):
    dbg.iterate(1)
    dbg.break_when(condition)
    dbg.run()
    assert dbg.event.index == 6


def test_a_whole_activation_is_not_a_condition(dbg):
    dbg.break_when("model.1.output > 3")
    dbg.run(2)
    assert "gives 40 values" in str(dbg.breakpoints[0].error)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "norm(model.1.outptu)",
            "column 6: there is nothing called 'model.1.outptu'; did you mean 'model.1.output'?",
        ),
        (
            "norm(modle.0.weight) > 1",
            "column 6: there is nothing called 'modle.0.weight'; did you mean 'model.0.weight'?",
        ),
        (
            "norm(model.1.output) > nrom(x.grad)",
            "column 24: there is no function 'nrom'; did you mean 'norm'?",
        ),
        ("norm(x.grad) = 1", "column 14: '=' is not expected here; to compare, write =="),
        ("data(model.0.weight)", "column 6: the name of the tensor is needed; "),
        ("loss.item > 1", "column 1: attributes are not allowed"),
    ],
)
def test_an_error_names_the_column_in_the_text_as_written(dbg, text, message):
    with pytest.raises(ExpressionError) as error:
        dbg.break_when(text)
    assert str(error.value).startswith(message)


def test_quoted_texts_and_numbers_are_not_addresses(dbg):
    assert dbg.watch('norm(grad("model.0.weight"))').error is None
    assert dbg.watch("1.5 + 2.e1").value == 21.5


@pytest.fixture
def script():
    sent = Sent()
    sent.module("models[0]", ["", "Linear", "", True])
    sent.module('nets["a.b"]', ["", "Linear", "", True])
    names = ("models[0].weight", 'nets["a.b"].weight', r'nets["a\x2f\"b\""].w', "weights[0]")
    for name in names:
        sent.tensor(name, [3.0, 4.0])
    sent.optimizer("opts[0]", "SGD", list(names), lr=0.5, momentum=0.9)
    sent.event("backward", "loss", 7, {f"{name}.grad": [6.0, 8.0] for name in names}, loss=2.0)
    moved = {name: [0.0, -1.0] for name in names}
    kept = {f"opts[0]/{name}/momentum_buffer": [6.0, 8.0] for name in names}
    sent.event("step", "opts[0]", 8, {**moved, **kept})
    debugger = Debugger(Mirror(take(sent.stream)))
    debugger.follow()
    return debugger


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("models[0].weight[1]", -1.0),
        ("models[0].weight.grad.norm()", 10.0),
        ("norm(models[ 0 ].weight.grad)", 10.0),
        ('data("models[0].weight")[-1]', -1.0),
        ('nets["a.b"].weight.grad[0]', 6.0),
        ("nets['a.b'].weight.grad.max() - 1", 7.0),
        ("nets['a/\"b\"'].w.norm()", 1.0),
        ("weights[0][1]", -1.0),
        ("weights[0].grad.norm() > 9 and weights[0].norm() < 9", True),
        ('state("opts[0]", "weights[0]", "momentum_buffer").norm()', 10.0),
        ('option("opts[0]", "momentum")', 0.9),
    ],
)
def test_what_a_script_holds_in_lists_is_watched_by_the_scripts_names(script, text, value):
    script.seek(2)
    watch = script.watch(text)
    script.seek(3)
    assert (watch.error, watch.value) == (None, value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models[1].weight", "there is nothing called 'models[1].weight'; did you mean 'models[0]"),
        ("weights[7]", "there is nothing called 'weights[7]'; did you mean 'weights[0]'?"),
        ("loss[0].item", "attributes are not allowed"),
        ("loss.item()", "there is no function 'item'"),
        ("loss.data()", "data is not a method; write data(...)"),
        ('"models[0].weight', "unterminated string literal"),
    ],
)
def test_what_no_list_of_a_script_holds_is_named_in_the_error(script, text, message):
    with pytest.raises(ExpressionError) as error:
        script.break_when(text)
    assert str(error.value).startswith(f"column 1: {message}")


@pytest.mark.parametrize("value", ['"weights[0]"', '"weights[0][1]"', "weights[0].sum()"])
def test_a_run_stops_where_a_value_of_a_list_changes(script, value):
    script.seek(0)
    script.break_when(f"changed({value})")
    script.run()
    assert script.event.index == 3


@pytest.mark.parametrize(
    "place", ["weights[0]", "weights[0][1]", 'nets["a.b"].weight.grad[0]', "opts[0]/lr"]
)
def test_a_place_in_the_window_becomes_an_expression_of_it(script, place):
    program = script.program
    text = expression_of(place, program.losses, program.tensors)
    assert script.watch(text).error is None


def test_the_last_writer_is_found_by_a_scripts_names(script):
    assert script.who_changed("weights[0]") == script.who_changed("weights[0][1]") == 3
    assert script.who_changed('nets["a.b"].weight.grad') == 2
    assert script.who_changed("opts[0]/models[0].weight/momentum_buffer[1]") == 3
