"""PlotsView: what is drawn of a program, moved by each Operation, and chosen by a person."""

import csv
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QLabel,
    QLineEdit,
    QTreeView,
)
from shiboken6 import isValid

from gradstep.errors import GradStepError
from gradstep.history.records.event import Event
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep_gui.plotting import columns
from gradstep_gui.plotting.series import SeriesBatch
from gradstep_gui.views.plots import PlotsView
from gradstep_gui.views.plots import view as plots_view
from tests.gui.factory import RememberingController, events, layered, parameter, snapshot
from tests.gui.plotting.series_batches import batch

X0, X1 = "element/x[0]", "element/x[1]"
GRAD_X0, GRAD_X1 = columns.gradient_of(X0), columns.gradient_of(X1)
G0, G1 = "element/x.grad[0]", "element/x.grad[1]"


class SeriesController(RememberingController):
    """Hands out the batches that a test puts in."""

    series_changed = Signal()

    def __init__(self):
        super().__init__()
        self.columns = ()
        self.pending = []
        self.iterations = []

    def set_series_wanted(self, key, columns):
        self.columns = tuple(columns)

    def take_series(self, key):
        return self.pending.pop(0) if self.pending else SeriesBatch()

    def seek_iteration(self, iteration):
        self.iterations.append(iteration)


def moment(operation=None, index=0, iteration=0, *, x=(1.0, 2.0), grad=None, loss=None, count=None):
    writes = {Backward: ("x.grad",), Step: ("x",), Forward: ("loss",)}.get(type(operation), ())
    event = operation and Event(
        index=index, iteration=iteration, operation=operation, writes=writes
    )
    return snapshot(
        parameter("x", x, grad),
        event=event,
        iteration=iteration,
        event_count=count or index,
        loss=loss,
        losses=MappingProxyType({"loss": loss}),
    )


@pytest.fixture
def controller():
    return SeriesController()


@pytest.fixture
def view(qtbot, controller):
    view = PlotsView(controller)
    qtbot.addWidget(view)
    view.resize(700, 560)
    with qtbot.waitExposed(view):
        view.show()
    return view


def show(controller, snapshot, log, *batches):
    controller.pending += batches
    controller.show(snapshot, log)


def curve(view, column):
    return view._curves[column]


def legend(view, panel):
    return {entry.key: entry for entry in view.stack.panels[panel].legend.entries}


FIRST_ROW = batch({"loss/loss": [np.nan], X0: [1], X1: [2], G0: [np.nan], G1: [np.nan]})


def test_a_small_program_is_drawn_element_by_element(view, controller):
    show(controller, moment(), [])
    assert view.chosen == ("loss/loss", X0, X1)
    assert set(controller.columns) == {"loss/loss", X0, X1, G0, G1}
    assert controller.wanted["plots"] == {"x", "x.grad"}


def test_a_larger_program_is_drawn_by_its_norms(view, controller):
    show(controller, layered(4, 8, 3, losses={"loss": None}), [])
    assert view.chosen == (
        "loss/loss",
        "norm/model.0.weight",
        "norm/model.0.bias",
        "norm/model.1.weight",
        "norm/model.1.bias",
    )
    assert controller.wanted["plots"] == set()


def test_a_press_on_backward_moves_the_gradients_at_once(view, controller):
    log = events(3)
    show(controller, moment(), [], FIRST_ROW)
    assert legend(view, "grad")[G0].value == "None"
    show(controller, moment(Forward(), 2, loss=3.0), log[:2])
    assert curve(view, "loss/loss").y[-1] == 3.0
    show(controller, moment(Backward(), 3, grad=(100.0, 50.0), loss=3.0), log)
    assert curve(view, G0).x.tolist() == [0, 0.5, 0.75]
    assert curve(view, G0).y[-1] == 100
    assert np.isnan(curve(view, G0).y[:2]).all()
    assert legend(view, "grad")[G1].value == "50"
    assert legend(view, "grad")[G0].mark == "backward"
    assert legend(view, "parameters")[X0].mark == ""


def test_a_gradient_that_is_none_is_a_gap_and_not_zero(view, controller):
    show(controller, moment(), [], FIRST_ROW)
    assert view.stack.panels["grad"].canvas._empty.isVisible()
    assert "Backward" in view.stack.panels["grad"].canvas._empty.text()
    assert not view.stack.panels["parameters"].canvas._empty.isVisible()


