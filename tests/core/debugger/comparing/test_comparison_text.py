"""The text of comparisons: where two programs or branches differ."""

from __future__ import annotations

import json

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep.program.operation import Backward, Step, ZeroGrad


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
