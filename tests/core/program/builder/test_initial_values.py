"""The `init` section: initial values by patterns of names."""

import json

import numpy as np
import pytest

from gradstep.errors import ProgramError
from gradstep.program.document.codec import decode, encode
from gradstep.program.operation import RebuildModule
from gradstep.program.schema.initializers import INITIALIZERS
from gradstep.program.torch_export.export import RecordedOperation, export_script, export_test

LINEAR = {"kind": "Linear", "in_features": 2, "out_features": 3}
PROGRAM = {
    "gradstep": 1,
    "seed": 7,
    "data": {"a": {"kind": "moons", "samples": 20, "batch_size": 5}},
    "modules": {
        "body": [LINEAR, {"kind": "Tanh"}],
        "head": [{"kind": "Linear", "in_features": 3, "out_features": 1}],
    },
    "losses": {"loss": {"data": "a", "chain": ["body", "head"], "criterion": {"kind": "MSELoss"}}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
}
CHOSEN = {
    "*.weight": {"kind": "xavier_uniform_", "gain": 0.5},
    "*.bias": {"kind": "constant_", "val": 0.25},
    "head.*.weight": {"kind": "ones_"},
}


def test_patterns_are_applied_in_order_and_the_last_one_wins(make):
    program = make(PROGRAM, init=CHOSEN)
    assert program.tensors["head.0.weight"].tolist() == [[1.0, 1.0, 1.0]]
    assert program.tensors["body.0.bias"].tolist() == [0.25] * 3
    bound = 0.5 * np.sqrt(6 / 5)
    weight = program.tensors["body.0.weight"].detach().numpy()
    assert (np.abs(weight) <= bound).all()
    assert np.abs(weight).max() > bound / 2


def test_a_rebuilt_module_gets_them_too(make):
    program = make(PROGRAM, init=CHOSEN)
    before = program.tensors["body.0.weight"].tolist()
    program.run(RebuildModule("body"))
    assert program.tensors["body.0.bias"].tolist() == [0.25] * 3
    assert program.tensors["body.0.weight"].tolist() != before


def test_a_document_with_them_is_written_as_it_was_read():
    spec = decode(json.dumps({**PROGRAM, "init": CHOSEN}).encode())
    assert decode(encode(spec)) == spec
    assert json.loads(encode(spec))["init"] == CHOSEN


@pytest.mark.parametrize(
    ("init", "message"),
    [
        ({"*.weigth": {"kind": "ones_"}}, "'*.weigth' matches no parameter"),
        ({"*": {"kind": "xavier"}}, "$.init.*.kind: no kind 'xavier'; did you mean 'xavier_"),
        ({"*": {"kind": "xavier_uniform_"}}, "$.init.*: body.0.bias: Fan in and fan out"),
        ({"*": {"kind": "normal_", "sdt": 1}}, "$.init.*.sdt: no such field; did you mean 'std'?"),
        ({"*": {"kind": "normal_", "std": -1}}, "$.init.*.std: normal_ expects std >= 0.0"),
        ({"*": {"kind": "constant_"}}, "constant_ needs 'val'"),
        ({"*": {"kind": "constant_", "val": 1e39}}, "body.0.weight would not be finite"),
        ({"*": {"kind": "ones_", "tensor": 1}}, "$.init.*.tensor: no such field"),
        ({"*": {}}, "$.init.*"),
        ({"*": 1}, "$.init.*"),
    ],
)
def test_a_wrong_choice_is_rejected_with_its_place(make, init, message):
    with pytest.raises(ProgramError) as caught:
        make(PROGRAM, init=init)
    assert message in str(caught.value)


def test_the_script_calls_the_same_functions(make):
    script = export_script(make(PROGRAM, init=CHOSEN))
    assert (
        "body = nn.Sequential(nn.Linear(2, 3), nn.Tanh())\n"
        "nn.init.xavier_uniform_(body[0].weight, gain=0.5)\n"
        "nn.init.constant_(body[0].bias, val=0.25)\n"
        "head = nn.Sequential(nn.Linear(3, 1))\n"
    ) in script


@pytest.mark.torch
@pytest.mark.parametrize("kind", sorted(INITIALIZERS))
def test_torch_draws_the_same_values(make, kind):
    pytest.importorskip("torch")
    options = {"val": 0.5} if kind == "constant_" else {}
    program = make(PROGRAM, init={"*.weight": {"kind": kind, **options}})
    operations = [*program.loop_operations(), RebuildModule("body"), *program.loop_operations()]
    recorded = [RecordedOperation(item, program.run(item).loss) for item in operations]
    names = {"__name__": "exported"}
    exec(compile(export_test(program, recorded), "exported", "exec"), names)
    names["test_torch_gives_the_recorded_values"]()
