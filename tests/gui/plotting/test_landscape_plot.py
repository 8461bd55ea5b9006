"""LandscapePlot: surfaces, paths, arrows, and what the user does with them."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from gradstep_gui.plotting.landscape_plot import LandscapePlot, PlanePath, Surface
from gradstep_gui.plotting.style import CurveStyle

LINE = np.linspace(-2, 2, 21)
BOWL = Surface(LINE, LINE, LINE[None, :] ** 2 + 10 * LINE[:, None] ** 2, ("x", "y"), "loss")
PARABOLA = Surface(LINE, np.zeros(0), 1 + LINE**2, ("x",), "loss")
OWN = CurveStyle("#0072b2")
GHOST = CurveStyle("#d55e00", Qt.PenStyle.DashLine, is_ghost=True)


@pytest.fixture
def plot(qtbot):
    plot = LandscapePlot()
    qtbot.addWidget(plot)
    plot.resize(520, 420)
    with qtbot.waitExposed(plot):
        plot.show()
    return plot


def path(x, y, style=OWN):
    return PlanePath(np.arange(len(x), dtype=float), np.array(x, float), np.array(y, float), style)


def scene(plot, x, y):
    found = plot._box.mapViewToScene(QPointF(x, y))
    return plot._widget.mapFromScene(found)


def test_the_whole_surface_is_seen_with_its_levels(plot):
    plot.set_surface(BOWL)
    assert plot.bounds == pytest.approx((-2, 2, -2, 2))
    assert plot._contours.count == len(plot.levels.values) + 1
    assert plot.bar.isVisible()
    assert len(plot.bar.texts) == len(plot.levels.values)


def test_levels_are_logarithmic_where_it_suits_or_is_wanted(plot):
    plot.set_surface(BOWL)
    assert not plot.is_log
    plot.set_log(True)
    assert plot.is_log
    plot.set_log(None)
    deep = Surface(LINE, LINE, 0.01 + 100 * BOWL.values, ("x", "y"), "loss")
    plot.set_surface(deep)
    assert plot.is_log
    plot.set_log(False)
    assert not plot.is_log


def test_values_are_read_between_the_points():
    assert BOWL.at(1.0, -1.0) == pytest.approx(11)
    assert BOWL.at(0.1, 0.0) == pytest.approx(0.02)
    assert BOWL.at(3.0, 0.0) is None
    assert BOWL.at(0.0, -2.1) is None
    assert PARABOLA.at(-1.0, 99.0) == pytest.approx(2)
    hole = Surface(LINE, LINE, np.full((21, 21), np.nan), ("x", "y"), "loss")
    assert hole.at(0.0, 0.0) is None


def test_the_path_is_drawn_to_the_present_point_and_the_rest_is_faint(plot):
    plot.set_surface(BOWL)
    plot.set_paths(
        [path([-2, -1, 0, 1], [2, 1, 0, -1]), path([-2, 2], [2, 2], GHOST)],
        1.0,
        (-0.5, 0.5),
    )
    assert plot.here == (-0.5, 0.5)
    assert plot._begin.getData()[0].tolist() == [-2]
    lines = [item.getData()[0].tolist() for item in plot._lines]
    ghosts = [item.getData()[0].tolist() for item in plot._ghosts]
    assert ghosts == [[-2, 2], [-2, 2]]  # and its outline
    assert lines.count([-1, 0, 1]) == 2
    assert [-2, -1, -0.5] in lines
    assert plot.path_count == 2


def test_the_ghosts_stay_while_the_present_point_moves(plot):
    plot.set_surface(BOWL)
    own, ghost = path([-2, -1], [2, 1]), path([-2, 2], [2, 2], GHOST)
    plot.set_paths([own, ghost], 0.0, (-2.0, 2.0))
    before = list(plot._ghosts)
    plot.set_paths([own, PlanePath(ghost.iterations, ghost.x, ghost.y, GHOST)], 1.0, (-1.0, 1.0))
    assert plot._ghosts == before
    plot.set_paths([own], 1.0, None)
    assert plot._ghosts == []
    assert plot.here is None


def test_near_points_of_a_path_are_no_dots_of_their_own(plot):
    plot.set_surface(BOWL)
    x = np.linspace(-2, 2, 300)
    plot.set_paths([path(x, 0 * x)], None, None)
    dots = [item for item in plot._lines if not hasattr(item, "setPath")]
    shown = len(plot._apart(x, 0 * x).nonzero()[0])
    assert 10 < shown < 60
    assert dots


def test_arrows_begin_where_they_should_and_the_step_is_true_to_scale(plot):
    plot.set_surface(BOWL)
    plot.set_arrows(((1.0, 1.0), (-2.0, -20.0)), ((1.0, 1.0), (-0.5, -1.0)))
    assert plot.step.ends == ((1, 1), (0.5, 0))
    assert plot.step.is_drawn
    assert plot.gradient.ends == ((1, 1), (-1, -19))
    tip = plot.gradient._head.pos()
    start = plot._box.mapViewToScene(QPointF(1, 1))
    end = plot._box.mapViewToScene(QPointF(tip.x(), tip.y()))
    assert np.hypot(end.x() - start.x(), end.y() - start.y()) == pytest.approx(64, abs=0.5)
    plot.set_arrows(None, None)
    assert (plot.step.ends, plot.gradient.is_drawn) == (None, False)


def test_the_gradient_at_the_edge_is_shorter_so_that_its_head_is_seen(plot):
    plot.set_surface(BOWL)
    plot.set_arrows(((-1.8, 0.0), (-1.0, 0.0)), None)
    tip = plot.gradient._head.pos()
    assert -2.01 <= tip.x() < -1.8
    assert plot.gradient.is_drawn


def test_in_the_least_height_there_are_contours_to_be_seen(plot):
    plot.set_surface(BOWL)
    for points in (9, 18):
        font = plot.font()
        font.setPointSizeF(points)
        plot.setFont(font)
        plot.resize(520, plot.minimumSizeHint().height())
        assert plot._box.height() > 1.5 * plot.fontMetrics().height()


def test_a_step_too_short_to_be_seen_is_not_drawn(plot):
    plot.set_surface(BOWL)
    plot.set_arrows(None, ((1.0, 1.0), (1e-4, 0.0)))
    assert plot.step.ends is not None
    assert not plot.step.is_drawn


def test_a_curve_has_the_points_on_it_and_a_tangent(plot):
    plot.set_surface(PARABOLA)
    assert not plot.bar.isVisible()
    plot.set_paths([path([-2, -1], [0, 0])], None, (-1.0, 0.0))
    assert plot.here == pytest.approx((-1, 2))
    plot.set_arrows(((-1.0, 0.0), (2.0, 0.0)), ((-2.0, 0.0), (1.0, 0.0)))
    assert plot.step.ends == ((-2, 5), (-1, pytest.approx(2)))
    assert plot.gradient.ends == ((-1, pytest.approx(2)), (1, pytest.approx(2)))
    x, y = plot._tangent.getData()
    assert (y[1] - y[0]) / (x[1] - x[0]) == pytest.approx(-2)
    plot.set_log(True)
    assert plot.here == pytest.approx((-1, np.log10(2)))
    assert len(plot._tangent.getData()[0]) == 2


def test_equal_axes_have_the_same_scale(plot):
    wide = Surface(4 * LINE, LINE, BOWL.values, ("x", "y"), "loss")
    plot.set_surface(wide)

    def scales():
        (left, right), (low, high) = plot._plot.viewRange()
        return plot._box.width() / (right - left), plot._box.height() / (high - low)

    plot.set_equal(True)
    across, up = scales()
    assert across == pytest.approx(up, rel=0.02)
    plot.resize(300, 500)
    across, up = scales()
    assert across == pytest.approx(up, rel=0.06)  # a pixel of a flat picture
    plot.set_equal(False)
    assert plot.bounds == pytest.approx((-8, 8, -2, 2))


def test_a_double_click_chooses_a_point_and_the_mouse_reads_values(qtbot, plot):
    plot.set_surface(BOWL)
    place = scene(plot, 1.0, -1.0)
    seen = []
    plot.hovered.connect(seen.append)
    viewport = plot._widget.viewport()
    qtbot.mouseMove(viewport, place)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen[-1] == pytest.approx((1, -1), abs=0.03)
    with qtbot.waitSignal(plot.chosen) as chosen:
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == pytest.approx([1, -1], abs=0.03)
    with qtbot.waitSignal(plot.menu_requested) as menu:
        qtbot.mouseClick(viewport, Qt.MouseButton.RightButton, pos=place)
    assert menu.args[1] == pytest.approx((1, -1), abs=0.03)


def test_everything_works_with_the_keyboard(qtbot, plot):
    plot.set_surface(BOWL)
    plot.set_paths([], None, (0.0, 0.0))
    seen = []
    plot.hovered.connect(seen.append)
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    qtbot.keyClick(plot, Qt.Key.Key_Up)
    assert seen[-1] == pytest.approx((0.1, 0.1))
    with qtbot.waitSignal(plot.chosen) as chosen:
        qtbot.keyClick(plot, Qt.Key.Key_Return)
    assert chosen.args == pytest.approx([0.1, 0.1])
    with qtbot.waitSignal(plot.menu_requested) as menu:
        qtbot.keyClick(plot, Qt.Key.Key_Menu)
    assert isinstance(menu.args[0], QPoint)
    with qtbot.waitSignal(plot.framed) as framed:
        qtbot.keyClick(plot, Qt.Key.Key_Plus)
    assert framed.args[0] == pytest.approx((-1.6, 1.6, -1.6, 1.6))
    with qtbot.waitSignal(plot.reset):
        qtbot.keyClick(plot, Qt.Key.Key_Home)


def test_the_wheel_zooms_and_reports_the_part_that_is_seen(qtbot, plot):
    plot.set_surface(BOWL)
    with qtbot.waitSignal(plot.framed) as framed:
        plot._box.scaleBy((0.5, 0.5))
        plot._box.sigRangeChangedManually.emit([True, True])
    assert framed.args[0] == pytest.approx((-1, 1, -1, 1))
    plot.set_surface(BOWL, keep_range=True)
    assert plot.bounds == pytest.approx((-1, 1, -1, 1))


def test_nothing_is_drawn_without_a_surface(qtbot, plot):
    plot.set_surface(BOWL)
    plot.set_surface(None)
    assert plot._contours.count == 0
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    plot.show_all()
    assert plot.surface is None


def test_the_names_of_the_axes_grow_with_the_font(plot):
    plot.set_surface(BOWL)
    before = [axis.label.boundingRect().height() for axis in plot._axes]
    font = plot.font()
    font.setPointSizeF(2 * font.pointSizeF())
    plot.setFont(font)
    after = [axis.label.boundingRect().height() for axis in plot._axes]
    assert min(new / old for new, old in zip(after, before, strict=True)) > 1.5
