"""Addresses without quotes in conditions, watches and log texts."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ExpressionError
from gradstep.program.document.codec import decode

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
