"""Breakpoints stop runs, report why, and log lines."""

import numpy as np
import pytest

from gradstep.debugger import StopReason
from gradstep.debugger.breakpoints import Breakpoints
from gradstep.debugger.conditions.evaluation_context import EvaluationContext
from gradstep.errors import ArgumentError, ExpressionError, OperationError
from gradstep.history.records.breakpoints import MAX_BREAKS, BreakpointSpec, LogLine
from gradstep.program.operation import (
    Backward,
    Forward,
    RebuildModule,
    SetValue,
    Step,
    ZeroGrad,
)

LOOP = [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}]

TWO_HEADS = {
    "modules": {
        "head_a": [{"kind": "Linear", "in_features": 2, "out_features": 1}],
        "head_b": [{"kind": "Linear", "in_features": 2, "out_features": 1}],
    },
    "losses": {
        name: {"data": "a", "chain": [head], "criterion": {"kind": "BCEWithLogitsLoss"}}
        for name, head in (("loss_a", "head_a"), ("loss_b", "head_b"))
    },
    "optimizers": {
        "optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1, "momentum": 0.9},
    },
    "schedulers": {},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward", "loss": "loss_a"},
        {"op": "backward", "loss": "loss_a"},
        {"op": "step"},
    ],
}


@pytest.fixture
def bowl(make):
    """The loss x^2 from x = 4, each step of which makes x smaller by a fifth."""
    return make(
        "line",
        tensors={"x": {"value": [4.0], "requires_grad": True}},
        losses={"loss": {"expression": "sum(x * x)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
        loop=LOOP,
    )


def test_a_run_stops_after_the_step_at_which_the_condition_holds(network):
    point = network.break_when("iteration == 40")
    reason = network.run()
    assert reason == StopReason("breakpoint", 160, "iteration == 40, after Event 160", point)
    assert network.position == (160, None)
    assert network.program.iteration == 40
    assert point.count == 1


def test_a_run_applies_what_is_chosen_for_the_lines_of_the_loop(network):
    def choose(operation):
        return Forward(batch="held") if isinstance(operation, Forward) else operation

    network.forward()
    network.run(3, adapt=choose)
    assert network.program.iteration == 3
    rows = {event.rows for event in network.events if isinstance(event.operation, Forward)}
    assert len(rows) == 1


def test_the_values_at_the_stop_are_those_of_a_run_without_breakpoints(make, state_of):
    plain, stopped = make(), make()
    plain.iterate(7)
    stopped.break_when('norm(grad("model.0.weight")) > 0 and iteration == 7', after="step")
    stopped.run()
    assert state_of(stopped) == state_of(plain)


def test_a_breakpoint_is_evaluated_only_around_its_kinds_of_operation(bowl):
    before = bowl.break_when("loss > 1", before="step")
    assert [bowl.run().event for _ in range(3)] == [3, 7, 11]
    before.remove()
    bowl.break_when("loss > 1", after=("backward", "forward"))
    assert [bowl.run().event for _ in range(3)] == [14, 15, 18]


def test_an_operation_class_names_its_kind(bowl):
    point = bowl.break_when("loss > 1", before=(Forward, Backward), after=Step)
    assert (point.before, point.after) == (("forward", "backward"), ("step",))


@pytest.mark.parametrize("kind", ["zero_grad", "Zero Grad", " zero grad "])
def test_a_kind_is_read_in_any_spelling(bowl, kind):
    assert bowl.break_when("loss > 1", after=kind).after == ("zero_grad",)


CLEARED = ("zero_grad", "backward", "rebuild_module", "load_state")
WRITTEN = ("rebuild_module", "set_value", "load_state")
STATE = ("step", "replace_optimizer", "load_state")


@pytest.mark.parametrize(
    ("expression", "after"),
    [
        ("isnan(loss)", ("forward",)),
        ('any(isnan(grad("model.0.weight")))', ("backward",)),
        ('is_none(grad("model.0.weight"))', CLEARED),
        ('norm(data("model.0.weight")) > 1', ("step", *WRITTEN)),
        ('state("model.0.weight", "exp_avg")[0, 0] > 1', STATE),
        ('lr("optimizer") < 0.01', ("step",)),
        ("iteration == 3", ("step",)),
        ("event == 3", ("any",)),
        ("loss > 1 and iteration > 3", ("forward",)),
        ("loss > 10 or norm(grad) > 10", ("forward", "backward")),
        ("norm(any_grad) > 10 * norm(any_data)", ("backward", "step", *WRITTEN)),
        ("changed(loss)", ("any",)),
        ("raised", ("any",)),
    ],
)
def test_by_default_it_is_evaluated_where_what_it_reads_gets_its_value(network, expression, after):
    point = network.break_when(expression)
    assert (point.after, point.record.after) == (after, after)
    assert network.break_when(expression, before="step").after == ()


def test_by_default_a_buffer_of_a_module_is_evaluated_after_forward(make):
    layers = [
        {"kind": "Linear", "in_features": 2, "out_features": 1},
        {"kind": "BatchNorm1d", "num_features": 1},
    ]
    network = make(modules={"model": layers})
    point = network.break_when('abs(data("model.1.running_mean")) > 0')
    assert (point.after, network.run().event) == (("forward", *WRITTEN), 2)


def test_a_gradient_that_is_cleared_stops_at_the_zero_grad(make):
    network = make()
    network.iterate(1)
    network.break_when('is_none(grad("model.0.weight"))')
    assert (network.run().event, network.snapshot.event.operation) == (5, ZeroGrad())


def test_a_value_that_a_line_of_the_loop_writes_stops_there(make):
    write = {"op": "set_value", "tensor": "model.0.weight", "value": 7.0}
    network = make(loop=[{"op": "zero_grad"}, {"op": "forward"}, write, {"op": "backward"}])
    network.break_when('max(data("model.0.weight")) == 7')
    assert network.run().event == 3


def test_a_loss_that_is_not_finite_stops_a_run_at_the_forward_that_made_it(make):
    network = make(optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 1e30}})
    network.break_when("not isfinite(loss)")
    assert network.run(20).kind == "breakpoint"
    assert isinstance(network.event.operation, Forward)
    assert not np.isfinite(network.event.loss)
    assert all(event.loss is None or np.isfinite(event.loss) for event in network.events[:-1])


