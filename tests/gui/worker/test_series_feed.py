"""SeriesFeed: each view is handed what it has not had, and a new branch from its beginning."""

import numpy as np
import pytest

from gradstep.errors import GradStepError
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep_gui.plotting.series import SeriesBatch
from gradstep_gui.worker.series_feed import SeriesFeed
from gradstep_gui.worker.updates import SeriesUpdate

PARABOLA = {
    "gradstep": 1,
    "tensors": {"x": {"value": [1.0, 2.0], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(x ** 2)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
    "loop": [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}],
}
NETWORK = {
    "gradstep": 1,
    "data": {"a": {"kind": "moons", "samples": 8}},
    "modules": {"model": [{"kind": "Linear", "in_features": 2, "out_features": 1}]},
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
    "loop": PARABOLA["loop"],
}
LOSS, ELEMENT, OUTPUT = "loss/loss", "element/w[0,3]", "output/model.1"


class Recorded:
    def __init__(self, rows=0):
        self.columns = {LOSS: [float(row) for row in range(rows)]}
        self.layers = ("model", "model.1")
        self.in_progress = {}

    @property
    def names(self):
        return ("event", *self.columns)

    def column(self, name, since=0):
        y = np.array(self.columns[name][since:], dtype=float)
        return np.arange(since, since + len(y), dtype=float), y

    def choose(self, tensor, index):
        if (tensor, index) != ("w", (0, 3)):
            raise GradStepError("there is no such element")
        self.columns[ELEMENT] = [np.nan] * len(self.columns[LOSS])

    def choose_output(self, layer):
        if layer != "model.1":
            raise GradStepError("there is no such layer")
        self.columns[OUTPUT] = [np.nan] * len(self.columns[LOSS])


@pytest.fixture
def feed():
    feed = SeriesFeed()
    feed.want("plots", (LOSS,))
    return feed


def test_rows_are_handed_out_once(feed):
    series = Recorded(3)
    assert feed.pull(series)["plots"].columns[LOSS].y.tolist() == [0, 1, 2]
    assert feed.pull(series) == {}
    series.columns[LOSS] += [7.0]
    patch = feed.pull(series)["plots"].columns[LOSS]
    assert (patch.start, patch.x.tolist(), patch.y.tolist()) == (3, [3], [7])


def test_each_view_has_its_own_place(feed):
    series = Recorded(2)
    feed.pull(series)
    feed.want("other", (LOSS,))
    assert {key: batch.columns[LOSS].start for key, batch in feed.pull(series).items()} == {
        "other": 0
    }


def test_another_branch_comes_from_its_beginning(feed):
    feed.pull(Recorded(5))
    patch = feed.pull(Recorded(2))["plots"].columns[LOSS]
    assert (patch.start, len(patch.x)) == (0, 2)


def test_an_empty_column_is_sent_once_so_that_the_view_can_clear(feed):
    series = Recorded(0)
    assert len(feed.pull(series)["plots"].columns[LOSS].x) == 0
    assert feed.pull(series) == {}


@pytest.mark.parametrize("chosen", [ELEMENT, OUTPUT])
def test_an_element_or_output_that_was_not_recorded_is_recorded_from_now_on(feed, chosen):
    series = Recorded(2)
    feed.want("plots", (LOSS, chosen))
    batch = feed.pull(series)["plots"]
    assert np.isnan(batch.columns[chosen].y).all()
    assert chosen in batch.names
    for column in series.columns.values():
        column.append(7.0)
    patch = feed.pull(series)["plots"].columns[chosen]
    assert (patch.start, patch.y.tolist()) == (2, [7])


def test_outputs_that_can_be_chosen_are_named_in_the_order_of_the_layers(feed):
    series = Recorded(1)
    names = ("event", LOSS, "output/model", OUTPUT)
    assert feed.pull(series)["plots"].names == names
    feed.want("plots", (LOSS, OUTPUT))
    assert feed.pull(series)["plots"].names == names
    assert series.names == ("event", LOSS, OUTPUT)


def test_a_value_of_the_row_in_progress_is_handed_out_when_it_changes(feed):
    series = Recorded(1)
    feed.want("plots", (LOSS, OUTPUT))
    assert feed.pull(series)["plots"].in_progress == {}
    for value in ({OUTPUT: 2.5}, {OUTPUT: 3.5}, {}):
        series.in_progress = {**value, "output/model.2": 1.0}
        batch = feed.pull(series)["plots"]
        assert (batch.in_progress, dict(batch.columns)) == (value, {})
        assert feed.pull(series) == {}


@pytest.mark.parametrize("chosen", [ELEMENT, OUTPUT])
def test_another_branch_that_has_not_recorded_it_records_it_from_now_on(feed, chosen):
    feed.want("plots", (LOSS, chosen))
    feed.pull(Recorded(1))
    other = Recorded(3)
    assert len(feed.pull(other)["plots"].columns[chosen].y) == 3
    assert chosen in other.names


@pytest.mark.parametrize("name", ["norm/passed", "element/w[9,9]", "loss/other", "output/model.9"])
def test_a_column_that_does_not_exist_is_skipped(feed, name):
    feed.want("plots", (LOSS, name))
    assert set(feed.pull(Recorded(1))["plots"].columns) == {LOSS}


def test_rows_in_which_a_move_was_not_measured_are_not_a_gap_in_its_curve():
    series, feed = Recorded(), SeriesFeed()
    feed.want("plots", ("update/w",))
    series.columns["update/w"] = [1.0, np.nan, np.nan, 2.0]
    first = feed.pull(series)["plots"].columns["update/w"]
    assert (first.start, first.y.tolist()) == (0, [1.0, 2.0])
    series.columns["update/w"] += [np.nan, 3.0]
    then = feed.pull(series)["plots"].columns["update/w"]
    assert (then.start, then.y.tolist()) == (2, [3.0])


def test_an_output_of_a_real_program_is_recorded_once_a_view_wants_it(opened):
    controller = opened(NETWORK, 2)
    controller.set_series_wanted("plots", ["loss/loss", "output/model.0"])
    controller.iterate(3)
    assert controller.wait_idle(60)
    values = controller.take_series("plots").columns["output/model.0"].y
    assert np.isfinite(values).tolist() == [False] * 3 + [True] * 3
    controller.apply(ZeroGrad())
    controller.apply(Forward())
    assert controller.wait_idle(60)
    now = controller.take_series("plots").in_progress
    controller.apply(Backward())
    controller.apply(Step())
    assert controller.wait_idle(60)
    closed = controller.take_series("plots")
    row = closed.columns["output/model.0"].y.tolist()
    assert now == {"output/model.0": pytest.approx(row[0], rel=1e-6)}
    assert (len(row), closed.in_progress) == (1, {})


def test_values_in_progress_that_wait_are_replaced_by_later_ones_and_kept_without_news():
    first, second, third = (
        SeriesUpdate("plots", SeriesBatch(in_progress=now))
        for now in ({OUTPUT: 1.0}, {OUTPUT: 2.0}, None)
    )
    assert second.joined_to(first).batch.in_progress == {OUTPUT: 2.0}
    assert third.joined_to(second).batch.in_progress == {OUTPUT: 2.0}


def test_columns_requested_while_nothing_runs_are_announced_though_the_moment_is_the_same(
    opened, qtbot
):
    controller = opened(PARABOLA, 1)
    before = controller.snapshot
    with qtbot.waitSignal(controller.series_changed, timeout=60_000):
        controller.set_series_wanted("plots", ["norm/x"])
    assert controller.snapshot is before
    assert len(controller.take_series("plots").columns["norm/x"].x) == 2
