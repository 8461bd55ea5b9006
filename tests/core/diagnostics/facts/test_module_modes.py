"""Facts about training and evaluation mode."""

import pytest

from gradstep.program.operation import RebuildModule, SetMode

LAYERS = {
    "dropout": {"kind": "Dropout", "p": 0.5},
    "batch norm": {"kind": "BatchNorm1d", "num_features": 4},
    "neither": {"kind": "Tanh"},
}
LOSS = {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
TRAIN = [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}]


@pytest.fixture
def validated(make):
    """Make a program that evaluates on held-out rows, with one layer that has two modes."""

    def program(layer="dropout", loop=TRAIN, **changes):
        linear = {"kind": "Linear", "in_features": 2, "out_features": 4, "bias": False}
        head = {"kind": "Linear", "in_features": 4, "out_features": 1}
        return make(
            data={"a": {"kind": "moons", "samples": 32, "batch_size": 8, "validation": 0.25}},
            modules={"model": [linear, LAYERS[layer], head]},
            losses={"loss": LOSS, "held_out": {**LOSS, "rows": "validation"}},
            loop=loop,
            **changes,
        )

    return program


LOOK = [{"op": "forward", "loss": "held_out"}]
TO_EVAL = [{"op": "set_mode", "training": False}]
TO_TRAIN = [{"op": "set_mode", "training": True}]


@pytest.mark.parametrize("layer", ["dropout", "batch norm"])
def test_training_that_continues_in_evaluation_mode(validated, found, layer):
    dbg = validated(layer)
    dbg.apply(SetMode(training=False))
    dbg.forward("held_out")
    assert found(dbg) == {}
    dbg.iterate(1)
    assert found(dbg) == {"mode-left-eval": (1, 4, 6)}
    assert dbg.findings[0].subjects == ("model",)


def test_going_back_to_training_mode_is_as_it_should_be(validated, found):
    dbg = validated(loop=[*TO_EVAL, *LOOK, *TO_TRAIN, *TRAIN])
    dbg.iterate(5)
    assert found(dbg) == {}


def test_modules_without_two_modes_are_never_reported(validated, found):
    dbg = validated("neither", loop=[*LOOK, *TRAIN])
    dbg.apply(SetMode(training=False))
    dbg.iterate(5)
    assert found(dbg) == {}


def test_a_rebuilt_module_is_in_training_mode(validated, found):
    dbg = validated()
    dbg.apply(SetMode(training=False))
    dbg.apply(RebuildModule("model"))
    assert all(module.training for module in dbg.program.modules["model"].modules())
    dbg.iterate(1)
    assert "mode-left-eval" not in found(dbg)


def test_a_gradient_of_evaluation_mode_that_no_step_uses(validated, found):
    dbg = validated()
    dbg.apply(SetMode(training=False))
    dbg.forward()
    dbg.backward()
    dbg.apply(SetMode(training=True))
    dbg.zero_grad()
    dbg.iterate(2)
    assert "mode-left-eval" not in found(dbg)


def test_a_frozen_backbone_in_evaluation_mode_is_declared(validated, found):
    dbg = validated(intent=["frozen_backbone"])
    dbg.apply(SetMode(training=False))
    dbg.iterate(2)
    assert found(dbg) == {}


def test_an_evaluation_in_training_mode(validated, found):
    dbg = validated(loop=[*LOOK, *TRAIN])
    dbg.iterate(1)
    assert found(dbg) == {"mode-left-train": (1,)}
    assert "held_out" in dbg.findings[0].detail