def test_when_an_iteration_closes_its_row_takes_the_place_of_its_moments(view, controller):
    show(controller, moment(), [], FIRST_ROW)
    show(controller, moment(Backward(), 3, grad=(1.0, 1.0)), events(3))
    row = batch({"loss/loss": [300], X0: [0.9], X1: [1.9], G0: [1], G1: [1]}, start=1)
    closed = moment(Step(), 4, 1, x=(0.9, 1.9), grad=(1.0, 1.0), loss=300.0)
    show(controller, closed, events(4), row)
    assert curve(view, X0).x.tolist() == [0, 1]
    assert curve(view, X0).y.tolist() == [1, 0.9]
    assert legend(view, "parameters")[X0].mark == "step"


def test_after_a_seek_back_the_moment_is_marked_and_recorded_points_stay(view, controller):
    rows = {"loss/loss": [np.nan, 3, 2], X0: [1, 2, 3], X1: [1, 2, 3], G0: [0, 0, 0], G1: [0] * 3}
    show(controller, moment(Step(), 8, 2), events(8), batch(rows))
    assert view.stack.now is None
    past = moment(Forward(), 6, 1, count=8)
    show(controller, past, events(8))
    assert view.stack.now == 1.5
    assert len(curve(view, X0)) == 3


def test_an_old_loss_does_not_pass_for_one_of_the_iteration_under_way(view, controller):
    rows = {"loss/loss": [np.nan, 3], X0: [1, 2], X1: [1, 2], G0: [0, 0], G1: [0, 0]}
    show(controller, moment(Step(), 4, 1, loss=3.0), events(4), batch(rows))
    show(controller, moment(ZeroGrad(), 5, 1, loss=3.0), events(5))
    assert curve(view, "loss/loss").x.tolist() == [0, 1]
    assert legend(view, "loss")["loss/loss"].value == "3"
    show(controller, moment(Forward(), 6, 1, loss=2.0), events(6))
    assert curve(view, "loss/loss").x.tolist() == [0, 1, 1.5]
    assert curve(view, X0).x.tolist() == [0, 1, 1.25, 1.5]


def test_many_presses_within_one_iteration_all_stay(view, controller):
    log = [Event(index=i + 1, iteration=0, operation=Backward()) for i in range(150)]
    for index in range(1, 151):
        shown = moment(Backward(), index, grad=(index, 0.0))
        controller.show(shown, log[:index])
    assert curve(view, G0).y.tolist() == list(range(1, 151))
    assert curve(view, G0).x[-1] < 1
    assert (np.diff(curve(view, G0).x) > 0).all()


def test_a_double_click_seeks_the_iteration_or_within_the_current_one_the_event(view, controller):
    rows = {"loss/loss": [np.nan, 3], X0: [1, 2], X1: [1, 2], G0: [0, 0], G1: [0, 0]}
    show(controller, moment(Step(), 4, 1), events(4), batch(rows))
    show(controller, moment(Forward(), 6, 1, loss=2.0), events(6))
    view.stack.iteration_chosen.emit(0.8)
    assert controller.iterations == [1]
    view.stack.iteration_chosen.emit(1.45)
    assert controller.sought == [6]


def test_a_fork_replaces_the_rows_from_where_it_left(view, controller):
    rows = {"loss/loss": [np.nan, 3, 2], X0: [1, 2, 3], X1: [1, 2, 3], G0: [0, 0, 0], G1: [0] * 3}
    show(controller, moment(Step(), 8, 2), events(8), batch(rows))
    shorter = batch({"loss/loss": [7], X0: [9], X1: [9], G0: [9], G1: [9]}, start=1)
    show(controller, moment(Step(), 4, 1), events(4), shorter)
    assert curve(view, X0).y.tolist() == [1, 9]


def test_ticks_choose_curves_and_the_gradients_go_along(view, controller):
    show(controller, moment(), [], FIRST_ROW)
    view.toolbar.choose.click()
    assert view.chooser.isVisible()
    view.chooser.tick(X1, chosen=False)
    view.chooser.tick("norm/x", chosen=True)
    assert set(view.chosen) == {"loss/loss", "norm/x", X0}
    assert set(controller.columns) == {"loss/loss", "norm/x", "norm/x.grad", X0, G0}
    assert set(legend(view, "grad")) == {"norm/x.grad", G0}


