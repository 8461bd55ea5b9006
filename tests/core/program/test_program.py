"""Running Operations: their effects, messages and errors."""

from __future__ import annotations

import numpy as np
import pytest

import gradstep
from gradstep.errors import GradStepError, OperationError
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    Freeze,
    LoadState,
    RebuildModule,
    SchedulerStep,
    SetHyperparameter,
    SetMode,
    Step,
    ZeroGrad,
)
from gradstep.program.operation_effect import OperationEffect

SCHEDULED = {
    "schedulers": {"scheduler": {"kind": "StepLR", "step_size": 2, "gamma": 0.1}},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "step"},
        {"op": "scheduler_step"},
    ],
}


def test_the_four_basic_operations_report_what_they_read_and_write(smallest):
    assert smallest.run(ZeroGrad()) == OperationEffect(message="every .grad was already None")
    assert smallest.run(Forward()) == OperationEffect(("x",), ("loss", "loss.graph"), loss=300.0)
    assert smallest.run(Backward()) == OperationEffect(("loss.graph",), ("x.grad", "loss.graph"))
    assert smallest.run(Step()) == OperationEffect(("optimizer/lr", "x", "x.grad"), ("x",))
    assert smallest.run(ZeroGrad()) == OperationEffect((), ("x.grad",))


@pytest.mark.parametrize("value", [3, [3], [[3]]])
@pytest.mark.parametrize(("expression", "loss"), [("2 * x", 6.0), ("x", 3.0)])
def test_a_loss_of_one_element_may_have_any_shape_and_be_a_bare_tensor(
    make, documents, value, expression, loss
):
    program = make(
        documents["smallest"],
        tensors={"x": {"value": value, "requires_grad": True}},
        losses={"loss": {"expression": expression}},
    )
    assert program.run(Forward()).loss == loss
    assert program.run(Backward()).writes == ("x.grad", "loss.graph")
    program.run(Step())
    assert program.losses["loss"].item() == loss


def test_a_second_backward_fails_and_leaves_the_gradients_unchanged(smallest):
    smallest.run(Forward())
    smallest.run(Backward())
    with pytest.raises(GradStepError, match="backward through the graph a second time"):
        smallest.run(Backward())
    assert smallest.tensors["x"].grad.tolist() == [100.0, 100.0]


def test_a_second_backward_of_a_retained_graph_accumulates_and_reads_the_gradient(smallest):
    smallest.run(Forward())
    smallest.run(Backward(retain_graph=True))
    effect = smallest.run(Backward())
    assert effect == OperationEffect(("loss.graph", "x.grad"), ("x.grad", "loss.graph"))
    assert smallest.tensors["x"].grad.tolist() == [200.0, 200.0]


def test_a_step_without_gradients_is_not_an_error(smallest):
    assert smallest.run(Step()) == OperationEffect(message="nothing to step: every .grad is None")
    assert smallest.tensors["x"].tolist() == [1.0, 2.0]


def test_a_step_reads_state_buffers_that_an_earlier_step_created(heads):
    heads.run(Forward("penalty"))
    heads.run(Backward("penalty"))
    first = heads.run(Step("second"))
    assert first.writes == ("x", "second/x/momentum_buffer")
    assert first.reads == ("second/lr", "second/momentum", "x", "x.grad")
    assert first.message == "2 of 3 parameters had no gradient and were skipped"
    again = heads.run(Step("second"))
    assert again.reads == (
        "second/lr",
        "second/momentum",
        "x",
        "second/x/momentum_buffer",
        "x.grad",
    )


def test_a_forward_reports_its_rows_and_advances_the_data(heads):
    first = heads.run(Forward("loss_b"))
    assert first.rows == (0, 1, 2, 3, 4)
    assert "data.b" in first.reads
    assert first.writes == ("loss_b", "loss_b.graph", "data.b", "generator")
    assert heads.run(Forward("loss_b")).rows == (5, 6, 7, 8, 9)
    assert heads.run(Forward("loss_b")).rows == (10, 11)
    assert heads.batches["loss_b"].number == 3
    assert heads.run(Forward("loss_b")).rows == (0, 1, 2, 3, 4)
    assert heads.batches["loss_b"].epoch == 2


