"""Suspicions: they show value, threshold and source, and keep still where nothing is wrong."""

from types import SimpleNamespace

import numpy as np
import pytest

from gradstep.diagnostics.finding_history import FindingHistory
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.suspicions.loss_curves import parts_of_sums
from gradstep.diagnostics.suspicions.training_curves import CurveSuspicions
from gradstep.history.curves.series import Series
from gradstep.program.operation import Backward, LoopLine
from gradstep.program.schema.program_spec import LossSpec, ProgramSpec


@pytest.fixture
def fill():
    """Fill the Series of a model of two layers and return what is suspected."""

    def filled(losses, gradients=(1.0, 1.0), updates=(1e-2, 1e-2)):
        tensors = {
            name: SimpleNamespace(_array=np.ones((2, 2)), _grad=None)
            for name in ("model.0.weight", "model.2.weight")
        }
        source = SimpleNamespace(
            tensors=tensors,
            losses={"loss": None},
            output_losses=dict,
            iteration=0,
            unrecorded=frozenset(),
        )
        series, watch, found = Series(source), CurveSuspicions(), {}
        for row, loss in enumerate(losses, start=1):
            source.iteration = row
            series.sample_loss("loss", loss)
            for tensor, gradient, update in zip(tensors.values(), gradients, updates, strict=True):
                tensor._grad = SimpleNamespace(_array=np.full((2, 2), gradient))
                tensor._array = tensor._array + update
            series.sample_gradients(source)
            series.close(source, row * 4)
            if watch.is_due(series):
                found |= {fact.id: fact for fact in watch.look(series, row * 4)}
        return found

    return filled


FALLING = np.geomspace(1.0, 0.5, 40)


def test_a_loss_that_falls_is_not_suspected(fill):
    assert fill(FALLING) == {}


def test_a_loss_that_does_not_fall_is_suspected_with_its_number(fill):
    fact = fill([0.7] * 40)["loss-not-decreasing"]
    assert fact.value == pytest.approx(0.0, abs=1e-3)
    finding = FindingHistory(fact).finding(160)
    assert (finding.severity, finding.threshold) == ("suspicion", 0.1)
    assert "SageMaker" in finding.source


def test_noise_of_batches_is_not_a_standstill(fill):
    noisy = 0.7 + 0.2 * np.random.default_rng(0).normal(size=40)
    assert fill(noisy) == {}


def test_a_loss_that_has_come_down_may_be_flat(fill):
    assert fill([1.0] * 10 + [0.01] * 40) == {}


def test_a_loss_that_grows_past_its_start_is_diverging(fill):
    fact = fill(np.geomspace(1.0, 100.0, 40))["loss-diverging"]
    assert fact.value > 2.0


def test_gradients_that_vanish_or_explode_towards_the_input(fill):
    vanishing = fill(FALLING, gradients=(1e-6, 1e-1))["vanishing-gradient"]
    assert (vanishing.subjects, vanishing.value) == (("model.0.weight",), pytest.approx(1e-5))
    exploding = fill(FALLING, gradients=(100.0, 1.0))["exploding-gradient"]
    assert exploding.value == pytest.approx(100.0)


def test_updates_of_an_unusual_size(fill):
    slow = np.linspace(1.0, 0.95, 40)
    small = fill(slow, updates=(1e-7, 1e-2))["update-ratio"]
    assert (small.subjects, small.threshold) == (("model.0.weight",), -4.0)


def test_updates_longer_than_the_weights_are_reported_as_the_learning_rate(make):
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": [[1.0]], "requires_grad": True}},
        losses={"loss": {"expression": "sum(abs(x)) + 20"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.7}},
    )
    dbg.iterate(120)
    assert {item.id for item in dbg.findings} == {"learning-rate"}
    (finding,) = dbg.findings
    assert finding.value > finding.threshold == 0.1
    assert "half of the updates of a weight were longer than 204 % of its norm" in finding.detail


def test_small_updates_near_the_goal_are_right(fill):
    assert fill(FALLING, updates=(1e-7, 1e-7)) == {}


def test_a_finding_cites_only_what_had_happened_by_then():
    standing = FindingHistory(Observation("grad-reused", ("x",), (2, 3, 4)))
    for first in range(5, 60):
        standing.add(Observation("grad-reused", ("x",), (first, first + 1)))
    assert standing.finding(4).events == (2, 3, 4)
    assert standing.finding(7).events == (2, 3, 4, 5, 6, 7)
    assert len(standing.finding(100).events) < 20
    assert standing.fork(7).finding(100).events == (2, 3, 4, 5, 6, 7)


