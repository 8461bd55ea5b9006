"""SetValue: writes into tensors, with and without autograd noticing."""

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import OperationError
from gradstep.program.document.codec import decode
from gradstep.program.operation import SetValue
from gradstep.program.program import Program

DOCUMENT = b"""{"gradstep": 1,
    "tensors": {"x": {"value": [1, 2], "requires_grad": true}, "a": {"value": 3}},
    "losses": {"loss": {"expression": "sum(x ** 2) * a"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}}}"""


@pytest.fixture
def program():
    return Program.from_spec(decode(DOCUMENT))


@pytest.fixture
def dbg():
    return Debugger(decode(DOCUMENT))


@pytest.mark.parametrize(
    ("operation", "values", "message"),
    [
        (SetValue("x", 5.0), [5, 5], "2 numbers written"),
        (SetValue("x", [3, 4]), [3, 4], "2 numbers written"),
        (SetValue("x", 5.0, (1,)), [1, 5], "x[1] 2 -> 5"),
        (SetValue("x", 5.0, (0,), through_data=True), [5, 2], "x[0] 1 -> 5 through .data"),
    ],
)
def test_numbers_are_written_in_place(program, operation, values, message):
    tensor, memory = program.tensors["x"], program.tensors["x"]._array
    version = tensor._version
    effect = program.run(operation)
    assert program.tensors["x"]._array is memory
    assert tensor.tolist() == values
    assert tensor._version == version + (not operation.through_data)
    assert (effect.reads, effect.writes, effect.message) == ((), ("x",), message)


def test_the_message_for_a_single_number_has_no_index(program):
    assert program.run(SetValue("a", 4.0)).message == "a 3 -> 4"


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (SetValue("y", 1.0), "there is no tensor 'y'"),
        (SetValue("x", 1.0, (2,)), r"x has no element \[2\]; its shape is \[2\]"),
        (SetValue("x", 1.0, (-1,)), r"x has no element \[-1\]"),
        (SetValue("x", 1.0, (0, 0)), r"x has no element \[0, 0\]"),
        (SetValue("x", [1.0]), r"the value has shape \[1\] and x has \[2\]"),
        (SetValue("x", ["one", 2.0]), "is not an array of numbers"),
        (SetValue("x", [[1.0], [1.0, 2.0]]), "is not an array of numbers"),
        (SetValue("x", float("nan")), "x cannot hold nan"),
        (SetValue("x", 1e300), "x cannot hold 1e[+]300"),
    ],
)
def test_an_invalid_value_is_rejected_and_changes_nothing(program, operation, message):
    with pytest.raises(OperationError, match=message):
        program.run(operation)
    assert program.tensors["x"].tolist() == [1, 2]


def test_integer_tensors_accept_only_integers():
    document = (
        b"""{"gradstep": 1, "modules": {"m": [{"kind": "BatchNorm1d", "num_features": 2}]}}"""
    )
    program = Program.from_spec(decode(document))
    program.run(SetValue("m.0.num_batches_tracked", 3.0))
    assert program.tensors["m.0.num_batches_tracked"].item() == 3
    with pytest.raises(OperationError, match=r"holds whole numbers, not 0\.5"):
        program.run(SetValue("m.0.num_batches_tracked", 0.5))


def test_a_write_through_data_changes_the_gradient_of_a_recorded_graph(dbg):
    dbg.forward()
    dbg.apply(SetValue("x", 10.0, (0,), through_data=True))
    dbg.backward()
    assert dbg.snapshot.parameters["x"].grad.tolist() == [60, 12]


@pytest.mark.parametrize("through_data", [False, True])
def test_replay_and_reopened_sessions_give_the_same_bits_after_a_write(dbg, tmp_path, through_data):
    dbg.iterate(2)
    dbg.forward()
    dbg.apply(SetValue("x", 10.0, (0,), through_data=through_data))
    written = dbg.event.index
    dbg.save(tmp_path / "half.gradstep")
    dbg.backward()
    dbg.step()
    end = dbg.snapshot.parameters["x"].data
    dbg.seek(0)
    dbg.seek(len(dbg.events))
    assert np.array_equal(dbg.snapshot.parameters["x"].data, end)
    again = Debugger.open(tmp_path / "half.gradstep")
    assert again.event.index == written
    assert again.backward().outcome.ok == through_data
    again.step()
    assert np.array_equal(again.snapshot.parameters["x"].data, end)


def test_explain_names_a_write_by_hand(dbg):
    dbg.apply(SetValue("x", 10.0, (0,)))
    assert dbg.explain("x").sentence.startswith("x was written by hand in Event 1")