def test_a_tensor_has_the_same_style_in_every_panel(view, controller):
    show(controller, moment(), [])
    for element, gradient in ((X0, G0), (X1, G1)):
        assert legend(view, "parameters")[element].style == legend(view, "grad")[gradient].style
    assert legend(view, "grad")[G0].style != legend(view, "grad")[G1].style


def test_legends_omit_the_module_prefix_that_all_tensors_share(view, controller):
    show(controller, layered(4, 8, 3, losses={"loss": None}), [])
    labels = [entry.label for entry in legend(view, "parameters").values()]
    assert labels == ["|0.weight|", "|0.bias|", "|1.weight|", "|1.bias|"]


def test_an_element_of_a_large_tensor_is_chosen_by_typing_it(view, controller):
    show(controller, layered(20, 30, losses={"loss": None}), [])
    view.chooser.type_element("model.0.weight[29, 3]")
    assert "element/model.0.weight[29,3]" in view.chosen
    assert controller.wanted["plots"] == {"model.0.weight", "model.0.weight.grad"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("model.0.weight[30,0]", "model.0.weight has no such element; its shape is 30 × 20"),
        ("model.0.weight[3]", "model.0.weight has no such element; its shape is 30 × 20"),
        ("weight[3,4]", "There is no tensor 'weight'"),
        ("model.0.weight[a]", "'model.0.weight[a]' is not an element"),
        ("model.0.weight[0,]", "'model.0.weight[0,]' is not an element"),
        ("model.0.weight[,]", "'model.0.weight[,]' is not an element"),
    ],
)
def test_a_missing_element_is_rejected_with_the_reason(view, controller, text, complaint):
    show(controller, layered(20, 30, losses={"loss": None}), [])
    before = view.chosen
    view.chooser.type_element(text)
    assert complaint in view.chooser.complaint
    assert view.chosen == before


def test_another_program_brings_its_own_curves(view, controller):
    show(controller, moment(), [], FIRST_ROW)
    show(controller, layered(4, 8, losses={"loss_a": None, "loss_b": None}), [])
    assert view.chosen[:2] == ("loss/loss_a", "loss/loss_b")
    assert set(legend(view, "loss")) == {"loss/loss_a", "loss/loss_b"}


def test_only_recorded_series_are_offered_once_they_are_known(qtbot, view, controller):
    names = ("event", "loss/loss", "norm/x", "update/x", "norm/x.grad", X0, G0)
    show(controller, moment(x=(1.0, 2.0, 3.0)), [], SeriesBatch(names=names))
    view.choose(("loss/loss",))
    qtbot.waitUntil(lambda: list(view.chooser._items) == ["loss/loss", "norm/x", X0])


def test_a_tick_lives_through_the_new_columns_that_it_makes_the_view_take(qtbot, view, controller):
    show(controller, moment(), [], FIRST_ROW)
    item = view.chooser._items[X1]
    controller.pending.append(SeriesBatch(names=("event", "loss/loss", "norm/x", X0)))
    view.chooser.tick(X1, chosen=False)
    assert isValid(item)
    assert view.chosen == ("loss/loss", X0)
    qtbot.waitUntil(lambda: list(view.chooser._items) == ["loss/loss", "norm/x", X0])
    assert view.chooser.chosen == ("loss/loss", X0)


def test_the_recent_range_is_set_by_its_button_and_its_number(view, controller):
    n = 501
    rows = {name: np.zeros(n) for name in ("loss/loss", X0, X1, G0, G1)}
    show(controller, moment(Step(), 2000, 500), events(2000), batch(rows))
    view.toolbar.recent.click()
    assert view.stack.range == "recent"
    assert view.stack.panels["loss"].canvas.x_range()[0] == pytest.approx(400, abs=2)
    view.toolbar.count.setValue(50)
    assert view.stack.panels["loss"].canvas.x_range()[0] == pytest.approx(450, abs=2)
    view.toolbar.all.click()
    assert view.toolbar.all.isChecked()
    assert not view.toolbar.recent.isChecked()


