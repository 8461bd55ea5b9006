"""PlotStack: panels share range, cursor and moment; what a person does comes out as signals."""

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QTabWidget, QToolButton, QWidget

from gradstep_gui.plotting.curve_set import CurveSet
from gradstep_gui.plotting.stack import PlotStack
from gradstep_gui.plotting.style import style_of
from gradstep_gui.theme import DARK, LIGHT, apply
from tests.gui.plotting.series_batches import batch

LOSS, GRAD = "loss/loss", "norm/x.grad"


@pytest.fixture
def curves():
    curves = CurveSet([LOSS, GRAD])
    curves.apply(batch({LOSS: np.linspace(10, 0, 101), GRAD: [np.nan] + [4.0] * 100}))
    return curves


@pytest.fixture
def stack(qtbot, curves):
    stack = PlotStack({"loss": "Loss", "grad": ".grad"}, lambda value: f"{value:g}")
    qtbot.addWidget(stack)
    stack.panels["loss"].set_curves([(LOSS, "loss", style_of(0, LIGHT), curves[LOSS])])
    stack.panels["grad"].set_curves([(GRAD, "|x|", style_of(1, LIGHT), curves[GRAD])])
    stack.resize(700, 500)
    with qtbot.waitExposed(stack):
        stack.show()
    stack.refresh(100)
    return stack


def canvas(stack, key):
    return stack.panels[key].canvas


def value(stack, key):
    return stack.panels[key].legend.entries[0].value


def click(qtbot, stack, key, x):
    """Click once in a panel at x, and return the viewport and the place in it."""
    target = canvas(stack, key)
    viewport = target._widget.viewport()
    place = viewport.mapFrom(target, target.place_of(x).toPoint())
    qtbot.mouseMove(viewport, place)
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    return viewport, place


def double_click(qtbot, viewport, place):
    qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place)


def test_all_panels_share_the_whole_range(stack):
    ranges = {canvas(stack, key).x_range() for key in stack.panels}
    assert len(ranges) == 1
    low, high = ranges.pop()
    assert -5 < low <= 0
    assert 100 <= high < 105


def test_the_y_range_fits_the_visible_points(stack):
    stack.show_recent(10)
    low, high = canvas(stack, "loss").y_range()
    assert low == pytest.approx(0, abs=0.2)
    assert high == pytest.approx(1, abs=0.2)


def test_the_recent_range_follows_the_newest_iteration(stack, curves):
    stack.show_recent(20)
    curves.apply(batch({LOSS: [0.0] * 50, GRAD: [1.0] * 50}, start=101))
    stack.refresh(150)
    low, high = canvas(stack, "grad").x_range()
    assert low == pytest.approx(130, abs=1)
    assert high == pytest.approx(150, abs=1)


def test_zooming_one_panel_zooms_all_and_stops_following(qtbot, stack):
    with qtbot.waitSignal(stack.range_changed) as changed:
        canvas(stack, "loss").panned.emit(20, 40)
    assert changed.args == ["free"]
    assert canvas(stack, "grad").x_range() == (20, 40)
    stack.refresh(100)
    assert canvas(stack, "loss").x_range() == (20, 40)
    stack.show_all()
    assert stack.range == "all"


def test_a_click_moves_the_cursor_and_only_a_double_click_chooses_the_iteration(qtbot, stack):
    with qtbot.assertNotEmitted(stack.iteration_chosen):
        viewport, place = click(qtbot, stack, "grad", 37)
    assert stack.cursor_iteration == pytest.approx(37, abs=0.5)
    with qtbot.waitSignal(stack.iteration_chosen, timeout=60_000) as chosen:
        double_click(qtbot, viewport, place)
    assert chosen.args[0] == pytest.approx(37, abs=0.5)
    assert stack.range == "all"


def test_a_double_click_on_an_axis_shows_every_iteration(qtbot, stack):
    canvas(stack, "loss").panned.emit(20, 40)
    viewport, place = click(qtbot, stack, "grad", 30)
    with qtbot.assertNotEmitted(stack.iteration_chosen):
        double_click(qtbot, viewport, QPoint(4, place.y()))
    assert stack.range == "all"


def test_the_legend_shows_the_newest_values_or_those_under_the_cursor(qtbot, stack):
    assert value(stack, "loss") == "0"
    canvas(stack, "grad").hovered.emit(50.2)
    assert (value(stack, "loss"), value(stack, "grad")) == ("5", "4")
    canvas(stack, "grad").hovered.emit(None)
    assert value(stack, "loss") == "0"


