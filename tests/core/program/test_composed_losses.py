"""Losses over modules that a formula calls, and over other losses."""

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ProgramError
from gradstep.program.document.codec import decode
from gradstep.program.operation import Backward, Forward, Freeze, SetMode, Step, ZeroGrad

LINEAR = {"kind": "Linear", "in_features": 4, "out_features": 4}
PROGRAM = {
    "gradstep": 1,
    "seed": 2,
    "data": {
        "a": {"kind": "blobs", "samples": 24, "features": 4, "batch_size": 8, "shuffle": True},
    },
    "modules": {
        "body": [LINEAR, {"kind": "Tanh"}, {"kind": "Dropout", "p": 0.25}],
        "head": [{**LINEAR, "out_features": 3}],
    },
    "tensors": {"scale": {"value": 0.5, "requires_grad": True}},
    "losses": {
        "task": {
            "data": "a",
            "output": "head(body(input) + input)",
            "criterion": {"kind": "CrossEntropyLoss"},
        },
        "penalty": {"expression": "sum(tensor('head.0.weight') ** 2) * scale"},
        "total": {"data": "a", "expression": "task + 0.1 * penalty"},
        "noisy": {
            "data": "a",
            "expression": "mean((body(input + randn_like(input)) - input) ** 2)",
        },
    },
    "optimizers": {"optimizer": {"kind": "Adam", "params": ["body.*", "head.*"], "lr": 0.05}},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward", "loss": "total"},
        {"op": "backward", "loss": "total"},
        {"op": "step"},
    ],
}


@pytest.fixture
def program(make):
    return make(PROGRAM)


def test_a_sum_of_losses_is_one_graph_over_one_batch(program):
    program.run(SetMode(False))
    total = program.run(Forward("total")).loss
    batch = program.batches["total"]
    task = program.run(Forward("task"))
    assert task.rows != batch.rows  # another loss takes the next batch
    program.run(Backward("total"))
    parameters = {"body.0.weight", "body.0.bias", "head.0.weight", "head.0.bias", "scale"}
    assert {name for name, t in program.tensors.items() if t.grad is not None} == parameters
    penalty = program.run(Forward("penalty")).loss
    rest = total - 0.1 * penalty
    assert program.tensors["scale"].grad.item() == pytest.approx(0.1 * penalty / 0.5, rel=1e-5)
    assert rest > 0


def test_the_default_loop_computes_a_sum_and_not_its_parts_again(make):
    program = make({key: value for key, value in PROGRAM.items() if key != "loop"})
    assert program.loop_operations() == (
        ZeroGrad("optimizer"),
        Forward("total"),
        Forward("noisy"),
        Backward("total"),
        Backward("noisy"),
        Step("optimizer"),
    )


def test_the_closure_of_an_optimizer_evaluates_a_sum_and_not_its_parts_again(make):
    lbfgs = {"kind": "LBFGS", "params": ["body.*", "head.*"], "lr": 0.05}
    program = make({**PROGRAM, "optimizers": {"optimizer": lbfgs}, "loop": [{"op": "step"}]})
    assert program.stepped_losses("optimizer") == ("total", "noisy")


def test_the_values_of_the_parts_are_recorded_with_the_sum(program):
    effect = program.run(Forward("total"))
    parts = dict(effect.parts)
    assert list(parts) == ["task", "penalty"]
    assert effect.loss == pytest.approx(parts["task"] + 0.1 * parts["penalty"], rel=1e-6)


def test_the_parts_have_curves():
    dbg = Debugger(decode(json.dumps(PROGRAM).encode()))
    dbg.iterate(5)
    series = dbg.history.series
    total, task, penalty = (
        series.column(f"loss/{name}")[1] for name in ("total", "task", "penalty")
    )
    assert np.isfinite(total).sum() == 5
    np.testing.assert_allclose(total, task + 0.1 * penalty, rtol=1e-6)


