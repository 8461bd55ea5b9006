"""Exported scripts read large data sets from their files, with the same bits."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest

import gradstep_torch
from gradstep.debugger import Debugger
from gradstep.program.datasets.loading import load_dataset
from gradstep.program.document.codec import decode
from gradstep.program.document.files import FolderFiles
from gradstep.program.torch_export.export import export_script

ROWS = 3000
TABLE = np.random.default_rng(0).normal(size=(ROWS, 12))
LABELS = np.arange(ROWS) % 3


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def csv(rows, labels):
    head = [",".join([*(f"x{column}" for column in range(12)), "label"])]
    lines = [
        ",".join([*map(repr, row), str(label)])
        for row, label in zip(rows.tolist(), labels.tolist(), strict=True)
    ]
    return "\n".join([*head, *lines, "", ""]).encode()


def document(data, criterion, width, outputs):
    layer = {"kind": "Linear", "in_features": width, "out_features": outputs}
    loss = {"data": "d", "chain": ["model"], "criterion": {"kind": criterion}}
    return json.dumps(
        {
            "gradstep": 1,
            "iterations": 2,
            "data": {"d": {**data, "batch_size": 50}},
            "modules": {"model": [layer]},
            "losses": {"loss": loss},
            "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.01}},
        }
    ).encode()


FILES = {
    "all.csv": csv(TABLE, LABELS),
    "more.csv": csv(TABLE[:70], LABELS[:70]),
    "x.npy": npy(TABLE.astype("f4")),
    "y.npy": npy(LABELS),
}
CSV = {"kind": "csv", "path": "all.csv", "target": "label"}
NPY = {"kind": "npy", "inputs": "x.npy", "targets": "y.npy"}
CLASSES = {"classes": True, "validation": 0.2, "standardize": True}


@pytest.mark.parametrize(
    ("data", "criterion", "width", "outputs"),
    [
        (CSV, "MSELoss", 12, 1),
        ({**CSV, **CLASSES}, "CrossEntropyLoss", 12, 3),
        ({**CSV, "inputs": ["x3", "x1", "x0"], "limit": 2900, "seed": 7}, "MSELoss", 3, 1),
        ({**CSV, "validation_path": "more.csv", "standardize": True}, "MSELoss", 12, 1),
        ({**NPY, "validation": 0.5}, "CrossEntropyLoss", 12, 3),
    ],
)
def test_a_script_reads_large_files_and_has_the_same_bits(
    tmp_path, monkeypatch, data, criterion, width, outputs
):
    for name, raw in FILES.items():
        (tmp_path / name).write_bytes(raw)
    text = document(data, criterion, width, outputs)
    program = Debugger(decode(text), tmp_path).program
    monkeypatch.setattr("gradstep.program.torch_export.data_source._MAX_EMBEDDED_BYTES", 10_000)
    script = export_script(program)
    assert "decode_tensor" not in script
    assert len(script) < 4000
    monkeypatch.setitem(sys.modules, "torch", gradstep_torch)
    space = {"__name__": "__main__", "__file__": str(tmp_path / "script.py")}
    exec(compile(script, "script", "exec"), space)
    files, spec = FolderFiles(tmp_path), program.spec
    expected = load_dataset("d", spec.data["d"], files, seed=spec.seed, dtype=spec.dtype)
    assert space["d_inputs"].numpy().tobytes() == expected.inputs.tobytes()
    got = space["loss_targets"].numpy()
    assert (got.ravel() == expected.targets.ravel()).all()


@pytest.mark.parametrize(
    "fields", [{"missing": "zero"}, {"categories": {"x0": "codes"}}, {"limit": 20}]
)
def test_small_data_and_data_with_words_or_gaps_stay_in_the_script(tmp_path, fields):
    (tmp_path / "all.csv").write_bytes(FILES["all.csv"])
    program = Debugger(decode(document({**CSV, **fields}, "MSELoss", 12, 1)), tmp_path).program
    script = export_script(program)
    assert "read_csv" not in script
    assert "decode_tensor" in script