def test_a_held_batch_is_reused_and_the_data_does_not_advance(heads):
    heads.run(SetMode(training=False))
    rows = heads.run(Forward("loss_b")).rows
    again = heads.run(Forward("loss_b", batch="held"))
    assert again.rows == rows
    assert again.writes == ("loss_b", "loss_b.graph")


def test_holding_a_batch_before_the_first_forward_fails(heads):
    with pytest.raises(OperationError, match="loss_b has not used a batch yet"):
        heads.run(Forward("loss_b", batch="held"))


def test_shuffled_data_contains_every_row_once_per_epoch(heads):
    rows = [row for _ in range(4) for row in heads.run(Forward("loss_a")).rows]
    assert sorted(rows) == list(range(30))
    assert rows != list(range(30))


def test_backward_reads_the_tensors_saved_by_the_graph(heads):
    heads.run(Forward("loss_b"))
    effect = heads.run(Backward("loss_b"))
    assert effect.reads == ("loss_b.graph", "head_b.0.weight")
    assert set(effect.writes) == {
        "trunk.0.weight.grad",
        "trunk.0.bias.grad",
        "head_b.0.weight.grad",
        "head_b.0.bias.grad",
        "loss_b.graph",
    }


def test_backward_needs_a_forward(smallest):
    with pytest.raises(OperationError, match="loss has not been computed yet; apply Forward first"):
        smallest.run(Backward())


def test_backward_of_a_frozen_loss_is_rejected(smallest):
    smallest.run(Freeze("x"))
    smallest.run(Forward())
    with pytest.raises(GradStepError, match="does not require grad"):
        smallest.run(Backward())


def test_a_tensor_frozen_after_the_forward_gets_no_gradient(smallest):
    smallest.run(Forward())
    assert smallest.run(Freeze("x")).message == "frozen: x"
    smallest.run(Backward())
    assert smallest.tensors["x"].grad is None


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (Forward("los"), "there is no loss 'los'; did you mean 'loss'?"),
        (Backward("los"), "there is no loss 'los'"),
        (Step("optimiser"), "did you mean 'optimizer'?"),
        (ZeroGrad("o"), "there is no optimizer 'o'"),
        (SchedulerStep(), "there is no scheduler 'scheduler'; none are available"),
        (SetMode(training=True, module="m"), "there is no module 'm'"),
        (RebuildModule("m"), "there is no module 'm'"),
        (Freeze("y*"), "no tensor matches 'y*'"),
        (ClipGradNorm(-1.0), "max_norm is -1.0"),
        (ClipGradNorm(1.0, norm_type=0.0), "norm_type is 0.0"),
        (ClipGradValue(float("nan")), "clip_value is nan"),
        (SetHyperparameter("lr", -1.0), "Invalid learning rate: -1"),
        (SetHyperparameter("lrr", 1.0), "did you mean 'lr'?"),
        (SetHyperparameter("lr", True), "cannot become True"),
        (SetHyperparameter("lr", [0.1, 0.2]), "cannot become [0.1, 0.2]"),
        (SetHyperparameter("lr", 1.0, group=3), "has no group 3"),
        (SetHyperparameter("nesterov", True), "Nesterov"),
        (LoadState(1), "needs the state of an earlier Event"),
    ],
)
def test_an_invalid_operation_raises_an_error_and_changes_nothing(
    smallest, comparable_state, operation, words
):
    before = comparable_state(smallest)
    with pytest.raises(GradStepError) as caught:
        smallest.run(operation)
    assert words in str(caught.value)
    assert comparable_state(smallest) == before


def test_clipping_reports_the_norm(smallest):
    assert smallest.run(ClipGradNorm(1.0)).message == "nothing to clip: every .grad is None"
    smallest.run(Forward())
    smallest.run(Backward())
    effect = smallest.run(ClipGradNorm(1.0))
    assert effect == OperationEffect(
        ("x.grad",), ("x.grad",), message="the total norm was 141.421, now 1"
    )
    assert smallest.tensors["x"].grad.tolist() == pytest.approx([0.5**0.5] * 2, rel=1e-5)
    assert smallest.run(ClipGradNorm(5.0)).message.endswith("nothing to clip")
    smallest.run(ClipGradValue(0.25))
    assert smallest.tensors["x"].grad.tolist() == [0.25, 0.25]