def test_every_occurrence_is_counted_and_can_be_visited():
    standing = FindingHistory(Observation("grad-reused", ("x",), (2, 4)))
    before = standing.occurrences.events
    for event in range(8, 4_000, 4):
        standing.add(Observation("grad-reused", ("x",), (event - 2, event)))
    finding, events = standing.finding(4_000), standing.occurrences.events
    assert (finding.count, finding.last) == (len(events), 3_996) == (999, 3_996)
    assert (standing.finding(11).count, standing.finding(11).last) == (2, 8)
    assert (before.tolist(), events[:3].tolist()) == ([4], [4, 8, 12])
    assert standing.fork(11).occurrences.events.tolist() == [4, 8]


def test_what_is_noticed_twice_at_an_event_is_one_occurrence():
    standing = FindingHistory(Observation("optimizer-foreign", ("x",)))
    standing.add(Observation("optimizer-foreign", ("x",)))
    standing.add(Observation("optimizer-foreign", ("x",), (3,)))
    standing.add(Observation("optimizer-foreign", ("x",), (3,)))
    assert standing.occurrences.events.tolist() == [0, 3]


def test_many_subjects_are_counted_and_not_all_named():
    names = tuple(f"t{number}" for number in range(10))
    finding = FindingHistory(Observation("grad-discarded", names, (1, 2))).finding(2)
    assert "t0, t1, t2, t3, t4, t5 and 4 more" in finding.detail
    assert finding.subjects == names


def test_a_loss_that_swings_though_it_sees_the_same_rows(make):
    parabola = {
        "data": {},
        "modules": {},
        "tensors": {"x": {"value": 1.0, "requires_grad": True}},
        "losses": {"loss": {"expression": "abs(x) + 2"}},
    }
    optimizer = {"kind": "SGD", "params": ["x"]}
    swinging = make(**parabola, optimizers={"optimizer": {**optimizer, "lr": 0.7}})
    swinging.iterate(20)
    finding = next(item for item in swinging.findings if item.id == "loss-oscillating")
    assert finding.value > finding.threshold == 20.0
    calm = make(**parabola, optimizers={"optimizer": {**optimizer, "lr": 0.01}})
    calm.iterate(40)
    assert calm.findings == ()


def test_a_held_out_loss_that_parts_from_the_training_loss(make):
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}
    dbg = make(
        seed=0,
        data={"a": {"kind": "gaussian", "samples": 24, "inputs": 8, "validation": 0.5}},
        modules={
            "model": [
                {"kind": "Linear", "in_features": 8, "out_features": 32},
                {"kind": "Tanh"},
                {"kind": "Linear", "in_features": 32, "out_features": 1},
            ]
        },
        losses={"loss": loss, "held_out": {**loss, "rows": "validation"}},
        optimizers={"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 0.02}},
        loop=[
            {"op": "zero_grad"},
            {"op": "forward"},
            {"op": "backward"},
            {"op": "step"},
            {"op": "forward", "loss": "held_out", "every": 2},
        ],
    )
    dbg.iterate(100)
    finding = next(item for item in dbg.findings if item.id == "overfitting")
    assert finding.subjects == ("held_out",)
    assert finding.value > 0.1
    assert "SageMaker" in finding.source


def test_losses_that_stay_together_do_not_overfit(make):
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}
    one = [{"kind": "Linear", "in_features": 1, "out_features": 1}]
    dbg = make(
        data={"a": {"kind": "line", "samples": 40, "slope": 2, "noise": 0.1, "validation": 0.5}},
        modules={"model": one},
        losses={"loss": loss, "held_out": {**loss, "rows": "validation"}},
        loop=[
            {"op": "zero_grad"},
            {"op": "forward"},
            {"op": "backward"},
            {"op": "step"},
            {"op": "forward", "loss": "held_out"},
        ],
    )
    dbg.iterate(100)
    assert dbg.findings == ()


def test_a_parameter_that_does_not_move_while_others_move(make, layers):
    heads = {name: [{"kind": "Linear", "in_features": 2, "out_features": 1}] for name in "pq"}
    loss = {"data": "a", "criterion": {"kind": "BCEWithLogitsLoss"}}
    parts = {
        "modules": heads,
        "losses": {name: {**loss, "chain": [name[-1]]} for name in ("loss_p", "loss_q")},
    }
    still = make(
        **parts,
        optimizers={
            "moving": {"kind": "SGD", "params": ["p.*"], "lr": 0.1},
            "still": {"kind": "SGD", "params": ["q.*"], "lr": 1e-9},
        },
    )
    still.iterate(20)
    found = [item for item in still.findings if item.id == "unchanged-parameter"]
    assert [item.subjects for item in found] == [("q.0.weight",)]
    seldom = make(
        **parts,
        optimizers={
            "moving": {"kind": "SGD", "params": ["p.*"], "lr": 0.1},
            "seldom": {"kind": "SGD", "params": ["q.*"], "lr": 0.1},
        },
        loop=[
            {"op": "zero_grad", "optimizer": "moving"},
            {"op": "zero_grad", "optimizer": "seldom", "every": 50},
            {"op": "forward", "loss": "loss_p"},
            {"op": "backward", "loss": "loss_p"},
            {"op": "forward", "loss": "loss_q", "every": 50},
            {"op": "backward", "loss": "loss_q", "every": 50},
            {"op": "step", "optimizer": "moving"},
            {"op": "step", "optimizer": "seldom", "every": 50},
        ],
    )
    seldom.iterate(100)
    assert "unchanged-parameter" not in {item.id for item in seldom.findings}


