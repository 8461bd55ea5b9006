"""The time line: fed with what is new, from the beginning on another branch."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from gradstep.history.records.branch import Fork
from gradstep.history.records.finding import FindingOccurrences
from gradstep.program.operation import ClipGradNorm
from gradstep_gui.views import timeline
from gradstep_gui.views.timeline import TimelineView
from gradstep_gui.widgets.timeline.event_marks import LANES
from tests.gui.factory import LOOP, RememberingController, events, failed, parameter, snapshot


def moment(log, at=None, **fields):
    at = len(log) if at is None else at
    return snapshot(
        parameter("x", [1.0]),
        event=log[at - 1] if at else None,
        event_count=len(log),
        **fields,
    )


@pytest.fixture
def controller():
    return RememberingController()


@pytest.fixture
def view(qtbot, controller):
    view = TimelineView(controller)
    qtbot.addWidget(view)
    view.resize(900, 60)
    view.show()
    return view


def lanes(view):
    marks = view.bar.marks
    return [LANES[lane] for lane in marks.lanes()]


def test_every_event_has_its_lane_and_others_are_edits(view, controller):
    log = events(5, loop=(*LOOP, ClipGradNorm(1.0)))
    controller.show(moment(log), log)
    assert lanes(view) == ["zero_grad", "forward", "backward", "step", "edit"]
    assert view.bar.value() == view.bar.maximum() == 5


def test_only_new_events_are_read(view, controller):
    log = events(8)
    controller.show(moment(log), log)
    asked = []
    read = controller.events_columns
    controller.events_columns = lambda start, stop: asked.append(start) or read(start, stop)
    longer = events(12)
    controller.show(moment(longer), longer)
    assert asked == [8]
    assert len(view.bar.marks) == 12


def test_another_branch_is_read_from_its_beginning(view, controller):
    log = events(8)
    controller.show(moment(log), log)
    other = events(9, loop=LOOP[:2])
    controller.serial = 2
    controller.show(moment(other), other)
    assert lanes(view) == ["zero_grad", "forward"] * 4 + ["zero_grad"]


def test_moving_the_bar_seeks(view, controller):
    log = events(8)
    controller.show(moment(log), log)
    view.bar.moved.emit(3)
    assert controller.sought == [3]


def test_hovering_shows_event_iteration_kind_loss_and_error(view, controller):
    log = [*events(2), failed(3, LOOP[2], "the graph was freed")]
    controller.show(moment(log), log)
    text = view.bar.text_at
    assert text(0) == "Start, before the first event"
    assert text(2) == "Event 2 · iteration 0 · Forward loss · loss 1"
    assert text(3) == "Event 3 · iteration 0 · Backward loss · failed: the graph was freed"
    assert view.bar.marks.failed()[2]


def test_findings_and_forks_are_drawn_above_their_events(view, controller):
    log = events(8)
    occurrences = (
        FindingOccurrences("a", (), "fact", "A fact", np.array([0, 4, 8])),
        FindingOccurrences("b", (), "suspicion", "A suspicion", np.array([6])),
        FindingOccurrences("c", (), "info", "Nothing", np.array([2])),
    )
    controller.forks = (Fork(5, 1, "branch 1"),)
    controller.show(moment(log, at=5, occurrences=occurrences), log)
    text = view.bar.text_at
    assert text(4) == "Event 4 · iteration 0 · Step optimizer · A fact"
    assert text(5) == "Event 5 · iteration 1 · Zero Grad optimizer · branch 1 forks here"
    assert text(6) == "Event 6 · iteration 1 · Forward loss · loss 0.5 · A suspicion"
    assert text(2) == "Event 2 · iteration 0 · Forward loss · loss 1"
    assert text(8).endswith("A fact")
    assert text(0) == "Start, before the first event"


def test_it_can_be_read_out(view):
    assert view.bar.accessibleName() == "Timeline"


def test_scrubbing_lasts_from_the_start_of_a_drag_to_its_end(view, controller, qtbot):
    log = events(8)
    controller.show(moment(log), log)
    changes_rapidly = []
    controller.state_changed.connect(lambda state: changes_rapidly.append(state.changes_rapidly))
    place = view.bar.rect().center()
    qtbot.mousePress(view.bar, Qt.MouseButton.LeftButton, pos=place)
    assert changes_rapidly == [True]
    qtbot.mouseRelease(view.bar, Qt.MouseButton.LeftButton, pos=place)
    assert changes_rapidly == [True, False]


def test_moments_are_announced_to_a_screen_reader_except_during_a_run(
    view, controller, monkeypatch
):
    reported = []
    monkeypatch.setattr(timeline, "announce", lambda _bar, text: reported.append(text))
    log = events(8)
    controller.show(moment(log), log)
    controller.be("running")
    controller.show(moment(log, at=2), log)
    assert reported == ["Event 8 · iteration 1 · Step optimizer"]
