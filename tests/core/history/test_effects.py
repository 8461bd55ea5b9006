"""What an Event read, wrote and left alone, in words."""

from gradstep.debugger import Debugger
from gradstep.history.effects import Effects, effects_of
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, Forward, Freeze, SetMode, Step, ZeroGrad


def effects(start, *operations):
    """Apply Operations to a lesson, and return the effects of the last."""
    path = next(item.path for item in scenarios() if item.path.name.startswith(start))
    dbg = Debugger.open(path)
    for operation in operations:
        event = dbg.apply(operation)
    return effects_of(event, dbg.capture_snapshot(()))


def test_forward_records_a_graph_and_leaves_parameters_and_gradients_alone():
    assert effects("01", Forward()) == Effects(
        reads=("x",),
        writes=("the value of loss", "the graph of loss: recorded"),
        leaves=("x", "x.grad", "lr of optimizer"),
    )


def test_backward_writes_gradients_and_leaves_parameters_alone():
    assert effects("01", Forward(), Backward()) == Effects(
        reads=("the graph of loss",),
        writes=("x.grad", "the graph of loss: its saved values are freed"),
        leaves=("x", "lr of optimizer", "the value of loss"),
    )


def test_step_reads_gradients_and_leaves_them_alone():
    assert effects("19", Forward(), Backward(), Step()) == Effects(
        reads=("x", "x.grad", "lr, betas and eps of optimizer"),
        writes=("x", "step, exp_avg and exp_avg_sq of x"),
        leaves=("x.grad", "lr of optimizer", "the value of loss"),
    )


def test_zero_grad_leaves_the_state_of_the_optimizer_alone():
    assert effects("19", Forward(), Backward(), Step(), ZeroGrad()) == Effects(
        reads=(),
        writes=("x.grad",),
        leaves=("x", "step, exp_avg and exp_avg_sq of x", "lr of optimizer", "the value of loss"),
    )


def test_many_tensors_are_counted():
    d_step = effects("22", Forward("d_loss"), Backward("d_loss"), Step("d_optimizer"))
    assert d_step.reads == (
        "4 of 8 parameters",
        "the gradients of 4 of 8 parameters",
        "lr, betas and eps of d_optimizer",
    )
    assert d_step.writes == ("4 of 8 parameters", "step, exp_avg and exp_avg_sq of 4 parameters")
    assert d_step.leaves[:2] == ("4 of 8 parameters", "the gradients of all 8 parameters")


def test_data_and_random_numbers_are_named():
    forward = effects("06", Forward())
    assert forward.reads == ("all 4 parameters", "a batch of iris", "the random generator")
    assert forward.writes == (
        "the value of loss",
        "the graph of loss: recorded",
        "the position in iris",
        "the random generator",
    )


def test_buffers_are_no_parameters():
    averages = "model.0.running_mean, model.0.running_var and model.0.num_batches_tracked"
    assert averages in effects("15", Forward()).writes
    assert averages in effects("15", Forward(), Backward()).leaves


def test_a_flag_is_not_a_value():
    frozen = effects("01", Freeze("x"))
    assert frozen.writes == ("requires_grad of x",)
    assert frozen.leaves[0] == "1 tensor without gradient" or frozen.leaves[0] == "x"
    assert effects("15", SetMode(False)).writes == ("the mode of model",)


def test_what_failed_wrote_nothing():
    assert effects("01", Backward()) == Effects((), (), ("x", "x.grad", "lr of optimizer"))