@pytest.mark.parametrize("loop", [None, [LoopLine(Backward("total"))]])
def test_losses_that_only_a_sum_trains_are_its_parts(loop):
    losses = {"task": "x", "penalty": "y", "total": "task + penalty", "other": "z"}
    spec = ProgramSpec(
        gradstep=1,
        losses={name: LossSpec(expression=text) for name, text in losses.items()},
        loop=loop,
    )
    assert parts_of_sums(spec) == {"task", "penalty"}


def test_weights_of_a_network_that_has_learned_may_rest(make):
    layers = [
        {"kind": "Linear", "in_features": 2, "out_features": 8},
        {"kind": "Tanh"},
        {"kind": "Linear", "in_features": 8, "out_features": 1},
        {"kind": "Sigmoid"},
    ]
    dbg = make(
        data={"a": {"kind": "blobs", "samples": 60, "centers": 2, "spread": 0.3}},
        modules={"model": layers},
        losses={"loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "BCELoss"}}},
        optimizers={"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 0.3}},
    )
    dbg.iterate(400)
    assert float(dbg.snapshot.losses["loss"]) < 1e-5
    assert dbg.findings == ()


FLAT = {
    "a saddle point": ("sum((x ** 2 - 1) ** 2)", [0.0, 0.0], "exactly 0"),
    "units that are saturated": ("sum((tanh(20 * x) + 1) ** 2)", [1.0], "exactly 0"),
    "a gradient of 3e-7": ("sum(sigmoid(x))", [15.0], "changes loss by 3.6e-07 of its value"),
    "a gradient whose square is 0 in single precision": (
        "2 + 1e-30 * sum(x)",
        [1.0],
        "changes loss by 5e-19 of its value",
    ),
}


@pytest.mark.parametrize("case", FLAT)
def test_where_there_is_no_slope_no_learning_rate_is_blamed(make, case):
    expression, value, words = FLAT[case]
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": value, "requires_grad": True}},
        losses={"loss": {"expression": expression}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
    )
    dbg.iterate(60)
    (finding,) = dbg.findings
    assert (finding.id, finding.subjects) == ("vanishing-gradient", ("x",))
    assert words in finding.detail
    assert "learning rate" not in finding.remedy


def test_free_tensors_that_have_come_to_a_minimum_are_not_suspected(make):
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": [3.0], "requires_grad": True}},
        losses={"loss": {"expression": "5 + 0.01 * sum(x ** 2)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 10.0}},
    )
    dbg.iterate(400)
    assert dbg.findings == ()


def test_a_penalty_on_a_weight_is_no_exploding_gradient(make):
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    penalty = "10 * sum(abs(tensor('model.0.weight')))"
    dbg = make(
        losses={"task": loss, "loss": {"data": "a", "expression": f"task + {penalty}"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.001}},
    )
    dbg.iterate(100)
    assert dbg.findings == ()


def test_what_does_not_decrease_is_the_sum_and_not_its_part(make):
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    penalty = "10 * sum(abs(tensor('model.0.weight')))"
    dbg = make(
        losses={"task": loss, "loss": {"data": "a", "expression": f"task + {penalty}"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.3}},
    )
    dbg.iterate(200)
    (finding,) = dbg.findings
    assert (finding.id, finding.subjects) == ("learning-rate", ("loss",))
    assert "loss has fallen by less than a tenth" in finding.detail


def test_a_loss_without_progress_is_told_with_the_iterations_that_are_compared(fill):
    fact = fill([0.7] * 20 + [0.7001] * 20)["loss-not-decreasing"]
    detail = FindingHistory(fact).finding(160).detail
    assert detail == (
        "loss made no progress before #160: its mean over 10 iterations was 0 % higher than over "
        "the 10 before. Less than 0.1 % counts as none."
    )


def test_a_loss_that_fell_in_its_first_iterations_has_fallen(make):
    # 22 at first, and 6.3 on average over the first ten iterations: 6 then is no lack of progress.
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": [4.0], "requires_grad": True}},
        losses={"loss": {"expression": "6 + sum(x ** 2)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.45}},
    )
    dbg.iterate(40)
    assert float(dbg.snapshot.losses["loss"]) < 6.001
    assert dbg.findings == ()
