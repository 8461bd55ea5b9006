"""The fact about a checkpoint of which only a part is loaded."""

import pytest

from gradstep.program.operation import (
    LoadState,
    RebuildModule,
    SchedulerStep,
    SetHyperparameter,
)

ADAM = {"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 0.1}}
ORDERED = {"a": {"kind": "moons", "samples": 32, "batch_size": 8, "shuffle": True}}


def test_weights_alone_are_not_a_resume(make, found):
    dbg = make(data=ORDERED, optimizers=ADAM)
    dbg.iterate(2)
    dbg.apply(LoadState(4, ("modules",)))
    assert found(dbg) == {"resume-incomplete": (4, 9)}
    (fact,) = dbg.findings
    assert fact.subjects == ("optimizers", "data_order")
    dbg.seek(8)
    assert found(dbg) == {}


def test_a_whole_state_is_a_resume(make, found):
    dbg = make(data=ORDERED, optimizers=ADAM)
    dbg.iterate(2)
    dbg.apply(LoadState(4))
    dbg.iterate(1)
    assert found(dbg) == {}


@pytest.mark.parametrize(
    ("part", "changes"),
    [
        ("optimizers", {"optimizers": ADAM}),
        ("schedulers", {"schedulers": {"decay": {"kind": "StepLR", "step_size": 1}}}),
        (
            "generator",
            {
                "modules": {
                    "model": [
                        {"kind": "Dropout"},
                        {"kind": "Linear", "in_features": 2, "out_features": 1},
                    ]
                }
            },
        ),
        ("data_order", {}),
    ],
)
def test_each_part_that_is_left_behind_is_named(make, found, part, changes):
    dbg = make(**changes)
    dbg.iterate(2)
    if "schedulers" in changes:
        dbg.apply(SchedulerStep("decay"))
    parts = tuple(one for one in LoadState(0).parts if one != part)
    dbg.apply(LoadState(2, parts))
    assert found(dbg)["resume-incomplete"] == (2, len(dbg.events))
    assert next(one.subjects for one in dbg.findings if one.id == "resume-incomplete") == (part,)


def test_what_has_not_changed_since_is_not_missed(make, found):
    dbg = make(data={"a": {"kind": "moons", "samples": 8}})
    dbg.zero_grad()
    dbg.forward()
    dbg.backward()
    dbg.step()
    dbg.apply(LoadState(1, ("modules", "data_order")))
    assert found(dbg) == {}


def test_an_optimizer_that_is_loaded_alone_is_not_a_resume(make, found):
    dbg = make(optimizers=ADAM)
    dbg.iterate(2)
    dbg.apply(LoadState(4, ("optimizers",)))
    assert found(dbg) == {}


ONE_BATCH = {"a": {"kind": "moons", "samples": 8}}


def losses(dbg):
    return [event.loss for event in dbg.events if event.loss is not None]


def test_parts_that_have_the_values_of_then_are_not_missed(make, found):
    dbg = make(data=ONE_BATCH)
    dbg.iterate(4)
    dbg.apply(LoadState(8, ("modules",)))
    dbg.iterate(2)
    assert losses(dbg)[4:] == losses(dbg)[2:4]
    assert found(dbg) == {}


def test_a_data_order_that_comes_round_again_is_not_missed(make, found):
    dbg = make()
    dbg.iterate(6)
    dbg.apply(LoadState(8, ("modules",)))
    dbg.iterate(4)
    assert losses(dbg)[6:] == losses(dbg)[2:6]
    assert found(dbg) == {}


def test_a_generator_that_nothing_draws_from_is_not_missed(make, found):
    dbg = make(data=ONE_BATCH)
    dbg.iterate(1)
    dbg.apply(RebuildModule("model"))
    dbg.apply(LoadState(4, ("modules",)))
    assert "resume-incomplete" not in found(dbg)


def test_a_learning_rate_that_is_set_back_is_not_missed(make, found):
    dbg = make(data=ONE_BATCH)
    dbg.iterate(1)
    dbg.apply(SetHyperparameter("lr", 0.5))
    dbg.apply(SetHyperparameter("lr", 0.1))
    dbg.apply(LoadState(4, ("modules",)))
    assert found(dbg) == {}


def test_the_fact_is_found_again_where_the_branch_forks(make, found):
    dbg = make(data=ORDERED, optimizers=ADAM)
    dbg.iterate(2)
    dbg.apply(LoadState(4, ("modules",)))
    dbg.iterate(2)
    dbg.seek(9)
    dbg.forward()
    assert found(dbg) == {"resume-incomplete": (4, 9)}
