"""Suspicions about units: dead ones, saturated ones; and that looking leaves nothing behind."""

import pytest

from gradstep.program.operation import SetValue


def suspicions(debugger):
    return {found.id: found for found in debugger.findings if found.severity == "suspicion"}


@pytest.fixture
def network(make):
    """Make a network with one kind of activation."""

    def made(kind, **changes):
        return make(
            data={"a": {"kind": "moons", "samples": 64, "noise": 0.1, "batch_size": 32}},
            modules={
                "model": [
                    {"kind": "Linear", "in_features": 2, "out_features": 8},
                    {"kind": kind},
                    {"kind": "Linear", "in_features": 8, "out_features": 1},
                ]
            },
            **changes,
        )

    return made


def test_units_that_are_always_off(network):
    dbg = network("ReLU")
    dbg.apply(SetValue("model.0.bias", -100.0))
    dbg.iterate(20)
    finding = suspicions(dbg)["dead-relu"]
    assert (finding.subjects, finding.value, finding.threshold) == (("model.1",), 100.0, 50.0)


@pytest.mark.parametrize("kind", ["Tanh", "Sigmoid"])
def test_units_at_the_end_of_their_range(network, kind):
    dbg = network(kind)
    dbg.iterate(1)
    dbg.apply(SetValue("model.0.weight", 200.0))
    dbg.iterate(20)
    assert suspicions(dbg)["saturated-activation"].value == 100.0


@pytest.mark.parametrize("kind", ["Tanh", "Sigmoid"])
def test_units_that_begin_at_the_end_of_their_range_began_with_poor_values(network, kind):
    dbg = network(kind)
    dbg.apply(SetValue("model.0.weight", 200.0))
    dbg.iterate(20)
    (finding,) = dbg.findings
    assert finding.id == "poor-initialisation"
    assert "When training began, the inputs of model.1 had a standard deviation" in finding.detail


@pytest.mark.parametrize("kind", ["ReLU", "Tanh", "Sigmoid"])
def test_units_in_their_range_are_not_reported(network, kind):
    dbg = network(kind)
    dbg.iterate(40)
    assert suspicions(dbg) == {}


def test_looking_leaves_nothing_behind(make):
    dbg = make(
        data={"a": {"kind": "moons", "samples": 64, "batch_size": 16, "shuffle": True}},
        modules={
            "model": [
                {"kind": "Linear", "in_features": 2, "out_features": 4, "bias": False},
                {"kind": "BatchNorm1d", "num_features": 4},
                {"kind": "ReLU"},
                {"kind": "Dropout", "p": 0.5},
                {"kind": "Linear", "in_features": 4, "out_features": 1},
            ]
        },
    )
    dbg.iterate(3)
    before = dbg.program.capture().to_tree()
    layers = [name for name, *_ in dbg.program.layer_activations("loss")]
    assert layers == [f"model.{number}" for number in range(5)]
    assert repr(dbg.program.capture().to_tree()) == repr(before)
    assert all(module.training for module in dbg.program.modules["model"].modules())
    dbg.iterate(40)
    dbg.seek(0)
    dbg.seek(len(dbg.events))
