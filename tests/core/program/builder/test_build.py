"""Building a program from a document; mismatched parts are rejected with their place."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from gradstep.errors import ProgramError
from gradstep.program.builder import build
from gradstep.program.document.codec import decode
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.program.program import Program

MODEL: dict[str, Any] = {
    "gradstep": 1,
    "data": {"line": {"kind": "line", "samples": 6, "batch_size": 3}},
    "modules": {
        "model": [
            {"kind": "Linear", "in_features": 1, "out_features": 4},
            {"kind": "ReLU"},
            {"kind": "Linear", "in_features": 4, "out_features": 1},
        ]
    },
    "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
    "losses": {"loss": {"data": "line", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
}


def program(path: str = "", value: Any = None) -> Program:
    """Build the document with one value set; path as in `data.line.samples`."""
    tree = json.loads(json.dumps(MODEL))
    if path:
        *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        inner = tree
        for part in parents:
            inner = inner.setdefault(part, {}) if isinstance(inner, dict) else inner[part]
        inner[last] = value
    return Program.from_spec(decode(json.dumps(tree).encode()))


def test_tensors_are_named_in_the_order_of_the_modules():
    built = program()
    assert list(built.tensors) == [
        "model.0.weight",
        "model.0.bias",
        "model.2.weight",
        "model.2.bias",
        "x",
    ]
    assert built.tensors["model.0.weight"].shape == (4, 1)
    assert [binding.address for binding in built.optimizer_tensors] == list(built.tensors)[:4]


def test_a_document_without_a_loop_gets_the_default_loop():
    assert program().loop_operations() == (ZeroGrad(), Forward(), Backward(), Step())


def test_initial_values_depend_on_the_seed():
    first = program().tensors["model.0.weight"].tolist()
    assert program().tensors["model.0.weight"].tolist() == first
    assert program("seed", 1).tensors["model.0.weight"].tolist() != first


def test_every_tensor_has_the_dtype_of_the_document():
    built = program("dtype", "float64")
    assert {tensor.detach().numpy().dtype.name for tensor in built.tensors.values()} == {"float64"}
    for operation in built.loop_operations():
        built.run(operation)
    assert built.tensors["model.0.weight"].grad.detach().numpy().dtype.name == "float64"


def test_modules_are_described_as_a_tree():
    (model,) = program().describe_modules()
    assert (model.name, model.kind, model.training) == ("model", "Sequential", True)
    assert [child.name for child in model.children] == ["model.0", "model.1", "model.2"]
    assert model.children[0].kind == "Linear"
    assert "in_features=1" in model.children[0].detail
    assert model.children[0].parameters == ("model.0.weight", "model.0.bias")


def test_a_loss_that_broadcasts_is_built_with_a_warning():
    built = program("data.line", {"kind": "inline", "inputs": [[1], [2]], "targets": [0.5, 1.5]})
    assert "target size" in built.warning("loss")
    assert "target size" in built.run(Forward()).message
    assert program().warning("loss") == ""


@pytest.mark.parametrize(
    ("path", "value", "place", "words"),
    [
        (
            "modules.model.2.in_features",
            8,
            "$.modules.model[2]",
            "Linear expects 8 inputs, but model[1] gives 4",
        ),
        (
            "modules.model.0.in_features",
            2,
            "$.modules.model[0]",
            "Linear expects 2 inputs, but the data line gives 1",
        ),
        ("modules.model.1", {"kind": "Softmax", "dim": 5}, "$.modules.model[1]", "dimension 5"),
        ("modules.model.1", {"kind": "Flatten", "start_dim": 9}, "$.modules.model[1]", "9 to -1"),
        (
            "modules.model.0",
            {"kind": "Linear", "in_features": 999_999, "out_features": 999_999},
            "$.modules.model[0]",
            "at most 50,000,000",
        ),
        ("losses.loss.chain", ["modle"], "$.losses.loss.chain[0]", "did you mean 'model'?"),
        ("losses.loss.data", "lien", "$.losses.loss.data", "did you mean 'line'?"),
        ("losses.loss.data", None, "$.losses.loss", "the loss has no data"),
        ("losses.loss.criterion", None, "$.losses.loss", "either a criterion or an expression"),
        ("losses.loss.expression", "sum(x)", "$.losses.loss", "either a criterion or"),
        ("losses.loss.rows", "validation", "$.losses.loss.rows", "holds out no rows"),
        ("losses.l", {"expression": "sum(y)"}, "$.losses.l.expression", "there is no 'y'"),
        ("losses.l", {"expression": "100 * x"}, "$.losses.l.expression", "gives (2,)"),
        ("losses.l", {"expression": "3"}, "$.losses.l.expression", "a plain number"),
        ("losses.l", {"expression": "x @ x @ x"}, "$.losses.l", "."),
        ("losses.l", {"expression": "sum(9 ** 9 ** 9 * x)"}, "$.losses.l.expression", "too large"),
        (
            "losses.l",
            {"expression": "sum(tensor('model.1.weight'))"},
            "$.losses.l.expression",
            "there is no 'model.1.weight'; did you mean 'model.",
        ),
        ("losses.model", {"expression": "sum(x)"}, "$.losses.model", "taken by $.modules.model"),
        ("tensors.x.value", [1, [2]], "$.tensors.x.value[1]", "a list"),
        ("tensors.x.value", 1e39, "$.tensors.x.value", "too large for float32"),
        ("tensors.x.value", "one", "$.tensors.x.value", "not a string"),
        ("optimizers.optimizer.kind", "SDG", "$.optimizers.optimizer.kind", "did you mean 'SGD'?"),
        ("optimizers.optimizer.kind", "Optimizer", "$.optimizers.optimizer.kind", "no kind"),
        (
            "optimizers.optimizer.params",
            [],
            "$.optimizers.optimizer.params",
            "empty parameter list",
        ),
        (
            "optimizers.optimizer.params",
            ["modle.*"],
            "$.optimizers.optimizer.params[0]",
            "matches no tensor",
        ),
        (
            "optimizers.optimizer.params",
            ["model.0.*", {"params": ["model.*"]}],
            "$.optimizers.optimizer.params[1].params[0]",
            "model.0.weight is also in the group of $.optimizers.optimizer.params[0]",
        ),
        (
            "optimizers.optimizer.params",
            ["model.0.*", {"params": ["x"], "lr": -2}],
            "$.optimizers.optimizer.params[1].lr",
            "Invalid learning rate: -2",
        ),
        ("optimizers.optimizer.lr", -1, "$.optimizers.optimizer.lr", "Invalid learning rate: -1"),
        ("optimizers.optimizer.lr", "0.1", "$.optimizers.optimizer.lr", "is not a number"),
        ("optimizers.optimizer.lr", None, "$.optimizers.optimizer.lr", "is not a number"),
        ("optimizers.optimizer.lr", True, "$.optimizers.optimizer.lr", "is not a number"),
        ("optimizers.optimizer.nesterov", 1, "$.optimizers.optimizer.nesterov", "true or false"),
        ("optimizers.optimizer.nesterov", True, "$.optimizers.optimizer.nesterov", "Nesterov"),
        (
            "optimizers.optimizer.momentun",
            0.9,
            "$.optimizers.optimizer.momentun",
            "did you mean 'momentum'?",
        ),
        (
            "optimizers.optimizer",
            {"kind": "Adam", "params": ["x"], "betas": [0.9]},
            "$.optimizers.optimizer.betas",
            "a list of 2 numbers",
        ),
        (
            "optimizers.optimizer",
            {"kind": "Adam", "params": ["x"], "betas": [0.9, 1.5]},
            "$.optimizers.optimizer.betas",
            "Invalid beta parameter",
        ),
        (
            "optimizers.optimizer",
            {"kind": "Adafactor", "params": ["x"], "eps": 0.001},
            "$.optimizers.optimizer.eps",
            "2 numbers",
        ),
        (
            "optimizers.optimizer",
            {"kind": "Adafactor", "params": ["x"], "eps": [None, None]},
            "$.optimizers.optimizer.eps",
            "number",
        ),
        (
            "optimizers.optimizer",
            {"kind": "Rprop", "params": ["x"], "etas": [0.5, "a"]},
            "$.optimizers.optimizer.etas",
            "number",
        ),
        (
            "optimizers.optimizer",
            {"kind": "Muon", "params": ["model.0.weight"], "eps": [1, 2]},
            "$.optimizers.optimizer.eps",
            "number",
        ),
        ("loop", [{"op": "forward", "loss": "lost"}], "$.loop[0].loss", "did you mean 'loss'?"),
        ("loop", [{"op": "step", "optimizer": "o"}], "$.loop[0].optimizer", "no optimizer 'o'"),
        ("loop", [{"op": "step", "every": 2}], "$.loop", "no line is run in every iteration"),
        ("loop", [{"op": "load_state", "event": 1}], "$.loop[0].op", "refers to an Event"),
        ("loop", [{"op": "freeze", "pattern": "y"}], "$.loop[0].pattern", "matches no tensor"),
        ("loop", [{"op": "rebuild_module", "module": "m"}], "$.loop[0].module", "no module 'm'"),
        (
            "data.line",
            {"kind": "csv", "path": "b.csv", "target": "y"},
            "$.data.line.path",
            "so 'b.csv' cannot be found",
        ),
    ],
)
def test_a_mismatch_is_rejected_with_its_place(path, value, place, words):
    with pytest.raises(ProgramError) as caught:
        program(path, value)
    assert caught.value.place == place
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_that_depend_on_each_other_are_accepted_together():
    built = program(
        "optimizers.optimizer",
        {"kind": "SGD", "params": ["x"], "nesterov": True, "momentum": 0.9, "lr": 1},
    )
    assert built.optimizers["optimizer"].param_groups[0]["nesterov"] is True


def test_a_module_of_a_terabyte_is_rejected_before_allocation():
    began = time.thread_time()  # other programs do not count
    with pytest.raises(ProgramError, match="at most 50,000,000"):
        program(
            "modules.model",
            [{"kind": "Linear", "in_features": 500_000, "out_features": 500_000}] * 1000,
        )
    assert time.thread_time() - began < 2


def test_an_expression_whose_result_would_not_fit_in_memory_is_rejected():
    tree = {
        "gradstep": 1,
        "tensors": {
            "row": {"value": [[0.0] * 20_000]},
            "column": {"value": [[0.0]] * 20_000},
        },
        "losses": {"loss": {"expression": "sum(row + column)"}},
    }
    with pytest.raises(ProgramError, match="give more than 50,000,000 numbers"):
        Program.from_spec(decode(json.dumps(tree).encode()))
    tree["losses"] = {"loss": {"expression": "sum(column @ row)"}}
    with pytest.raises(ProgramError, match="give more than 50,000,000 numbers"):
        Program.from_spec(decode(json.dumps(tree).encode()))


def test_building_a_program_does_not_change_the_random_stream_of_another():
    first = program("data.line.shuffle", True)
    second = program("data.line.shuffle", True)
    rows = []
    for _ in range(4):
        rows.append(first.run(Forward()).rows)
        program("seed", 9)
    assert [second.run(Forward()).rows for _ in range(4)] == rows


def test_a_program_keeps_the_contents_of_its_files(tmp_path):
    (tmp_path / "b.csv").write_text("u,y\n1,2\n3,4\n")
    tree = {**MODEL, "data": {"line": {"kind": "csv", "path": "b.csv", "target": "y"}}}
    (tmp_path / "p.json").write_text(json.dumps(tree))
    built = Program.open(tmp_path / "p.json")
    assert built.run(Forward()).rows == (0, 1)
    assert built.files == {"b.csv": b"u,y\n1,2\n3,4\n"}


def test_data_sets_that_are_too_large_together_are_rejected(monkeypatch):
    monkeypatch.setattr(build, "MAX_ELEMENTS", 100)
    rows = {"kind": "line", "samples": 40}
    data = {"a": rows, "b": rows, "c": rows}
    with pytest.raises(ProgramError, match="the data sets are too large together") as caught:
        Program.from_spec(decode(json.dumps({"gradstep": 1, "data": data}).encode()))
    assert caught.value.place == "$.data.c"
