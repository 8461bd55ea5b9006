"""Columns of layer outputs: the norm of what the last Forward of each iteration computed."""

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.history.history import History
from gradstep.program.document.codec import decode
from gradstep.program.operation import Forward, RebuildModule, Step, ZeroGrad
from gradstep.program.program import Program

LAYERS = ("model", "model.0", "model.1", "model.2", "model.3")
DATA = {"kind": "moons", "samples": 24, "noise": 0.1, "batch_size": 8, "validation": 0.25}
LOSS = {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
NETWORK = {
    "gradstep": 1,
    "seed": 3,
    "data": {"a": DATA},
    "modules": {
        "model": [
            {"kind": "Linear", "in_features": 2, "out_features": 4},
            {"kind": "ReLU"},
            {"kind": "Dropout", "p": 0.25},
            {"kind": "Linear", "in_features": 4, "out_features": 1},
        ]
    },
    "losses": {"loss": LOSS},
    "optimizers": {"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 0.05}},
    "loop": [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}],
}


def program(**changes):
    return Program.from_spec(decode(json.dumps({**NETWORK, **changes}).encode()))


def run(history, source, iterations):
    """Run whole iterations; return the norms of the outputs that each of them computed last."""
    found = []
    for _ in range(iterations):
        norms, before = {}, source.iteration
        while source.iteration == before:
            with source.capture_activations() as outputs:
                history.record(source, source.next_operation)
            norms |= {name: np.linalg.norm(array.astype("f8")) for name, array in outputs.items()}
        found.append(norms)
    return found


def column(history, layer):
    return history.series.column(f"output/{layer}")[1]


def assert_norms(history, layer, first, norms):
    """Assert that a column is NaN up to a row, and then has these norms."""
    values = column(history, layer)
    assert np.isnan(values[:first]).all()
    expected = [norm.get(layer, np.nan) for norm in norms]
    np.testing.assert_allclose(values[first:], expected, rtol=1e-6)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_chosen_output_has_a_column_from_then_on(layer):
    history = History.start(source := program())
    run(history, source, 2)
    assert history.series.choose_output(layer) == f"output/{layer}"
    assert history.series.names[-1] == f"output/{layer}"
    assert_norms(history, layer, 3, run(history, source, 5))


def test_the_current_row_can_be_read_until_it_closes():
    history = History.start(source := program())
    history.series.choose_output("model.3")
    forward = source.loop_operations()[:2]
    for operation in forward:
        assert history.series.in_progress == {}
        with source.capture_activations() as outputs:
            history.record(source, operation)
    assert history.series.in_progress == {"output/model.3": np.linalg.norm(outputs["model.3"])}
    assert len(history.series) == 1
    branch = history.fork(source, 2)
    assert branch.series.in_progress == history.series.in_progress
    run(branch, source, 1)
    assert branch.series.in_progress == {}


def test_only_layers_that_a_loss_runs_can_be_chosen():
    unused = [{"kind": "Linear", "in_features": 2, "out_features": 4}]
    source = program(modules={**NETWORK["modules"], "unused": unused})
    assert History.start(source).series.layers == LAYERS


def test_a_layer_is_chosen_once():
    history = History.start(source := program())
    for _ in range(2):
        history.series.choose_output("model.1")
    assert history.series.outputs == ("model.1",)
    assert history.series.names.count("output/model.1") == 1
    assert_norms(history, "model.1", 1, run(history, source, 1))


def test_outputs_and_elements_are_chosen_in_any_order():
    wide = [
        {"kind": "Linear", "in_features": 2, "out_features": 80},
        {"kind": "Linear", "in_features": 80, "out_features": 1},
    ]
    history = History.start(source := program(modules={"model": wide}))
    series, weight = history.series, source.tensors["model.0.weight"]
    series.choose_output("model.1")
    element = series.choose("model.0.weight", (3, 1))
    series.choose_output("model.0")
    norms = run(history, source, 2)
    assert_norms(history, "model.1", 1, norms)
    assert_norms(history, "model.0", 1, norms)
    assert series.column(element)[1][-1] == weight.detach().numpy()[3, 1]


def test_an_iteration_without_a_forward_leaves_a_gap():
    history = History.start(source := program())
    history.series.choose_output("model.1")
    run(history, source, 1)
    for operation in (ZeroGrad(), Step()):
        history.record(source, operation)
    assert np.isfinite(column(history, "model.1")).tolist() == [False, True, False]


def test_the_last_of_several_forwards_counts():
    history = History.start(source := program())
    history.series.choose_output("model.3")
    for _ in range(3):
        with source.capture_activations() as outputs:
            history.record(source, Forward())
    history.record(source, Step())
    assert_norms(history, "model.3", 1, [{"model.3": np.linalg.norm(outputs["model.3"])}])


def test_an_optimizer_that_evaluates_the_loss_leaves_the_output_of_its_last_evaluation():
    lbfgs = {"optimizer": {"kind": "LBFGS", "params": ["model.*"], "lr": 0.1}}
    history = History.start(source := program(optimizers=lbfgs, loop=[{"op": "step"}]))
    history.series.choose_output("model.0")
    norms = run(history, source, 3)
    assert_norms(history, "model.0", 1, norms)
    assert len({norm["model.0"] for norm in norms}) == 3


def test_held_out_rows_are_not_points_of_the_curve():
    accuracy = {"data": "a", "chain": ["model"], "expression": "mean((output > 0) == target)"}
    losses = {"loss": LOSS, "val": {**LOSS, "rows": "validation"}}
    forwards = [{"op": "forward", "loss": name} for name in ("loss", "val", "accuracy")]
    loop = [{"op": "zero_grad"}, *forwards, {"op": "backward", "loss": "loss"}, {"op": "step"}]
    source = program(losses=losses, metrics={"accuracy": accuracy}, loop=loop)
    history = History.start(source)
    history.series.choose_output("model.3")
    history.record(source, source.next_operation)
    with source.capture_activations() as outputs:
        history.record(source, source.next_operation)
    run(history, source, 1)
    assert source.output_losses()["model.3"] == {"loss"}
    assert_norms(history, "model.3", 1, [{"model.3": np.linalg.norm(outputs["model.3"])}])


def test_a_layer_that_only_held_out_rows_go_through_has_their_curve():
    modules = {**NETWORK["modules"], "head": [{"kind": "Sigmoid"}]}
    shares = {"data": "a", "chain": ["model", "head"], "expression": "mean(output)"}
    forward = {"op": "forward", "loss": "share"}
    loop = [*NETWORK["loop"][:2], forward, {"op": "backward", "loss": "loss"}, {"op": "step"}]
    history = History.start(
        source := program(modules=modules, metrics={"share": shares}, loop=loop)
    )
    history.series.choose_output("head")
    assert_norms(history, "head", 1, run(history, source, 2))


def test_a_sum_of_losses_runs_the_layers_of_its_parts():
    losses = {"task": LOSS, "loss": {"data": "a", "expression": "task + 0.1 * x ** 2"}}
    tensors = {"x": {"value": 1.0, "requires_grad": True}}
    forward = {"op": "forward", "loss": "loss"}
    backward = {"op": "backward", "loss": "loss"}
    loop = [{"op": "zero_grad"}, forward, backward, {"op": "step"}]
    history = History.start(source := program(losses=losses, tensors=tensors, loop=loop))
    history.series.choose_output("model.3")
    assert_norms(history, "model.3", 1, run(history, source, 2))


def test_an_unknown_layer_is_rejected_by_name():
    series = History.start(program()).series
    with pytest.raises(GradStepError, match=r"no loss runs a layer 'model\.9'") as raised:
        series.choose_output("model.9")
    assert "'model.3'" in raised.value.remedy
    parabola = program(
        data={},
        modules={},
        tensors={"x": {"value": 1.0, "requires_grad": True}},
        losses={"loss": {"expression": "x ** 2"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
    )
    with pytest.raises(GradStepError, match="no loss runs a layer 'x'") as raised:
        History.start(parabola).series.choose_output("x")
    assert raised.value.remedy == "choose a tensor: this program has no layers"


def test_choosing_an_output_changes_nothing_that_is_computed():
    plain, chosen = History.start(a := program()), History.start(b := program())
    for layer in LAYERS:
        chosen.series.choose_output(layer)
    run(plain, a, 5)
    run(chosen, b, 5)
    for name in plain.series.names:
        np.testing.assert_array_equal(chosen.series.column(name)[1], plain.series.column(name)[1])
    checksums = [[h.log.checksum(index) for index in range(1, 21)] for h in (plain, chosen)]
    assert checksums[0] == checksums[1]


@pytest.mark.parametrize("event", range(4, 13))
def test_a_branch_continues_with_the_outputs_of_the_other_up_to_the_fork(event):
    history = History.start(source := program())
    history.series.choose_output("model.0")
    history.series.choose_output("model.2")
    run(history, source, 4)
    branch = history.fork(source, event)
    assert branch.series.outputs == ("model.0", "model.2")
    branch.series.choose_output("model.3")
    while source.iteration < 4:
        branch.record(source, source.next_operation)
    for layer in ("model.0", "model.2"):
        np.testing.assert_array_equal(column(branch, layer), column(history, layer))
    assert history.series.outputs == ("model.0", "model.2")
    assert np.isfinite(column(branch, "model.3")[-1])
    with pytest.raises(GradStepError, match="no column"):
        column(history, "model.3")


def test_a_module_that_was_rebuilt_continues_under_its_name():
    history = History.start(source := program())
    history.series.choose_output("model.0")
    norms = run(history, source, 2)
    history.record(source, RebuildModule("model"))
    assert_norms(history, "model.0", 1, norms + run(history, source, 2))


def test_a_saved_session_has_them_and_continues(tmp_path):
    debugger = Debugger(decode(json.dumps(NETWORK).encode()))
    debugger.run(2)
    debugger.history.series.choose_output("model.1")
    debugger.history.series.choose("model.0.weight", (1, 1))
    debugger.run(3)
    debugger.apply(ZeroGrad())
    debugger.apply(Forward())
    debugger.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    assert again.history.series.names == debugger.history.series.names
    for each in (debugger, again):
        each.run(2)
    for name in debugger.history.series.names:
        mine, theirs = (each.history.series.column(name)[1] for each in (again, debugger))
        np.testing.assert_array_equal(mine, theirs)
    values = column(again.history, "model.1")
    assert np.isfinite(values).tolist() == [False] * 3 + [True] * (len(values) - 3)
    again.seek(10)
    again.fork()
    again.run(1)
    assert np.isfinite(column(again.history, "model.1")[-1])


def test_a_recording_takes_up_an_output_that_is_chosen_in_its_middle(tmp_path):
    debugger = Debugger(decode(json.dumps(NETWORK).encode()))
    recorder = debugger.record_to(tmp_path / "a.gradstep")
    debugger.run(2)
    debugger.history.series.choose_output("model.3")
    debugger.run(3)
    recorder.close()
    again = Debugger.open(tmp_path / "a.gradstep")
    np.testing.assert_array_equal(
        column(again.history, "model.3"), column(debugger.history, "model.3")
    )
    assert np.isfinite(column(again.history, "model.3")).tolist() == [False] * 3 + [True] * 3
