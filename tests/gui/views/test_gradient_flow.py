"""Gradient flow: the gradient and the relative update of each layer, and their bars."""

import math

import numpy as np
import pytest

from gradstep_gui.plotting.curve_set import CurveSet
from gradstep_gui.plotting.layer_bars import LayerBars
from gradstep_gui.views.plots import PlotsView
from gradstep_gui.views.plots.gradient_flow import gradient_flow, relative_updates
from gradstep_gui.widgets.number_format import number_text
from tests.gui.factory import layered, parameter, snapshot
from tests.gui.plotting.series_batches import batch
from tests.gui.views.test_plots import SeriesController


def test_layers_come_in_the_order_of_the_model_with_the_root_mean_square_of_their_gradients():
    moment = snapshot(
        parameter("model.2.weight", np.ones((2, 2)), np.full((2, 2), 3.0)),
        parameter("model.2.bias", np.ones(2), np.zeros(2)),
        parameter("model.10.weight", np.ones(3), None),
        parameter("x", [1.0, 2.0], [0.5, -0.5]),
    )
    assert gradient_flow(moment) == (
        ("model.2", pytest.approx(math.sqrt(36 / 6))),
        ("model.10", None),
        ("x", pytest.approx(0.5)),
    )


def test_a_gradient_that_is_not_finite_is_reported_as_nan_and_buffers_are_not_layers():
    moment = snapshot(
        parameter("model.0.weight", [1.0, 2.0], [math.inf, 1.0]),
        parameter("model.1.running_mean", [1.0], is_buffer=True),
    )
    [(name, value)] = gradient_flow(moment)
    assert name == "model.0"
    assert math.isnan(value)


@pytest.fixture
def bars(qtbot):
    bars = LayerBars("Gradients", "backward", number_text)
    qtbot.addWidget(bars)
    return bars


def test_bars_are_as_long_as_the_logarithms_of_the_values(bars):
    bars.set_rows([("a", 1.0), ("b", 0.1), ("c", 0.01), ("d", 0.0), ("e", None), ("f", math.nan)])
    a, b, c, *rest = (bars.bar_length(value) for _, value in bars.rows)
    assert a == 1.0
    assert a - b == pytest.approx(b - c)
    assert c > 0
    assert rest == [0.0, 0.0, 0.0]
    assert "d: 0\ne: None" in bars.accessibleDescription()


def test_the_bars_follow_the_moment_while_they_are_shown(qtbot):
    controller = SeriesController()
    view = PlotsView(controller)
    qtbot.addWidget(view)
    view.resize(900, 560)
    with qtbot.waitExposed(view):
        view.show()
    controller.show(layered(4, 8, 3, losses={"loss": None}, grads=True), [])
    assert view.flow.gradients.rows == ()
    view.toolbar.flow.trigger()
    names = [name for name, value in view.flow.gradients.rows if value]
    assert names == ["model.0", "model.1"]
    controller.show(layered(4, 8, 3, losses={"loss": None}), [])
    assert view.flow.gradients.rows == (("model.0", None), ("model.1", None))
    assert not view.grab().isNull()


def test_a_relative_update_is_the_norm_of_the_change_by_the_norm_of_the_data_at_that_iteration():
    moment = snapshot(
        parameter("model.0.weight", np.ones(2)),
        parameter("model.0.bias", [0.0]),
        parameter("x", [0.0]),
        parameter("model.1.running_mean", [1.0], is_buffer=True),
    )
    rows = {
        "update/model.0.weight": [math.nan, 3.0, 6.0],
        "update/model.0.bias": [math.nan, 4.0, 8.0],
        "norm/model.0.weight": [9.0, 100.0, 200.0],
        "norm/model.0.bias": [0.0, 0.0, 0.0],
        "update/x": [math.nan, 0.0, 0.0],
        "norm/x": [0.0, 0.0, 0.0],
    }
    curves = CurveSet(rows)
    curves.apply(batch(rows))
    assert relative_updates(moment, curves, 1.75) == (("model.0", 0.05), ("x", None))
    assert relative_updates(moment, curves, 2) == (("model.0", 0.05), ("x", None))
    assert relative_updates(moment, curves, 0.5) == (("model.0", None), ("x", None))


def test_the_bars_of_updates_come_from_recorded_columns_that_are_requested_while_shown(qtbot):
    controller = SeriesController()
    view = PlotsView(controller)
    qtbot.addWidget(view)
    view.show()
    controller.show(layered(4, 8, losses={"loss": None}), [])
    assert "update/model.0.weight" not in controller.columns
    view.toolbar.flow.trigger()
    assert {"update/model.0.weight", "norm/model.0.bias"} <= set(controller.columns)
    rows = {"update/model.0.weight": [math.nan, 0.5], "norm/model.0.weight": [1.0, 5.0]}
    controller.pending.append(batch(rows))
    controller.show(layered(4, 8, losses={"loss": 1.0}), [])
    assert dict(view.flow.updates.rows)["model.0"] == pytest.approx(0.1)
    view.toolbar.flow.trigger()
    assert "update/model.0.weight" not in controller.columns


def test_a_layer_of_a_dictionary_has_its_key_as_the_script_has_it():
    moment = snapshot(
        parameter('nets["a.b"].weight', [1.0], [2.0]), parameter('scales["a.b"]', [1.0], [3.0])
    )
    assert [name for name, _ in gradient_flow(moment)] == ['nets["a.b"]', 'scales["a.b"]']
