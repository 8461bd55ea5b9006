"""Targets that do not fit their criterion: the error says what to change in the document."""

import json

import pytest

from gradstep.errors import ProgramError
from gradstep.program.document.codec import decode
from gradstep.program.document.files import InMemoryFiles
from gradstep.program.program import Program

INLINE = {"kind": "inline", "inputs": [[0.0, 1.0], [1.0, 2.0], [2.0, 0.0]]}


def build(data, criterion, outputs, **loss):
    document = {
        "gradstep": 1,
        "data": {"a": data},
        "modules": {"model": [{"kind": "Linear", "in_features": 2, "out_features": outputs}]},
        "losses": {
            "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": criterion}, **loss}
        },
    }
    files = InMemoryFiles({"rows.csv": b"p,q,y\n0,1,0\n1,2,1\n2,0,1\n"})
    return Program.from_spec(decode(json.dumps(document).encode()), files=files)


def error_of(*arguments, **loss):
    with pytest.raises(ProgramError) as caught:
        build(*arguments, **loss)
    return caught.value


@pytest.mark.parametrize("targets", [[0.0, 1.0, 1.0], [[0], [1], [1]], [[0.0], [1.0], [1.0]]])
def test_labels_that_are_not_one_whole_number_a_row(targets):
    error = error_of({**INLINE, "targets": targets}, "CrossEntropyLoss", 2)
    assert error.remedy == (
        "write each target of data set a as the number of its class, from 0 on, such as 2 (not [2] "
        "or 2.0)"
    )


def test_a_file_whose_label_column_is_read_as_values():
    file = {"kind": "csv", "path": "rows.csv", "target": "y"}
    error = error_of(file, "CrossEntropyLoss", 2)
    assert error.remedy == 'set "classes": true on data set a'
    assert build({**file, "classes": True}, "CrossEntropyLoss", 2).losses


def test_a_label_without_an_output():
    error = error_of({**INLINE, "targets": [0, 1, 2]}, "CrossEntropyLoss", 2)
    assert str(error) == (
        "$.losses.loss: Target 2 is out of bounds; give the last layer one output for each class "
        "(there are 2 classes, 0 to 1), and count the classes from 0"
    )
    error = error_of({**INLINE, "targets": [0, 1, 1]}, "CrossEntropyLoss", 1)
    assert "(there is one class, 0)" in error.remedy


@pytest.mark.parametrize("criterion", ["BCEWithLogitsLoss", "MSELoss"])
def test_targets_with_another_number_of_columns(criterion):
    error = error_of({**INLINE, "targets": [0.0, 1.0, 1.0]}, criterion, 2)
    assert "gradstep" not in error.message
    assert error.remedy.startswith("give the last layer as many outputs as a target of data set a")


def test_a_formula_that_adds_what_does_not_fit_is_not_a_matter_of_targets():
    error = error_of(
        {**INLINE, "targets": [[0.0], [1.0], [1.0]]},
        "MSELoss",
        3,
        chain=[],
        output="model(input) + input",
    )
    assert "targets" not in error.remedy