def test_the_value_is_that_of_the_layers_by_hand(program):
    program.run(SetMode(False))
    effect = program.run(Forward("task"))
    inputs, targets = program.examples("task")
    x, y = inputs[list(effect.rows)], targets[list(effect.rows)]
    weights = {name: tensor.detach().numpy() for name, tensor in program.tensors.items()}
    hidden = np.tanh(x @ weights["body.0.weight"].T + weights["body.0.bias"]) + x
    output = hidden @ weights["head.0.weight"].T + weights["head.0.bias"]
    shifted = output - np.log(np.exp(output).sum(1, keepdims=True))
    assert effect.loss == pytest.approx(-shifted[np.arange(len(y)), y].mean(), rel=1e-5)


def test_it_reads_the_tensors_of_its_parts(program):
    reads = set(program.run(Forward("total")).reads)
    assert {"body.0.weight", "head.0.bias", "scale"} <= reads
    assert program.spec.modules_of("total") == ("head", "body")


@pytest.mark.parametrize("loss", ["total", "noisy", "task"])
def test_graphs_are_rebuilt_bit_for_bit(make, comparable_state, loss):
    program = make(PROGRAM)
    for _ in range(3):
        for operation in (ZeroGrad(), Forward(loss), Backward(loss), Step()):
            program.run(operation)
    program.run(Forward(loss))
    saved = program.capture()
    continued = []
    for restored in (program, make(PROGRAM)):
        restored.restore(saved)
        for operation in (Freeze("head.*"), Backward(loss), Step(), Forward(loss)):
            restored.run(operation)
        continued.append(comparable_state(restored))
    assert continued[0] == continued[1]


def test_noise_makes_every_forward_on_one_batch_another(program):
    program.run(SetMode(False))
    first = program.run(Forward("noisy")).loss
    second = program.run(Forward("noisy", batch="held")).loss
    assert first != second


def test_activations_are_those_of_the_modules_that_a_formula_calls(program):
    layers = list(program.layer_activations("total"))
    assert [name for name, *_ in layers] == ["body.0", "body.1", "body.2", "head.0"]
    assert layers[3][2].shape == (24, 4)
    np.testing.assert_array_equal(layers[0][3], layers[1][2])


def changed(loss, **fields):
    return {**PROGRAM, "losses": {**PROGRAM["losses"], loss: fields}}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            changed("task", data="a", chain=["body"], output="head(input)", expression="1 * scale"),
            "$.losses.task: the output is either a chain or a formula",
        ),
        (
            changed("task", output="head(input)", criterion={"kind": "CrossEntropyLoss"}),
            '$.losses.task: the loss has no data; add "data"',
        ),
        (
            changed("task", data="a", output="head(body(inputs))", expression="mean(output)"),
            "$.losses.task.output: column 11: there is no 'inputs'; did you mean 'input'?",
        ),
        (
            changed("task", data="a", output="head(input[:, :2])", expression="mean(output)"),
            "$.modules.head[0]: Linear expects 4 inputs, but the value gives 2",
        ),
        (
            changed("total", expression="task + penalty"),
            '$.losses.total: task uses the data a, and this loss no data; add "data": "a"',
        ),
        (
            changed("penalty", data="a", expression="total * 2"),
            "the loss reads itself: penalty -> total -> penalty",
        ),
        (changed("total", expression="total + 1"), "the loss reads itself: total -> total"),
    ],
)
def test_parts_that_do_not_fit_are_named(make, document, message):
    with pytest.raises(ProgramError) as caught:
        make(document)
    assert message in str(caught.value)


def test_an_embedding_that_a_formula_calls_takes_whole_numbers(make):
    program = make(
        {
            "gradstep": 1,
            "data": {
                "words": {"kind": "inline", "inputs": [[0, 3], [2, 1]], "targets": [[1], [0]]},
            },
            "modules": {
                "first": [{"kind": "Embedding", "num_embeddings": 4, "embedding_dim": 2}],
                "both": [{"kind": "Linear", "in_features": 2, "out_features": 1}],
            },
            "losses": {
                "loss": {
                    "data": "words",
                    "output": "both(first(input[:, 0]) * first(input[:, 1]))",
                    "criterion": {"kind": "MSELoss"},
                }
            },
            "optimizers": {"sgd": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
        }
    )
    program.run(Forward())
    program.run(Backward())
    assert program.tensors["first.0.weight"].grad is not None