def test_the_legend_shows_the_last_value_of_a_curve_measured_now_and_then(stack, curves):
    values = np.full(101, np.nan)
    values[[20, 40, 60]] = 2.0, 4.0, 6.0
    curves.apply(batch({LOSS: np.ones(101), GRAD: values}))
    stack.refresh(100)
    assert value(stack, "grad") == "6"
    for x, expected in ((59.7, "6"), (45, "4"), (20, "2"), (19, "\N{EN DASH}")):
        canvas(stack, "loss").hovered.emit(x)
        assert value(stack, "grad") == expected


def drawn(stack, key, column):
    """Return the dashes and the width of a drawn line, and how many of its points are drawn."""
    item = canvas(stack, key)._items[column]
    return item.pen.style(), item.pen.width(), item.dots


def test_where_only_some_values_are_known_they_are_points_and_the_legend_says_so(stack, curves):
    every_fourth = np.where(np.arange(101) % 4, np.nan, 2.0)
    curves.apply(batch({LOSS: every_fourth, GRAD: np.ones(101)}))
    stack.refresh(100)
    assert drawn(stack, "loss", LOSS) == (Qt.PenStyle.DotLine, 1, 26)
    assert drawn(stack, "grad", GRAD) == (Qt.PenStyle.SolidLine, 2, 0)
    labels = [entry.label for entry in stack.panels["loss"].legend.entries]
    assert labels == ["loss", "values are known at the points only"]
    assert [entry.label for entry in stack.panels["grad"].legend.entries] == ["|x|"]
    curves.apply(batch({LOSS: np.ones(101), GRAD: np.ones(101)}))
    stack.refresh(100)
    assert drawn(stack, "loss", LOSS) == (Qt.PenStyle.SolidLine, 2, 0)
    assert [entry.label for entry in stack.panels["loss"].legend.entries] == ["loss"]


def test_the_legend_shows_a_dash_in_a_gap_of_a_curve_without_others(stack, curves):
    values = np.ones(101)
    values[50:] = np.nan
    curves.apply(batch({LOSS: np.ones(101), GRAD: values}))
    stack.refresh(100)
    assert value(stack, "grad") == "\N{EN DASH}"
    canvas(stack, "loss").hovered.emit(49)
    assert value(stack, "grad") == "1"


def test_the_cursor_moves_by_keyboard_and_enter_seeks_it(qtbot, stack):
    for _ in range(3):
        qtbot.keyClick(stack, Qt.Key.Key_Left)
    assert stack.cursor_iteration == 97
    with qtbot.waitSignal(stack.iteration_chosen) as chosen:
        qtbot.keyClick(stack, Qt.Key.Key_Return)
    assert chosen.args == [97]
    qtbot.keyClick(stack, Qt.Key.Key_Escape)
    assert stack.cursor_iteration is None


def test_after_a_seek_back_the_legend_shows_the_values_of_that_moment(stack):
    stack.refresh(100, now=30)
    assert value(stack, "loss") == "7"
    assert canvas(stack, "loss")._veil.isVisible()
    stack.refresh(100)
    assert not canvas(stack, "loss")._veil.isVisible()


def test_the_bottom_axis_is_written_once_below_the_lowest_open_panel(stack):
    shown = [canvas(stack, key)._x_axis.style["showValues"] for key in ("loss", "grad")]
    assert shown == [False, True]
    stack.panels["grad"].set_folded(True)
    shown = [canvas(stack, key)._x_axis.style["showValues"] for key in ("loss", "grad")]
    assert shown == [True, False]


def test_the_numbers_below_the_plots_are_named_in_their_row(stack, qtbot):
    loss, grad = canvas(stack, "loss"), canvas(stack, "grad")
    assert (loss._unit.isVisible(), grad._unit.isVisible()) == (False, True)
    assert grad._unit.text() == "iteration"

    def is_beside_the_axis():
        left = grad._box.sceneBoundingRect()
        room = grad._unit.geometry()
        return room.right() < left.left() and left.bottom() <= room.center().y() <= grad.height()

    qtbot.waitUntil(is_beside_the_axis, timeout=60_000)
    grad.resize(grad.width(), grad.height() - 20)
    qtbot.waitUntil(is_beside_the_axis, timeout=60_000)


def test_behind_another_tab_too_it_knows_what_it_needs_when_panels_are_folded(qtbot):
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    stack = PlotStack({"loss": "Loss", "grad": ".grad"}, str)
    tabs.addTab(QWidget(), "in front")
    tabs.addTab(stack, "behind")
    with qtbot.waitExposed(tabs):
        tabs.show()
    whole = tabs.minimumSizeHint().height()
    stack.fold(["grad"])
    folded = tabs.minimumSizeHint().height()
    assert folded <= whole - 40
    stack.offer("grad", offered=False)
    assert tabs.minimumSizeHint().height() < folded
    stack.offer("grad", offered=True)
    stack.fold([])
    assert tabs.minimumSizeHint().height() == whole


