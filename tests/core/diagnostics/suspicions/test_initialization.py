"""Initial values: units that are alike for ever, and signals too small to learn from."""

import pytest

from gradstep.program.operation import SetValue

DEEP = [
    {"kind": "Linear", "in_features": 2, "out_features": 6},
    {"kind": "Tanh"},
    {"kind": "Linear", "in_features": 6, "out_features": 6},
    {"kind": "Tanh"},
    {"kind": "Linear", "in_features": 6, "out_features": 1},
]


def poor(debugger):
    return [item for item in debugger.findings if item.id == "poor-initialisation"]


@pytest.fixture
def begin(make):
    """Run 40 iterations from weights that are those of torch, times a factor, or all one number."""

    def begun(factor=1.0, constant=None):
        dbg = make(modules={"model": DEEP})
        for name, tensor in dbg.snapshot.parameters.items():
            if constant is not None:
                dbg.apply(SetValue(tensor=name, value=constant))
            elif factor != 1.0:
                dbg.apply(SetValue(tensor=name, value=(factor * tensor.data).tolist()))
        dbg.iterate(100)
        return poor(dbg)

    return begun


@pytest.mark.parametrize("value", [0.3, 0.0])
def test_units_with_the_same_weights_never_differ(begin, value):
    (finding,) = begin(constant=value)
    assert finding.subjects == ("model.0.weight", "model.2.weight")
    assert "The units of each of model.0 and model.2 have the same weights" in finding.detail
    assert "TheDeepChecker" in finding.source


def test_one_layer_with_equal_units_is_counted(make):
    dbg = make()
    dbg.apply(SetValue(tensor="model.0.weight", value=0.1))
    dbg.apply(SetValue(tensor="model.0.bias", value=0.0))
    dbg.apply(SetValue(tensor="model.2.weight", value=0.1))
    dbg.iterate(20)
    (finding,) = poor(dbg)
    assert "The 4 units of model.0 have the same weights" in finding.detail


def test_signals_that_begin_next_to_nothing_are_reported_where_the_loss_stays(begin):
    (finding,) = begin(factor=1e-3)
    assert finding.subjects == ("model.3",)
    assert finding.value < finding.threshold == 0.5
    assert "averaged over iterations loss has fallen by less than a tenth since" in finding.detail


def test_the_initial_values_of_torch_are_not_suspected(begin):
    assert begin() == []


def test_what_the_first_steps_do_to_the_activations_is_not_how_they_began(make):
    rate = {"kind": "SGD", "params": ["model.*"], "lr": 0.5, "weight_decay": 1.0}
    dbg = make(modules={"model": DEEP}, optimizers={"optimizer": rate})
    dbg.iterate(100)
    assert [item.id for item in dbg.findings] == ["weight-decay"]


def test_a_program_whose_target_broadcasts_is_measured_without_a_warning(make):
    data = {"kind": "inline", "inputs": [[0.0, 1.0], [1.0, 0.0]], "targets": [0.0, 1.0]}
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}
    dbg = make(data={"a": data}, losses={"loss": loss})
    dbg.iterate(20)
    assert "broadcast-loss" in {item.id for item in dbg.findings}


def test_a_branch_remembers_how_it_began(make):
    dbg = make(modules={"model": DEEP})
    for name, tensor in dbg.snapshot.parameters.items():
        dbg.apply(SetValue(tensor=name, value=(1e-3 * tensor.data).tolist()))
    dbg.iterate(30)
    dbg.back()
    dbg.iterate(70)
    assert dbg.branches.current.id
    assert "poor-initialisation" in {item.id for item in dbg.findings}


def test_a_branch_that_begins_with_other_values_is_judged_by_its_own(make):
    rate = {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 1e-9}}
    dbg = make(optimizers=rate)
    weight = dbg.snapshot.parameters["model.0.weight"].data
    dbg.apply(SetValue(tensor="model.0.weight", value=(100 * weight).tolist()))
    dbg.iterate(100)
    assert [item.value > 20 for item in poor(dbg)] == [True]
    dbg.checkout(dbg.what_if(skip=(1,)))
    assert [item.id for item in dbg.findings] == ["small-steps"]


def test_where_a_rule_is_broken_initial_values_are_not_to_blame(make):
    dbg = make(
        data={"a": {"kind": "moons", "samples": 32}},
        modules={"model": DEEP, "other": DEEP},
        optimizers={"optimizer": {"kind": "SGD", "params": ["other.*"], "lr": 0.1}},
    )
    dbg.iterate(60)
    found = {item.id for item in dbg.findings}
    assert "loss-not-decreasing" not in found
    assert "poor-initialisation" not in found
