"""Operands are called what the program calls them, in Forward, in Backward and in the graph."""

from __future__ import annotations

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.history.records.event import Event
from gradstep.program.document.codec import decode
from gradstep.program.operation import Backward, Forward, Freeze

NETWORK = {
    "gradstep": 1,
    "data": {"a": {"kind": "sine", "samples": 8, "batch_size": 4}},
    "modules": {
        "model": [
            {"kind": "Linear", "in_features": 1, "out_features": 3},
            {"kind": "Tanh"},
            {"kind": "Linear", "in_features": 3, "out_features": 1},
        ]
    },
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "expression": "mean((output - target) ** 2)"}
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
}


def opened(expression=""):
    document = NETWORK
    if expression:
        tensors = {
            "x": {"value": [1.0, 2.0], "requires_grad": True},
            "scale": {"value": [3.0, 4.0]},
        }
        document = {
            "gradstep": 1,
            "tensors": tensors,
            "losses": {"loss": {"expression": expression}},
        }
    return Debugger(decode(json.dumps(document).encode()))


def operands(debugger, operation, kinds):
    """Return the title of each micro-step, and the names of what it reads."""
    found, step = [], debugger.step_into(operation)
    while not isinstance(step, Event):
        if step.kind in kinds:
            found.append((step.title, [name for name in step.inputs if name != "incoming"]))
        step = debugger.step_into()
    return found


def test_operands_of_layers_are_data_parameters_and_outputs_of_modules():
    debugger = opened()
    assert operands(debugger, Forward(), {"op"}) == [
        ("T", ["model.0.weight"]),
        ("Addmm", ["model.0.bias", "input", "model.0.weight"]),
        ("Tanh", ["output of model.0"]),
        ("T", ["model.2.weight"]),
        ("Addmm", ["model.2.bias", "output of model.1", "model.2.weight"]),
        ("Sub", ["output of model.2"]),  # it needs no target, and keeps none
        ("Pow", ["result of Sub", "2"]),
        ("Mean", ["(result of Sub) ** 2"]),
    ]
    found = operands(debugger, Backward(), {"node"})
    assert ("AddmmBackward0", ["output of model.1", "model.2.weight"]) in found
    assert ("AddmmBackward0", ["input"]) in found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sum(100 * x)", [("Mul", ["x", "100"]), ("Sum", ["x * 100"])]),
        ("sum(scale * x)", [("Mul", ["scale", "x"]), ("Sum", ["scale * x"])]),
        ("sum(exp(-x))", [("Neg", ["x"]), ("Exp", ["-x"]), ("Sum", ["exp(-x)"])]),
    ],
)
def test_operands_of_an_expression_are_its_parts(expression, expected):
    assert operands(opened(expression), Forward(), {"op"}) == expected


def test_the_saved_values_of_a_node_have_these_names():
    debugger = opened()
    debugger.forward()
    nodes = debugger.snapshot.graph.nodes
    saved = {node.name: [value.name for value in node.saved] for node in reversed(nodes)}
    assert saved["AddmmBackward0"] == ["output of model.1", "model.2.weight.T"]
    assert saved["TanhBackward0"] == ["output"]


def test_a_frozen_weight_keeps_its_name():
    debugger = opened()
    debugger.apply(Freeze("model.2.weight"))
    found = operands(debugger, Forward(), {"op"})
    assert ("Addmm", ["model.2.bias", "output of model.1", "model.2.weight"]) in found


def test_one_name_never_stands_for_two_values():
    debugger = opened("sum(log(x + 3) * log(x + 5))")
    step = debugger.step_into(Forward())
    while step.title != "Mul":
        step = debugger.step_into()
    first, second = step.symbols["input"], step.symbols["other"]
    assert first != second
    assert (step.inputs[first] * step.inputs[second]).tolist() == step.outputs["output"].tolist()


def test_the_graph_names_a_number_that_differs_between_iterations_anew():
    document = {
        "gradstep": 1,
        "data": {
            "d": {"kind": "inline", "inputs": [[1.0], [2.5]], "targets": [[0.0], [0.0]]}
            | {"batch_size": 1}
        },
        "tensors": {"x": {"value": [3.0, 4.0], "requires_grad": True}},
        "losses": {"loss": {"data": "d", "expression": "sum(x * mean(input))"}},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
    }
    debugger = Debugger(decode(json.dumps(document).encode()))

    def graph_names():
        graph = debugger.capture_snapshot(None).graphs["loss"]
        return [saved.name for node in graph.nodes for saved in node.saved]

    for name in ("1", "2.5", "1"):
        debugger.forward()
        assert graph_names() == [name]
        debugger.backward()
    debugger.seek(3)
    assert graph_names() == ["2.5"]
    assert operands(debugger, Backward(), {"node"}) == [
        ("SumBackward0", []),
        ("MulBackward0", ["2.5"]),
    ]
    debugger.seek(1)
    assert graph_names() == ["1"]
    assert operands(debugger, Backward(), {"node"}) == [
        ("SumBackward0", []),
        ("MulBackward0", ["1"]),
    ]


def test_operands_are_named_anew_when_the_structure_of_the_program_changes():
    debugger = opened()
    debugger.forward()
    program = debugger.program
    names = program.operand_names("loss")
    assert program.operand_names("loss") is names
    debugger.apply(Freeze("model.0.weight"))
    assert program.operand_names("loss") == {}
    debugger.seek(1)
    assert program.operand_names("loss") == names
