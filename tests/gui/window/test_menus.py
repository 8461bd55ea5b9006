"""Context menus of values: watched, broken at, and traced from where they are shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from gradstep_gui.views.optimizer_inspector import OptimizerInspectorView
from gradstep_gui.views.parameters import ParametersView
from gradstep_gui.window.menus import PlaceMenu
from tests.core.debugger.conftest import NETWORK

MOMENT = "optimizer/model.0.weight/exp_avg"


@pytest.fixture
def controller(opened):
    return opened(NETWORK, 3)


@pytest.fixture
def place_menu(qtbot, controller):
    window = QWidget()
    qtbot.addWidget(window)
    shown = []
    place_menu = PlaceMenu(window, controller, {}, shown.append)
    place_menu.shown = shown
    return place_menu


def entries(menu):
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def choose(menu, controller, place):
    menu.actions()[place].trigger()
    assert controller.wait_idle(60)


def test_an_element_comes_first_and_then_the_whole(place_menu):
    menu = place_menu.of_place(MOMENT, (1, 0))
    whole = [MOMENT, "Watch", "Break When It Changes", "Who Changed It?"]
    assert entries(menu) == [f"{MOMENT}[1, 0]", *whole[1:], *whole]
    assert entries(place_menu.of_place(MOMENT)) == whole


@pytest.mark.parametrize(
    ("address", "index", "expression"),
    [
        (MOMENT, (), 'state("optimizer", "model.0.weight", "exp_avg")'),
        (MOMENT, (1, 0), 'state("optimizer", "model.0.weight", "exp_avg")[1, 0]'),
        ("model.0.bias.grad", (2,), 'grad("model.0.bias")[2]'),
        ("model.0.bias", (), 'data("model.0.bias")'),
    ],
)
def test_a_place_is_watched(place_menu, controller, address, index, expression):
    choose(place_menu.of_place(address, index), controller, 2)
    (record,) = controller.breakpoints.current.watches
    assert (record.expression, record.error) == (expression, "")
    assert place_menu.shown == ["watches"]


def test_a_run_stops_where_an_element_of_a_buffer_changes(place_menu, controller):
    choose(place_menu.of_place(MOMENT, (1, 0)), controller, 3)
    assert place_menu.shown == ["breakpoints"]
    (record,) = controller.breakpoints.current.breakpoints
    assert (record.spec.expression, record.error) == (f'changed("{MOMENT}[1, 0]")', "")
    controller.iterate(5)
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 16


def test_who_changed_it_seeks_the_event_that_wrote_the_element(place_menu, controller):
    controller.seek(10)
    assert controller.wait_idle(60)
    choose(place_menu.of_place(MOMENT, (1, 0)), controller, 4)
    assert controller.snapshot.event_index == 8
    choose(place_menu.of_place("model.0.bias.grad", ()), controller, 4)
    assert controller.snapshot.event_index == 7


def test_who_changed_it_is_disabled_at_the_start(place_menu, controller):
    controller.seek(0)
    assert controller.wait_idle(60)
    menu = place_menu.of_place("model.0.bias")
    assert [action.isEnabled() for action in menu.actions()[2:]] == [True, True, False]


def requests_of(view):
    requested = []
    view.value_menu_requested.connect(
        lambda address, index, _place: requested.append((address, index))
    )
    return requested


def test_the_inspector_points_at_buffers_and_their_elements(qtbot, controller):
    view = OptimizerInspectorView(controller)
    qtbot.addWidget(view)
    view.show()
    requested = requests_of(view)
    assert controller.wait_idle(60)
    view.select(MOMENT)
    assert controller.wait_idle(60)
    for index in (view.model.index_of_buffer(MOMENT), view.model.index(0, 0)):
        place = view.tree.visualRect(index).center()
        view.tree.customContextMenuRequested.emit(place)
    view.array_view.go_to((1, 0))
    view.array_view.table.customContextMenuRequested.emit(QPoint(5, 5))
    view.array_view.heat_map.customContextMenuRequested.emit(QPoint(5, 5))
    assert requested[0] == (MOMENT, ())
    assert requested[1] == ("model.0.weight", ())
    assert requested[2][1] == (1, 0)
    assert requested[3] == (requested[2][0], ())  # the mouse is on no element of the picture


def test_the_parameters_point_at_data_gradients_and_buffers(qtbot, controller):
    view = ParametersView(controller)
    qtbot.addWidget(view)
    view.resize(500, 700)
    view.show()
    requested = requests_of(view)
    assert controller.wait_idle(60)
    view.select("model.0.weight")
    view.details.tabs.setCurrentIndex(1)
    assert controller.wait_idle(60)
    view.details.array_view.go_to((3, 1))
    view.details.array_view.table.customContextMenuRequested.emit(QPoint(5, 5))
    assert requested == [("model.0.weight.grad", (3, 1))]
