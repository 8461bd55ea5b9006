"""Loops as people write them: by epochs, with accumulated gradients, with offsets."""

from __future__ import annotations

import contextlib
import io
import json

import msgspec
import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ProgramError
from gradstep.program.document.codec import decode, encode
from gradstep.program.operation import Backward, Forward, SetBatchSize, Step, ZeroGrad
from gradstep.program.program import Program
from gradstep.program.torch_export.export import RecordedOperation, export_script, export_test


def document(loop, **data):
    """Return a program on 10 rows in batches of 4: epochs of 3 iterations."""
    return {
        "gradstep": 1,
        "iterations": 7,
        "data": {
            "line": {
                "kind": "line",
                "samples": 12,
                "validation": 0.17,
                "batch_size": 4,
                "shuffle": True,
                **data,
            }
        },
        "modules": {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
        "losses": {
            "train": {"data": "line", "chain": ["model"], "criterion": {"kind": "MSELoss"}},
            "val": {
                "data": "line",
                "rows": "validation",
                "chain": ["model"],
                "criterion": {"kind": "MSELoss"},
            },
        },
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
        "loop": loop,
    }


TRAIN = [
    {"op": "zero_grad"},
    {"op": "forward", "loss": "train"},
    {"op": "backward", "loss": "train"},
    {"op": "step"},
]
TRAIN_OPERATIONS = (ZeroGrad(), Forward("train"), Backward("train"), Step())
BY_EPOCHS = document([*TRAIN, {"op": "forward", "loss": "val", "every": "epoch"}])
ACCUMULATED = document(
    [
        {"op": "forward", "loss": "train"},
        {"op": "backward", "loss": "train"},
        {"op": "step", "every": [2, "epoch"]},
        {"op": "zero_grad", "every": [2, "epoch"]},
    ]
)


def read(tree):
    return decode(json.dumps(tree).encode())


def make(tree):
    return Program.from_spec(decode(json.dumps(tree).encode()))


def run(tree, iterations):
    """Return a Debugger after some iterations, and what each of them applied."""
    debugger = Debugger(read(tree))
    debugger.run(iterations)
    log = debugger.history
    operations = [[] for _ in range(iterations)]
    for index in range(1, len(debugger.history.log) + 1):
        seen = log.applied_event(index)
        operations[seen.iteration].append(seen.operation)
    return debugger, operations


def iterations_with(operations, wanted):
    return [index + 1 for index, found in enumerate(operations) if wanted in found]


def test_a_line_with_every_epoch_runs_in_iterations_that_complete_an_epoch():
    _, operations = run(BY_EPOCHS, 7)
    assert iterations_with(operations, Forward("val")) == [3, 6]


def test_an_incomplete_last_batch_that_is_dropped_ends_no_epoch():
    tree = {**BY_EPOCHS, "data": document([], drop_last=True)["data"]}
    _, operations = run(tree, 6)
    assert iterations_with(operations, Forward("val")) == [2, 4, 6]


def test_an_epoch_ends_where_it_ends_after_the_batch_size_was_changed():
    debugger = Debugger(read(BY_EPOCHS))
    debugger.run(3)
    debugger.apply(SetBatchSize(data="line", size=2))
    debugger.run(10)
    found = [
        debugger.history.applied_event(index)
        for index in range(1, len(debugger.history.log) + 1)
        if debugger.history.applied_event(index).operation == Forward("val")
    ]
    assert [event.iteration + 1 for event in found] == [3, 8, 13]


def held(operation):
    return Forward("train", "held") if operation == Forward("train") else operation


@pytest.mark.parametrize(("tree", "by_epoch"), [(BY_EPOCHS, Forward("val")), (ACCUMULATED, Step())])
def test_a_held_batch_ends_its_epoch_once(tree, by_epoch):
    debugger = Debugger(read(tree))
    debugger.run(3)
    assert debugger.program.epoch == 1
    end = len(debugger.events)
    debugger.run(4, adapt=held)
    assert debugger.program.iteration == 7
    assert by_epoch not in [event.operation for event in debugger.events[end:]]
    debugger.seek(end + 1)
    debugger.run(4, adapt=held)
    assert (len(debugger.branches), debugger.program.iteration) == (1, 7)


def test_the_loop_continues_with_the_next_epoch_after_a_held_batch():
    debugger = Debugger(read(BY_EPOCHS))
    debugger.run(3)
    debugger.run(2, adapt=held)
    debugger.run(3)
    found = [event.iteration + 1 for event in debugger.events if event.operation == Forward("val")]
    assert found == [3, 8]


def test_a_recording_that_lacks_where_an_iteration_began_keeps_its_meaning():
    program = make(BY_EPOCHS)
    for _ in range(3):
        for operation in program.loop_operations():
            program.run(operation)
    state = program.capture()
    program.restore(msgspec.structs.replace(state, cursor=state.cursor[:2]))
    for _ in range(2):
        for operation in map(held, TRAIN_OPERATIONS):
            program.run(operation)
        assert program.next_operation == Forward("val")
        program.run(Forward("val"))
    assert program.iteration == 5
    assert len(program.capture().cursor) == 2


def test_gradients_accumulate_over_two_batches_and_the_last_window_of_an_epoch_is_shorter():
    _, operations = run(ACCUMULATED, 7)
    assert iterations_with(operations, Step()) == [2, 3, 5, 6]


def test_a_line_with_an_offset_runs_so_many_iterations_after_each_kth():
    loop = [TRAIN[1], TRAIN[2], TRAIN[3], {"op": "zero_grad", "every": 3, "offset": 1}]
    _, operations = run(document(loop), 7)
    assert [len(found) for found in operations] == [4, 3, 3, 4, 3, 3, 4]


def test_the_remaining_operations_of_an_iteration_know_that_it_completes_an_epoch():
    program = make(BY_EPOCHS)
    lengths = []
    for _ in range(6):
        operations = program.loop_operations()
        lengths.append(len(operations))
        for operation in operations:
            program.run(operation)
    assert lengths == [4, 4, 5, 4, 4, 5]


def test_a_loop_with_epochs_replays_bit_for_bit():
    debugger, _ = run(BY_EPOCHS, 7)
    weight = debugger.program.tensors["model.0.weight"].detach().numpy().copy()
    end = len(debugger.history.log)
    for position in (14, 13, 5, end):
        debugger.seek(position)
    np.testing.assert_array_equal(
        debugger.program.tensors["model.0.weight"].numpy(force=True), weight
    )
    debugger.seek(12)
    assert debugger.program.next_operation == Forward("val")


def test_a_run_stops_where_the_condition_about_the_epoch_becomes_true():
    debugger = Debugger(read(BY_EPOCHS))
    debugger.breakpoints.add("epoch == 2")
    debugger.run(20)
    assert (debugger.program.iteration, debugger.program.epoch) == (5, 2)
    assert debugger.program.next_operation == Forward("val")


def test_a_program_without_data_has_no_epoch():
    tree = {"gradstep": 1, "tensors": {"x": {"value": 1.0, "requires_grad": True}}}
    debugger = Debugger(read({**tree, "losses": {"loss": {"expression": "x * x"}}}))
    assert debugger.program.epoch is None


@pytest.mark.parametrize("every", ["epoch", [4, "epoch"], 3])
def test_a_document_with_epochs_is_written_as_it_was_read(every):
    tree = document([*TRAIN, {"op": "forward", "loss": "val", "every": every}])
    spec = decode(json.dumps(tree).encode())
    assert decode(encode(spec)) == spec
    assert json.loads(encode(spec))["loop"][4]["every"] == every


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        (
            [*TRAIN, {"op": "forward", "loss": "val", "every": "epochs"}],
            "$.loop[4].every: 'epochs' is not a number of iterations; "
            'write a number, "epoch" or [4, "epoch"]',
        ),
        (
            [*TRAIN, {"op": "forward", "loss": "val", "every": ["epoch", 4]}],
            "$.loop[4].every: a list is a number of batches and the word epoch; "
            'write a number, "epoch" or [4, "epoch"]',
        ),
        (
            [{"op": "forward", "loss": "val", "every": "epoch"}, *TRAIN],
            "$.loop[0].every: an epoch is complete only after the forward in $.loop[2]; "
            "move this line below it",
        ),
        (
            [{"op": "step"}, {"op": "forward", "loss": "val", "every": "epoch"}],
            "$.loop[1].every: no Forward of the loop takes batches, so it has no epochs; "
            'add a forward of a loss with "data", or write a number',
        ),
        (
            [{**TRAIN[1], "every": 2}, TRAIN[3], {**TRAIN[0], "every": "epoch"}],
            "$.loop[2].every: no forward takes a batch of line in every iteration; "
            'remove "every" from $.loop[0]',
        ),
        (
            [*TRAIN, {"op": "forward", "loss": "val", "every": 4, "offset": 4}],
            "$.loop[4].offset: the offset 4 is not below every, 4; write a number from 0 to 3",
        ),
        (
            [*TRAIN, {"op": "forward", "loss": "val", "every": "epoch", "offset": 1}],
            '$.loop[4].offset: only for a number in "every"; remove the offset',
        ),
    ],
)
def test_an_error_in_the_lines_of_a_loop_names_the_place_and_the_remedy(loop, message):
    with pytest.raises(ProgramError) as error:
        make(document(loop))
    assert str(error.value) == message


