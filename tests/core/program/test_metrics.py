"""Metrics: formulas over all held-out or all training rows, computed without a graph."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ProgramError
from gradstep.program.document.codec import decode, encode
from gradstep.program.operation import Backward, Forward, SetMode
from gradstep.program.program import Program
from gradstep.program.torch_export.export import RecordedOperation, export_script, export_test

ACCURACY = "mean(argmax(output, 1) == target)"
BLOBS = {
    "gradstep": 1,
    "iterations": 30,
    "data": {
        "points": {
            "kind": "blobs",
            "samples": 60,
            "features": 3,
            "validation": 0.2,
            "batch_size": 16,
            "shuffle": True,
        }
    },
    "modules": {
        "model": [
            {"kind": "Linear", "in_features": 3, "out_features": 8},
            {"kind": "BatchNorm1d", "num_features": 8},
            {"kind": "Dropout", "p": 0.25},
            {"kind": "ReLU"},
            {"kind": "Linear", "in_features": 8, "out_features": 3},
        ]
    },
    "losses": {
        "train": {
            "data": "points",
            "chain": ["model"],
            "criterion": {"kind": "CrossEntropyLoss"},
        }
    },
    "metrics": {
        "accuracy": {
            "data": "points",
            "chain": ["model"],
            "expression": ACCURACY,
            "mode": "eval",
        },
        "training_accuracy": {
            "data": "points",
            "rows": "training",
            "chain": ["model"],
            "expression": ACCURACY,
            "mode": "eval",
        },
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward", "loss": "train"},
        {"op": "backward", "loss": "train"},
        {"op": "step"},
        {"op": "forward", "loss": "accuracy", "every": "epoch"},
        {"op": "forward", "loss": "training_accuracy", "every": 5},
    ],
}


def read(tree):
    return decode(json.dumps(tree).encode())


def with_metric(**fields):
    metric = {**BLOBS["metrics"]["accuracy"], **fields}
    metrics = {**BLOBS["metrics"], "accuracy": {k: v for k, v in metric.items() if v is not None}}
    return {**BLOBS, "metrics": metrics}


def outputs(program, rows):
    """Return the model's outputs in evaluation mode, from its tensors alone."""
    inputs, targets = program.examples("train")
    tensors = {name: tensor.detach().numpy() for name, tensor in program.tensors.items()}
    hidden = inputs[rows] @ tensors["model.0.weight"].T + tensors["model.0.bias"]
    scale = np.sqrt(tensors["model.1.running_var"] + 1e-5)
    hidden = (hidden - tensors["model.1.running_mean"]) / scale
    hidden = np.maximum(hidden * tensors["model.1.weight"] + tensors["model.1.bias"], 0)
    return hidden @ tensors["model.4.weight"].T + tensors["model.4.bias"], targets[rows]


@pytest.mark.parametrize(
    ("name", "rows"), [("accuracy", slice(48, 60)), ("training_accuracy", slice(0, 48))]
)
def test_a_metric_in_evaluation_mode_is_computed_on_all_its_rows(name, rows):
    debugger = Debugger(read(BLOBS))
    debugger.run(7)
    scores, targets = outputs(debugger.program, rows)
    expected = float((scores.argmax(1) == targets).mean())
    assert debugger.apply(Forward(name)).loss == pytest.approx(expected, abs=1e-6)
    assert expected > 0


def test_a_metric_changes_neither_modes_nor_buffers_nor_the_order_of_the_data():
    one, other = Debugger(read(BLOBS)), Debugger(read(BLOBS))
    for debugger in (one, other):
        debugger.run(2)
    one.apply(Forward("accuracy"))
    one.apply(Forward("training_accuracy"))
    assert all(layer.training for layer in one.program.modules["model"].modules())
    for debugger in (one, other):
        debugger.run(9)
    for name, tensor in one.program.tensors.items():
        np.testing.assert_array_equal(
            tensor.detach().numpy(), other.program.tensors[name].detach().numpy()
        )


def test_a_metric_keeps_the_modes_that_its_modules_had():
    program = Program.from_spec(read(BLOBS))
    program.run(SetMode(module="model", training=False))
    program.run(Forward("accuracy"))
    assert not any(layer.training for layer in program.modules["model"].modules())


def test_a_metric_of_the_current_mode_is_computed_with_dropout():
    program = Program.from_spec(read(with_metric(mode=None, expression="mean(output)")))
    assert program.run(Forward("accuracy")).loss != program.run(Forward("accuracy")).loss
    program = Program.from_spec(read(with_metric(expression="mean(output)")))
    assert program.run(Forward("accuracy")).loss == program.run(Forward("accuracy")).loss


