"""Gradient flow: the root mean square of each layer's gradient, and its bar."""

import math

import numpy as np
import pytest

from gradstep_gui.plotting.gradient_bars import GradientBars
from gradstep_gui.views.plots import PlotsView
from gradstep_gui.views.plots.gradient_flow import gradient_flow
from gradstep_gui.widgets.number_format import number_text
from tests.gui.factory import layered, parameter, snapshot
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


def test_a_gradient_that_is_not_finite_is_reported_as_nan_and_buffers_are_no_layers():
    moment = snapshot(
        parameter("model.0.weight", [1.0, 2.0], [math.inf, 1.0]),
        parameter("model.1.running_mean", [1.0], is_buffer=True),
    )
    [(name, value)] = gradient_flow(moment)
    assert name == "model.0"
    assert math.isnan(value)


@pytest.fixture
def bars(qtbot):
    bars = GradientBars("Gradients", number_text)
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
    assert view.flow.rows == ()
    view.toolbar.flow.trigger()
    names = [name for name, value in view.flow.rows if value]
    assert names == ["model.0", "model.1"]
    controller.show(layered(4, 8, 3, losses={"loss": None}), [])
    assert view.flow.rows == (("model.0", None), ("model.1", None))
    assert not view.grab().isNull()