@pytest.mark.parametrize(
    ("gradient", "message", "expected"),
    [
        ([np.nan, 3.0], "the total norm was nan, so every gradient is now NaN", [np.nan, np.nan]),
        ([np.inf, 3.0], "the total norm was inf, so every gradient is now 0 or NaN", [np.nan, 0.0]),
    ],
)
def test_clipping_reports_the_effect_of_a_non_finite_norm(smallest, gradient, message, expected):
    smallest.run(Forward())
    smallest.run(Backward())
    grad = smallest.tensors["x"].grad
    grad.copy_(gradstep.tensor(gradient))
    assert smallest.run(ClipGradNorm(1.0)).message == message
    np.testing.assert_array_equal(grad.numpy(), expected)


def test_a_hyperparameter_is_changed_for_the_next_step(smallest):
    effect = smallest.run(SetHyperparameter("momentum", 0.9))
    assert effect == OperationEffect(
        ("optimizer/momentum",), ("optimizer/momentum",), message="momentum 0 -> 0.9"
    )
    smallest.run(Forward())
    smallest.run(Backward())
    assert smallest.run(Step()).writes == ("x", "optimizer/x/momentum_buffer")


def test_a_pair_hyperparameter_accepts_only_valid_pairs(heads):
    heads.run(SetHyperparameter("betas", [0.8, 0.9], optimizer="first"))
    assert heads.optimizers["first"].param_groups[0]["betas"] == (0.8, 0.9)
    with pytest.raises(OperationError, match="betas needs 2 numbers"):
        heads.run(SetHyperparameter("betas", [0.8], optimizer="first"))
    with pytest.raises(GradStepError, match="Invalid beta"):
        heads.run(SetHyperparameter("betas", [0.8, 2.0], optimizer="first"))


def test_a_rebuilt_module_leaves_the_optimizer_with_the_old_tensors(heads):
    old = heads.tensors["head_b.0.weight"]
    effect = heads.run(RebuildModule("head_b"))
    assert effect.message == "second still holds the old tensors"
    assert heads.tensors["head_b.0.weight"] is not old
    stale = [binding for binding in heads.optimizer_tensors if binding.stale]
    assert [binding.address for binding in stale] == [
        "head_b.0.weight (stale)",
        "head_b.0.bias (stale)",
    ]
    heads.run(Forward("loss_b"))
    heads.run(Backward("loss_b"))
    assert old.grad is None
    assert heads.tensors["head_b.0.weight"].grad is not None
    assert heads.run(Step("second")).message == "nothing to step: every .grad is None"


def test_a_backward_after_rebuilding_writes_the_old_tensors(heads):
    heads.run(Forward("loss_b"))
    heads.run(RebuildModule("head_b"))
    effect = heads.run(Backward("loss_b"))
    assert "head_b.0.weight (stale).grad" in effect.writes
    assert heads.tensors["head_b.0.weight"].grad is None


def test_modes_are_set_for_one_module_or_for_all(heads):
    heads.run(SetMode(training=False, module="trunk"))
    assert [module.training for module in heads.describe_modules()] == [False, True, True]
    assert "generator" not in heads.run(Forward("loss_b")).writes
    heads.run(SetMode(training=True))
    assert [module.training for module in heads.describe_modules()] == [True, True, True]
    assert "generator" in heads.run(Forward("loss_b")).writes


def test_a_scheduler_step_sets_and_reports_the_learning_rate(make, documents):
    program = make(documents["smallest"], **SCHEDULED)
    effects = []
    for _ in range(2):
        effects += [program.run(operation) for operation in program.loop_operations()]
    assert effects[4].message == "lr 0.001 -> 0.001"
    assert effects[9] == OperationEffect(
        ("optimizer/lr",), ("optimizer/lr", "scheduler"), message="lr 0.001 -> 0.0001"
    )
    state = program.capture()
    iterations = [program.run(operation).message for operation in program.loop_operations()]
    program.restore(state)
    assert [program.run(one).message for one in program.loop_operations()] == iterations


def test_a_scheduler_step_before_the_optimizer_step_is_reported(make, documents):
    program = make(documents["smallest"], **SCHEDULED)
    assert "before `optimizer.step()`" in program.run(SchedulerStep()).message


