"""Operations as JSON, in documents and in session files."""

import msgspec
import pytest

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Forward, Operation, SetHyperparameter, Skip, Step

STORED = {
    b'{"op":"step","aside":true}': Step(out_of_loop=True),
    b'{"op":"skip","aside":true,"operation":{"op":"forward"}}': Skip(Forward(), out_of_loop=True),
    b'{"op":"step"}': Step(),
}


@pytest.mark.parametrize("stored", STORED, ids=bytes.decode)
def test_an_out_of_loop_operation_is_encoded_with_aside(stored):
    assert msgspec.json.decode(stored, type=Operation) == STORED[stored]
    assert msgspec.json.decode(msgspec.json.encode(STORED[stored])) == msgspec.json.decode(stored)


def test_a_session_stores_and_reads_out_of_loop_as_aside(tmp_path):
    path = tmp_path / "edited.gradstep"
    edited = Debugger.open(scenarios()[0].path)
    edited.apply(SetHyperparameter("lr", 0.5, out_of_loop=True))
    edited.save(path)
    assert msgspec.msgpack.encode("aside") in path.read_bytes()
    assert b"out_of_loop" not in path.read_bytes()
    opened = Debugger.open(path)
    assert opened.events[-1].operation == SetHyperparameter("lr", 0.5, out_of_loop=True)
