"""States out of damaged files: restored or refused, and never anything else."""

from __future__ import annotations

import copy
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.errors import GradStepError, ProgramError
from gradstep.program.operation import Forward, Freeze, RebuildModule, Step
from gradstep.program.program_state import ProgramState

_VALUES = [
    *(None, -1, 10**30, 1.5, float("nan"), "x", True, b"x", [], {}, [1], {"a": 1}),
    *(np.zeros(3), np.zeros((5, 2), np.float32), np.array("a"), np.zeros(2520, np.uint8)),
    [np.zeros((2, 5), np.float32), [1, 0]],
]
_SCHEDULERS = {
    "steps": {"kind": "StepLR", "optimizer": "first", "step_size": 2},
    "stones": {"kind": "MultiStepLR", "optimizer": "second", "milestones": [2, 3]},
}


@pytest.fixture(scope="module")
def program(make, documents):
    """A program with replaced and frozen tensors, schedulers, and graphs that are still alive."""
    program = make(documents["heads"], schedulers=_SCHEDULERS)
    for _ in range(3):
        for operation in program.loop_operations():
            program.run(operation)
    for operation in (Forward("loss_b"), RebuildModule("trunk"), Freeze("x"), Step("second")):
        program.run(operation)
    return program


@pytest.fixture(scope="module")
def tree(program):
    """Its state as a file would give it: with lists and no tuples."""
    return _listed(program.capture().to_tree())


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_a_state_with_one_thing_changed_is_restored_or_refused(program, tree, data):
    damaged = copy.deepcopy(tree)
    place = data.draw(st.sampled_from(_places(tree)))
    inner = damaged
    for part in place[:-1]:
        inner = inner[part]
    if data.draw(st.booleans()):
        del inner[place[-1]]
    else:
        inner[place[-1]] = data.draw(st.sampled_from(_VALUES))
    with suppress(ProgramError):
        program.restore(ProgramState.from_tree(damaged))
        program.capture()
        for operation in program.loop_operations():
            with suppress(GradStepError):
                program.run(operation)


@pytest.mark.parametrize("place", [2, 3])
def test_a_negative_version_of_a_tensor_is_refused(program, tree, place):
    damaged = copy.deepcopy(tree)
    damaged["tensors"]["trunk.0.weight"][place] = -1
    with pytest.raises(ProgramError, match=r"the version of trunk\.0\.weight"):
        program.restore(ProgramState.from_tree(damaged))


def test_a_negative_version_that_a_loss_remembers_is_refused(program, tree):
    damaged = copy.deepcopy(tree)
    name = next(name for name, loss in damaged["losses"].items() if loss and loss["versions"])
    damaged["losses"][name]["versions"][0] = -1
    with pytest.raises(ProgramError, match=f"the version of {name}"):
        program.restore(ProgramState.from_tree(damaged))


def test_the_whole_state_is_restored(program, tree, pictured):
    program.restore(ProgramState.from_tree(tree))
    again = pictured(program)
    program.restore(ProgramState.from_tree(tree))
    assert pictured(program) == again


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
