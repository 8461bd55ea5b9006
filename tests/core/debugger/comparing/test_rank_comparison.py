"""The parameters of ranks are compared Step by Step, whatever else each of them does."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger.comparing.rank_comparison import RankComparison
from gradstep.program.operation import Backward, Forward, ScriptCall, Step, ZeroGrad
from gradstep.script.tape import ScriptRun, Tape, TapeRow, TrackedModule, TrackedOptimizer


class Rank:
    """A tape that a test writes.

    Args:
        start: The parameter at first.
        kind: The class of the module.
    """

    def __init__(self, start=1.0, kind="DistributedDataParallel"):
        run = ScriptRun("train.py")
        run.initial = {"w": np.array([start, 0.0], np.float32), "mean": np.zeros(1, np.float32)}
        run.trained, run.buffers = {"w"}, {"mean"}
        run.modules = [TrackedModule("ddp", (("", kind, "", True),))]
        run.optimizers["optimizer"] = TrackedOptimizer(
            "optimizer", "SGD", "torch.optim.sgd", (("w",),), ({"lr": 0.1},)
        )
        self.tape = Tape(run)

    def write(self, operation, loss=None, **values):
        self.tape.rows.append(
            TapeRow(
                operation,
                loss=loss,
                values={
                    name.replace("_", "."): None if value is None else np.array(value, np.float32)
                    for name, value in values.items()
                },
            )
        )

    def iterate(self, weight, gradient=(0.5, 0.5), *, loss=1.0):
        """Do one iteration; `weight` None for one whose values are not recorded."""
        values = {} if weight is None else {"w_grad": gradient}
        self.write(ZeroGrad(), **({} if weight is None else {"w_grad": None}))
        self.write(Forward(), loss)
        self.write(Backward(), **values)
        self.write(Step(at="train.py:9"), **({} if weight is None else {"w": weight}))


def compared(*ranks):
    comparison = RankComparison({number: rank.tape for number, rank in enumerate(ranks)})
    comparison.update()
    return comparison


def test_equal_parameters_are_counted_and_losses_and_buffers_do_not_matter():
    one, two = Rank(), Rank()
    for step in range(3):
        one.iterate((step, 2), loss=1.0)
        two.write(ScriptCall("forward", "model"))  # such as an evaluation on one rank alone
        two.iterate((step, 2), loss=2.0)
        two.write(ScriptCall("update_by_hand"), mean=[step])
    comparison = compared(one, two)
    assert (comparison.divergence(1), comparison.compared(1)) == (None, 3)
    assert [comparison.loss(number) for number in (0, 1)] == [1.0, 2.0]
    assert comparison.count(1, Step()) == 3
    assert comparison.norms(0) == (pytest.approx(8**0.5), pytest.approx(0.5**0.5))


def test_where_they_part_is_told_with_the_gradient_before_it():
    one, two = Rank(), Rank()
    for rank in (one, two):
        rank.iterate((3, 4))
    one.iterate((5, 6), gradient=(1, 1))
    two.write(ScriptCall("update_by_hand"))
    two.iterate((5, 6.5), gradient=(1, 2))
    found = compared(one, two).divergence(1)
    assert (found.step, found.event, found.at, found.optimizer) == (2, 9, "train.py:9", "optimizer")
    assert (found.difference.place, found.difference.a, found.difference.b) == (
        "w[1]",
        "6.0",
        "6.5",
    )
    assert (found.largest, found.tensors, found.is_synchronized) == (0.5, 1, True)
    assert found.cause == "w.grad[1] was 1.0 on rank 0 and 2.0 on this one."
    assert found.sentence == "The ranks' parameters diverge at Step #2 (Event 9): w[1]"


def test_equal_gradients_leave_the_optimizer_as_the_cause():
    one, two = Rank(), Rank()
    one.iterate((3, 4))
    two.iterate((3, 5))
    assert compared(one, two).divergence(1).cause == (
        "Their gradients were equal: the optimizer's state or options differ."
    )


def test_a_difference_before_the_first_step_is_told_as_that():
    one, two = Rank(1.0, "Linear"), Rank(2.0, "Linear")
    one.iterate((3, 4))
    two.iterate((3, 5))
    found = compared(one, two).divergence(1)
    assert found.sentence == "The ranks' parameters differ before the first Step: w[0]"
    assert found.cause == "They were not the same before the first Step."
    assert not found.is_synchronized


def test_what_is_equal_again_is_told_since_when():
    one, two = Rank(), Rank()
    for weight in ((3, 4), (5, 6), (7, 8)):
        one.iterate(weight)
    for weight in ((3, 5), (5, 6), (7, 8)):
        two.iterate(weight)
    found = compared(one, two).divergence(1)
    assert (found.step, found.equal_since) == (1, 2)


def test_steps_whose_values_were_not_recorded_are_not_compared():
    one, two = Rank(), Rank()
    for weight in ((3, 4), None, (5, 6), None, (7, 8)):
        one.iterate(weight)
    for weight in ((3, 4), (4, 4), None, None, (7, 9)):
        two.iterate(weight)
    comparison = compared(one, two)
    found = comparison.divergence(1)
    assert comparison.compared(1) == 2
    assert found.sentence == (
        "The ranks' parameters diverge between Step #1 and Step #5 (Event 20): w[1]"
    )
    assert found.cause == "Values were not recorded in between."


def test_a_rank_that_is_behind_is_compared_when_it_comes():
    one, two, three = Rank(), Rank(), Rank()
    comparison = RankComparison({0: one.tape, 1: two.tape, 2: three.tape})
    one.iterate((3, 4))
    two.iterate((3, 4))
    comparison.update()
    assert [comparison.compared(number) for number in (1, 2)] == [0, 0]
    three.iterate((3, 4.5))
    comparison.update()
    assert [comparison.compared(number) for number in (1, 2)] == [1, 1]
    assert [comparison.divergence(number) is None for number in (1, 2)] == [True, False]


def test_parameters_of_other_shapes_are_not_the_same_ones():
    one, two = Rank(), Rank()
    two.tape.run.initial["w"] = np.zeros(3, np.float32)  # each rank has a part of the model
    one.iterate((3, 4))
    two.iterate((3, 4, 5))
    assert compared(one, two).divergence(1) is None
