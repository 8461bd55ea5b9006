"""What the four buttons act on: the loop decides, until a person does."""

import pytest

from gradstep.history.records.snapshot import OptimizerRecord
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep_gui.records import Document
from gradstep_gui.targets import Targets

TWO = Document("two heads", losses=("loss_a", "loss_b"), optimizers=("opt_a", "opt_b"))


@pytest.fixture
def targets(qapp):
    targets = Targets()
    targets.follow_document(TWO)
    return targets


def test_at_first_the_buttons_act_on_the_first_of_each(targets):
    assert targets.forward() == Forward("loss_a")
    assert targets.backward() == Backward("loss_a")
    assert targets.zero_grad() == ZeroGrad("opt_a")
    assert targets.step() == Step("opt_a")


def test_the_loops_next_operation_leads(targets):
    targets.follow_loop(Forward("loss_b"))
    assert targets.forward() == Forward("loss_b")
    assert targets.step() == Step("opt_a")
    targets.follow_loop(Step("opt_b"))
    assert targets.backward() == Backward("loss_b")
    assert targets.step() == Step("opt_b")


def test_a_choice_stays_whatever_the_loop_has_next(targets):
    targets.choose_loss("loss_a")
    targets.follow_loop(Forward("loss_b"))
    assert targets.forward() == Forward("loss_a")
    targets.choose_loss(None)
    assert targets.forward() == Forward("loss_b")


def test_a_held_batch_is_used_again(targets):
    targets.set_options(hold=True)
    assert targets.forward() == Forward("loss_a", "held")


def test_retain_graph_and_zero_grad_writes_zeros_change_the_operations(targets):
    assert targets.of_runs() is None
    targets.set_options(retain_graph=True)
    targets.set_options(zeros=True)
    assert targets.backward() == Backward("loss_a", retain_graph=True)
    assert targets.zero_grad() == ZeroGrad("opt_a", set_to_none=False)
    assert targets.forward() == Forward("loss_a")
    choose = targets.of_runs()
    assert choose(Backward("loss_b")) == Backward("loss_b", retain_graph=True)
    assert choose(Step("opt_b")) == Step("opt_b")


def test_another_program_forgets_choices_that_it_has_not(targets):
    targets.choose_loss("loss_b")
    targets.choose_optimizer("opt_b")
    targets.follow_document(Document("one", losses=("loss",), optimizers=("opt_b",)))
    assert targets.chosen == (None, "opt_b")
    assert targets.forward() == Forward("loss")


def test_runs_hold_the_batch_of_a_step_that_evaluates_the_loss_as_soon_as_there_is_one(targets):
    chosen = []
    targets.changed.connect(lambda: chosen.append(targets.of_runs()))
    targets.set_options(hold=True)
    assert chosen[-1](Step("opt_a")) == Step("opt_a")
    targets.follow_optimizers([OptimizerRecord("opt_a", "LBFGS", ())])
    assert chosen[-1](Step("opt_a")) == Step("opt_a", batch="held")
    reported = len(chosen)
    targets.follow_optimizers([OptimizerRecord("opt_a", "LBFGS", ())])
    assert len(chosen) == reported
