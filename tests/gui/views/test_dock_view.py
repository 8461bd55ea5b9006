"""What all docks have in common: when they render, and when they let it be."""

from __future__ import annotations

import pytest

from gradstep_gui.views.dock_view import DockView
from tests.gui.factory import RememberingController, parameter, snapshot


class RecordingView(DockView):
    def __init__(self, controller):
        super().__init__(controller, "recording")
        self.rendered = []

    def render(self, snapshot):
        self.rendered.append(int(snapshot.parameters["x"].data))


def moment(number):
    return snapshot(parameter("x", number))


@pytest.fixture
def view(qtbot):
    view = RecordingView(RememberingController())
    qtbot.addWidget(view)
    view.show()
    return view


def test_every_moment_of_a_paused_program_is_rendered(view):
    for number in range(5):
        view.controller.show(moment(number))
    assert view.rendered == [0, 1, 2, 3, 4]


def test_a_running_program_is_rendered_now_and_then_and_its_end_at_once(view):
    view.controller.be("running")
    for number in range(50):
        view.controller.show(moment(number))
    assert view.rendered == [0]
    view.controller.be("paused")
    assert view.rendered == [0, 49]


def test_a_running_program_is_rendered_again_after_a_while(view, qtbot):
    view.controller.be("running")
    view.controller.show(moment(0))
    view.controller.show(moment(1))
    view.controller.show(moment(2))
    qtbot.waitUntil(lambda: view.rendered == [0, 2], timeout=60_000)


def test_a_drag_through_time_is_rendered_now_and_then_and_its_end_at_once(view):
    view.controller.set_scrubbing(True)
    for number in range(50):
        view.controller.show(moment(number))
    assert view.rendered == [0]
    view.controller.set_scrubbing(False)
    assert view.rendered == [0, 49]


def test_a_hidden_view_renders_nothing_and_the_newest_when_shown(view):
    view.hide()
    view.controller.show(moment(1))
    view.controller.show(moment(2))
    assert view.rendered == []
    view.show()
    assert view.rendered == [2]


def test_arrays_are_requested_only_while_the_view_is_visible(view):
    view.want(["x"])
    assert view.controller.wanted == {"recording": {"x"}}
    view.hide()
    view.want(["x", "y"])
    assert view.controller.wanted == {"recording": set()}
    view.show()
    assert view.controller.wanted == {"recording": {"x", "y"}}


def test_a_moment_is_rendered_once(view):
    view.controller.show(moment(1))
    view.hide()
    view.show()
    assert view.rendered == [1]


def test_a_hidden_tab_renders_and_requests_nothing_until_it_is_raised(view):
    view.want(["x"])
    view.come_to_front(False)
    assert (view.is_seen, view.controller.wanted["recording"]) == (False, set())
    view.controller.show(moment(1))
    view.want(["x", "x.grad"])
    assert (view.rendered, view.controller.wanted["recording"]) == ([], set())
    view.come_to_front(True)
    assert (view.rendered, view.controller.wanted["recording"]) == ([1], {"x", "x.grad"})
