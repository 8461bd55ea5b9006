"""Operations that a person applies one by one: the same facts as in the loop, and no others."""

import pytest

from gradstep.program.operation import Backward, Forward, RebuildModule, Skip, Step, ZeroGrad

PRESSED = {
    "Z": ZeroGrad(),
    "z": ZeroGrad(set_to_none=False),
    "F": Forward(),
    "H": Forward(batch="held"),
    "B": Backward(),
    "S": Step(),
    "-": Skip(Step()),
}

SEQUENCES = {
    # without a Backward
    "ZFS": {"step-without-grad": (3,)},
    "ZFSF": {"step-without-grad": (3,), "backward-missing": (2, 4)},
    "ZFFFSF": {"step-without-grad": (5,), "backward-missing": (4, 6)},
    "ZFBSzS": {"step-without-grad": (5, 6)},
    "ZFBSzFSF": {"step-without-grad": (5, 7), "backward-missing": (6, 8)},
    "ZFBSFSZF": {"grad-reused": (3, 4, 6), "backward-missing": (5, 8)},
    "ZFBSZS": {"step-without-grad": (6,)},
    # without a Step
    "ZFBZ": {"grad-discarded": (3, 4)},
    "ZFBFBZ": {"grad-discarded": (5, 6)},
    "ZFBZFS": {"grad-discarded": (3, 4), "step-without-grad": (6,)},
    "ZFB-Z": {"step-missing": (3, 5), "grad-discarded": (3, 5)},
    # in another order
    "FBZS": {"grad-discarded": (2, 3), "step-without-grad": (4,)},
    "ZFBSS": {"grad-reused": (3, 4, 5)},
    # what may be meant
    "ZF": {},
    "ZF-BSZF": {},
    "ZFFF": {},
    "ZFZFZF": {},
    "ZFB": {},
    "ZFBFBFB": {},
    "ZFBFBS": {},
    "ZFBHBS": {},
    "FFZFBS": {},
    "FZFBSZFBS": {},
    "zFBSzFBS": {},
}


@pytest.mark.parametrize("keys", SEQUENCES)
def test_operations_by_hand_have_the_facts_that_they_show(dbg, found, keys):
    for key in keys:
        dbg.apply(PRESSED[key])
    assert found(dbg) == SEQUENCES[keys]


def test_a_step_of_zeros_says_which_zero_grad_left_them(dbg):
    for key in "ZFBSzS":
        dbg.apply(PRESSED[key])
    (finding,) = dbg.findings
    assert finding.detail == (
        "Step #6 moved nothing: .grad was zero, or None, since Zero Grad #5 for every parameter "
        "that optimizer holds."
    )


def test_a_replaced_tensor_without_gradient_does_not_hide_that_a_step_moved_nothing(make, found):
    parts = {name: [{"kind": "Linear", "in_features": 2, "out_features": 1}] for name in "ab"}
    loss = {"data": "a", "chain": ["a"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    sgd = {"kind": "SGD", "params": ["*"], "lr": 0.1}
    dbg = make(modules=parts, losses={"loss": loss}, optimizers={"optimizer": sgd})
    for operation in (*(PRESSED[key] for key in "ZFBz"), RebuildModule("b"), PRESSED["S"]):
        dbg.apply(operation)
    assert found(dbg)["step-without-grad"] == (4, 6)


def test_zeros_that_a_backward_wrote_are_a_gradient(make, found):
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": [1.0], "requires_grad": True}},
        losses={"loss": {"expression": "sum(x * 0)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
    )
    for key in "zFBSzFBS":
        dbg.apply(PRESSED[key])
    assert found(dbg) == {}


def test_a_step_by_weight_decay_or_momentum_moves_something(make, found):
    momentum = {"kind": "SGD", "params": ["model.*"], "lr": 0.1, "momentum": 0.9}
    dbg = make(optimizers={"optimizer": momentum})
    for key in "ZFBSzS":
        dbg.apply(PRESSED[key])
    assert found(dbg) == {"moved-without-gradient": (5, 6)}
