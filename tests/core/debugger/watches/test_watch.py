"""A watch: its present and past values, and the last writer of a value."""

import numpy as np
import pytest

from gradstep.debugger.conditions.indexed_address import expression_of, parse_indexed_address
from gradstep.debugger.watches import watch_records
from gradstep.errors import ExpressionError, OperationError
from gradstep.history.records.breakpoints import Unknown
from gradstep.program.operation import (
    Freeze,
    RebuildModule,
    ReplaceOptimizer,
    SchedulerStep,
    SetHyperparameter,
    SetValue,
    Step,
)


def test_a_watch_has_the_value_at_the_present_moment(network):
    watch = network.watch('norm(grad("model.0.weight"))')
    assert watch.value is None
    network.iterate(3)
    gradient = network.snapshot.parameters["model.0.weight"].grad
    assert watch.value == pytest.approx(float(np.linalg.norm(gradient.astype(np.float64))))
    network.seek(1)
    assert watch.value is None


def test_an_array_is_returned_as_a_copy(network):
    watch = network.watch('data("model.0.bias")')
    before = watch.value
    kept = before.copy()
    network.iterate(2)
    assert before.tobytes() == kept.tobytes()
    assert watch.value.tobytes() == network.snapshot.parameters["model.0.bias"].data.tobytes()


def test_truth_values_stay_truth_values(network):
    assert network.watch("iteration == 0").value is True
    assert network.watch('is_none(grad("model.0.bias"))').value is True


def test_past_values_are_the_recorded_ones_and_the_cursor_stays(make, state_of):
    network, alongside = make(), make()
    watch, other = (dbg.watch('sum(data("model.3.weight"))') for dbg in (network, alongside))
    expected = [(0, other.value)]
    for index in range(1, 25):
        alongside.apply(alongside.program.next_operation)
        expected.append((index, other.value))
    network.iterate(6)
    network.seek(13)
    state = state_of(network)
    assert watch.history(range(25)) == expected
    assert watch.at(7) == expected[7][1]
    assert network.position == (13, None)
    assert state_of(network) == state


def test_losses_are_read_from_the_event_log_without_a_replay(network, monkeypatch):
    watch = network.watch("loss")
    network.iterate(3)
    losses = [event.loss for event in network.events if event.loss is not None]
    monkeypatch.setattr(network, "seek", None)
    assert watch.history([0, 1, 2, 3, 6, 12]) == [
        (0, None), (1, None), (2, losses[0]), (3, losses[0]), (6, losses[1]), (12, losses[2])
    ]  # fmt: skip


def test_a_step_that_evaluates_several_losses_reports_each_as_it_was(make):
    dbg = make(
        "line",
        losses={"a": {"expression": "sum(x * x)"}, "b": {"expression": "sum(x)"}},
        optimizers={"lbfgs": {"kind": "LBFGS", "params": ["x"], "lr": 0.1, "max_iter": 2}},
    )
    dbg.iterate(3)
    watch, expected = dbg.watch("a"), []
    for event in (1, 2, 3):
        dbg.seek(event)
        expected.append((event, dbg.snapshot.losses["a"]))
    assert watch.history((1, 2, 3)) == expected


