"""States from damaged files are either restored or rejected."""

from __future__ import annotations

import copy
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.errors import GradStepError, ProgramError
from gradstep.program.operation import Forward, Freeze, RebuildModule, Step
from gradstep.program.state.program_state import ProgramState

_VALUES = [
    *(None, -1, 10**30, 1.5, float("nan"), "x", True, b"x", [], {}, [1], {"a": 1}),
    *(np.zeros(3), np.zeros((5, 2), np.float32), np.array("a"), np.zeros(2520, np.uint8)),
    [np.zeros((2, 5), np.float32), [1, 0]],
]
_SCHEDULERS = {
    "steps": {"kind": "StepLR", "optimizer": "first", "step_size": 2},
    "stones": {"kind": "MultiStepLR", "optimizer": "second", "milestones": [2, 3]},
}


def _running(make, documents):
    """A program with replaced and frozen tensors, schedulers, and graphs that are still alive."""
    program = make(documents["heads"], schedulers=_SCHEDULERS)
    for _ in range(3):
        for operation in program.loop_operations():
            program.run(operation)
    for operation in (Forward("loss_b"), RebuildModule("trunk"), Freeze("x"), Step("second")):
        program.run(operation)
    return program


@pytest.fixture
def program(make, documents):
    return _running(make, documents)


@pytest.fixture(scope="module")
def damaged_often(make, documents):
    """One that is handed many damaged states; what it takes from one stays for the next."""
    return _running(make, documents)


@pytest.fixture(scope="module")
def tree(damaged_often):
    """Its state as a file would give it: with lists and no tuples."""
    return _listed(damaged_often.capture().to_tree())


def _damaged(tree, data):
    """Return a state with one thing omitted or replaced by another."""
    damaged = copy.deepcopy(tree)
    place = data.draw(st.sampled_from(_places(tree)))
    inner = damaged
    for part in place[:-1]:
        inner = inner[part]
    if data.draw(st.booleans()):
        del inner[place[-1]]
    else:
        inner[place[-1]] = data.draw(st.sampled_from(_VALUES))
    return damaged


@settings(max_examples=250)
@given(data=st.data())
def test_a_state_with_one_thing_changed_is_restored_or_rejected(damaged_often, tree, data):
    damaged = _damaged(tree, data)
    with suppress(ProgramError):
        damaged_often.restore(ProgramState.from_tree(damaged))
        damaged_often.capture()
        for operation in damaged_often.loop_operations():
            with suppress(GradStepError):
                damaged_often.run(operation)


_TABLE = {"kind": "Embedding", "num_embeddings": 4, "embedding_dim": 2, "sparse": True}
_MEMORIES = {
    "gradstep": 1,
    "data": {"words": {"kind": "inline", "inputs": [[0], [2], [3]], "targets": [[1], [0], [1]]}},
    "modules": {"table": [_TABLE, {"kind": "Flatten"}]},
    "tensors": {"x": {"value": [3.0, 1.0], "requires_grad": True}},
    "losses": {
        "words_loss": {"data": "words", "chain": ["table"], "expression": "mean(output)"},
        "valley": {"expression": "(1 - x[0]) ** 2 + 9 * (x[1] - x[0] ** 2) ** 2"},
    },
    "optimizers": {
        "sparse": {"kind": "SparseAdam", "params": ["table.*"]},
        "lbfgs": {"kind": "LBFGS", "params": ["x"], "lr": 0.01, "max_iter": 3},
    },
}


@pytest.fixture(scope="module")
def remembering(make):
    """A program whose optimizers keep lists, and whose gradients know their rows."""
    program = make(_MEMORIES)
    for _ in range(2):
        for operation in program.loop_operations():
            program.run(operation)
    return program


@pytest.fixture(scope="module")
def memories(remembering):
    return _listed(remembering.capture().to_tree())


@settings(max_examples=250)
@given(data=st.data())
def test_a_changed_state_with_lists_and_row_sparse_gradients_is_restored_or_rejected(
    remembering, memories, data
):
    damaged = _damaged(memories, data)
    with suppress(ProgramError):
        remembering.restore(ProgramState.from_tree(damaged))
        remembering.capture()
        for operation in remembering.loop_operations():
            with suppress(GradStepError):
                remembering.run(operation)


@pytest.mark.parametrize("place", [2, 3])
def test_a_negative_version_of_a_tensor_is_rejected(program, tree, place):
    damaged = copy.deepcopy(tree)
    damaged["tensors"]["trunk.0.weight"][place] = -1
    with pytest.raises(ProgramError, match=r"the version of trunk\.0\.weight"):
        program.restore(ProgramState.from_tree(damaged))


def test_a_negative_version_in_a_forward_record_is_rejected(program, tree):
    damaged = copy.deepcopy(tree)
    name = next(name for name, loss in damaged["losses"].items() if loss and loss["versions"])
    damaged["losses"][name]["versions"][0] = -1
    with pytest.raises(ProgramError, match=f"the version of {name}"):
        program.restore(ProgramState.from_tree(damaged))


def test_a_position_after_the_last_line_of_the_loop_is_rejected(program, tree):
    damaged = copy.deepcopy(tree)
    damaged["cursor"] = [0, len(program.spec.loop)]
    with pytest.raises(ProgramError, match="the loop"):
        program.restore(ProgramState.from_tree(damaged))


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("value", [1.5, True])
def test_a_data_position_that_is_not_an_integer_is_rejected(program, tree, place, value):
    damaged = copy.deepcopy(tree)
    damaged["feeds"]["a"][place] = value
    with pytest.raises(ProgramError, match="the place in a"):
        program.restore(ProgramState.from_tree(damaged))


def test_the_whole_state_is_restored(program, tree, comparable_state):
    program.restore(ProgramState.from_tree(tree))
    again = comparable_state(program)
    program.restore(ProgramState.from_tree(tree))
    assert comparable_state(program) == again


def _listed(tree):
    if isinstance(tree, dict):
        return {key: _listed(value) for key, value in tree.items()}
    return [_listed(item) for item in tree] if isinstance(tree, (list, tuple)) else tree


def _places(tree, before=()):
    if not isinstance(tree, (dict, list)):
        return []
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return [
        place for key, value in pairs for place in ((*before, key), *_places(value, (*before, key)))
    ]


@pytest.mark.parametrize("option", ["lr", "initial_lr", "fused"])
def test_a_hyperparameter_that_is_an_array_is_rejected(program, tree, option):
    damaged = copy.deepcopy(tree)
    damaged["optimizers"]["first"]["groups"][0][option] = np.zeros(3)
    with pytest.raises(ProgramError, match="the hyperparameters of first differs"):
        program.restore(ProgramState.from_tree(damaged))
