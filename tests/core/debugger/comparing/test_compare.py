"""Comparisons of branches and sessions find where they part, and how far they drift."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import OperationError, SessionError
from gradstep.program.document.codec import decode
from gradstep.program.operation import Forward, SetHyperparameter, Step, ZeroGrad

WIDE = {
    "gradstep": 1,
    "tensors": {"x": {"value": [0.5] * 9000, "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(x * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}},
}


def test_a_branch_is_the_same_as_itself_and_as_its_repetition(network):
    network.iterate(5)
    again = network.what_if(at=3)
    found = network.compare(0, again)
    assert found.is_same
    assert (found.first_event, found.tensor, found.element, found.ulps) == (None, None, None, 0)
    assert found.sentence == "No value differs in the 20 Events that both have."
    assert all(row.distance == 0 for row in found.rows)


def test_another_learning_rate_shows_at_the_first_step_after_it(network):
    network.iterate(4)
    branch = network.what_if(at=6, set={"optimizer.lr": 0.5})
    found = network.compare(branch)
    assert (found.first_event, found.events, found.iteration) == (8, (8, 9), 1)
    assert found.tensor == "model.0.weight"
    assert found.first_diverging == (None, 6)
    network.seek(8)
    a = network.snapshot.parameters["model.0.weight"].data
    network.checkout(branch)
    network.seek(9)
    b = network.snapshot.parameters["model.0.weight"].data
    assert a[found.element] != b[found.element]
    bits = [int(array[found.element].view(np.int32)) for array in (a, b)]
    assert found.ulps == abs(bits[0] - bits[1])
    assert found.difference.count == np.count_nonzero(a != b)
    assert found.notes == (
        "The Operations diverge at Event 6: nothing in 'main', "
        "Set Hyperparameter lr 0.5 optimizer in 'lr 0.5 from #6'.",
        "'main' has 16 Events and 'lr 0.5 from #6' has 17.",
    )


def test_the_summary_names_the_final_losses_before_the_bits(line):
    line.iterate(2)
    found = line.compare(line.what_if(at=1, set={"optimizer.lr": 0.002}))
    assert found.sentence == (
        "With lr 0.002 the loss ends at 260; without it at 280. They diverge at Step #4 (x)."
    )
    assert found.details[0] == (
        "x[0] differs first, after Event 4, which is 5 in 'lr 0.002 from #1' (Step optimizer): "
        "0.9 in 'main' and 0.8 in 'lr 0.002 from #1'. 2 of its elements differ."
    )
    assert found.details[1:-1] == found.notes
    assert found.bits.startswith(f"In bits: x[0] differs by {found.ulps:,} units in the last place")


def test_a_skipped_zero_grad_shows_as_none_against_values(line):
    line.iterate(2)
    found = line.compare(line.branches.current, line.what_if(skip=(5,)))
    assert (found.first_event, found.tensor, found.ulps) == (5, "x.grad", None)
    assert (found.difference.a, found.difference.b) == ("None", "float32 values of shape (2,)")
    assert found.sentence == "They diverge at Zero Grad #5 (x.grad)."
    assert found.first_difference == (
        "x.grad differs first, after Event 5 (Zero Grad optimizer and skipped Zero Grad "
        "optimizer): None in 'main' and float32 values of shape (2,) in 'without Zero Grad #5'."
    )


def test_tensors_that_only_one_branch_has_are_named(line):
    line.iterate(2)
    found = line.compare(line.what_if(insert=((9, Step()),)))
    assert found.events == (None, 9)
    assert found.sentence == (
        "No value differs in the 8 Events that both have; then Step #9 of 'with Step at the end' "
        "changes x."
    )
    assert found.notes == ("'with Step at the end' has 1 more Event.",)


def test_rows_compare_equal_iterations(network):
    network.iterate(30)
    branch = network.what_if(at=41, set={"optimizer.lr": 0.5}, skip=(60,))
    found = network.compare(branch, rows=4)
    assert [row.iteration for row in found.rows] == [0, 10, 20, 30]
    assert [row.events for row in found.rows] == [(0, 0), (40, 40), (80, 81), (120, 121)]
    assert [row.distance > 0 for row in found.rows] == [False, False, True, True]
    last = network.history.series.column("loss/loss")[1][-1]
    other = branch.history.series.column("loss/loss")[1][-1]
    assert found.rows[-1].values["loss/loss"] == (last, other)
    assert math.isnan(found.rows[0].values["loss/loss"][0])


def test_comparing_moves_no_cursor(network, state_of):
    network.iterate(4)
    branch = network.what_if(at=2, skip=(2,))
    network.seek(7)
    before = state_of(network)
    network.compare(0, branch)
    assert (network.branches.current.id, network.position) == (0, (7, None))
    assert state_of(network) == before


def test_nested_branches_share_the_events_of_their_parents(network):
    network.iterate(5)
    first = network.what_if(at=9, set={"optimizer.lr": 0.5})
    network.checkout(first)
    second = network.what_if(at=15, skip=(17,))
    assert network.compare(first, second).first_event == 17
    assert network.compare(second, 0).events == (13, 12)
    third = network.what_if(at=5, skip=(8,))
    assert network.compare(third, second).first_event == 8


def test_two_sessions_are_compared_from_their_files(make, tmp_path):
    one, two = make(), make()
    one.iterate(4)
    two.iterate(2)
    two.apply(SetHyperparameter("lr", 0.5))
    two.iterate(2)
    one.save(tmp_path / "one.gradstep")
    two.save(tmp_path / "two.gradstep")
    found = one.compare(tmp_path / "one.gradstep", tmp_path / "two.gradstep")
    assert found.names == ("one.gradstep", "two.gradstep")
    assert found.events == (12, 13)
    assert one.compare(two).events == (12, 13)
    assert one.compare(tmp_path / "one.gradstep").is_same
    assert one.compare(two, one).events == (13, 12)


def test_programs_with_other_initial_values_differ_at_the_start(make):
    one, two = make(), make(seed=4)
    one.iterate(1)
    two.iterate(1)
    found = one.compare(one, two)
    assert (found.first_event, found.tensor) == (0, "model.0.weight")
    assert found.sentence == (
        "With seed 3 the loss ends at 0.7257; with seed 4 at 0.7402. They differ from the start "
        "(model.0.weight)."
    )
    assert "model.0.weight[0, 0] differs first, at the start: " in found.first_difference
    assert found.notes == ("The programs differ: $.seed is 3 and 4.",)


def test_differences_of_shape_and_dtype_and_missing_tensors_are_reported(make):
    line = make("line")
    wider = make("line", tensors={"x": {"value": [1, 2, 3], "requires_grad": True}})
    double = make("line", dtype="float64")
    more = make("line", tensors={"x": {"value": [1, 2], "requires_grad": True}, "y": {"value": 1}})
    differences = [line.compare(line, other).difference for other in (wider, double, more)]
    assert [(found.address, found.a, found.b) for found in differences] == [
        ("x", "float32 values of shape (2,)", "float32 values of shape (3,)"),
        ("x", "float32 values of shape (2,)", "float64 values of shape (2,)"),
        ("y", "None", "one float32 value"),
    ]


def test_a_difference_outside_the_checksums_is_found_in_the_values(tmp_path):
    document = json.dumps(WIDE)
    (tmp_path / "one.json").write_text(document)
    values = WIDE["tensors"]["x"]["value"].copy()
    values[15] = 0.5000001
    other = {**WIDE, "tensors": {"x": {"value": values, "requires_grad": True}}}
    (tmp_path / "two.json").write_text(json.dumps(other))
    one, two = Debugger.open(tmp_path / "one.json"), Debugger.open(tmp_path / "two.json")
    for debugger in (one, two):
        debugger.zero_grad()
    assert [event.checksum for event in one.events] == [event.checksum for event in two.events]
    found = one.compare(one, two)
    assert (found.first_event, found.element, found.ulps) == (0, (15,), 2)


def test_nan_on_both_sides_is_the_same(make):
    blown = make("line", losses={"loss": {"expression": "sum(exp(100 * x) - exp(100 * x))"}})
    blown.iterate(3)
    assert np.isnan(blown.snapshot.parameters["x"].data).all()
    assert blown.compare(0, blown.what_if(at=2)).is_same


def test_an_operation_that_fails_on_one_branch_only_is_reported(network):
    network.iterate(2)
    branch = network.what_if(skip=(6,))
    found = network.compare(branch)
    assert (found.first_event, found.tensor) == (6, "loss")
    assert found.notes[-1] == "'main' has 8 Events and 'without Forward #6' has 7."


def test_branches_that_cannot_be_compared_are_rejected(network, tmp_path):
    with pytest.raises(OperationError, match="there is no branch 7"):
        network.compare(0, 7)
    with pytest.raises(SessionError, match=r"none\.gradstep"):
        network.compare(tmp_path / "none.gradstep")


def test_branches_of_operations_outside_a_loop_are_aligned_up_to_the_shorter_one(line):
    for _ in range(3):
        line.apply(Forward())
    line.seek(1)
    line.apply(ZeroGrad())
    line.apply(Forward())
    found = line.compare(0, 1)
    assert found.difference is None
    assert not found.is_same


UNSEEN = 6159
"""An element that the checksums of Events 4 and 5 do not cover."""


@pytest.fixture
def masked():
    """Return a program whose steps change one of 9000 elements."""
    mask = [0.0] * 9000
    mask[UNSEEN] = 1.0
    tensors = {
        "mask": {"value": mask},
        "x": {"value": [0.5] * 9000, "requires_grad": True},
    }
    losses = {"loss": {"expression": "sum(mask * x)"}}
    return Debugger(decode(json.dumps({**WIDE, "tensors": tensors, "losses": losses}).encode()))


@pytest.mark.parametrize("iterations", [1, 2, 5])
def test_a_step_whose_checksum_does_not_cover_the_difference_is_found(masked, iterations):
    masked.iterate(iterations)
    branch = masked.what_if(at=4, set={"optimizer.lr": 0.5})
    step, other = masked.events[3], branch.history.log.event(5)
    assert type(step.operation) is type(other.operation) is Step
    assert step.checksum == other.checksum
    found = masked.compare(0, branch)
    assert (found.events, found.tensor, found.element) == ((4, 5), "x", (UNSEEN,))
