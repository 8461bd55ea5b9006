"""Resuming from a checkpoint: what is lost, and where it shows first."""

from __future__ import annotations

import math

import pytest

from gradstep.debugger.shadow_program import StoppedError
from gradstep.errors import OperationError
from gradstep.program.operation import (
    ClipGradNorm,
    Freeze,
    LoadState,
    ReplaceOptimizer,
    SetBatchSize,
)

LOOP = [
    {"op": "zero_grad"},
    {"op": "forward"},
    {"op": "backward"},
    {"op": "step"},
    {"op": "scheduler_step", "scheduler": "decay"},
]


@pytest.fixture
def trained(make):
    step = {"kind": "StepLR", "step_size": 3, "gamma": 0.5}
    debugger = make(loop=LOOP, schedulers={"decay": step})
    debugger.iterate(10)
    return debugger


def test_a_full_resume_gives_every_bit_and_the_weights_alone_do_not(trained):
    found = trained.resume_check()
    assert (found.at, found.iteration, found.last) == (25, 5, 50)
    assert found.full.is_same
    assert found.full.error == ""
    assert found.lost == ("optimizers", "schedulers", "generator", "data_order")
    # The break is in the midst of an epoch: the next batch is another one.
    assert (found.weights_only.first_event, found.weights_only.difference.address) == (27, "loss")
    assert found.sentence.startswith(
        "A full resume gives the same bits as the uninterrupted run. The weights alone lack the "
        "optimizer state, the scheduler state, the generator and the data order: "
        "the loss ends at "
    )
    assert " instead of " in found.sentence
    assert ". The first value that differs is loss, after Event 27: " in found.sentence


def test_each_part_shows_where_it_is_needed_first(trained):
    found = trained.resume_check(at=25)
    without = {
        ({*found.full.parts} - {*item.parts}).pop(): (item.first_event, item.difference.address)
        for item in found.resumptions[1:-1]
    }
    assert without == {
        "optimizers": (29, "model.0.weight"),
        "schedulers": (34, "model.0.weight"),
        "generator": (27, "loss"),
        "data_order": (27, "loss"),
    }


def test_plain_gradient_descent_on_all_rows_needs_the_weights_alone(make):
    line = make("line")
    line.iterate(6)
    found = line.resume_check()
    assert (found.lost, found.weights_only.is_same) == ((), True)
    assert found.sentence == (
        "The weights alone are enough: a run resumed from them gives the same bits."
    )


def test_gradients_that_were_accumulated_are_in_no_checkpoint(make):
    line = make("line", loop=[{"op": "forward"}, {"op": "backward"}, {"op": "step"}])
    line.iterate(6)
    found = line.resume_check()
    assert not found.full.is_same
    assert found.unheld == ("the gradients of x",)
    assert found.sentence.startswith("Even a full resume differs: the loss ends at 120 instead of")
    assert found.sentence.endswith("A checkpoint does not store the gradients of x.")


def test_everything_else_that_a_checkpoint_lacks_is_named(trained):
    trained.apply(Freeze("model.0.*"))
    trained.apply(SetBatchSize("a", 5))
    at = len(trained.events)
    trained.iterate(4)
    found = trained.resume_check(at)
    assert not found.full.is_same
    assert "requires_grad of model.0.weight, model.0.bias" in found.unheld
    assert "the batch size of a" in found.unheld


def test_after_zero_grad_a_checkpoint_lacks_nothing(trained):
    assert trained.resume_check(at=26).unheld == ()


def test_a_resumed_run_that_fails_keeps_what_differed_before(trained):
    trained.forward()
    at = len(trained.events)
    trained.apply(ClipGradNorm(1e-6))
    assert trained.backward().outcome.ok
    full = trained.resume_check(at).full
    assert (full.first_event, full.difference.address) == (at + 1, "model.0.weight.grad")
    assert full.error == "loss has not been computed yet; apply Forward first"


def test_another_kind_of_optimizer_cannot_take_the_state(trained):
    trained.apply(ReplaceOptimizer("SGD"))
    trained.iterate(2)
    found = trained.resume_check(at=51)
    assert (found.full.error, found.full.is_same) == (
        "optimizer is Adam now, but SGD in that state; load only the other parts",
        False,
    )
    assert "the run fails with: optimizer is Adam now" in found.sentence


def test_a_state_loaded_after_the_break_is_the_one_recorded(trained):
    trained.apply(LoadState(10))
    trained.iterate(1)
    assert trained.resume_check(at=25).full.is_same


def test_losses_are_listed_side_by_side(trained):
    found = trained.resume_check()
    rows = list(found.rows(3))
    recorded = {event.iteration: event.loss for event in trained.events if event.loss is not None}
    assert [iteration for iteration, *_ in rows] == [5, 7, 9]
    for iteration, whole, full, weights in rows:
        assert whole == full == recorded[iteration]
        assert weights != whole
        assert not math.isnan(weights)


def test_checking_moves_no_cursor(trained, state_of):
    trained.seek(13)
    before = state_of(trained)
    trained.resume_check()
    assert (state_of(trained), trained.position) == (before, (13, None))


def test_progress_is_reported_and_a_check_can_be_stopped(trained):
    reports = []
    trained.resume_check(progress=lambda *done: reports.append(done))
    assert reports[-1] == (150, 150)
    with pytest.raises(StoppedError):
        trained.resume_check(should_stop=lambda: True)


@pytest.mark.parametrize("at", [-1, 50, 99])
def test_a_resume_with_nothing_after_it_is_rejected(trained, at):
    with pytest.raises(OperationError, match=f"nothing was recorded after Event {at}"):
        trained.resume_check(at)


def test_a_program_that_never_ran_is_rejected_with_the_remedy_to_run(network):
    with pytest.raises(OperationError, match="nothing was recorded after Event 0; run it first"):
        network.resume_check()