def test_opening_a_program_with_metrics_changes_no_buffer():
    program = Program.from_spec(read(BLOBS))
    assert program.tensors["model.1.num_batches_tracked"].item() == 0


def test_a_metric_has_no_gradient():
    debugger = Debugger(read(BLOBS))
    debugger.apply(Forward("accuracy"))
    event = debugger.apply(Backward("accuracy"))
    assert not event.outcome.ok
    assert "does not require grad" in event.outcome.message


def test_a_metric_is_recorded_as_a_series_and_replays():
    debugger = Debugger(read(BLOBS))
    debugger.run(9)
    column = debugger.history.series.column("loss/accuracy")[1]
    assert np.isfinite(column).any()
    value = float(debugger.program.losses["accuracy"].numpy())
    debugger.seek(3)
    debugger.seek(len(debugger.events))
    assert float(debugger.program.losses["accuracy"].numpy()) == value


def test_a_snapshot_names_the_metrics_among_its_losses():
    snapshot = Debugger(read(BLOBS)).snapshot
    assert snapshot.metrics == {"accuracy", "training_accuracy"}
    assert snapshot.metrics < snapshot.losses.keys()


def test_a_run_stops_at_a_breakpoint_on_a_metric():
    debugger = Debugger(read(BLOBS))
    debugger.break_when("accuracy > 0.9 and epoch > 2")
    debugger.run(200)
    assert debugger.event.operation == Forward("accuracy")
    assert debugger.event.loss > 0.9
    assert debugger.program.epoch == 3


def test_the_name_loss_in_a_condition_means_no_metric():
    debugger = Debugger(read(BLOBS))
    watch = debugger.watch("loss")
    debugger.apply(Forward("train"))
    value = watch.value
    debugger.apply(Forward("accuracy"))
    assert watch.value == value
    debugger.seek(1)
    debugger.seek(2)
    assert watch.value == value


def test_a_right_program_with_metrics_has_no_findings():
    debugger = Debugger(read(BLOBS))
    debugger.run(60)
    assert [finding.id for finding in debugger.findings if finding.severity == "fact"] == []


def test_a_document_with_metrics_is_written_as_it_was_read():
    assert json.loads(encode(read(BLOBS)))["metrics"] == BLOBS["metrics"]
    assert decode(encode(read(BLOBS))) == read(BLOBS)


@pytest.mark.parametrize(
    ("tree", "place", "remedy"),
    [
        (with_metric(data=None), "$.metrics.accuracy", 'add "data": the name of a data set'),
        (with_metric(data="point"), "$.metrics.accuracy.data", "did you mean 'points'?"),
        (with_metric(expression="mean(outpt)"), "$.metrics.accuracy.expression", "'output'"),
        (
            with_metric(expression="output"),
            "$.metrics.accuracy.expression",
            "a metric must be one number, and this gives (12, 3); use sum or mean",
        ),
        (with_metric(mode="evaluation"), "$.metrics.accuracy.mode", "eval"),
        (with_metric(row="training"), "$.metrics.accuracy.row", "did you mean 'rows'?"),
    ],
)
def test_an_error_in_a_metric_names_its_place_and_the_remedy(tree, place, remedy):
    with pytest.raises(ProgramError) as error:
        Program.from_spec(read(tree))
    assert str(error.value).startswith(f"{place}: ")
    assert remedy in str(error.value)


def test_the_script_computes_a_metric_in_evaluation_mode_without_a_graph():
    script = export_script(Program.from_spec(read(BLOBS)))
    assert "model.eval()" in script
    assert "    with torch.no_grad():" in script
    assert "model.train(model_training)" in script


@pytest.mark.torch
def test_torch_computes_the_same_metrics():
    pytest.importorskip("torch")
    debugger = Debugger(read(BLOBS))
    debugger.run(12)
    events = [debugger.history.applied_event(at) for at in range(1, len(debugger.events) + 1)]
    recorded = [RecordedOperation(seen.operation, seen.loss, seen.index) for seen in events]
    test = export_test(Program.from_spec(read(BLOBS)), recorded)
    assert '"accuracy"' in test
    names = {"__name__": "exported"}
    exec(compile(test, "exported.py", "exec"), names)
    names["test_torch_gives_the_recorded_values"]()
