"""Suspicions about the rows and columns of data sets."""

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from tests.core.diagnostics.trial.planted import PLANTED
from tests.core.diagnostics.trial.programs import mlp, program

ROWS = 10_000


@pytest.fixture
def opened(tmp_path):
    """Open a program whose data are columns of a CSV file; the last one is the target."""

    def open_columns(*columns):
        names = [*(f"c{number}" for number in range(len(columns) - 1)), "y"]
        lines = [",".join(names), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
        (tmp_path / "data.csv").write_text("\n".join(lines))
        data = {"kind": "csv", "path": "data.csv", "target": "y", "batch_size": 100}
        tree = program(data, mlp(len(columns) - 1, 4, 1), "MSELoss")
        return Debugger(decode(json.dumps(tree).encode()), tmp_path)

    return open_columns


@pytest.fixture
def values():
    random = np.random.default_rng(0)
    return [random.normal(size=ROWS).round(3) for _ in range(2)]


def suspected(debugger):
    return [item.id for item in debugger.findings]


def test_a_column_that_differs_in_one_of_many_rows_is_not_constant(opened, values):
    x, y = values
    flag = np.zeros(ROWS)
    assert suspected(opened(x, flag, y)) == ["constant-inputs"]
    flag[4321] = 1
    assert suspected(opened(x, flag, y)) == []


def test_columns_that_differ_in_one_of_many_rows_are_not_repeated(opened, values):
    x, y = values
    other = x.copy()
    assert suspected(opened(x, other, y)) == ["duplicated-inputs"]
    other[4321] += 1
    assert suspected(opened(x, other, y)) == []


def test_equal_pixels_of_images_are_usual():
    data = {"kind": "digits", "limit": 600, "batch_size": 50, "shuffle": True}
    tree = program({**data, "standardize": True}, mlp(64, 16, 10), "CrossEntropyLoss")
    assert suspected(Debugger(decode(json.dumps(tree).encode()))) == []


@pytest.mark.parametrize(
    "options", [{"weight": [1.0, 5.0, 1.0]}, {"label_smoothing": 0.1}, {"reduction": "sum"}]
)
def test_a_weighted_loss_is_not_compared_with_the_entropy_of_the_labels(options):
    tree = PLANTED["random labels"].document
    criterion = {"kind": "CrossEntropyLoss", **options}
    losses = {"loss": {**tree["losses"]["loss"], "criterion": criterion}}
    found = {}
    for name, document in {"plain": tree, "weighted": {**tree, "losses": losses}}.items():
        dbg = Debugger(decode(json.dumps(document).encode()))
        dbg.iterate(PLANTED["random labels"].iterations)
        found[name] = {item.id for item in dbg.findings}
    assert "chance-level-loss" in found["plain"] - found["weighted"]


def test_a_few_rows_with_one_label_are_no_accident(make):
    rows = [[float(row), row * 0.1 % 1] for row in range(12)]
    data = {"kind": "inline", "inputs": rows, "targets": [1] * 12}
    layers = [{"kind": "Linear", "in_features": 2, "out_features": 2}]
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}}
    same = make(data={"a": data}, modules={"model": layers}, losses={"loss": loss})
    (finding,) = (item for item in same.findings if item.id == "class-imbalance")
    assert "12 of 12 rows have the label 1" in finding.detail
    other = {**data, "targets": [0] + [1] * 11}
    mixed = make(data={"a": other}, modules={"model": layers}, losses={"loss": loss})
    assert "class-imbalance" not in {item.id for item in mixed.findings}
