"""Schedulers of programs: expressions as factors, and schedulers made of others."""

import json

import pytest

from gradstep.errors import ExpressionError, ProgramError
from gradstep.program.document.codec import decode, encode
from gradstep.program.operation import LoadState, SchedulerStep
from gradstep.program.schema.available_operations import additional_operations
from gradstep.program.torch_export.export import RecordedOperation, export_script, export_test

BOWL = {
    "gradstep": 1,
    "iterations": 8,
    "tensors": {"x": {"value": 4.0, "requires_grad": True}},
    "losses": {"loss": {"expression": "x ** 2"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "step"},
        {"op": "scheduler_step"},
    ],
}
WARMUP = {"kind": "LinearLR", "start_factor": 0.25, "total_iters": 3}
DECAY = {"kind": "ExponentialLR", "gamma": 0.5}
SEQUENTIAL = {
    "scheduler": {"kind": "SequentialLR", "schedulers": ["warmup", "decay"], "milestones": [3]},
    "warmup": WARMUP,
    "decay": DECAY,
}
CHAINED = {
    "warmup": WARMUP,
    "decay": DECAY,
    "scheduler": {"kind": "ChainedScheduler", "schedulers": ["warmup", "decay"]},
}


def one(kind, lr_lambda):
    return {"scheduler": {"kind": kind, "lr_lambda": lr_lambda}}


def rates(program, steps=6):
    group = program.optimizers["optimizer"].param_groups[0]
    found = [group["lr"]]
    for _ in range(steps):
        for operation in program.loop_operations():
            program.run(operation)
        found.append(group["lr"])
    return found


@pytest.mark.parametrize(
    ("schedulers", "expected"),
    [
        (one("LambdaLR", "0.5 ** epoch"), [0.1 * 0.5**step for step in range(7)]),
        (one("LambdaLR", "min(1, (epoch + 1) / 4)"), [0.025, 0.05, 0.075, 0.1, 0.1, 0.1, 0.1]),
        (one("LambdaLR", "where(epoch < 2, 1, 0.1)"), [0.1, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01]),
        (
            one("MultiplicativeLR", "1 - epoch / 10"),
            [0.1, 0.09, 0.072, 0.0504, 0.03024, 0.01512, 0.006048],
        ),
        (SEQUENTIAL, [0.025, 0.05, 0.075, 0.1, 0.05, 0.025, 0.0125]),
        (CHAINED, [0.025, 0.025, 0.01875, 0.0125, 0.00625, 0.003125, 0.0015625]),
    ],
)  # fmt: skip
def test_the_learning_rates_follow_the_schedule(make, schedulers, expected):
    assert rates(make(BOWL, schedulers=schedulers)) == pytest.approx(expected)


@pytest.mark.parametrize("schedulers", [SEQUENTIAL, CHAINED, one("LambdaLR", "0.9 ** epoch")])
def test_states_are_restored_in_the_middle_of_a_schedule(make, comparable_state, schedulers):
    program, other = make(BOWL, schedulers=schedulers), make(BOWL, schedulers=schedulers)
    rates(program, 2)
    saved = program.capture()
    expected = rates(program, 4), comparable_state(program)
    for later in (program, other):
        later.restore(saved)
        assert (rates(later, 4), comparable_state(later)) == expected
    program.load_state(saved, LoadState(0).parts)
    assert program.optimizers["optimizer"].param_groups[0]["lr"] == expected[0][0]


def test_a_document_with_schedules_is_written_as_it_was_read():
    spec = decode(json.dumps({**BOWL, "schedulers": SEQUENTIAL}).encode())
    assert decode(encode(spec)) == spec


def test_members_are_not_stepped_by_hand(make):
    program = make(BOWL, schedulers=SEQUENTIAL)
    offered = [op for op in additional_operations(program.spec) if isinstance(op, SchedulerStep)]
    assert offered == [SchedulerStep("scheduler")]


def test_a_factor_that_cannot_be_computed_leaves_the_schedule_as_it_was(make, comparable_state):
    falling = {"kind": "LambdaLR", "lr_lambda": "sqrt(2 - epoch)"}
    schedulers = {**CHAINED, "decay": falling}
    program = make(BOWL, schedulers=schedulers)
    rates(program, 2)
    before = comparable_state(program)
    with pytest.raises(ExpressionError, match="math domain error"):
        program.run(SchedulerStep())
    assert comparable_state(program) == before


@pytest.mark.parametrize(
    ("schedulers", "message"),
    [
        (one("LambdaLR", 3), "$.schedulers.scheduler.lr_lambda: 3 is not an expression; write"),
        (one("LambdaLR", "0.9 ** step"), "column 8: there is no 'step'; available: epoch"),
        (one("LambdaLR", "log(epoch)"), "lr_lambda: log(0) has no value"),
        ({"scheduler": {"kind": "LambdaLR"}}, "lr_lambda: None is not an expression"),
        ({"scheduler": {"kind": "ChainedScheduler"}}, "needs a list of schedulers"),
        (
            {"scheduler": {"kind": "ChainedScheduler", "schedulers": ["decey"]}, "decay": DECAY},
            "schedulers[0]: no scheduler 'decey'; did you mean 'decay'?",
        ),
        (
            {"scheduler": {"kind": "ChainedScheduler", "schedulers": ["scheduler"]}},
            "the scheduler names itself: scheduler -> scheduler",
        ),
        (
            {**SEQUENTIAL, "scheduler": {**SEQUENTIAL["scheduler"], "milestones": [3, 2]}},
            "milestones: [3, 2] is not a list of increasing whole numbers",
        ),
        (
            {**SEQUENTIAL, "scheduler": {**SEQUENTIAL["scheduler"], "milestones": [3, 4]}},
            "got 2 schedulers and 2 milestones",
        ),
        (
            {**SEQUENTIAL, "scheduler": {**SEQUENTIAL["scheduler"], "milestone": [3]}},
            "scheduler.milestone: no such field; did you mean 'milestones'?",
        ),
    ],
)  # fmt: skip
def test_a_wrong_schedule_is_rejected_with_its_place(make, schedulers, message):
    with pytest.raises(ProgramError) as caught:
        make(BOWL, schedulers=schedulers)
    assert message in str(caught.value)


def test_the_script_writes_them_as_people_do(make):
    schedulers = {**SEQUENTIAL, "decay": {"kind": "LambdaLR", "lr_lambda": "exp(-epoch / 5)"}}
    script = export_script(make(BOWL, schedulers=schedulers))
    assert (
        "warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=3)\n"
        "decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: math.exp(-epoch / 5))\n"
        "scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, decay],"
        " milestones=[3])\n"
    ) in script


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::UserWarning")  # torch's, about the order of steps
@pytest.mark.parametrize(
    "schedulers",
    [SEQUENTIAL, CHAINED, one("LambdaLR", "where(epoch < 3, 0.3, cos(epoch / 9))"),
     one("MultiplicativeLR", "max(0.5, 1 - epoch / 10)")],
)  # fmt: skip
def test_torch_computes_the_same_losses(make, schedulers):
    pytest.importorskip("torch")
    program = make(BOWL, schedulers=schedulers)
    recorded = [
        RecordedOperation(operation, program.run(operation).loss)
        for _ in range(12)
        for operation in program.loop_operations()
    ]
    names = {"__name__": "exported"}
    exec(compile(export_test(program, recorded), "exported", "exec"), names)
    names["test_torch_gives_the_recorded_values"]()
