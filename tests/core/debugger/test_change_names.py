"""The names of what was changed: of branches, and of Operations on one line."""

from __future__ import annotations

import pytest

from gradstep.debugger.change_names import change_name, long_name, setting_name, skipped_name
from gradstep.errors import OperationError
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    Forward,
    Freeze,
    LoadState,
    RebuildModule,
    ReplaceOptimizer,
    SetBatchSize,
    SetHyperparameter,
    SetMode,
    SetValue,
    Skip,
    Step,
    ZeroGrad,
)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (Forward(), "Forward loss"),
        (Forward("second", out_of_loop=True), "Forward second"),
        (Backward(retain_graph=True), "Backward loss retain_graph"),
        (ZeroGrad(set_to_none=False), "Zero Grad optimizer set_to_none: false"),
        (SetMode(training=False), "Set Mode training: false"),
        (LoadState(4, ("modules", "rng")), 'Load State 4 parts: ["modules", "rng"]'),
        (
            ReplaceOptimizer("SGD", options={"lr": 0.5, "momentum": 0.9}),
            'Replace Optimizer SGD optimizer options: {"lr": 0.5, "momentum": 0.9}',
        ),
    ],
)
def test_an_operation_is_one_line_with_its_target_and_its_changed_options(operation, expected):
    assert long_name(operation) == expected


def test_long_options_are_cut():
    long = ReplaceOptimizer("SGD", options={f"option_{number}": number for number in range(20)})
    assert long_name(long).endswith("...")
    assert len(long_name(long)) < 120


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (SetHyperparameter("lr", 0.0375), "lr 0.0375"),
        (SetHyperparameter("betas", [0.9, 0.99], "optimizer_d"), "betas [0.9,0.99] of optimizer_d"),
        (SetBatchSize("digits", 8), "batch size 8 of digits"),
        (Freeze("head.*", frozen=False), "head.* thawed"),
        (SetMode(training=False), "eval mode"),
        (SetMode(training=True, module="model"), "training mode of model"),
        (SetValue("x", [1.0, 2.0]), "x = [1.0,2.0]"),
        (RebuildModule("model"), "model rebuilt"),
        (LoadState(1234), "the state of #1,234"),
        (Backward(), ""),
    ],
)
def test_a_setting_is_named_by_what_it_sets(operation, expected):
    assert setting_name(operation) == expected


@pytest.fixture
def applied(line):
    """Apply an Operation after Event 4 of two iterations, and return the name of its branch."""
    line.iterate(2)

    def apply(operation):
        line.checkout(0)
        line.seek(4)
        line.apply(operation)
        return line.branches.current.name

    return apply


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (SetHyperparameter("lr", 0.0375), "lr 0.0375 from #5"),
        (Skip(ZeroGrad()), "without Zero Grad #5"),
        (Forward(), "without Zero Grad #5"),
        (ZeroGrad(), "again from #5"),
        (ZeroGrad(out_of_loop=True), "again from #5"),
        (ZeroGrad(set_to_none=False), "with Zero Grad set_to_none: false for #5"),
        (Step(), "with Step before #5"),
        (ClipGradNorm(0.5), "with Clip Grad Norm 0.5 before #5"),
    ],
)
def test_a_branch_that_begins_by_hand_is_named_by_what_was_changed(applied, operation, expected):
    assert applied(operation) == expected


def test_a_branch_with_a_name_that_is_taken_gets_a_number(applied):
    names = [applied(Step()) for _ in range(3)]
    assert names == [
        "with Step before #5",
        "with Step before #5 (2)",
        "with Step before #5 (3)",
    ]


def test_a_branch_in_which_the_loop_runs_again_is_named_so(line):
    line.iterate(2)
    line.seek(4)
    line.iterate(1)
    assert line.branches.current.name == "again from #5"


def test_the_name_of_a_branch_is_one_short_line(line):
    line.iterate(2)
    line.seek(1)
    line.apply(Freeze("a\nb" + "c" * 300))
    name = line.branches.current.name
    assert (len(name), name[:4]) == (200, "a bc")
    line.seek(0)
    with pytest.raises(OperationError, match="already called"):
        line.branches.rename(0, name)


def test_several_skipped_events_are_counted(line):
    line.iterate(4)
    log = line.history.log
    assert skipped_name(log, [5, 9]) == "without Zero Grad #5, #9"
    assert skipped_name(log, [5, 9, 13]) == "without Zero Grad #5 and 2 more"
    assert change_name(Skip(Step()), log, 8) == "without Step #8"