def test_a_run_continues_from_a_breakpoint_before_an_operation(bowl):
    bowl.break_when("event >= 0", before="step")
    assert bowl.run().sentence == "event >= 0, before step optimizer, after Event 3"
    assert bowl.run().event == 7


def test_a_breakpoint_stops_from_the_given_hit_on(bowl):
    point = bowl.break_when("loss > 0", after="forward", hits=3)
    assert [bowl.run().event for _ in range(2)] == [10, 14]
    assert point.count == 4


def test_a_log_breakpoint_logs_a_line_instead_of_stopping(bowl):
    point = bowl.break_when("iteration > 1", log='{iteration}: loss {loss}, {data("x")} {{ }}')
    assert bowl.run(3).kind == "iterations"
    assert bowl.breakpoints.lines == (
        LogLine(8, point.id, "2: loss 10.24, [2.56] { }"),
        LogLine(12, point.id, "3: loss 6.5536, [2.048] { }"),
    )


def test_a_log_line_shows_the_error_of_a_value_that_cannot_be_computed(make):
    network = make()
    network.break_when("iteration == 1", log='{data("model.0.bias") + data("model.0.weight")[5]}')
    network.run(1)
    assert "<cannot compute" in network.breakpoints.lines[0].text


def test_a_condition_that_stays_true_stops_a_run_once(bowl):
    point = bowl.break_when("loss < 10")
    assert bowl.run().event == 10  # the losses are 16, 10.24, 6.55, ...
    assert bowl.run(5).kind == "iterations"
    assert point.count == 1


def test_a_condition_that_becomes_true_again_stops_a_run_again(bowl):
    bowl.break_when("loss < 10")
    bowl.run()
    bowl.run(1)
    bowl.apply(SetValue("x", [8.0]))
    assert (bowl.run(20).event, bowl.event.loss) == (35, pytest.approx(6.87, abs=0.01))
    assert bowl.run(5).kind == "iterations"


def test_a_condition_that_holds_already_stops_when_it_becomes_true_again(bowl):
    bowl.iterate(5)
    bowl.break_when("loss < 10")
    assert bowl.run(5).kind == "iterations"
    assert bowl.run_back().event == 10


def test_a_gradient_that_stays_large_stops_once_although_zero_grad_clears_it(bowl):
    bowl.break_when('norm(grad("x")) > 1')
    assert bowl.run(3).event == 3
    bowl.zero_grad()
    assert bowl.run(3).kind == "iterations"
    bowl.seek(6)  # the second Forward, after its gradient was cleared
    assert bowl.run(2).kind == "iterations"
    bowl.seek(0)
    assert bowl.run(2).event == 3


def test_after_a_chosen_operation_it_stops_each_time_it_holds(bowl):
    bowl.break_when("loss < 10", after="step")
    assert [bowl.run().event for _ in range(3)] == [12, 16, 20]


@pytest.fixture
def held_out(make):
    """A loop that computes a training loss of x^2 and then a validation loss of x^2 + 3."""
    return make(
        "line",
        tensors={"x": {"value": [4.0], "requires_grad": True}},
        losses={
            "train": {"expression": "sum(x * x)"},
            "val": {"expression": "sum(x * x) + 3"},
        },
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
        loop=[
            {"op": "zero_grad"},
            {"op": "forward", "loss": "train"},
            {"op": "backward", "loss": "train"},
            {"op": "step"},
            {"op": "forward", "loss": "val"},
        ],
    )


