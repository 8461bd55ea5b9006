"""ReplaceOptimizer, SetBatchSize, and lines of the loop that are skipped."""

from __future__ import annotations

import msgspec
import pytest

from gradstep.errors import OperationError, ProgramError
from gradstep.program.document.codec import decode
from gradstep.program.operation import (
    Backward,
    Forward,
    RebuildModule,
    ReplaceOptimizer,
    SetBatchSize,
    Skip,
    Step,
    ZeroGrad,
)
from gradstep.program.program import Program

DOCUMENT = b"""{"gradstep": 1,
    "data": {"a": {"kind": "line", "samples": 10, "batch_size": 4}},
    "modules": {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
    "losses": {"loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
    "optimizers": {"optimizer": {"kind": "SGD", "lr": 0.25, "momentum": 0.5,
        "params": ["model.0.weight", {"params": ["model.0.bias"], "lr": 0.125}]}},
    "schedulers": {"decay": {"kind": "ExponentialLR", "gamma": 0.5}}}"""


@pytest.fixture
def program():
    return Program.from_spec(decode(DOCUMENT))


def rows_of(program, count):
    return [program.run(Forward()).rows for _ in range(count)]


def test_a_replaced_optimizer_keeps_its_tensors_and_shared_options(program):
    held = [group["params"] for group in program.optimizers["optimizer"].param_groups]
    effect = program.run(ReplaceOptimizer("Adam", options={"betas": [0.5, 0.75]}))
    optimizer = program.optimizers["optimizer"]
    assert type(optimizer).__name__ == "Adam"
    assert [group["params"] for group in optimizer.param_groups] == held
    assert [group["lr"] for group in optimizer.param_groups] == [0.25, 0.125]
    assert "momentum" not in optimizer.param_groups[0]
    assert [group["betas"] for group in optimizer.param_groups] == [(0.5, 0.75)] * 2
    assert program.schedulers["decay"].optimizer is optimizer
    assert effect.message == "optimizer: SGD -> Adam"


def test_a_replaced_optimizer_keeps_only_options_that_were_set(program):
    program.run(ReplaceOptimizer("RMSprop"))
    group = program.optimizers["optimizer"].param_groups[0]
    assert (group["momentum"], group["alpha"], group["eps"]) == (0.5, 0.99, 1e-8)
    program.run(ReplaceOptimizer("Adafactor"))
    assert program.optimizers["optimizer"].param_groups[0]["eps"] == (None, 0.001)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (ReplaceOptimizer("Adm"), "no kind 'Adm'; did you mean 'Adam'"),
        (ReplaceOptimizer("Adam", "optimiser"), "no optimizer 'optimiser'"),
        (ReplaceOptimizer("Adam", options={"lr": -1}), "optimizer.lr: Invalid learning rate"),
        (ReplaceOptimizer("Muon"), "optimizer: Muon only supports 2D parameters"),
        (SetBatchSize("a", 0), "the batch size is 0; use 1 or more"),
        (SetBatchSize("b", 1), "there is no data 'b'"),
    ],
)
def test_an_invalid_replacement_raises_an_error_and_changes_nothing(program, operation, words):
    before = program.optimizers["optimizer"], rows_of(program, 1)
    with pytest.raises(OperationError, match=words):
        program.run(operation)
    assert program.optimizers["optimizer"] is before[0]
    assert rows_of(program, 1) == [(4, 5, 6, 7)]


def test_restoring_a_state_restores_optimizer_kind_and_batch_size(program):
    first = program.capture()
    program.run(ReplaceOptimizer("Adam"))
    program.run(SetBatchSize("a", 3))
    for operation in program.loop_operations():
        program.run(operation)
    second = program.capture()
    program.restore(first)
    assert type(program.optimizers["optimizer"]).__name__ == "SGD"
    assert rows_of(program, 1) == [(0, 1, 2, 3)]
    program.restore(second)
    assert type(program.optimizers["optimizer"]).__name__ == "Adam"
    assert "exp_avg" in next(iter(program.optimizers["optimizer"].state.values()))
    assert program.schedulers["decay"].optimizer is program.optimizers["optimizer"]
    assert rows_of(program, 1) == [(3, 4, 5)]


