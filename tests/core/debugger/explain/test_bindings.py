"""Bindings: which parameter group holds which tensor by identity, and what is wrong with it."""

from gradstep.program.operation import Freeze, RebuildModule
from tests.core.debugger.conftest import LINE, NETWORK, changed, open_program


def rows(debugger):
    return [(item.tensor, item.optimizer, item.group, item.status) for item in debugger.bindings()]


def tensors(*names):
    return {name: {"value": 1, "requires_grad": True} for name in names}


def sgd(*params):
    return {"kind": "SGD", "params": list(params)}


def test_bindings_name_the_group_of_each_parameter():
    dbg = open_program(
        changed(
            LINE,
            tensors=tensors("x", "y"),
            losses={"loss": {"expression": "x * y"}},
            optimizers={"a": sgd("y", {"params": ["x"], "lr": 0.5})},
        )
    )
    assert rows(dbg) == [("x", "a", 1, "held"), ("y", "a", 0, "held")]


def test_orphans_foreign_tensors_and_duplicates_are_reported():
    dbg = open_program(
        changed(
            LINE,
            tensors=tensors("orphan", "foreign", "twice"),
            losses={"loss": {"expression": "orphan * twice"}},
            optimizers={"a": sgd("foreign", "twice"), "b": sgd("twice")},
        )
    )
    assert rows(dbg) == [
        ("orphan", "", None, "orphan"),
        ("foreign", "a", 0, "foreign"),
        ("twice", "a", 0, "duplicate"),
        ("twice", "b", 0, "duplicate"),
    ]


def test_frozen_tensors_are_frozen_whether_held_or_not():
    dbg = open_program(
        changed(
            LINE,
            tensors=tensors("x", "y"),
            losses={"loss": {"expression": "x * y"}},
            optimizers={"a": sgd("x")},
        )
    )
    dbg.apply(Freeze("*"))
    assert rows(dbg) == [("x", "a", 0, "frozen"), ("y", "", None, "frozen")]


def test_replaced_tensors_are_stale_and_the_new_ones_are_orphans():
    dbg = open_program(NETWORK)
    names = [name for name, *_ in rows(dbg)]
    dbg.apply(RebuildModule("model"))
    assert rows(dbg) == [
        *((name, "", None, "orphan") for name in names),
        *((f"{name} (stale)", "optimizer", 0, "stale") for name in names),
    ]


def test_buffers_are_not_parameters():
    modules = {
        "model": [
            {"kind": "Linear", "in_features": 2, "out_features": 1},
            {"kind": "BatchNorm1d", "num_features": 1},
        ]
    }
    dbg = open_program(changed(NETWORK, modules=modules))
    assert "model.1.running_mean" not in [name for name, *_ in rows(dbg)]


def test_the_facts_agree_with_the_bindings():
    dbg = open_program(
        changed(
            LINE,
            tensors=tensors("foreign", "twice"),
            losses={"loss": {"expression": "twice"}},
            optimizers={"a": sgd("foreign", "twice"), "b": sgd("twice")},
        )
    )
    reported = {finding.id: finding.subjects for finding in dbg.findings}
    assert reported == {"optimizer-foreign": ("foreign",), "optimizer-duplicate": ("twice",)}
