"""The data tab: asks while it is visible, and shows the answer as a picture that fits it."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.fit import FitReader
from gradstep.history.records.fit import Fit, FitChoice
from gradstep.program.document.codec import decode
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Forward, Step
from gradstep_gui.views.data import DataView
from gradstep_gui.views.data.pictures import counts_of
from gradstep_gui.widgets.number_format import number_text
from tests.gui.factory import RememberingController, events, parameter, snapshot


def fit_of(number, iterations, loss=None):
    debugger = Debugger.open(scenarios()[number - 1].path)
    debugger.iterate(iterations)
    return debugger.fit.read(loss)


@pytest.fixture
def controller(qapp):
    return RememberingController(snapshot(parameter("x", (1,)), event=events(4)[-1]))


@pytest.fixture
def view(qtbot, controller):
    view = DataView(controller)
    qtbot.addWidget(view)
    view.resize(600, 500)
    view.show()
    return view


@pytest.fixture
def show(controller, view):
    def answer(fit):
        controller.fit_requests.answered.emit(fit)
        return view

    return answer


def tab_titles(view):
    return [view.tabs.tabText(at) for at in range(view.tabs.count())]


def row_titles(view):
    return [view.rows.itemText(at) for at in range(view.rows.count())]


def test_it_asks_at_each_moment_while_it_is_visible_and_not_during_a_run(view, controller):
    asked = controller.fit_requests.asked
    assert (asked, controller.fit_requests.followed) == ([""], [""])
    controller.show(snapshot(parameter("x", (2,)), event=events(8)[-1]))
    assert asked == ["", ""]
    controller.be("running")
    controller.show(snapshot(parameter("x", (3,)), event=events(12)[-1]))
    assert asked == ["", ""]
    controller.be("paused")
    controller.show(snapshot(parameter("x", (4,)), event=events(16)[-1]))
    assert asked == ["", "", ""]
    view.hide()
    controller.show(snapshot(parameter("x", (5,)), event=events(20)[-1]))
    assert asked == ["", "", ""]
    assert controller.fit_requests.followed == ["", None]


def test_a_hidden_view_draws_no_answer(view, show):
    view.hide()
    show(fit_of(2, 1))
    assert view.fit is None


def test_one_input_is_drawn_as_points_and_a_line(show):
    view = show(fit_of(2, 3))
    assert (view.picture, tab_titles(view)) == ("line", ["Line", "Predicted against True"])
    assert (view.plot.isVisible(), view.plot.drawn_points) == (True, 20)
    assert [mark.text for mark in view.legend.marks] == [
        "data, all in the current batch",
        "predicted",
    ]
    assert not view.rows.isVisible()
    assert view.text.text() == "Root mean squared error: 2.712 (training)."
    view.tabs.setCurrentIndex(1)
    assert view.picture == "values"
    assert [mark.kind for mark in view.legend.marks] == ["point", "exact"]


def test_held_out_rows_and_those_of_the_batch_are_marked_and_can_be_chosen(show):
    view = show(fit_of(15, 2))
    assert [mark.text for mark in view.legend.marks] == [
        "training",
        "held out",
        "in the current batch",
        "predicted",
    ]
    assert row_titles(view) == ["All Rows", "Training Rows", "Held-Out Rows", "Current Batch"]
    assert (view.plot.drawn_points, view.plot.ringed_points) == (120, 16)
    for entry, points in (("held_out", 30), ("batch", 16), ("training", 90)):
        view.rows.setCurrentIndex(view.rows.findData(entry))
        view.rows.activated.emit(view.rows.currentIndex())
        assert view.plot.drawn_points == points


def test_two_inputs_are_drawn_as_points_on_regions(show):
    view = show(fit_of(14, 2))
    assert (view.picture, tab_titles(view)) == ("regions", ["Regions", "Confusion Matrix"])
    assert (view.plot.drawn_points, view.plot.ringed_points) == (60, 12)
    assert [mark.text for mark in view.legend.marks] == [
        "class 0",
        "class 1",
        "in the current batch",
    ]
    assert row_titles(view) == ["All Rows", "Current Batch", "Wrong Ones"]
    view.rows.setCurrentIndex(2)
    view.rows.activated.emit(2)
    wrong = int((view.fit.truth != view.fit.predicted).sum())
    assert view.plot.drawn_points == wrong
    view.tabs.setCurrentIndex(1)
    assert row_titles(view) == ["All Rows", "Current Batch"]
    assert view.matrix.isVisible()


def test_two_inputs_of_values_are_drawn_as_points_on_a_surface(show):
    fit = Debugger(
        decode(
            b"""{"gradstep": 1,
            "data": {"d": {"kind": "gaussian", "samples": 20, "inputs": 2, "validation": 0.2}},
            "modules": {"model": [{"kind": "Linear", "in_features": 2, "out_features": 1}]},
            "losses": {"loss": {"data": "d", "chain": ["model"],
                                "criterion": {"kind": "MSELoss"}}}}"""
        )
    ).fit.read()
    view = show(fit)
    assert (view.picture, tab_titles(view)[0], view.plot.drawn_points) == ("surface", "Surface", 20)
    low, high = number_text(fit.truth.min(), 3), number_text(fit.truth.max(), 3)
    assert [mark.text for mark in view.legend.marks] == [
        f"predicted, and in points true: {low} to {high}",
        "held out",
    ]


def test_images_are_drawn_as_a_sheet_with_what_they_are_taken_for(show):
    fit = fit_of(21, 5)
    view = show(fit)
    assert (view.picture, view.images.isVisible()) == ("images", True)
    shown = view.images._shown
    assert shown.images.shape == (800, 8, 8)
    for at in range(50):
        name, taken = fit.classes[fit.truth[at]], fit.classes[fit.predicted[at]]
        assert shown.captions[at] == (name if name == taken else f"{taken}, is {name}")
        assert shown.right[at] is (name == taken)
    assert sum(shown.in_batch) == 32
    view.images.point_at(3)
    assert view.text.text().startswith(f"Row {fit.rows[3]} (training")
    assert f"true {fit.classes[fit.truth[3]]}, predicted" in view.text.text()
    view.images.point_at(-1)
    assert view.text.text().startswith("Right: ")


def test_other_classes_are_drawn_as_a_confusion_matrix(show):
    fit = fit_of(6, 5)
    view = show(fit)
    assert (view.picture, view.matrix.isVisible()) == ("confusion", True)
    assert not view.tabs.isVisible()
    drawn = counts_of(fit, "")
    assert drawn.counts.tolist() == fit.scores["training"].counts.tolist()
    assert drawn.in_batch.sum() == 15
    view.matrix.point_at(1)
    count = drawn.counts[0, 1]
    assert view.text.text() == f"{count} examples of class setosa predicted as versicolor."
    view.matrix.point_at(4)
    assert view.text.text().endswith("of class versicolor predicted right.")
    share = 100 * fit.scores["training"].accuracy
    view.matrix.point_at(-1)
    assert f"of 150 (training), {share:.3g}" in view.text.text()


def test_other_values_are_drawn_against_the_true_ones(show):
    view = show(fit_of(3, 1))
    assert (view.picture, view.plot.isVisible()) == ("values", True)
    assert view.plot.drawn_points == 128 * 20


def test_of_several_losses_one_can_be_chosen(show, controller):
    view = show(fit_of(5, 2))
    assert view.losses.isVisible()
    assert [view.losses.itemText(at) for at in range(2)] == ["loss_a (many)", "loss_b (few)"]
    view.losses.setCurrentIndex(1)
    view.losses.activated.emit(1)
    assert controller.fit_requests.asked[-1] == "loss_b"
    assert controller.fit_requests.followed[-1] == "loss_b"
    show(fit_of(5, 2, "loss_b"))
    assert view.losses.currentText() == "loss_b (few)"
    assert view.plot.drawn_points == 40
    controller.show(snapshot(parameter("x", (2,)), event=events(8)[-1]))
    assert controller.fit_requests.asked[-1] == "loss_b"


def test_what_cannot_be_shown_says_why_and_another_loss_can_be_chosen(show):
    view = show(fit_of(1, 1))
    assert not view.place.shows_content
    assert "has no data" in view.place.sentence
    assert [part.isVisible() for part in (view.tabs, view.rows, view.losses)] == [False] * 3
    view = show(
        Fit(3, "They do not pair up.", (FitChoice("a", "d"), FitChoice("b", "d")), "a", "d")
    )
    assert view.place.sentence == "They do not pair up."
    assert view.losses.isVisible()
    assert show(fit_of(2, 1)).place.shows_content


def test_a_sample_says_so(show):
    fit = fit_of(2, 1)
    some = Fit(
        4,
        "",
        fit.choices,
        "loss",
        "line",
        ("values",),
        1000,
        fit.rows,
        fit.held_out,
        fit.in_batch,
        fit.truth,
        np.full(20, np.nan),
        scores=fit.scores,
    )
    view = show(some)
    assert view.text.text().endswith("A sample of 20 of 1,000 rows.")
    assert view.plot.drawn_points == 0


LINE = {
    "gradstep": 1,
    "data": {"d": {"kind": "line", "samples": 12, "batch_size": 4, "shuffle": True}},
    "modules": {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
    "losses": {"loss": {"data": "d", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
    "loop": [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}],
}


def test_of_a_real_program_it_follows_the_time_line_and_the_branches(qtbot, opened):
    controller = opened(LINE, 3)
    view = DataView(controller)
    qtbot.addWidget(view)
    view.show()

    def shown():
        assert controller.wait_idle(60)
        return view.fit.event, view.fit.predicted.tolist()

    last = shown()
    assert last[0] == 12
    controller.seek(4)
    early = shown()
    assert early[0] == 4
    assert early[1] != last[1]
    controller.apply(Step())
    branched = shown()
    assert branched[0] == 5
    assert branched[1] not in (early[1], last[1])
    controller.branches.checkout(0)
    assert shown() == last
    controller.iterate(200)
    assert shown()[0] == 812
    controller.enter(Forward("loss"))
    assert shown()[0] == 812
    view.hide()
    controller.seek(4)
    assert shown()[0] == 812
    view.show()
    assert shown() == early


def test_a_hidden_tab_predicts_nothing(qtbot, opened, monkeypatch):
    monkeypatch.setattr(FitReader, "read", None)  # a call would fail, and be reported
    controller = opened(LINE, 1)
    failed = []
    controller.crashed.connect(failed.append)
    view = DataView(controller)
    qtbot.addWidget(view)
    controller.iterate(50)
    controller.seek(4)
    assert controller.wait_idle(60)
    assert (failed, view.fit) == ([], None)
