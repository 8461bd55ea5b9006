"""Forward on the batch that another loss has taken."""

import pytest

from gradstep.errors import OperationError
from gradstep.program.operation import Backward, Forward, LoadState, SetBatchSize, Step, ZeroGrad
from gradstep.program.torch_export.export import RecordedOperation, export_script, export_test

HEAD = [{"kind": "Linear", "in_features": 2, "out_features": 1}]
PROGRAM = {
    "gradstep": 1,
    "data": {
        "a": {"kind": "moons", "samples": 22, "batch_size": 5, "shuffle": True, "validation": 0.1}
    },
    "modules": {"one": HEAD, "two": HEAD},
    "losses": {
        "first": {"data": "a", "chain": ["one"], "criterion": {"kind": "BCEWithLogitsLoss"}},
        "second": {"data": "a", "chain": ["two"], "criterion": {"kind": "MSELoss"}},
        "held_out": {
            "data": "a",
            "chain": ["one"],
            "criterion": {"kind": "MSELoss"},
            "rows": "validation",
        },
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward", "loss": "first"},
        {"op": "forward", "loss": "held_out"},
        {"op": "forward", "loss": "second", "batch": "current"},
        {"op": "backward", "loss": "first"},
        {"op": "backward", "loss": "second"},
        {"op": "step"},
    ],
}


def test_several_losses_see_the_same_rows_of_every_batch(make):
    program = make(PROGRAM)
    for _ in range(9):
        rows = {}
        for operation in program.loop_operations():
            effect = program.run(operation)
            if isinstance(operation, Forward):
                rows[operation.loss] = effect.rows
        assert rows["first"] == rows["second"] != rows["held_out"]
    assert program.batches["second"].epoch == 3


def test_the_batch_stays_current_whatever_comes_in_between(make):
    program = make(PROGRAM)
    taken = program.run(Forward("first")).rows
    for operation in (Forward("first", "held"), Backward("first"), SetBatchSize("a", 3), Step()):
        program.run(operation)
    assert program.run(Forward("second", "current")).rows == taken
    assert len(program.run(Forward("second")).rows) == 3


def test_it_neither_advances_the_data_nor_draws_an_order(make):
    program = make(PROGRAM)
    program.run(Forward("first"))
    effect = program.run(Forward("second", "current"))
    assert "data.a" not in effect.writes
    assert "generator" not in effect.writes


def test_states_between_the_two_forwards_are_restored(make, comparable_state):
    program, other = make(PROGRAM), make(PROGRAM)
    program.run(ZeroGrad())
    program.run(Forward("first"))
    saved = program.capture()
    for item in (program, other):
        item.restore(saved)
        item.run(Forward("second", "current"))
        item.run(Backward("second"))
    assert comparable_state(program) == comparable_state(other)


def test_without_a_batch_there_is_an_error_with_a_remedy(make):
    program = make(PROGRAM)
    with pytest.raises(OperationError, match="a has delivered no batch yet; run Forward on the"):
        program.run(Forward("second", "current"))
    start = program.capture()
    program.run(Forward("first"))
    program.load_state(start, LoadState(0).parts)
    with pytest.raises(OperationError, match="a has delivered no batch yet"):
        program.run(Forward("second", "current"))


def test_the_script_reuses_the_rows(make):
    script = export_script(make(PROGRAM))
    assert "    a_rows = first_rows = next(a_batches)\n" in script
    assert "    second_rows = a_rows\n" in script


@pytest.mark.torch
def test_torch_computes_the_same_losses(make):
    pytest.importorskip("torch")
    program = make(PROGRAM)
    operations = [item for _ in range(6) for item in program.loop_operations()]
    operations += [Forward("second"), Forward("first", "current")]
    recorded = [RecordedOperation(item, program.run(item).loss) for item in operations]
    names = {"__name__": "exported"}
    exec(compile(export_test(program, recorded), "exported", "exec"), names)
    names["test_torch_gives_the_recorded_values"]()
