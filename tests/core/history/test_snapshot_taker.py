"""SnapshotTaker: what a Snapshot shows of a program, and which records it shares with the last."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradstep.history.snapshot_taker import SnapshotTaker
from gradstep.program.document.codec import decode
from gradstep.program.operation import Backward, Forward, SetMode, Step, ZeroGrad
from gradstep.program.program import Program

DOCUMENT = {
    "gradstep": 1,
    "seed": 3,
    "data": {"points": {"kind": "moons", "samples": 12, "batch_size": 4}},
    "modules": {
        "model": [
            {"kind": "Linear", "in_features": 2, "out_features": 3},
            {"kind": "BatchNorm1d", "num_features": 3},
            {"kind": "Linear", "in_features": 3, "out_features": 1},
        ]
    },
    "tensors": {"scale": {"value": 2.0}},
    "losses": {
        "fit": {
            "data": "points",
            "chain": ["model"],
            "criterion": {"kind": "BCEWithLogitsLoss"},
        }
    },
    "optimizers": {
        "adam": {
            "kind": "Adam",
            "lr": 0.1,
            "params": [
                {"params": ["model.0.*"]},
                {"params": ["model.2.weight"], "lr": 0.5},
            ],
        }
    },
}


@pytest.fixture
def program():
    program = Program.from_spec(decode(json.dumps(DOCUMENT).encode()))
    for operation in (ZeroGrad("adam"), Forward("fit"), Backward("fit"), Step("adam")):
        program.run(operation)
    return program


@pytest.fixture
def taker(program):
    return SnapshotTaker(program)


def test_a_batch_has_its_data_rows_and_place_in_the_epoch(program, taker):
    program.run(Forward("fit"))
    batch = taker.take(None, 0).batches["fit"]
    assert (batch.data, len(batch.rows), batch.epoch) == ("points", 4, 1)
    assert (batch.number, batch.count) == (2, 3)
    assert batch.rows == program.batches["fit"].rows


def test_buffers_are_marked_and_parameters_name_their_holders(taker):
    parameters = taker.take(None, 0).parameters
    assert {name for name, item in parameters.items() if item.is_buffer} == {
        "model.1.running_mean",
        "model.1.running_var",
        "model.1.num_batches_tracked",
    }
    assert {name: item.held_by for name, item in parameters.items() if item.held_by} == {
        "model.0.weight": ("adam",),
        "model.0.bias": ("adam",),
        "model.2.weight": ("adam",),
    }
    assert [name for name, item in parameters.items() if not item.requires_grad] == [
        *(name for name, item in parameters.items() if item.is_buffer),
        "scale",
    ]


def test_state_is_shown_below_its_optimizer(taker):
    state = taker.take(None, 0).parameters["model.0.weight"].buffers["adam"]
    assert set(state) == {"step", "exp_avg", "exp_avg_sq"}
    assert state["step"] == 1.0
    assert state["exp_avg"].shape == (3, 2)


def test_groups_have_their_tensors_and_options(taker):
    adam = taker.take(None, 0, steps={"adam": 7}).optimizers["adam"]
    assert (adam.kind, adam.steps) == ("Adam", 7)
    assert [group.parameters for group in adam.groups] == [
        ("model.0.weight", "model.0.bias"),
        ("model.2.weight",),
    ]
    assert [group.hyperparameters["lr"] for group in adam.groups] == [0.1, 0.5]
    assert all("params" not in group.hyperparameters for group in adam.groups)


def test_whole_arrays_are_those_that_are_wanted(program, taker):
    wanted = {"model.0.weight", "model.2.weight.grad"}
    parameters = taker.take(None, 0, wanted=wanted).parameters
    assert parameters["model.0.weight"].data.tolist() == program.tensors["model.0.weight"].tolist()
    assert parameters["model.0.bias"].value.array is None
    assert parameters["model.2.weight"].value.array is None
    assert parameters["model.2.weight"].gradient.array is not None
    everything = taker.take(None, 0).parameters
    assert all(item.value.array is not None for item in everything.values())


def test_records_are_shared_until_they_are_forgotten(program, taker):
    before = taker.take(None, 0).parameters
    assert taker.take(None, 0).parameters["model.0.weight"] is before["model.0.weight"]
    program.run(ZeroGrad("adam"))
    taker.forget({"model.0.weight.grad"})
    after = taker.take(None, 0).parameters
    assert after["model.0.weight"].gradient is None
    assert after["model.0.bias"] is before["model.0.bias"]
    taker.forget(None)
    again = taker.take(None, 0).parameters
    assert again["model.0.bias"] is not before["model.0.bias"]
    assert again["model.0.bias"].gradient is None


def test_a_program_starts_without_loss_event_or_changes(taker):
    snapshot = taker.take(None, 5, last_loss="fit", metrics=frozenset({"accuracy"}))
    assert (snapshot.event, snapshot.event_index, snapshot.event_count) == (None, 0, 5)
    assert snapshot.loss == snapshot.losses["fit"]
    assert np.isfinite(snapshot.loss)
    assert (snapshot.changed, snapshot.metrics) == (frozenset(), {"accuracy"})
    assert taker.take(None, 5).loss is None


def test_what_is_passed_in_is_in_the_snapshot(taker):
    findings, occurrences, graphs = (object(),), (object(),), {"fit": object()}
    snapshot = taker.take(None, 0, findings=findings, occurrences=occurrences, graphs=graphs)
    assert snapshot.findings is findings
    assert snapshot.occurrences is occurrences
    assert snapshot.graphs is graphs


def test_modules_show_their_mode(program, taker):
    (model,) = taker.take(None, 0).modules
    assert [child.kind for child in model.children] == ["Linear", "BatchNorm1d", "Linear"]
    assert model.training
    program.run(SetMode(training=False))
    (model,) = taker.take(None, 0).modules
    assert not model.training
