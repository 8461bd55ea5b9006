"""Snapshots of the current moment: findings on the whole branch, steps, and micro-steps."""

from __future__ import annotations


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
