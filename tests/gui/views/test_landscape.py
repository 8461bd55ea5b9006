"""LandscapeView: what is computed by itself and what is offered, and what it shows of a run."""

import json
import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractButton, QWidget
from shiboken6 import Shiboken

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.history.records.landscape import LandscapeRequest
from gradstep.history.records.what_if import Edits
from gradstep.program.operation import SetValue, ZeroGrad
from gradstep_gui.controller import Controller
from gradstep_gui.messages import Messages
from gradstep_gui.theme import DARK, LIGHT
from gradstep_gui.views.landscape import LandscapeView
from gradstep_gui.worker import commands
from tests.core.debugger.conftest import NETWORK, changed
from tests.gui.triggering import TIMEOUT_S

BOWL = {
    "gradstep": 1,
    "dtype": "float64",
    "tensors": {"x": {"value": [3, 1], "requires_grad": True}},
    "losses": {"loss": {"expression": "x[0] ** 2 + 10 * x[1] ** 2"}},
    "optimizers": {"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.02}},
}
LINE = changed(BOWL, tensors={"w": {"value": 4, "requires_grad": True}})
LINE["losses"] = {"loss": {"expression": "w ** 2"}}
LINE["optimizers"] = {"sgd": {"kind": "SGD", "params": ["w"], "lr": 0.1}}


@pytest.fixture(autouse=True)
def few_points(monkeypatch):
    monkeypatch.setattr(
        "gradstep.debugger.landscape.computation._SIZES", {1: (41, 41), 2: (17, 17)}
    )


@pytest.fixture
def show(qtbot, opened):
    """Show the landscape of a program: `show(document, iterations)` gives its view."""

    def show(document, iterations=0):
        controller = opened(document, iterations)
        view = LandscapeView(controller)
        qtbot.addWidget(view)
        view.resize(640, 480)
        with qtbot.waitExposed(view):
            view.show()
        settle(view)
        return view

    return show


def slow_down(monkeypatch):
    """Compute one point a slice."""
    monkeypatch.setattr(commands, "SLICE_S", 0.0)


def settle(view):
    assert view.controller.wait_idle(TIMEOUT_S)


def labels(view):
    return [entry.label for entry in view.legend.entries]


def test_a_program_of_two_numbers_is_shown_without_being_asked(show):
    view = show(BOWL)
    assert view.place.shows_content
    found = view.landscape
    assert (found.axes, found.is_complete, view.is_computing) == (("x[0]", "x[1]"), True, False)
    assert view.plot.here == (3, 1)
    assert labels(view) == ["main"]
    assert not view.progress.isVisible()
    assert not view.toolbar.run.isVisible()
    assert "Double-click" in view.notes.text()
    assert len(view.controller.debugger.events) == 0


def test_where_there_are_no_axes_to_choose_the_toolbar_can_be_left_out(show):
    view = show(BOWL)
    assert view.toolbar.isVisible()
    view.show_tools(always=False)
    assert not view.toolbar.isVisible()
    view.controller.iterate(1)
    settle(view)
    assert not view.toolbar.isVisible()
    view.show_tools(always=True)
    assert view.toolbar.isVisible()


def test_where_there_are_axes_to_choose_the_toolbar_stays(show):
    view = show(NETWORK)
    view.show_tools(always=False)
    assert view.toolbar.isVisible()


def test_a_program_of_one_number_is_a_curve(show):
    view = show(LINE, 2)
    assert view.plot.surface.is_flat
    assert view.landscape.axes == ("w",)
    assert not view.toolbar.equal.isEnabled()
    assert view.plot.here[0] == pytest.approx(4 * 0.8**2)
    assert labels(view) == ["main", "−gradient", "step"]


def test_it_moves_with_the_time_line(show):
    view = show(BOWL, 3)
    surface = view.plot.surface
    view.controller.seek(8)
    settle(view)
    moved = view.plot.here
    assert moved == pytest.approx((3 * 0.96**2, 0.6**2))
    assert view.plot.step.ends == (
        pytest.approx((3 * 0.96, 0.6)),
        pytest.approx((3 * 0.96**2, 0.36)),
    )
    assert view.plot.surface is surface
    view.controller.seek(7)
    settle(view)
    assert view.plot.gradient.ends[0] == pytest.approx((3 * 0.96, 0.6))
    assert view.legend.entries[1].value == f"norm {np.hypot(6 * 0.96, 12):.4g}"
    view.controller.seek(0)
    settle(view)
    assert view.plot.gradient.ends is None


def test_all_branches_are_drawn_with_their_names(show):
    view = show(BOWL, 3)
    view.controller.branches.what_if(Edits(at=5, set={"sgd.lr": 0.05}, name="faster"))
    settle(view)
    assert labels(view) == ["main", "−gradient", "step", "faster"]
    assert view.legend.entries[-1].style.is_ghost
    assert view.plot.path_count == 2


def test_a_path_that_leaves_the_landscape_makes_it_larger(show):
    view = show(changed(BOWL, optimizers={"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.11}}))
    before = view.plot.surface
    view.controller.iterate(8)
    settle(view)
    path = view.controller.landscapes.moment.paths[0]
    after = view.plot.surface
    assert np.abs(path.y).max() > before.y[-1]
    assert after.y[-1] >= np.abs(path.y).max()


def test_a_larger_program_says_what_it_would_take_and_computes_when_asked(qtbot, show):
    view = show(NETWORK, 2)
    assert not view.place.shows_content
    assert "two random directions" in view.place.sentence
    assert "points, each one Forward" in view.place.sentence
    assert view.landscape is None
    qtbot.mouseClick(view.place.button, Qt.MouseButton.LeftButton)
    settle(view)
    assert view.place.shows_content
    assert view.landscape.axes == ("random 1", "random 2")
    assert view.toolbar.run.isVisible()
    view.toolbar.kind.setCurrentIndex(view.toolbar.kind.findData("principal"))
    settle(view)
    assert view.landscape.axes[0].startswith("principal direction 1")


def test_axes_are_chosen_or_typed(qtbot, show):
    view = show(
        changed(
            NETWORK,
            modules={
                "model": [
                    {"kind": "Linear", "in_features": 2, "out_features": 40},
                    {"kind": "Linear", "in_features": 40, "out_features": 1},
                ]
            },
        ),
        1,
    )
    view.toolbar.kind.setCurrentIndex(0)
    settle(view)
    assert "model.0.weight[0, 0] and model.0.weight[0, 1]" in view.place.sentence
    view.place.button.click()
    settle(view)
    line = view.toolbar.across.lineEdit()
    line.setText("model.1.weight[0, 39]")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    settle(view)
    assert view.landscape.axes == ("model.1.weight[0, 39]", "model.0.weight[0, 1]")
    assert view.landscape.notes[0] == "The other 159 parameters are as after event 4."
    line.setText("nothing[3]")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    settle(view)
    assert "there is no element 'nothing[3]'" in view.place.sentence
    view.toolbar.upward.setCurrentIndex(0)
    line.setText("model.1.bias")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    settle(view)
    assert view.landscape.axes == ("model.1.bias",)


def test_without_a_trajectory_there_are_no_principal_directions(show):
    view = show(NETWORK)
    view.toolbar.kind.setCurrentIndex(view.toolbar.kind.findData("principal"))
    settle(view)
    view.place.button.click()
    settle(view)
    assert "run some iterations first" in view.place.sentence
    assert not view.is_computing


def test_another_batch_makes_it_stale_and_computing_again_makes_it_new(show):
    view = show(NETWORK, 1)
    view.place.button.click()
    settle(view)
    view.controller.iterate(1)
    settle(view)
    assert view.notes.text().startswith("Computed after event 4, where what it holds was different")
    view.toolbar.run.click()
    settle(view)
    assert "Computed after" not in view.notes.text()
    assert view.landscape.event == 8


def test_a_hidden_tab_computes_nothing(qtbot, opened):
    controller = opened(BOWL)
    view = LandscapeView(controller)
    qtbot.addWidget(view)
    settle(view)
    controller.iterate(3)
    settle(view)
    assert view.landscape is None
    assert controller.landscapes.moment is None
    with pytest.raises(GradStepError):
        _ = controller.debugger.landscapes.current
    view.show()
    settle(view)
    assert view.landscape.is_complete
    view.hide()
    settle(view)
    before = controller.landscapes.moment
    controller.iterate(1)
    settle(view)
    assert controller.landscapes.moment is before


def test_it_can_be_cancelled_and_continued(show, monkeypatch):
    view = show(NETWORK, 1)
    slow_down(monkeypatch)
    view.place.button.click()
    assert view.is_computing
    assert view.progress.isVisible()
    assert view.toolbar.run.text() == "Cancel"
    view.toolbar.run.click()
    assert not view.is_computing
    settle(view)
    assert not view.progress.isVisible()
    monkeypatch.setattr(commands, "SLICE_S", 0.05)
    view._compute()
    settle(view)
    assert view.landscape.is_complete


def test_what_is_hidden_while_it_computes_is_computed_when_it_is_shown_again(show, monkeypatch):
    view = show(BOWL)
    slow_down(monkeypatch)
    view._compute((-1.0, 1.0, -1.0, 1.0))
    view.hide()
    settle(view)
    assert not view.is_computing
    monkeypatch.setattr(commands, "SLICE_S", 0.05)
    view.show()
    settle(view)
    assert view.landscape.is_complete


def test_what_is_hidden_before_there_is_any_of_it_is_computed_when_it_is_shown(show, monkeypatch):
    view = show(BOWL)
    slow_down(monkeypatch)
    view._forget()
    view._compute()
    view.hide()
    settle(view)
    assert view.landscape is None
    monkeypatch.setattr(commands, "SLICE_S", 0.05)
    view.show()
    settle(view)
    assert view.landscape.is_complete


def test_other_commands_are_done_between_two_slices(qtbot, show, monkeypatch):
    view = show(BOWL)
    slow_down(monkeypatch)
    seen = threading.Event()
    view.controller.snapshot_changed.connect(lambda moment: moment.event_index and seen.set())
    view._compute((-1.0, 1.0, -1.0, 1.0))
    view.controller.apply(ZeroGrad("sgd"))
    qtbot.waitUntil(seen.is_set, timeout=int(TIMEOUT_S * 1000))
    assert not view.landscape.is_complete or view.landscape.request.bounds == ()
    monkeypatch.setattr(commands, "SLICE_S", 0.05)
    settle(view)
    assert view.landscape.request.bounds == (-1, 1, -1, 1)
    assert view.landscape.is_complete


def test_the_part_that_is_zoomed_to_is_computed_and_home_shows_everything(qtbot, show):
    view = show(BOWL)
    view.plot.framed.emit((-0.5, 0.5, -0.25, 0.25))
    settle(view)
    assert (view.plot.surface.x[0], view.plot.surface.y[-1]) == (-0.5, 0.25)
    view.toolbar.reset.trigger()
    settle(view)
    assert view.landscape.request.bounds == ()
    assert view.plot.bounds[1] > 3


def test_the_value_under_the_mouse_is_read(show):
    view = show(BOWL)
    view.plot.hovered.emit((1.0, 0.5))
    assert view.notes.text().startswith("x[0] = 1, x[1] = 0.5: loss ≈ 3.5")
    view.plot.hovered.emit((99.0, 0.5))
    assert view.notes.text().endswith("loss not computed")
    view.plot.hovered.emit(None)
    assert "Double-click" in view.notes.text()


def test_the_value_under_the_mouse_is_whole_in_a_narrow_tab(show):
    view = show(BOWL)
    view.resize(view.minimumSizeHint().width(), 400)
    view.plot.hovered.emit((-0.6408, -0.4951))
    room = view.notes.fontMetrics().horizontalAdvance(view.notes.text())
    assert room <= view.notes.width()


def test_until_there_is_something_it_says_that_it_is_being_computed(show, monkeypatch):
    view = show(BOWL)
    slow_down(monkeypatch)
    view._forget()
    view._compute()
    assert not view.place.shows_content
    assert view.place.sentence == "Computing the landscape…"
    view.toolbar.run.click()
    assert view.place.sentence == "Cancelled."
    assert view.place.button.isVisible()


def test_its_menu_entries_are_not_those_that_pyside_may_lose_track_of(show):
    view = show(BOWL)
    assert view._menu.actions()
    for entry in view._menu.actions():
        assert entry.isSeparator() or Shiboken.createdByPython(entry)


def test_a_double_click_asks_what_if_the_run_had_begun_there(show):
    view = show(BOWL, 2)
    view.plot.chosen.emit(-1.0, 0.5)
    settle(view)
    branches = view.controller.debugger.branches
    assert [branch.name for branch in branches] == ["main", "began at x[0] = -1, x[1] = 0.5"]
    assert branches.current.name == "main"
    assert labels(view)[-1] == "began at x[0] = -1, x[1] = 0.5"
    path = view.controller.landscapes.moment.paths[1]
    assert (path.x[2], path.y[2]) == (-1, 0.5)


def test_before_the_first_event_it_just_moves_there(show):
    view = show(BOWL)
    view.plot.chosen.emit(-1.0, 0.5)
    settle(view)
    debugger = view.controller.debugger
    assert [event.operation for event in debugger.events] == [
        SetValue("x", -1.0, (0,), out_of_loop=True),
        SetValue("x", 0.5, (1,), out_of_loop=True),
    ]
    assert view.plot.here == (-1, 0.5)


def test_the_menu_offers_both_questions(show, monkeypatch):
    view = show(BOWL, 2)
    places = []
    monkeypatch.setattr(view._menu, "popup", places.append)
    view.plot.menu_requested.emit(view.mapToGlobal(view.rect().center()), (0.0, 0.0))
    menu = view._menu
    assert len(places) == 1
    assert [entry.text().replace("&", "") for entry in menu.actions()[:2]] == [
        "What If the Run Had Begun Here",
        "What If It Moved Here Now",
    ]
    menu.actions()[1].trigger()
    settle(view)
    names = [branch.name for branch in view.controller.debugger.branches]
    assert names == ["main", "moved to x[0] = 0, x[1] = 0"]


def test_a_script_says_why_it_has_none(qtbot, make_window):
    from tests.core.debugger.landscape.test_landscapes import RECORDING

    window = make_window(Debugger.open)
    window.controller.open(RECORDING)
    assert window.controller.wait_idle(TIMEOUT_S)
    window.show_view("landscape")
    assert window.controller.wait_idle(TIMEOUT_S)
    view = window.centre.views["landscape"]
    assert "own code computes its loss" in view.place.sentence
    assert not view.toolbar.isVisible()


def test_another_program_of_the_same_tensors_is_computed_anew(show, tmp_path):
    view = show(BOWL, 2)
    other = changed(BOWL, losses={"loss": {"expression": "x[0] ** 2 + x[1] ** 2 + 7"}})
    (tmp_path / "other.json").write_text(json.dumps(other))
    view.controller.open(tmp_path / "other.json")
    settle(view)
    assert np.nanmin(view.plot.surface.values) >= 7
    assert view.plot.here == (3, 1)


def test_a_program_without_a_loss_has_none(show):
    view = show({"gradstep": 1, "tensors": {"x": {"value": [1, 2], "requires_grad": True}}})
    assert "there is no landscape" in view.place.sentence


def test_every_control_has_a_name_for_screen_readers(show):
    view = show(BOWL)
    nameless = [
        widget
        for widget in view.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.window() is view  # not a list that pops up
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and widget.focusProxy() is None
        and not widget.parent().accessibleName()
    ]
    assert nameless == []


def test_the_colours_follow_the_theme(show):
    view = show(BOWL, 2)
    before = view.plot._contours._colors[0].name()
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Window, DARK.window)
    view.setPalette(palette)
    assert before == LIGHT.heights[0]
    assert view.plot._contours._colors[0].name() == DARK.heights[0]
    assert view.legend.entries[0].style.color == DARK.curves[0]


def test_a_session_shows_its_landscape_without_computing(qtbot, show, tmp_path, monkeypatch):
    view = show(BOWL, 2)
    values = view.landscape.values
    view.controller.save(tmp_path / "a.gradstep")
    settle(view)
    monkeypatch.setattr(
        "gradstep.debugger.landscape.computation.Computation._evaluate",
        lambda *_: pytest.fail("it was computed again"),
    )
    controller = Controller(Messages(), Debugger.open)
    controller.open(tmp_path / "a.gradstep")
    assert controller.wait_idle(TIMEOUT_S)
    assert not controller.document.modified
    other = LandscapeView(controller)
    qtbot.addWidget(other)
    other.show()
    settle(other)
    np.testing.assert_allclose(other.landscape.values, values, rtol=1e-6)
    assert not controller.document.modified
    controller.close()


def test_an_answer_to_an_older_request_is_ignored(show):
    view = show(BOWL)
    before = view.landscape
    view._take_plan(_plan_of(LandscapeRequest("other")))
    view._take_landscape(
        type(before)(
            LandscapeRequest("other"), "other", 0, (), np.zeros(0), np.zeros(0), np.zeros(0)
        )
    )
    assert view.landscape is before


def _plan_of(request):
    from gradstep.history.records.landscape import LandscapePlan

    return LandscapePlan(request, ("x",), 9, 1.0)


def test_an_expensive_landscape_is_not_computed_because_the_wheel_was_turned(show, monkeypatch):
    view = show(NETWORK, 1)
    view.place.button.click()
    settle(view)
    view._is_quick = False
    view.plot.framed.emit((-0.5, 0.5, -0.25, 0.25))
    settle(view)
    assert view.landscape.request.bounds == ()
    view.toolbar.run.click()
    settle(view)
    assert view.landscape.request.bounds == (-0.5, 0.5, -0.25, 0.25)


def test_the_arrows_come_when_a_run_has_ended(qtbot, show):
    view = show(BOWL)
    view.controller.iterate(30)
    settle(view)
    assert view.plot.step.ends is not None
    view.controller.set_scrubbing(True)
    view.controller.seek(8)
    settle(view)
    view.controller.set_scrubbing(False)
    settle(view)
    assert view.plot.step.ends[1] == pytest.approx(view.plot.here)