def test_reduce_lr_on_plateau_needs_a_computed_loss_as_metric(make, documents):
    plateau = {"scheduler": {"kind": "ReduceLROnPlateau", "patience": 0, "factor": 0.5}}
    program = make(documents["smallest"], schedulers=plateau)
    with pytest.raises(OperationError, match='give the name of a loss as "metric"'):
        program.run(SchedulerStep())
    with pytest.raises(OperationError, match="loss has not been computed yet"):
        program.run(SchedulerStep(metric="loss"))
    for _ in range(2):
        program.run(Forward())
        effect = program.run(SchedulerStep(metric="loss"))
    assert effect.reads == ("optimizer/lr", "loss")
    assert effect.message.startswith("lr 0.001 -> 0.0005")


def test_held_out_rows_are_one_batch_and_record_no_graph(make):
    program = make(
        {
            "gradstep": 1,
            "data": {"line": {"kind": "line", "samples": 10, "validation": 0.3}},
            "modules": {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
            "losses": {
                "loss": {"data": "line", "chain": ["model"], "criterion": {"kind": "MSELoss"}},
                "check": {
                    "data": "line",
                    "chain": ["model"],
                    "criterion": {"kind": "MSELoss"},
                    "rows": "validation",
                },
            },
            "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"]}},
        }
    )
    assert [type(one).__name__ for one in program.loop_operations()] == [
        "ZeroGrad",
        "Forward",
        "Backward",
        "Step",
    ]
    effect = program.run(Forward("check"))
    assert effect.rows == (7, 8, 9)
    assert effect.writes == ("check",)
    with pytest.raises(GradStepError, match="does not require grad"):
        program.run(Backward("check"))
    assert program.run(Forward()).rows == (0, 1, 2, 3, 4, 5, 6)


def test_loading_parts_of_a_state_leaves_the_other_parts_unchanged(heads):
    for operation in heads.loop_operations():
        heads.run(operation)
    state = heads.capture()
    before = heads.tensors["trunk.0.weight"].tolist()
    steps = heads.optimizers["first"].state[heads.tensors["trunk.0.weight"]]["step"].item()
    for operation in heads.loop_operations():
        heads.run(operation)
    version = heads.tensors["trunk.0.weight"]._version
    effect = heads.load_state(state, ("modules",))
    assert effect.writes == tuple(heads.tensors)
    assert heads.tensors["trunk.0.weight"].tolist() == before
    assert heads.tensors["trunk.0.weight"]._version == version + 1
    weight = heads.tensors["trunk.0.weight"]
    assert heads.optimizers["first"].state[weight]["step"].item() == steps + 1
    heads.load_state(state, ("optimizers", "generator", "data_order", "schedulers"))
    assert heads.optimizers["first"].state[weight]["step"].item() == steps
    assert heads.iteration == 2
    with pytest.raises(OperationError, match="there is no part 'modles'"):
        heads.load_state(state, ("modles",))


CYCLE = {"kind": "OneCycleLR", "max_lr": 0.1, "total_steps": 2}
ENDING = {"kind": "ConstantLR", "factor": 0.0, "total_iters": 1}


def test_a_scheduler_that_cycles_momentum_writes_it(make, documents):
    momentum = {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001, "momentum": 0.9}}
    program = make(documents["smallest"], optimizers=momentum, schedulers={"scheduler": CYCLE})
    effect = program.run(SchedulerStep())
    assert effect.writes == ("optimizer/lr", "optimizer/momentum", "scheduler")


@pytest.mark.parametrize(
    ("scheduler", "words"),
    [
        ({**CYCLE, "cycle_momentum": False}, "Tried to step 3 times"),
        (ENDING, "scheduler cannot compute its next learning rate: float division by zero"),
    ],
)
def test_a_scheduler_step_that_fails_changes_nothing(
    make, documents, comparable_state, scheduler, words
):
    program = make(documents["smallest"], schedulers={"scheduler": scheduler})
    for _ in range(scheduler.get("total_steps", 0)):
        program.run(SchedulerStep())
    before = comparable_state(program)
    for _ in range(2):
        with pytest.raises(OperationError if scheduler is ENDING else GradStepError, match=words):
            program.run(SchedulerStep())
    assert comparable_state(program) == before
