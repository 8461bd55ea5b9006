"""Every optimizer and scheduler that a document may name: built, run and restored."""

from __future__ import annotations

import copy

import pytest

from gradstep.errors import ProgramError
from gradstep.program.operation import SchedulerStep
from gradstep.program.schema.optimizers import OPTIMIZERS, SCHEDULERS
from gradstep.program.state.program_state import ProgramState

_NEEDED = {
    "StepLR": {"step_size": 2},
    "MultiStepLR": {"milestones": [2, 4]},
    "ExponentialLR": {"gamma": 0.9},
    "CosineAnnealingLR": {"T_max": 5},
    "CosineAnnealingWarmRestarts": {"T_0": 3},
    "OneCycleLR": {"max_lr": 0.1, "total_steps": 30},
    "CyclicLR": {"base_lr": 0.001, "max_lr": 0.1},
    "LambdaLR": {"lr_lambda": "0.9 ** epoch"},
    "MultiplicativeLR": {"lr_lambda": "1 / (epoch + 1)"},
    "ChainedScheduler": {"schedulers": ["warmup", "decay"]},
    "SequentialLR": {"schedulers": ["warmup", "decay"], "milestones": [2]},
}
_MEMBERS = {"warmup": {"kind": "LinearLR"}, "decay": {"kind": "ExponentialLR", "gamma": 0.5}}


def strings_only(tree):
    """Return whether all keys of nested dictionaries are texts, so that JSON can hold them."""
    if isinstance(tree, dict):
        return all(isinstance(key, str) and strings_only(value) for key, value in tree.items())
    return not isinstance(tree, (list, tuple)) or all(strings_only(item) for item in tree)


def continues_alike(program, fresh, iterate):
    """Run on, in the program and in another that takes its state over; compare both."""
    state = program.capture()
    assert strings_only(state.to_tree())
    fresh.restore(ProgramState.from_tree(copy.deepcopy(state.to_tree())))
    return iterate(program, 3) == iterate(fresh, 3)


@pytest.fixture
def iterate(traced):
    """Return what runs iterations, and gives all that they did."""

    def run(program, times):
        return [traced(program, program.loop_operations()) for _ in range(times)]

    return run


@pytest.mark.parametrize("kind", sorted(set(OPTIMIZERS) - {"SparseAdam"}))  # it takes no such x
def test_an_optimizer_state_restores_bit_for_bit_in_another_program(kind, make, documents, iterate):
    optimizers = {"optimizer": {"kind": kind, "params": ["x"]}}
    tree = {**documents["smallest"], "losses": {"loss": {"expression": "sum(x ** 4)"}}}
    tree["tensors"] = {"x": {"value": [[1, 2]], "requires_grad": True}}  # Muon takes matrices
    program = make(tree, optimizers=optimizers)
    iterate(program, 2)
    assert program.tensors["x"].tolist() != [[1.0, 2.0]]
    assert continues_alike(program, make(tree, optimizers=optimizers), iterate)


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_a_scheduler_steps_with_every_optimizer(kind, make, documents):
    program = make(
        documents["smallest"],
        tensors={"x": {"value": [[1, 2]], "requires_grad": True}},
        optimizers={"optimizer": {"kind": kind, "params": ["x"], "lr": 0.5}},
        schedulers={"scheduler": {"kind": "ExponentialLR", "gamma": 0.5}},
    )
    assert program.run(SchedulerStep()).message.startswith("lr 0.5 -> 0.25")


@pytest.mark.parametrize("kind", SCHEDULERS)
def test_a_scheduler_state_restores_bit_for_bit_in_another_program(kind, make, documents, iterate):
    plateau = kind == "ReduceLROnPlateau"
    line = {"op": "scheduler_step", **({"metric": "loss"} if plateau else {})}
    fields = {
        "schedulers": {**_MEMBERS, "scheduler": {"kind": kind, **_NEEDED.get(kind, {})}},
        "loop": [{"op": op} for op in ("zero_grad", "forward", "backward", "step")] + [line],
    }
    program = make(documents["smallest"], **fields)
    iterate(program, 3)
    assert continues_alike(program, make(documents["smallest"], **fields), iterate)
    if not plateau:
        assert program.run(SchedulerStep()).message.startswith("lr ")


@pytest.mark.parametrize(
    ("fields", "place", "words"),
    [
        ({"kind": "StepLr"}, "$.schedulers.s.kind", "did you mean 'StepLR'?"),
        ({"kind": "LambdaLR"}, "$.schedulers.s.lr_lambda", "None is not an expression"),
        ({"kind": "StepLR"}, "$.schedulers.s", "StepLR needs 'step_size'"),
        ({"kind": "StepLR", "step_size": "2"}, "$.schedulers.s.step_size", "is not a number"),
        ({"kind": "StepLR", "step_size": 2, "gama": 1}, "$.schedulers.s.gama", "'gamma'"),
        ({"kind": "StepLR", "step_size": 2, "optimizer": "o"}, "$.schedulers.s.optimizer", "'o'"),
        ({"kind": "ReduceLROnPlateau", "factor": 2.0}, "$.schedulers.s.factor", "Factor"),
        ({"kind": "OneCycleLR", "max_lr": 0.1}, "$.schedulers.s", "total_steps"),
    ],
)
def test_an_invalid_scheduler_is_rejected_with_its_place(make, documents, fields, place, words):
    with pytest.raises(ProgramError) as caught:
        make(documents["smallest"], schedulers={"s": fields})
    assert caught.value.place == place
    assert words.lower() in str(caught.value).lower()
