"""The text of comparisons: Operations on one line, and where two programs or branches differ."""

from __future__ import annotations

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.comparing.comparison_text import operation_text
from gradstep.program.document.codec import decode
from gradstep.program.operation import (
    Backward,
    Forward,
    LoadState,
    ReplaceOptimizer,
    SetMode,
    Step,
    ZeroGrad,
)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (Forward(), "Forward loss"),
        (Forward("second", out_of_loop=True), "Forward second"),
        (Backward(retain_graph=True), "Backward loss retain_graph"),
        (ZeroGrad(set_to_none=False), "ZeroGrad optimizer set_to_none: false"),
        (SetMode(training=False), "SetMode training: false"),
        (LoadState(4, ("modules", "rng")), 'LoadState 4 parts: ["modules", "rng"]'),
        (
            ReplaceOptimizer("SGD", options={"lr": 0.5, "momentum": 0.9}),
            'ReplaceOptimizer SGD optimizer options: {"lr": 0.5, "momentum": 0.9}',
        ),
    ],
)
def test_an_operation_is_one_line_with_its_target_and_its_changed_options(operation, expected):
    assert operation_text(operation) == expected


def test_long_options_are_cut():
    long = ReplaceOptimizer("SGD", options={f"option_{number}": number for number in range(20)})
    assert operation_text(long).endswith("...")
    assert len(operation_text(long)) < 120


def test_an_operation_that_failed_on_one_branch_is_named_as_failed(line):
    line.iterate(1)
    line.apply(ZeroGrad())
    line.apply(Backward())
    assert not line.events[-1].outcome.ok
    other = line.what_if(at=5, skip=(6,), insert=((6, Step()),))
    notes = line.compare(0, other).notes
    assert notes[0].startswith("The Operations diverge at Event 6: ")
    assert "Backward loss, failed, in 'main'" in notes[0]


def test_layers_that_differ_are_named_by_their_place(tmp_path):
    def debugger(kind):
        layers = [{"kind": "Linear", "in_features": 1, "out_features": 1}, {"kind": kind}]
        text = json.dumps({"gradstep": 1, "modules": {"model": layers}})
        return Debugger(decode(text.encode()))

    debugger("Tanh").save(tmp_path / "other.gradstep")
    found = debugger("ReLU").compare(0, tmp_path / "other.gradstep")
    assert found.notes == ('The programs differ: $.modules.model[1].kind is "ReLU" and "Tanh".',)


def test_places_at_which_two_programs_differ_are_listed(make, tmp_path):
    sgd = {"kind": "SGD", "params": ["x"], "lr": 0.5}
    one, other = make("line"), make("line", optimizers={"optimizer": sgd})
    one.iterate(1)
    other.iterate(1)
    other.save(tmp_path / "other.gradstep")
    found = one.compare(0, tmp_path / "other.gradstep")
    assert "The programs differ: $.optimizers.optimizer.lr is 0.001 and 0.5." in found.notes