def test_a_momentum_that_a_scheduler_cycles_is_reported_as_changed(make):
    dbg = make(
        "line",
        optimizers={"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.1, "momentum": 0.9}},
        schedulers={
            "cycle": {"kind": "OneCycleLR", "optimizer": "sgd", "max_lr": 0.1, "total_steps": 10}
        },
    )
    watch = dbg.watch('option("sgd", "momentum")')
    before = watch.value
    dbg.apply(SchedulerStep("cycle"))
    assert watch.before == before > watch.value
    assert dbg.who_changed("sgd/momentum") == 1


GROUPED = {
    "tensors": {
        "x": {"value": [1, 2], "requires_grad": True},
        "y": {"value": [3], "requires_grad": True},
    },
    "losses": {"loss": {"expression": "sum(x) + sum(y)"}},
    "optimizers": {
        "sgd": {"kind": "SGD", "params": ["x", {"params": ["y"], "lr": 0.5}], "lr": 0.1}
    },
}


def test_who_changed_distinguishes_the_groups_of_an_optimizer(make):
    dbg = make("line", **GROUPED)
    assert dbg.who_changed("sgd/1/lr") is None
    dbg.apply(SetHyperparameter("lr", 0.2, "sgd", 1))
    dbg.apply(SetHyperparameter("lr", 0.3, "sgd", 0))
    dbg.apply(SetHyperparameter("momentum", 0.9, "sgd", 1))
    places = ("sgd/lr", "sgd/0/lr", "sgd/1/lr", "sgd/0/momentum", "sgd/1/momentum")
    assert [dbg.who_changed(place) for place in places] == [2, 2, 1, None, 3]
    with pytest.raises(ExpressionError, match="nothing called 'sgd/2/lr'"):
        dbg.who_changed("sgd/2/lr")


@pytest.mark.parametrize("place", ["model.0.weight", "model.0.weight.grad"])
def test_an_option_that_is_set_changes_no_tensor(network, place):
    network.iterate(1)
    before = network.who_changed(place)
    network.apply(SetHyperparameter("lr", 0.5))
    assert network.who_changed(place) == before


def test_a_scheduler_changes_the_options_of_every_group(make):
    dbg = make(
        "line",
        **GROUPED,
        schedulers={"decay": {"kind": "ExponentialLR", "optimizer": "sgd", "gamma": 0.9}},
    )
    dbg.apply(SetHyperparameter("lr", 0.2, "sgd", 1))
    dbg.apply(SchedulerStep("decay"))
    assert [dbg.who_changed(place) for place in ("sgd/0/lr", "sgd/1/lr")] == [2, 2]


def test_the_value_before_the_last_event_is_available_too(network):
    watch = network.watch('norm(grad("model.3.bias"))')
    network.zero_grad()
    network.forward()
    network.backward()
    assert (watch.before, watch.value is not None) == (None, True)
    network.step()
    assert watch.before == watch.value


def test_inside_an_operation_it_is_the_value_after_the_micro_step(network, state_of):
    network.iterate(1)
    weight = network.snapshot.parameters["model.3.weight"].data.sum()
    network.forward()
    network.backward()
    watch = network.watch('sum(data("model.3.weight"))')
    network.step_into(Step())
    while network.micro_step.title != "model.0.bias":
        network.step_into()
    while network.micro_step.title != "model.3.bias":
        network.step_into()
    position, state = network.position, state_of(network)
    assert watch.before == pytest.approx(float(weight))
    assert watch.value != watch.before
    assert network.position == position
    assert state_of(network) == state


def test_another_branch_has_values_of_its_own(network):
    watch = network.watch('data("model.3.bias")[0]')
    network.iterate(3)
    first = watch.at(12)
    network.seek(4)
    network.apply(SetHyperparameter("lr", 0.5))
    network.iterate(2)
    assert watch.at(12) != first
    network.checkout(0)
    assert watch.at(12) == first


def test_bare_names_need_a_program_with_one_parameter(network, line):
    assert line.watch("norm(data)").value == pytest.approx(5**0.5)
    with pytest.raises(ExpressionError, match=r"data of which parameter\?; name it, as in data"):
        network.watch("norm(data)")


def test_a_watch_can_be_changed_and_removed(network):
    watch = network.watches.put("los")
    with pytest.raises(ExpressionError, match="did you mean 'loss'"):
        _ = watch.value
    network.watches.put("iteration", watch.id)
    assert watch.value == 0.0
    watch.remove()
    assert network.watches.texts == ()
    with pytest.raises(OperationError, match="no watch 1"):
        network.watches.put("loss", watch.id)


def test_who_changed_returns_the_last_event_that_wrote_a_value(network):
    network.iterate(2)
    writers = {
        address: network.who_changed(address)
        for address in (
            "model.0.weight",
            "model.0.weight.grad",
            "optimizer/model.0.weight/exp_avg",
            "loss",
            "loss.graph",
            "data.a",
            "optimizer/lr",
        )
    }
    assert writers == {
        "model.0.weight": 8,
        "model.0.weight.grad": 7,
        "optimizer/model.0.weight/exp_avg": 8,
        "loss": 6,
        "loss.graph": 7,
        "data.a": 6,
        "optimizer/lr": None,
    }


def test_who_changed_looks_back_from_the_present_moment(network):
    network.iterate(3)
    network.seek(6)
    assert network.who_changed("model.0.weight") == 4
    assert network.who_changed("model.0.weight.grad") == 5
    network.seek(0)
    assert network.who_changed("model.0.weight") is None


def test_freezing_changes_no_value_and_rebuilding_changes_the_gradient(network):
    network.iterate(1)
    network.apply(Freeze("model.0.*"))
    assert network.who_changed("model.0.weight") == 4
    network.apply(RebuildModule("model"))
    assert network.who_changed("model.0.weight") == 6
    assert network.who_changed("model.0.weight.grad") == 6
    network.apply(ReplaceOptimizer("SGD"))
    assert network.who_changed("optimizer/model.0.weight/exp_avg") == 7


def test_who_changed_of_an_element_is_the_event_that_changed_its_value(make):
    rows = {
        "kind": "inline",
        "inputs": [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]],
        "targets": [[1.0]] * 3,
    }
    network = make(
        data={"a": {**rows, "batch_size": 1}},
        modules={"model": [{"kind": "Linear", "in_features": 2, "out_features": 1}]},
        losses={"loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
        schedulers={},
    )
    network.iterate(3)
    weight = network.snapshot.parameters["model.0.weight"].data
    assert network.who_changed("model.0.weight") == 12
    assert network.who_changed("model.0.weight[0, 0]") == 4
    assert network.who_changed("model.0.weight[0, 1]") == 12
    assert network.position == (12, None)
    assert network.snapshot.parameters["model.0.weight"].data.tobytes() == weight.tobytes()


def test_a_write_that_leaves_an_element_did_not_change_it(line):
    for _ in range(2):
        line.apply(SetValue("x", 3.0))
    assert line.who_changed("x[0]") == 1
    assert line.who_changed("x") == 2


def test_the_first_record_of_a_watch_has_its_value(network):
    network.watch("iteration + 1")
    for compare in (True, False):
        (record,) = network.watches.records(compare=compare)
        assert (record.value, record.error) == (1.0, "")


def test_watches_that_would_take_too_long_are_not_computed(network, monkeypatch):
    monkeypatch.setattr(watch_records, "TIME_LIMIT_S", -1)
    network.watch("iteration")
    (record,) = network.watches.records()
    assert record.expression == "iteration"
    assert record.error.startswith("not computed: all watches together take more than ")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("model.0.wieght", "did you mean 'model.0.weight'"),
        ("model.0.weight[9, 0]", r"has no element \[9, 0\]; its shape is \(4, 2\)"),
        ("optimizer/model.0.weight/exp_vag", "did you mean 'optimizer/model.0.weight/exp_avg'"),
        ("optimizer/lrr", "did you mean 'optimizer/lr'"),
        ("", "there is nothing called ''"),
    ],
)
def test_who_changed_of_an_unknown_value_is_an_error(network, address, message):
    network.iterate(1)
    with pytest.raises(ExpressionError, match=message):
        network.who_changed(address)


