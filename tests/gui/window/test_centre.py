"""The middle of the window: the graph comes to the front inside Forward and Backward."""

import pytest

from tests.gui.triggering import TIMEOUT_S, trigger


@pytest.fixture
def window(real_window):
    return real_window


def front(window):
    current = window.centre.currentWidget()
    return next(name for name, view in window.centre.views.items() if view is current)


def test_the_plots_are_in_front_at_first(window):
    assert front(window) == "plots"


def test_the_graph_is_raised_inside_a_backward_and_the_previous_tab_after_it(window):
    trigger(window, "debug.zero_grad", "debug.forward", "debug.step_into")
    assert front(window) == "graph"
    assert window.centre.graph.graph.progress.current == 0
    trigger(window, "debug.step_into")
    assert front(window) == "graph"
    trigger(window, "debug.step_out")
    assert front(window) == "plots"


def test_it_stays_away_inside_a_step(window):
    trigger(window, "debug.zero_grad", "debug.forward", "debug.backward", "debug.step_into")
    assert front(window) == "plots"


def test_a_tab_chosen_by_the_user_stays_in_front(window):
    trigger(window, "debug.zero_grad", "debug.forward", "debug.step_into", "view.plots")
    assert front(window) == "plots"
    trigger(window, "debug.step_into", "view.graph", "debug.step_out")
    assert front(window) == "graph"


def test_the_graph_is_drawn_as_soon_as_it_is_brought_to_the_front(window):
    trigger(window, "debug.forward", "view.graph")
    assert window.controller.wait_idle(TIMEOUT_S)
    assert [box.title for box in window.centre.graph.canvas.boxes] == [
        "loss",
        "SumBackward0",
        "MulBackward0",
        "x",
    ]


def test_a_leaf_chosen_in_the_graph_is_chosen_among_the_parameters(window):
    trigger(window, "debug.forward", "view.graph")
    window.docks["parameters"].raise_()
    window.centre.graph.canvas.choose(2)
    assert window.docks["parameters"].widget().selected == "x"