def test_a_folded_panel_leaves_its_height_to_the_others(qtbot, stack):
    before = canvas(stack, "grad").height()
    fold = stack.panels["loss"].findChildren(QToolButton)[0]
    qtbot.mouseClick(fold, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    assert stack.panels["loss"].is_folded
    qtbot.waitUntil(lambda: canvas(stack, "grad").height() > before + 100, timeout=60_000)


def test_a_logarithmic_panel_skips_values_that_are_not_positive(stack):
    stack.panels["loss"].set_log(True)
    low, high = canvas(stack, "loss").y_range()
    assert low == pytest.approx(-1.16, abs=0.05)
    assert high == pytest.approx(1.16, abs=0.05)


def test_just_changed_curves_are_marked_in_legend_and_plot(stack):
    stack.set_changed([GRAD], "backward")
    stack.refresh(100)
    assert stack.panels["grad"].legend.entries[0].mark == "backward"
    assert stack.panels["loss"].legend.entries[0].mark == ""
    assert [len(canvas(stack, key)._marks.rings) for key in ("loss", "grad")] == [0, 1]


def test_an_empty_panel_shows_the_reason(stack, curves):
    canvas(stack, "grad").set_empty_text("No gradient yet: press Backward.")
    curves.apply(batch({GRAD: [np.nan] * 3}))
    stack.refresh(3)
    assert canvas(stack, "grad")._empty.isVisible()
    assert canvas(stack, "grad")._empty.text() == "No gradient yet: press Backward."


def test_a_curve_that_became_infinite_is_marked_where_it_left_the_axes(stack, curves):
    curves.apply(batch({LOSS: [1, 10, np.inf, np.nan], GRAD: [1, 2, 3, 4]}))
    stack.refresh(3)
    ((point, _color),) = canvas(stack, "loss")._marks.triangles
    assert point.x() == 2
    assert 10 < point.y() < canvas(stack, "loss").y_range()[1]
    assert not canvas(stack, "grad")._marks.triangles


def test_points_between_gaps_are_drawn_as_dots(stack, curves):
    values = np.full(500, np.nan)
    values[[100, 300]] = 2.0
    curves.apply(batch({LOSS: np.ones(500), GRAD: values}))
    stack.refresh(499)
    assert canvas(stack, "grad")._items[GRAD].dots == 2


def ground_color(stack):
    image = stack.grab().toImage()
    place = canvas(stack, "loss").mapTo(stack, QPoint(20, 6)) * image.devicePixelRatio()
    return image.pixelColor(place).name()


def test_the_plots_take_on_the_colours_of_the_theme(qapp, qtbot, stack):
    try:
        apply(qapp, "dark")
        qtbot.waitUntil(lambda: ground_color(stack) == DARK.base, timeout=60_000)
    finally:
        apply(qapp, "light")
    qtbot.waitUntil(lambda: ground_color(stack) == LIGHT.base, timeout=60_000)


class Paints(QObject):
    """Counts how often something is painted."""

    def __init__(self, watched):
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, _watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_another_range_is_painted_once(stack):
    QApplication.processEvents()
    paints = Paints(canvas(stack, "loss")._widget.viewport())
    stack._on_pan(20.0, 50.0)
    for _ in range(5):
        QApplication.processEvents()
    assert paints.count == 1


def test_where_there_is_no_height_for_all_panels_they_scroll_and_stay_legible(stack, qtbot):
    stack.resize(700, 150)
    qtbot.waitUntil(lambda: stack.sheet.height() > stack.height(), timeout=60_000)
    heights = [canvas(stack, key).height() for key in stack.panels]
    assert min(heights) >= 60
    assert stack.minimumSizeHint().height() >= sum(heights)  # docks give way first
    stack.resize(700, 600)
    qtbot.waitUntil(lambda: stack.sheet.height() == stack.height(), timeout=60_000)


def test_a_panel_without_values_has_no_ticks_for_them(stack):
    grad = canvas(stack, "grad")
    assert grad._y_axis.style["showValues"]
    stack.panels["grad"].set_curves([])
    stack.refresh(100)
    assert not grad._y_axis.style["showValues"]


def test_an_operation_that_changes_one_curve_paints_only_its_panel(stack, curves):
    stack.set_changed([GRAD], "backward")
    stack.refresh(100)
    stack.set_changed([LOSS], "forward")
    stack.refresh(100)
    QCoreApplication.processEvents()
    loss, grad = (Paints(canvas(stack, key)._widget.viewport()) for key in ("loss", "grad"))
    for step in (0.25, 0.5):
        curves.set_tail({LOSS: ([100 + step], [1.0])})
        stack.set_changed([LOSS], "forward" if step < 0.5 else "step")
        stack.refresh(100)
        QCoreApplication.processEvents()
    assert loss.count >= 2
    assert grad.count == 0