def test_the_numbers_are_exported_with_gaps_left_empty(view, controller, tmp_path):
    show(controller, moment(), [], FIRST_ROW)
    view.export(tmp_path / "plots.csv")
    rows = list(csv.reader((tmp_path / "plots.csv").read_text().splitlines()))
    assert rows == [["iteration", "loss/loss", X0, X1, G0, G1], ["0", "", "1.0", "2.0", "", ""]]


def test_pictures_and_drawings_are_exported(view, controller, tmp_path):
    show(controller, moment(), [], FIRST_ROW)
    view.export(tmp_path / "plots.png")
    assert (tmp_path / "plots.png").read_bytes().startswith(b"\x89PNG")
    view.export(tmp_path / "plots.svg")
    drawing = (tmp_path / "plots.svg").read_text()
    assert "<svg" in drawing
    assert "Parameters" in drawing


def test_an_export_that_cannot_be_written_is_reported(
    qtbot, view, controller, tmp_path, monkeypatch
):
    show(controller, moment(), [], FIRST_ROW)
    with pytest.raises(GradStepError, match=r"name the file \.png"):
        view.export(tmp_path / "plots.xyz")
    nowhere = tmp_path / "missing" / "plots.csv"
    monkeypatch.setattr(plots_view, "ask_new_path", lambda *_: nowhere)
    with qtbot.waitSignal(view.failed) as failed:
        view.toolbar.export_requested.emit("csv")
    assert failed.args[0].startswith(str(nowhere))


def test_every_control_has_an_accessible_name(view):
    kinds = (QAbstractButton, QTreeView, QLineEdit, QAbstractSpinBox)
    controls = [widget for kind in kinds for widget in view.findChildren(kind)]
    ours = [w for w in controls if not isinstance(w.parent(), QLineEdit | QAbstractSpinBox)]
    assert len(ours) > 10
    assert [w for w in ours if not (w.accessibleName() or w.text())] == []


def test_the_plots_can_be_used_by_keyboard(qtbot, view, controller):
    rows = {name: np.arange(11.0) for name in ("loss/loss", X0, X1, G0, G1)}
    show(controller, moment(Step(), 40, 10), events(40), batch(rows))
    qtbot.keyClick(view.stack, Qt.Key.Key_Left)
    assert view.toolbar.cursor_text.text() == "iteration 9"
    assert legend(view, "loss")["loss/loss"].value == "9"
    qtbot.keyClick(view.stack, Qt.Key.Key_Return)
    assert controller.iterations == [9]


def test_two_elements_can_be_drawn_against_each_other(view, controller):
    rows = {name: np.arange(11.0) for name in ("loss/loss", X0, G0, G1)} | {X1: np.arange(11) ** 2}
    show(controller, moment(Step(), 40, 10), events(40), batch(rows))
    assert not view.plane.isVisible()
    view.toolbar.plane.trigger()
    assert view.plane.isVisible()
    assert view.plane.here == (10, 100)
    show(controller, moment(Step(), 12, 3, count=40), events(40))
    assert view.plane.here == (3, 9)
    view.chooser.tick(X1, chosen=False)
    assert not view.plane.isVisible()
    assert not view.toolbar.plane.isVisible()


def test_gradient_flow_is_below_the_plane_so_that_both_fit_beside_the_curves(
    qtbot, view, controller
):
    rows = {name: np.arange(11.0) for name in ("loss/loss", X0, X1, G0, G1)}
    show(controller, moment(Step(), 40, 10), events(40), batch(rows))
    view.resize(525, 400)
    view.toolbar.plane.trigger()
    view.toolbar.flow.trigger()
    qtbot.waitUntil(lambda: view.flow.width() > 180)
    assert view.plane.width() == view.flow.width()
    assert view.flow.mapTo(view, view.flow.rect().topLeft()).y() > view.plane.height()
    view.toolbar.plane.trigger()
    assert view.flow.isVisible()
    view.toolbar.flow.trigger()
    qtbot.waitUntil(lambda: view.stack.width() == view.width())