def test_loading_a_state_of_another_optimizer_is_rejected_before_anything_is_written(program):
    for operation in (Forward(), Backward()):
        program.run(operation)
    then = program.capture()
    program.run(Step())
    program.run(ReplaceOptimizer("Adam"))
    weight = program.tensors["model.0.weight"].tolist()
    with pytest.raises(OperationError, match="optimizer is Adam now, but SGD in that state"):
        program.load_state(then)
    assert program.tensors["model.0.weight"].tolist() == weight


def test_a_state_of_an_older_version_without_kind_and_batch_size_is_restored(program):
    state = program.capture()
    del state.optimizers["optimizer"]["kind"]
    state.feeds["a"] = state.feeds["a"][:3]
    program.run(ReplaceOptimizer("Adam"))
    program.run(SetBatchSize("a", 3))
    program.restore(state)
    assert type(program.optimizers["optimizer"]).__name__ == "SGD"
    assert rows_of(program, 1) == [(0, 1, 2, 3)]


def test_an_unknown_kind_or_a_batch_of_no_rows_in_a_state_is_rejected(program):
    for damage in ("kind", "batch"):
        state = program.capture()
        if damage == "kind":
            state.optimizers["optimizer"]["kind"] = "Program"
        else:
            state.feeds["a"][3] = 0
        with pytest.raises(ProgramError, match="the state does not match this program"):
            program.restore(state)


def test_a_new_batch_size_continues_in_the_middle_of_the_epoch(program):
    assert rows_of(program, 1) == [(0, 1, 2, 3)]
    assert program.run(SetBatchSize("a", 5)).message == "batch size 4 -> 5"
    assert rows_of(program, 3) == [(4, 5, 6, 7, 8), (9,), (0, 1, 2, 3, 4)]
    program.run(SetBatchSize("a", None))
    assert rows_of(program, 2) == [(5, 6, 7, 8, 9), tuple(range(10))]


def test_a_skipped_line_advances_the_loop(program):
    for operation in (ZeroGrad(), Forward(), Backward()):
        program.run(operation)
    assert program.run(Skip(Step())).writes == ()
    assert (program.iteration, program.next_operation) == (1, ZeroGrad())


def test_an_operation_out_of_loop_does_not_advance_the_loop(program):
    program.run(ZeroGrad())
    program.run(Step(out_of_loop=True))
    assert (program.iteration, program.next_operation) == (0, Forward())
    assert repr(Step(out_of_loop=True)) == "Step(optimizer='optimizer', out_of_loop=True)"


@pytest.mark.parametrize(
    "line", ['{"op": "step", "aside": true}', '{"op": "skip", "operation": {"op": "step"}}']
)
def test_a_loop_with_an_out_of_loop_or_skipped_line_is_rejected(line):
    document = DOCUMENT[:-1] + b', "loop": [{"op": "forward"}, %s]}' % line.encode()
    with pytest.raises(ProgramError, match="an Operation outside the loop"):
        Program.from_spec(decode(document))


def test_an_optimizer_that_is_replaced_can_hold_the_present_tensors_of_a_rebuilt_module(program):
    for operation in (ZeroGrad(), Forward(), Backward(), Step(), RebuildModule("model")):
        program.run(operation)
    program.run(ReplaceOptimizer("SGD"))
    assert [item.stale for item in program.optimizer_tensors] == [True, True]
    effect = program.run(ReplaceOptimizer("SGD", rebind=True))
    assert effect.message == "optimizer: SGD -> SGD on the current tensors"
    assert [item.stale for item in program.optimizer_tensors] == [False, False]
    groups = program.optimizers["optimizer"].param_groups
    assert [group["lr"] for group in groups] == [0.25, 0.125]
    state = program.capture()
    before = program.tensors["model.0.weight"].tolist()
    moved = []
    for _ in range(2):
        for operation in (ZeroGrad(), Forward(), Backward(), Step()):
            program.run(operation)
        moved.append(program.tensors["model.0.weight"].tolist())
        program.restore(state)
    assert moved[0] == moved[1] != before


def test_a_replaced_optimizer_without_rebind_is_stored_as_before():
    stored = msgspec.json.encode(ReplaceOptimizer("SGD"))
    assert stored == b'{"op":"replace_optimizer","kind":"SGD"}'
