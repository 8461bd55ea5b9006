"""Capture and restore of any state, bit for bit, in the same program and in another."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradstep.errors import GradStepError, ProgramError
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    Forward,
    Freeze,
    RebuildModule,
    ReplaceOptimizer,
    SetBatchSize,
    SetHyperparameter,
    SetMode,
    SetValue,
    Step,
    ZeroGrad,
)
from gradstep.program.state.program_state import ProgramState, pack, unpack

_LOSSES = st.sampled_from(["loss_a", "loss_b", "penalty"])
_OPTIMIZERS = st.sampled_from(["first", "second"])
_OPERATIONS = st.one_of(
    st.builds(Forward, loss=_LOSSES, batch=st.sampled_from(["next", "held"])),
    st.builds(Backward, loss=_LOSSES, retain_graph=st.booleans()),
    st.builds(Step, optimizer=_OPTIMIZERS),
    st.builds(ZeroGrad, optimizer=_OPTIMIZERS, set_to_none=st.booleans()),
    st.builds(ClipGradNorm, max_norm=st.just(0.1), optimizer=_OPTIMIZERS),
    st.builds(Freeze, pattern=st.sampled_from(["trunk.*", "x"]), frozen=st.booleans()),
    st.builds(SetMode, training=st.booleans(), module=st.sampled_from(["trunk", None])),
    st.builds(RebuildModule, module=st.sampled_from(["trunk", "head_b"])),
    st.builds(
        SetHyperparameter,
        name=st.sampled_from(["lr", "weight_decay", "momentum", "centered"]),
        value=st.sampled_from([0.03, True]),
        optimizer=_OPTIMIZERS,
    ),
    st.builds(
        ReplaceOptimizer, kind=st.sampled_from(["SGD", "Adam", "RMSprop"]), optimizer=_OPTIMIZERS
    ),
    st.builds(SetBatchSize, data=st.sampled_from(["a", "b"]), size=st.sampled_from([None, 3])),
    st.builds(SetValue, tensor=st.just("x"), value=st.just(0.5), through_data=st.booleans()),
)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    before=st.lists(_OPERATIONS, max_size=14),
    after=st.lists(_OPERATIONS, min_size=1, max_size=10),
    away=st.lists(_OPERATIONS, max_size=6),
)
def test_any_state_is_restored_bit_for_bit(
    make, documents, traced, comparable_state, before, after, away
):
    program = make(documents["heads"])
    traced(program, before)
    state = program.capture()
    at_moment = comparable_state(program)
    first = traced(program, after)

    program.restore(state)
    assert comparable_state(program) == at_moment
    assert traced(program, after) == first

    traced(program, away)
    program.restore(state)
    assert traced(program, after) == first

    fresh = make(documents["heads"])
    fresh.restore(ProgramState.from_tree(copy.deepcopy(state.to_tree())))
    assert comparable_state(fresh) == at_moment
    assert traced(fresh, after) == first


@settings(max_examples=40)
@given(operations=st.lists(_OPERATIONS, max_size=20))
@example(
    [  # the last one has added to a gradient before it fails
        Forward("penalty"),
        Backward("penalty", retain_graph=True),
        Step("second"),
        Backward("penalty"),
    ]
)
def test_an_operation_that_fails_leaves_the_state_unchanged(
    make, documents, comparable_state, operations
):
    program = make(documents["heads"])
    for operation in operations:
        before = comparable_state(program)
        following = program.next_operation
        try:
            program.run(operation)
        except GradStepError:
            assert comparable_state(program) == before
            assert program.next_operation == following


def test_a_forward_survives_seeking_away_and_back(smallest):
    smallest.run(Forward())
    state = smallest.capture()
    smallest.run(Backward())
    smallest.run(Step())
    smallest.restore(state)
    assert smallest.tensors["x"].grad is None
    smallest.run(Backward())
    assert smallest.tensors["x"].grad.tolist() == [100.0, 100.0]
    assert smallest.tensors["x"].tolist() == [1.0, 2.0]


def test_a_step_between_forward_and_backward_is_still_reported_after_restoring(heads):
    heads.run(Forward("loss_a"))
    heads.run(Backward("loss_a"))
    heads.run(Forward("loss_a"))
    heads.run(Step("first"))
    state = heads.capture()
    with pytest.raises(GradStepError, match="modified by an inplace operation") as first:
        heads.run(Backward("loss_a"))
    heads.restore(state)
    with pytest.raises(GradStepError, match="modified by an inplace operation") as second:
        heads.run(Backward("loss_a"))
    assert str(first.value) == str(second.value)


def test_none_gradients_stay_none_and_zero_gradients_stay_zero(smallest):
    none = smallest.capture()
    smallest.run(Forward())
    smallest.run(Backward())
    smallest.run(ZeroGrad(set_to_none=False))
    zero = smallest.capture()
    smallest.restore(none)
    assert smallest.tensors["x"].grad is None
    smallest.restore(zero)
    assert smallest.tensors["x"].grad.tolist() == [0.0, 0.0]


def test_arrays_are_restored_in_place(heads):
    weight = heads.tensors["trunk.0.weight"]
    array = weight.detach().numpy()
    state = heads.capture()
    for _ in range(2):
        for operation in heads.loop_operations():
            heads.run(operation)
    heads.restore(state)
    assert heads.tensors["trunk.0.weight"] is weight
    assert weight.detach().numpy() is array or np.shares_memory(weight.detach().numpy(), array)


def test_a_captured_state_does_not_change_when_the_program_continues(heads):
    state = heads.capture()
    before = copy.deepcopy(state.to_tree())
    for _ in range(3):
        for operation in heads.loop_operations():
            heads.run(operation)
    heads.restore(state)
    for operation in heads.loop_operations():
        heads.run(operation)
    np.testing.assert_equal(state.to_tree(), before)


def test_a_state_of_another_program_is_rejected_and_changes_nothing(
    smallest, heads, comparable_state
):
    before = comparable_state(smallest)
    with pytest.raises(ProgramError, match="does not match this program"):
        smallest.restore(heads.capture())
    assert comparable_state(smallest) == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda tree: tree["tensors"]["x"].__setitem__(0, np.zeros(3, np.float32)),
        lambda tree: tree["tensors"]["x"].__setitem__(0, np.zeros(2, np.float64)),
        lambda tree: tree["tensors"]["x"].__setitem__(2, "one"),
        lambda tree: tree["tensors"].pop("x"),
        lambda tree: tree["tensors"].__setitem__("y", tree["tensors"]["x"]),
        lambda tree: tree["optimizers"]["optimizer"]["groups"][0].__setitem__("lr", -1),
        lambda tree: tree["optimizers"]["optimizer"]["groups"][0].__setitem__("params", ["q"]),
        lambda tree: tree["optimizers"]["optimizer"].pop("groups"),
        lambda tree: tree["losses"]["loss"].__setitem__("batch", ["a", [0], 1, 1, 1]),
        lambda tree: tree["losses"]["loss"].__setitem__("touched", ["nothing"]),
        lambda tree: tree.__setitem__("generator", np.zeros(3, np.uint8)),
        lambda tree: tree.__setitem__("generator", None),
        lambda tree: tree.__setitem__("cursor", [0, 99]),
        lambda tree: tree.__setitem__("cursor", [0]),
        lambda tree: tree.__setitem__("modules", [["m", 0, [True]]]),
    ],
)
def test_a_damaged_state_is_rejected_and_changes_nothing(smallest, comparable_state, damage):
    smallest.run(Forward())
    smallest.run(Backward())
    tree = copy.deepcopy(smallest.capture().to_tree())
    damage(tree)
    before = comparable_state(smallest)
    with pytest.raises(ProgramError):
        smallest.restore(ProgramState.from_tree(tree))
    assert comparable_state(smallest) == before


def test_a_tree_that_is_not_a_state_is_rejected():
    with pytest.raises(ProgramError, match="not a state of a program"):
        ProgramState.from_tree({"tensors": 3})


def test_packing_keeps_the_memory_order():
    array = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    back = unpack(pack(array))
    assert back.strides == array.strides
    assert back.tolist() == array.tolist()


def test_a_step_after_restoring_reads_its_state_in_creation_order(make, documents):
    optimizer = {"optimizer": {"kind": "RMSprop", "params": ["x"], "lr": 0.01}}
    one, other = (make(documents["smallest"], optimizers=optimizer) for _ in range(2))
    options = (SetHyperparameter("centered", True), SetHyperparameter("momentum", 0.9))
    for program, order in ((one, options), (other, options[::-1])):
        for operation in (
            Forward(),
            Backward(),
            *(step for item in order for step in (item, Step())),
        ):
            program.run(operation)
    state = one.capture()
    wanted = one.run(Step())
    other.restore(state)
    assert other.run(Step()) == wanted


def test_a_step_reads_the_same_hyperparameters_after_the_optimizer_was_replaced(make, documents):
    def made(before, **options):
        optimizer = {"optimizer": {"kind": before, "params": ["x"], "lr": 0.01, **options}}
        program = make(documents["smallest"], optimizers=optimizer)
        program.run(ReplaceOptimizer("RMSprop", options={"momentum": 0.9, "weight_decay": 0.1}))
        for operation in (Forward(), Backward()):
            program.run(operation)
        return program

    one, other = made("SGD"), made("Adam", weight_decay=0.5)
    state = one.capture()
    wanted = one.run(Step())
    other.restore(state)
    assert other.run(Step()) == wanted


def test_a_schedulers_entries_in_a_group_are_not_hyperparameters(make, documents):
    cycle = {"kind": "OneCycleLR", "max_lr": 0.1, "total_steps": 9, "cycle_momentum": False}
    program = make(documents["smallest"], schedulers={"scheduler": cycle})
    for operation in (Forward(), Backward()):
        program.run(operation)
    assert program.run(Step()).reads == ("optimizer/lr", "x", "x.grad")


def test_a_step_reports_its_reads_again_after_hyperparameters_are_restored(smallest):
    state = smallest.capture()
    backward = (Forward(), Backward())
    first = [smallest.run(operation) for operation in (*backward, Step())]
    smallest.run(SetHyperparameter("weight_decay", 0.1))
    for operation in (*backward, Step()):
        smallest.run(operation)
    smallest.restore(state)
    assert [smallest.run(operation) for operation in (*backward, Step())] == first