def test_other_branches_are_ghosts_of_the_loss_and_can_be_put_out(view, controller):
    controller.show(moment(Forward(), 1, loss=4.0))
    assert controller.branches.ghosts_requested[0] == "loss/loss"
    assert set(controller.branches.ghosts_requested) == {"loss/loss", X0, X1, GRAD_X0, GRAD_X1}
    points = np.arange(3.0)
    ghost = SimpleNamespace(name="lr = 0.5", curves={"loss/loss": (points, points)})
    assert not view.toolbar.ghosts.isVisible()
    controller.branches.publish(ghosts={1: ghost})
    assert view.toolbar.ghosts.isVisible()
    labels = [
        (entry.label, entry.style.is_ghost) for entry in view.stack.panels["loss"].legend.entries
    ]
    assert labels == [("loss", False), ("lr = 0.5", True)]
    view.toolbar.ghosts.trigger()
    assert controller.branches.ghosts_requested == ()
    controller.branches.publish(ghosts={})
    assert view.toolbar.ghosts.isVisible()


def test_other_branches_are_ghosts_of_gradients_and_parameters_with_one_entry_each(
    view, controller
):
    controller.show(moment(Forward(), 1, loss=4.0))
    points = np.arange(3.0)
    drawn = ("loss/loss", X0, X1, GRAD_X0)
    one, two = (
        SimpleNamespace(name=name, curves=dict.fromkeys(drawn, (points, points)))
        for name in ("lr = 0.5", "without Step #4")
    )
    controller.branches.publish(ghosts={1: one, 3: two}, left_out=2)
    panels = view.stack.panels
    labels = [entry.label for entry in panels["parameters"].legend.entries]
    assert labels[-3:] == ["lr = 0.5", "without Step #4", "not drawn: 2 older runs"]
    assert len(labels) == 5
    assert set(panels["parameters"].canvas._items) == {
        *(X0, X1),
        *(f"{name}@{branch}" for name in (X0, X1) for branch in (1, 3)),
    }
    assert set(panels["grad"].canvas._items) > {f"{GRAD_X0}@1", f"{GRAD_X0}@3"}
    colors = {entry.label: entry.style.color for entry in panels["parameters"].legend.entries}
    for key in ("loss", "grad"):
        for entry in panels[key].legend.entries:
            assert colors.get(entry.label, entry.style.color) == entry.style.color
    assert len({colors["lr = 0.5"], colors["without Step #4"]}) == 2
    items = panels["parameters"].canvas._items
    panels["parameters"].legend.hovered.emit("@1")
    assert [key for key, item in items.items() if item._emphasis] == [f"{X0}@1", f"{X1}@1"]
    panels["parameters"].legend.hovered.emit(X0)
    assert [key for key, item in items.items() if item._emphasis] == [X0, f"{X0}@1", f"{X0}@3"]
    panels["parameters"].legend.hovered.emit("")
    assert not any(item._emphasis for item in items.values())


def test_curves_of_other_branches_may_come_before_the_view_has_drawn_the_new_program(
    view, controller
):
    show(controller, moment(), [], FIRST_ROW)
    controller.snapshot = moment(x=(1.0,))
    controller.branches.publish(ghosts={})
    assert [entry.value for entry in legend(view, "parameters").values()] == ["1", "None"]


def test_smoothing_draws_the_average_in_front_of_the_faint_losses(view, controller):
    show(controller, moment(), [], batch({"loss/loss": [8.0, 2.0, 5.0]}))
    view.toolbar.smoothing.setValue(0.5)
    entries = view.stack.panels["loss"].legend.entries
    assert [(entry.label, entry.style.is_faint) for entry in entries] == [
        ("loss", True),
        ("loss, smoothed", False),
    ]
    drawn = view.stack.panels["loss"].canvas._items
    assert drawn["loss/loss"].curve.y.tolist() == [8.0, 2.0, 5.0]
    assert drawn["loss/loss~smoothed"].curve.y == pytest.approx([8.0, 4.0, 32 / 7])
    show(controller, moment(index=4), [], batch({"loss/loss": [5.0]}, start=3))
    assert drawn["loss/loss~smoothed"].curve.y[-1] == pytest.approx(72.0 / 15)
    view.toolbar.smoothing.setValue(0)
    entries = view.stack.panels["loss"].legend.entries
    assert [(entry.label, entry.style.is_faint) for entry in entries] == [("loss", False)]


def test_a_program_without_other_branches_has_no_button_for_ghosts(view, controller):
    points = np.arange(3.0)
    ghost = SimpleNamespace(name="lr = 0.5", curves={"loss/loss": (points, points)})
    controller.branches.publish(ghosts={1: ghost})
    controller.branches.publish(ghosts={})
    assert not view.toolbar.ghosts.isVisible()