@pytest.mark.parametrize("log", [None, "{val}"])
def test_a_condition_on_one_loss_is_not_checked_when_another_is_computed(held_out, log):
    held_out.run(1 if log is None else 3)
    held_out.break_when("val < 9", log=log)
    if log is None:
        assert (held_out.run(5).event, held_out.event.operation) == (15, Forward("val"))
        assert held_out.run(5).kind == "iterations"
    else:
        held_out.run(3)
        assert [line.event for line in held_out.breakpoints.lines] == [20, 25, 30]


def test_a_condition_on_the_last_loss_is_checked_when_any_loss_is_computed(held_out):
    held_out.break_when("loss < 11")
    held_out.break_when("loss > 11")
    assert [held_out.run(2).event for _ in range(2)] == [2, 7]


def test_disabled_and_removed_breakpoints_are_not_evaluated(bowl):
    first = bowl.break_when("loss > 0", after="forward")
    second = bowl.break_when("loss > 1")
    first.disable()
    second.remove()
    assert bowl.run(2).sentence == "2 iterations done"
    assert list(bowl.breakpoints) == [first]
    first.enable()
    assert bowl.run().event == 10


def test_a_parameter_that_moves_without_a_gradient_is_caught(make):
    heads = make(**TWO_HEADS)
    heads.apply(Forward("loss_b"))
    heads.apply(Backward("loss_b"))
    heads.apply(Step())
    heads.apply(Forward("loss_b"))
    point = heads.break_when('changed("head_b.0.weight")')
    reason = heads.run(1)
    assert point.after == ("any",)
    assert isinstance(heads.events[reason.event - 1].operation, Step)
    assert heads.snapshot.parameters["head_b.0.weight"].grad is None


@pytest.mark.parametrize(
    ("expression", "operations"),
    [
        ('changed("model.0.weight")', ["step", "step"]),
        ('changed("model.0.weight.grad")', ["backward", "zero_grad"]),
        ('changed("optimizer/model.0.weight/exp_avg")', ["step", "step"]),
        ('changed(state("model.0.weight", "exp_avg_sq"))', ["step", "step"]),
        ('changed(data("model.3.bias")[0])', ["step", "step"]),
        ('changed("model.3.bias[0]")', ["step", "step"]),
        ("changed(loss)", ["forward", "forward"]),
        ("changed(iteration)", ["step", "step"]),
        ('changed(lr("optimizer"))', ["set_hyperparameter"]),
    ],
)
def test_data_breakpoints_stop_at_whatever_changes_the_value(network, expression, operations):
    network.break_when(expression)
    kinds = []
    while len(kinds) < len(operations):
        reason = network.run(3)
        if reason.kind != "breakpoint":
            break
        kinds.append(type(network.event.operation).__struct_config__.tag)
    assert kinds == ([] if operations == ["set_hyperparameter"] else operations)


@pytest.mark.parametrize("place", ["optimizer/lr", "optimizer/0/lr"])
def test_a_change_of_an_option_counts_once_however_its_group_is_named(make, place):
    decay = {"op": "scheduler_step", "scheduler": "decay"}
    network = make("network", loop=[*LOOP, decay])
    network.break_when(f'changed("{place}")', hits=2)
    assert network.run(5).event == 10


def test_a_write_that_leaves_the_value_is_not_a_change(make):
    dbg = make(
        "line",
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.0}},
        loop=LOOP,
    )
    dbg.break_when('changed("x")')
    assert dbg.run(5).kind == "iterations"
    assert dbg.who_changed("x") == 20


def test_bare_names_are_evaluated_for_every_parameter_and_name_the_one_that_hit(network):
    network.break_when("dot(buf, grad) < 0")
    reason = network.run(200)
    assert reason.kind == "breakpoint"
    assert ", for model." in reason.sentence