def test_the_exported_script_writes_the_conditions_of_a_loop_by_epochs():
    script = export_script(make(BY_EPOCHS))
    assert "    if line_batches.epoch_is_complete():\n        val_rows" in script
    script = export_script(make(ACCUMULATED))
    assert (
        "    if line_batches.number() % 2 == 0 or line_batches.epoch_is_complete():\n"
        "        optimizer.step()" in script
    )


@pytest.mark.torch
@pytest.mark.parametrize("tree", [BY_EPOCHS, ACCUMULATED], ids=["epochs", "accumulated"])
@pytest.mark.parametrize("by_hand", ["nothing", "a batch size", "held batches"])
def test_torch_computes_the_same_numbers_in_a_loop_by_epochs(tree, by_hand):
    pytest.importorskip("torch")
    debugger = Debugger(read(tree))
    debugger.run(4)
    if by_hand == "a batch size":
        debugger.apply(SetBatchSize(data="line", size=3))
        debugger.apply(Forward("train"))
    elif by_hand == "held batches":
        debugger.run(2)
        debugger.run(3, adapt=held)
    debugger.run(9)
    events = [
        debugger.history.applied_event(index) for index in range(1, len(debugger.history.log) + 1)
    ]
    recorded = [RecordedOperation(seen.operation, seen.loss, seen.index) for seen in events]
    test = export_test(make(tree), recorded)
    folded = "epoch" if by_hand == "held batches" else "iteration"
    assert f"for {folded} in range(" in test
    names = {"__name__": "exported"}
    exec(compile(test, "exported.py", "exec"), names)
    names["test_torch_gives_the_recorded_values"]()


@pytest.mark.torch
def test_the_script_of_a_loop_by_epochs_prints_its_losses_on_torch():
    pytest.importorskip("torch")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(export_script(make(BY_EPOCHS)), "exported.py", "exec"), {})
    printed = [float(line.rpartition(" ")[2]) for line in out.getvalue().splitlines()]
    debugger, _ = run(BY_EPOCHS, 7)
    losses = [
        seen.loss
        for index in range(1, len(debugger.history.log) + 1)
        if (seen := debugger.history.applied_event(index)).operation == Forward("train")
    ]
    np.testing.assert_allclose(printed, losses, rtol=1e-4)