def test_metrics_have_a_panel_with_an_axis_of_their_own(view, controller):
    computed = {"train": 2.0, "accuracy": 0.9}
    metric = layered(4, 8, losses=computed)
    show(controller, replace(metric, metrics=frozenset({"accuracy"})), [])
    assert set(legend(view, "loss")) == {"loss/train"}
    assert set(legend(view, "metrics")) == {"loss/accuracy"}
    assert view.stack.panels["metrics"].isVisible()
    titles = [view.chooser._tree.topLevelItem(at).text(0) for at in range(2)]
    assert titles == ["Losses", "Metrics"]
    show(controller, layered(4, 8, losses={"train": 2.0}), [])
    assert not view.stack.panels["metrics"].isVisible()


OUTPUT = "output/model.0"


def test_a_chosen_output_has_a_panel_of_its_own_and_no_gradient(view, controller):
    show(controller, layered(4, 8, 3, losses={"loss": None}), [])
    assert not view.stack.panels["outputs"].isVisible()
    view.chooser.type_element("model.0.output")
    assert view.stack.panels["outputs"].isVisible()
    assert OUTPUT in controller.columns
    assert "output/model.0.grad" not in controller.columns
    assert controller.wanted["plots"] == set()
    assert [entry.label for entry in legend(view, "outputs").values()] == ["|model.0.output|"]
    assert OUTPUT not in legend(view, "parameters")
    view.chooser.tick(OUTPUT, chosen=False)
    assert not view.stack.panels["outputs"].isVisible()
    assert OUTPUT not in controller.columns


def test_every_module_and_layer_of_a_program_can_be_chosen(view, controller):
    show(controller, layered(4, 8, 3, losses={"loss": None}), [])
    outputs = [column for column in view.chooser._items if column.startswith("output/")]
    assert outputs == ["output/model", "output/model.0", "output/model.1"]


def test_a_layer_that_no_loss_runs_is_not_offered_once_that_is_known(qtbot, view, controller):
    show(controller, layered(4, 8, 3, losses={"loss": None}), [])
    assert "output/model.1" in view.chooser._items
    controller.pending.append(
        SeriesBatch(names=("event", "loss/loss", "norm/model.0.weight", OUTPUT))
    )
    controller.series_changed.emit()
    qtbot.waitUntil(lambda: "output/model.1" not in view.chooser._items)
    assert OUTPUT in view.chooser._items


def test_an_output_shows_its_last_recorded_value_also_during_an_iteration(view, controller):
    now = layered(4, 8, losses={"loss": None}, event=events(8)[-1], iteration=2)
    show(controller, now, events(8))
    view.choose(("loss/loss", OUTPUT))
    assert legend(view, "outputs")[OUTPUT].value == ""
    assert "next Forward" in view.stack.panels["outputs"].canvas._empty.text()
    rows = batch({"loss/loss": [np.nan, 5, 3], OUTPUT: [np.nan, np.nan, 2.5]})
    controller.pending.append(rows)
    controller.series_changed.emit()
    assert legend(view, "outputs")[OUTPUT].value == "2.5"
    log = events(9)
    later = layered(4, 8, losses={"loss": None}, event=log[-1], iteration=2)
    show(controller, later, log)
    assert legend(view, "outputs")[OUTPUT].value == "2.5"
    assert curve(view, OUTPUT).x.tolist() == [0, 1, 2]
    past = replace(later, event=log[3], event_index=4, iteration=1)
    show(controller, past, log)
    assert legend(view, "outputs")[OUTPUT].value == "\N{EN DASH}"