def test_non_finite_values_stop_a_run_where_they_appear(make):
    dbg = make(
        "line",
        tensors={"x": {"value": [4.0], "requires_grad": True}},
        losses={"loss": {"expression": "sum(x * x)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 1e30}},
        loop=LOOP,
    )
    dbg.break_when("non_finite")
    stops = [dbg.run(20).event for _ in range(3)]
    assert stops == [6, 8, 10]
    assert [dbg.events[stop - 1].writes[0] for stop in stops] == ["loss", "x", "loss"]


def test_a_failed_operation_ends_a_run_and_a_breakpoint_can_stop_at_it(line):
    line.backward()
    line.forward()
    point = line.break_when("raised")
    reason = line.run_back()
    assert (reason.event, reason.breakpoint) == (1, point)


def test_a_run_reports_which_operation_failed(make):
    dbg = make(
        "line",
        loop=[{"op": "forward"}, {"op": "backward"}, {"op": "backward"}, {"op": "step"}],
        losses={"loss": {"expression": "sum(x * x)"}},
    )
    reason = dbg.run()
    assert (reason.kind, reason.event) == ("failed", 3)
    assert reason.sentence.startswith("backward loss failed: ")


def test_a_new_finding_stops_a_run_once(make):
    dbg = make(
        "line",
        loop=[{"op": "forward"}, {"op": "backward"}, {"op": "step"}],
        losses={"loss": {"expression": "sum(x * x)"}},
    )
    dbg.break_when("new_finding")
    assert dbg.run(50).event == 5
    assert [finding.id for finding in dbg.findings] == ["grad-accumulated"]
    assert dbg.run(50).event == 6
    assert [finding.id for finding in dbg.findings] == ["grad-accumulated", "grad-reused"]
    assert dbg.run(50).kind == "iterations"
    assert dbg.run_back().event == 6


def test_a_condition_that_can_no_longer_be_computed_stops_the_run_with_the_error(network):
    point = network.break_when('grad("model.0.weight")[9, 9] > 0')
    reason = network.run()
    assert (reason.kind, reason.event, reason.breakpoint) == ("condition_error", 3, point)
    assert "index 9 is out of bounds" in reason.sentence
    assert network.run(1).kind == "iterations"


def test_iterating_ignores_breakpoints(bowl):
    bowl.break_when("loss > 0")
    bowl.iterate(3)
    assert bowl.position == (12, None)


def test_without_a_loop_there_is_nothing_to_run(make):
    dbg = make("line", losses={}, optimizers={})
    with pytest.raises(OperationError, match="no loop"):
        dbg.run()


def test_should_stop_ends_a_run(bowl):
    answers = iter([False] * 6)
    reason = bowl.run(should_stop=lambda: next(answers, True))
    assert (reason.kind, reason.event, reason.sentence) == ("paused", 6, "paused after Event 6")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (("los > 1",), ExpressionError, r"column 1: there is no 'los'; did you mean 'loss'\?"),
        (("loss > 1", "stp"), ArgumentError, "no kind of Operation 'stp'; did you mean 'step'"),
        (("loss > 1", None, "step", 0), ArgumentError, "hit count of 0"),
        (("loss > 1", None, "step", 1, "{los}"), ExpressionError, "in the log text, {los}"),
        (("loss > 1", None, "step", 1, "{loss"), ExpressionError, "column 1: a brace"),
        (('data("model.0.weight") > 1',), ExpressionError, "gives 8 values"),
    ],
)
def test_a_wrong_breakpoint_is_rejected_and_none_is_added(network, given, error, message):
    with pytest.raises(error, match=message):
        network.break_when(*given)
    assert network.breakpoints.texts == ()


def test_a_wrong_breakpoint_can_be_kept_and_corrected(bowl):
    point = bowl.breakpoints.put(BreakpointSpec("los > 1"))
    assert (point.record.error[:8], point.record.column) == ("column 1", 1)
    assert bowl.run(1).kind == "iterations"
    bowl.breakpoints.put(BreakpointSpec("loss > 1", after=("forward",)), point.id)
    assert point.error is None
    assert bowl.run().event == 6


def test_a_gradient_that_a_rebuilt_module_loses_has_changed(network):
    network.iterate(1)
    network.break_when('changed("model.0.weight.grad")', after="any")
    network.apply(RebuildModule("model"))
    assert network.who_changed("model.0.weight.grad") == 5


@pytest.fixture
def alone(cursor):
    """Breakpoints without a Debugger, and the texts that they report."""
    kept = []
    context = EvaluationContext(cursor.program)
    return Breakpoints(lambda: context, ("loss > 1",), kept.append), kept


def test_breakpoints_are_a_collection_that_reports_each_change(alone):
    points, kept = alone
    added = points.add("iteration > 3", after="step")
    assert (len(points), points[1], [point.id for point in points]) == (2, added, [1, 2])
    points.remove(1)
    added.disable()
    assert [len(texts) for texts in kept] == [2, 1, 1]
    assert [record.spec.enabled for record in points.records] == [False]
    assert points.armed == ()


def test_a_session_of_many_breakpoints_keeps_the_limit(cursor):
    context = EvaluationContext(cursor.program)
    points = Breakpoints(lambda: context, ["loss > 1"] * (MAX_BREAKS + 1))
    assert len(points) == MAX_BREAKS
    with pytest.raises(OperationError, match="already 200 breakpoints, which is the limit"):
        points.add("loss > 1")
    with pytest.raises(OperationError, match="remove one first"):
        points.put(BreakpointSpec("loss > 1"))
    points.remove(7)
    assert points.add("loss > 1").id == MAX_BREAKS + 1
