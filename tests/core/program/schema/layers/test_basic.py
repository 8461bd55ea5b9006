"""Layers of a program: predicted shapes and sizes, and errors for mismatches."""

from __future__ import annotations

import contextlib
import io

import msgspec
import numpy as np
import pytest

import gradstep
from gradstep import nn
from gradstep.errors import ProgramError
from gradstep.program.operation import Forward, SetMode
from gradstep.program.schema.layers import basic as layers
from gradstep.program.torch_export.export import RecordedOperation, export_test

IMAGES = {
    "gradstep": 1,
    "seed": 2,
    "data": {"digits": {"kind": "digits", "limit": 40, "batch_size": 16, "standardize": True}},
    "modules": {
        "model": [
            {"kind": "Unflatten", "dim": 1, "unflattened_size": [1, 8, 8]},
            {"kind": "Conv2d", "in_channels": 1, "out_channels": 4, "kernel_size": 3, "padding": 1},
            {"kind": "BatchNorm2d", "num_features": 4},
            {"kind": "ReLU6"},
            {"kind": "MaxPool2d", "kernel_size": [2, 2]},
            {"kind": "Conv2d", "in_channels": 4, "out_channels": 4, "kernel_size": 3, "groups": 2},
            {"kind": "AdaptiveAvgPool2d", "output_size": 1},
            {"kind": "Flatten"},
            {"kind": "LayerNorm", "normalized_shape": 4},
            {"kind": "Linear", "in_features": 4, "out_features": 10},
        ]
    },
    "losses": {
        "loss": {"data": "digits", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 0.01}},
}
WORDS = {
    "gradstep": 1,
    "data": {"words": {"kind": "inline", "inputs": [[0, 1, 2], [2, 3, 0]], "targets": [0, 1]}},
    "modules": {
        "model": [
            {"kind": "Embedding", "num_embeddings": 4, "embedding_dim": 3, "padding_idx": 0},
            {"kind": "Flatten"},
            {"kind": "Linear", "in_features": 9, "out_features": 2},
        ]
    },
    "losses": {
        "loss": {"data": "words", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
}
SHAPES = [
    (layers.Conv1d(4, 3, 3, stride=2, padding=1, dilation=2, groups=1), (2, 4, 9)),
    (layers.Conv2d(4, 6, (3, 2), padding="same", groups=2, bias=False), (2, 4, 6, 5)),
    (layers.Conv2d(4, 6, 3, padding="valid", stride=(1, 2)), (2, 4, 6, 5)),
    (layers.ConvTranspose2d(4, 6, 3, 2, (1, 0), 1, dilation=2), (2, 4, 6, 5)),
    (layers.MaxPool1d(3, padding=1, ceil_mode=True), (2, 4, 8)),
    (layers.MaxPool2d(2, dilation=2, stride=3), (2, 4, 6, 5)),
    (layers.AvgPool1d(3, 2), (2, 4, 8)),
    (layers.AvgPool2d((2, 3), ceil_mode=True), (2, 4, 6, 5)),
    (layers.AdaptiveAvgPool1d(3), (2, 4, 8)),
    (layers.AdaptiveAvgPool2d((1, 2)), (2, 4, 6, 5)),
    (layers.BatchNorm1d(4), (2, 4)),
    (layers.BatchNorm2d(4, affine=False), (2, 4, 6, 5)),
    (layers.LayerNorm((6, 5), bias=False), (2, 4, 6, 5)),
    (layers.GroupNorm(2, 4), (2, 4, 5)),
    (layers.PReLU(4), (2, 4, 5)),
    (layers.Dropout2d(), (2, 4, 6, 5)),
    (layers.Unflatten(1, (2, 2)), (2, 4)),
]


def changed(document, index, **options):
    model = [dict(layer) for layer in document["modules"]["model"]]
    model[index] |= options
    return {**document, "modules": {"model": model}}


@pytest.mark.parametrize(("layer", "shape"), SHAPES, ids=lambda value: type(value).__name__)
def test_predicted_shapes_and_sizes_match_the_built_module(layer, shape):
    module = getattr(nn, type(layer).__name__)(**msgspec.structs.asdict(layer))
    assert module(gradstep.ones(*shape)).shape == layer.output_shape(shape)
    held = [*module.parameters(), *(b for b in module.buffers() if b.ndim)]
    assert sum(tensor.numel() for tensor in held) == layer.num_elements()


@pytest.mark.parametrize(
    ("index", "options", "message"),
    [
        (1, {"in_channels": 3}, r"model\[1\]: Conv2d expects 3 channels, but model\[0\] gives 1"),
        (1, {"kernel_size": 11}, r"model\[1\]: Conv2d expects at least 9 numbers"),
        (1, {"kernel_size": [3, 3, 3]}, r"model\[1\].kernel_size"),
        (0, {"unflattened_size": [8, 9]}, r"model\[0\]: Unflatten expects 72 numbers"),
        (2, {"num_features": 5}, r"model\[2\]: BatchNorm2d expects 5 channels"),
        (5, {"groups": 3}, r"model\[5\]: in_channels must be divisible by groups"),
        (8, {"normalized_shape": [2, 2]}, r"model\[8\]: LayerNorm expects rows that end in"),
        (1, {"out_channels": 1_000_000, "kernel_size": 8}, "parameters"),
    ],
)
def test_layers_with_mismatched_shapes_are_rejected_with_their_place(make, index, options, message):
    with pytest.raises(ProgramError, match=message):
        make(changed(IMAGES, index, **options))


def test_an_error_for_unshaped_images_suggests_unflatten(make):
    model = {"model": IMAGES["modules"]["model"][1:]}
    with pytest.raises(ProgramError, match="Unflatten makes them"):
        make(IMAGES, modules=model)


def test_running_statistics_change_in_training_mode_and_are_listed_as_writes(make):
    program = make(IMAGES)
    running = program.tensors["model.2.running_mean"]
    assert running.tolist() == [0.0] * 4  # the trial run at the start left no trace
    effect = program.run(Forward())
    assert np.abs(running.numpy()).min() > 0
    assert program.tensors["model.2.num_batches_tracked"].item() == 1
    assert "model.2.running_mean" in effect.writes
    program.run(SetMode(training=False))
    before = running.tolist()
    assert "model.2.running_mean" not in program.run(Forward()).writes
    assert running.tolist() == before


def test_an_embedding_maps_integers_to_rows_and_rejects_others(make):
    program = make(WORDS)
    losses = []
    for _ in range(5):
        losses += [program.run(op).loss for op in program.loop_operations()]
    known = [loss for loss in losses if loss is not None]
    assert known[-1] < known[0]
    assert program.tensors["model.0.weight"].tolist()[0] == [0.0] * 3
    with pytest.raises(ProgramError, match="whole numbers from 0 to 2"):
        make(changed(WORDS, 0, num_embeddings=3))


@pytest.mark.torch
@pytest.mark.parametrize("document", [IMAGES, WORDS], ids=["images", "words"])
def test_the_exported_losses_match_torch(make, document):
    pytest.importorskip("torch")
    program = make(document)
    recorded = []
    for _ in range(4):
        recorded += [
            RecordedOperation(op, program.run(op).loss) for op in program.loop_operations()
        ]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(export_test(program, recorded), "s", "exec"), {"__name__": "__main__"})
    assert out.getvalue().endswith("recorded values\n")


@pytest.mark.parametrize("kind", ["SmoothL1Loss", "HuberLoss", "PoissonNLLLoss"])
def test_regression_criteria_compute_finite_losses(make, kind):
    document = {
        "gradstep": 1,
        "data": {"d": {"kind": "line", "samples": 8, "slope": 0.5}},
        "modules": {"m": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
        "losses": {"loss": {"data": "d", "chain": ["m"], "criterion": {"kind": kind}}},
    }
    assert np.isfinite(make(document).run(Forward()).loss)