def test_an_output_has_points_in_the_iteration_in_progress_from_its_forward_on(view, controller):
    log = events(3)
    show(controller, layered(4, 8, losses={"loss": None}), [])
    view.choose(("loss/loss", OUTPUT))
    first = replace(batch({"loss/loss": [np.nan], OUTPUT: [np.nan]}), in_progress={})
    show(controller, layered(4, 8, losses={"loss": None}, event=log[0]), log[:1], first)
    assert np.isnan(curve(view, OUTPUT).y).all()
    forward = SeriesBatch(in_progress={OUTPUT: 2.5})
    show(controller, layered(4, 8, losses={"loss": 1.0}, event=log[1]), log[:2], forward)
    assert curve(view, OUTPUT).x.tolist() == [0, 0.5]
    assert curve(view, OUTPUT).y[-1] == 2.5
    show(controller, layered(4, 8, losses={"loss": 1.0}, event=log[2]), log)
    assert curve(view, OUTPUT).y.tolist()[1:] == [2.5, 2.5]
    assert legend(view, "outputs")[OUTPUT].value == "2.5"
    closed = replace(batch({"loss/loss": [1.0], OUTPUT: [2.5]}, start=1), in_progress={})
    after = layered(4, 8, losses={"loss": 1.0}, event=events(4)[-1], iteration=1)
    show(controller, after, events(4), closed)
    assert curve(view, OUTPUT).x.tolist() == [0, 1]


def test_losses_alone_are_smoothed_and_all_curves_are_asked_of_other_branches(view, controller):
    show(controller, layered(4, 8, losses={"loss": None}), [])
    view.choose(("loss/loss", OUTPUT))
    view.toolbar.smoothing.setValue(0.5)
    assert set(legend(view, "loss")) == {"loss/loss", "loss/loss~smoothed"}
    assert set(legend(view, "outputs")) == {OUTPUT}
    assert controller.branches.ghosts_requested == ("loss/loss", OUTPUT)


def test_outputs_have_styles_of_their_own_and_omit_the_module_they_share(view, controller):
    show(controller, layered(4, 8, 3, losses={"loss": None}), [])
    view.choose(("loss/loss", OUTPUT, "output/model.1", "norm/model.0.weight"))
    entries = legend(view, "outputs")
    assert [entry.label for entry in entries.values()] == ["|0.output|", "|1.output|"]
    assert entries[OUTPUT].style == legend(view, "loss")["loss/loss"].style
    assert entries[OUTPUT].style != entries["output/model.1"].style


def test_a_loss_that_only_a_sum_computes_shows_its_recorded_value(view, controller):
    parts = MappingProxyType({"total": 3.0, "task": None, "penalty": None})
    rows = batch({"loss/total": [np.nan, 5, 3], "loss/task": [np.nan, 4, 2]})
    now = replace(moment(Step(), 8, 2), losses=parts)
    show(controller, now, events(8), rows)
    values = {key: entry.value for key, entry in legend(view, "loss").items()}
    assert values == {"loss/total": "3", "loss/task": "2", "loss/penalty": "None"}
    show(controller, replace(moment(ZeroGrad(), 5, 1, count=8), losses=parts), events(8))
    assert legend(view, "loss")["loss/task"].value == "4"
    show(controller, replace(moment(count=8), losses=parts), events(8))
    assert legend(view, "loss")["loss/task"].value == "None"


def test_the_row_above_the_plots_fits_beside_two_docks(view):
    assert view.toolbar.minimumSizeHint().width() < 330


def test_a_curve_that_is_chosen_while_nothing_runs_is_drawn_as_soon_as_it_comes(view, controller):
    show(controller, moment(Step(), 8, 2), events(8), batch({"loss/loss": [np.nan, 3, 2]}))
    view.chooser.tick("norm/x", chosen=True)
    controller.pending.append(batch({"norm/x": [1, 2, 3]}))
    controller.series_changed.emit()
    assert curve(view, "norm/x").y.tolist() == [1, 2, 3]


def test_where_there_is_no_loss_yet_nobody_is_asked_to_choose_one(view, controller):
    def shown():
        return view.stack.panels["loss"].canvas.findChild(QLabel).text()

    show(controller, moment(), [])
    view.choose(())
    assert shown() == "No curves selected: press Curves and check what to draw."
    before_any_backward = replace(moment(), losses={})
    show(controller, before_any_backward, [])
    assert shown() == "No loss yet: Forward computes one."


def test_a_panel_whose_values_are_nan_does_not_say_that_there_are_none_yet(view, controller):
    def shown():
        return view.stack.panels["loss"].canvas.findChild(QLabel).text()

    show(controller, replace(moment(), losses={"loss": np.nan}), [])
    assert shown() == "The values are NaN or infinite."
    show(controller, replace(moment(), losses={"loss": None}), [])
    assert shown() == "No loss yet: Forward computes one."
