"""Snapshots of the current moment: findings on the whole branch, steps, and micro-steps."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger.snapshot_builder import SnapshotBuilder
from gradstep.history.records.event import Event
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad


def test_a_snapshot_names_all_events_of_a_finding_also_later_ones(make):
    network = make(loop=[{"op": "forward"}, {"op": "backward"}, {"op": "step"}])
    network.iterate(3)
    network.seek(6)
    (shown,) = (item for item in network.snapshot.occurrences if item.id == "grad-accumulated")
    assert max(shown.events) > 6


def test_a_snapshot_inside_an_operation_has_the_number_of_its_micro_step(network):
    network.forward()
    numbers = []
    for _ in range(3):
        network.step_into()
        numbers.append(network.snapshot.micro_step_number)
    assert numbers == [1, 2, 3]
    network.step_out()
    assert network.snapshot.micro_step_number == 0


def test_steps_are_counted_by_optimizer_in_both_directions(make):
    network = make()
    network.iterate(3)
    steps = [network.snapshot.optimizers["optimizer"].steps]
    for event in (7, 12, 0):
        network.seek(event)
        steps.append(network.snapshot.optimizers["optimizer"].steps)
    assert steps == [3, 1, 3, 0]


def plain(value):
    """Return a record as data that can be compared, arrays by their bytes."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if hasattr(value, "items"):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if hasattr(type(value), "__slots__") or hasattr(value, "__dataclass_fields__"):
        names = getattr(value, "__dataclass_fields__", ())
        return type(value).__name__, {name: plain(getattr(value, name)) for name in names}
    return value


def built_anew(network):
    """Return a Snapshot that takes nothing from an earlier one."""
    reports = network._cursor.touched
    try:
        return SnapshotBuilder(network._cursor).take(None)
    finally:
        network._cursor.touched = reports


@pytest.mark.parametrize(
    "operation", [ZeroGrad(), Forward(), Backward(), Step()], ids=lambda one: type(one).__name__
)
def test_after_each_move_inside_a_snapshot_is_as_one_that_is_built_anew(make, operation):
    network = make()
    network.iterate(2)
    network.forward()
    network.backward(retain_graph=True)
    moves = [lambda: network.step_into(operation), *[network.step_into] * 7, *[network.back] * 3]
    moves += [network.step_into, *[network.back] * 2, network.step_over, network.back]
    for move in moves:
        if isinstance(move(), Event):
            network.back()
        assert plain(network.capture_snapshot(None)) == plain(built_anew(network))
    network.seek(9)
    assert plain(network.capture_snapshot(None)) == plain(built_anew(network))