def test_records_hold_values_and_what_the_last_event_changed(make, state_of):
    network = make()
    for expression in ("iteration", 'data("model.0.bias")', 'norm(grad("model.0.bias"))', "los"):
        network.watches.put(expression)
    network.iterate(3)
    network.zero_grad()
    state = state_of(network)
    records = network.watches.records()
    assert [(record.before is Unknown, record.changed) for record in records] == [
        (False, False), (False, False), (False, True), (True, False)
    ]  # fmt: skip
    assert (records[0].value, records[2].value, records[2].before > 0) == (3.0, None, True)
    bias = network.snapshot.parameters["model.0.bias"].data
    assert records[1].value.array.tobytes() == bias.tobytes()
    assert (records[3].error[:8], records[3].column) == ("column 1", 1)
    assert state_of(network) == state
    network.seek(12)
    assert [record.changed for record in network.watches.records()] == [True, True, False, False]
    weight = network.program.tensors["model.0.bias"].detach().numpy().copy()
    moved = network.watches.records()[1].moved
    network.back()
    before = network.program.tensors["model.0.bias"].detach().numpy()
    assert moved == pytest.approx(float(np.linalg.norm(weight.astype(np.float64) - before)))
    assert {record.before for record in network.watches.records(compare=False)} == {Unknown}


def test_inside_an_operation_records_do_not_leave_it(network):
    network.watches.put('sum(data("model.3.bias"))')
    network.forward()
    network.backward()
    assert network.watches.records()[0].changed is False
    network.step_into(Step())
    while network.micro_step.title != "model.3.bias":
        network.step_into()
    while network.watches.records()[0].changed is False:
        network.step_into()
    assert network.position[0] == 2
    assert network.watches.records()[0].before == network.watches[0].at(2)


@pytest.mark.parametrize(
    "place",
    [
        "optimizer/model.0.weight/exp_avg",
        "optimizer/model.0.weight/exp_avg[1, 0]",
        "model.0.weight[1, 0]",
        "model.0.weight.grad",
        "optimizer/lr",
        "loss",
    ],
)
def test_the_expression_of_a_place_evaluates_to_its_value(network, place):
    network.iterate(2)
    expression = expression_of(place, network.program.losses)
    here = parse_indexed_address(network.program, place).value(network.program)
    assert np.array_equal(network.watch(expression).value, here)
    network.break_when(f'changed("{place}")')
