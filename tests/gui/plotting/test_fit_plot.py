"""FitPlot: examples as points, the curve, the regions, and pointing at one of them."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gradstep_gui.plotting.fit_plot import FitPlot, PlottedExamples, Regions
from gradstep_gui.theme import LIGHT
from gradstep_gui.widgets.arrays.matrix_image import VIRIDIS


def examples(x, y, **fields):
    fields.setdefault("held_out", np.zeros(len(x), bool))
    fields.setdefault("in_batch", np.zeros(len(x), bool))
    return PlottedExamples(np.array(x, float), np.array(y, float), names=("x", "y"), **fields)


@pytest.fixture
def plot(qtbot):
    plot = FitPlot()
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    plot.show()
    return plot


@pytest.fixture
def pointed(plot):
    found = []
    plot.pointed.connect(found.append)
    return found


def test_points_that_are_not_finite_are_not_drawn_and_those_of_the_batch_have_rings(plot):
    in_batch = np.array([True, False, True, False])
    plot.draw(examples([0, 1, 2, np.nan], [0, np.inf, 4, 1], in_batch=in_batch))
    assert (plot.drawn_points, plot.ringed_points) == (2, 2)


def test_held_out_points_are_hollow_and_classes_have_shapes(plot):
    plot.draw(
        examples(
            [0, 1, 2],
            [0, 1, 2],
            held_out=np.array([False, True, False]),
            classes=np.array([0, 1, 1]),
        )
    )
    spots = plot._points.points()
    assert [spot.symbol() for spot in spots] == ["o", "s", "s"]
    assert [spot.brush().color() for spot in spots] == [
        QColor(LIGHT.curves[0]),
        QColor(LIGHT.base),
        QColor(LIGHT.curves[1]),
    ]


def test_the_range_holds_all_points_and_of_a_curve_that_runs_away_a_part(plot):
    across = np.linspace(-1, 3, 5)
    plot.draw(examples([0, 2], [0, 10], curve=(across, across * 1e9)))
    (left, right), (low, high) = plot._plot.viewRange()
    assert (left, right) == (pytest.approx(-1), pytest.approx(3))
    assert -15 < low < -9
    assert 19 < high < 25


def test_values_are_drawn_against_the_diagonal(plot):
    plot.draw(examples([0, 10], [1, 11], is_exact=True))
    x, y = plot._exact.getData()
    assert x.tolist() == y.tolist()
    plot.draw(examples([0, 10], [1, 11]))
    assert [len(values) for values in plot._exact.getData()] == [0, 0]


def test_regions_have_the_colour_of_the_class_and_fade_where_it_is_uncertain(plot):
    shares = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [np.nan, np.nan]]])
    plot.draw(
        examples(
            [0, 1], [0, 1], classes=np.array([0, 1]), regions=Regions(QRectF(0, 0, 1, 1), shares)
        )
    )
    image = plot._region._image
    base, colors = QColor(LIGHT.base), [QColor(LIGHT.curves[0]), QColor(LIGHT.curves[1])]

    def distance(one, other):
        return sum(abs(a - b) for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))

    assert distance(image.pixelColor(0, 0), colors[0]) < distance(base, colors[0])
    assert distance(image.pixelColor(0, 1), colors[1]) < distance(base, colors[1])
    certain, uncertain = image.pixelColor(0, 0), image.pixelColor(1, 0)
    assert distance(uncertain, base) < distance(certain, base)
    assert image.pixelColor(1, 1) == base
    assert plot._plot.viewRange() == [[0, 1], [0, 1]]


def test_a_surface_and_its_points_have_the_colours_of_one_scale(plot):
    values = np.array([[-1.0, 5.0], [2.0, np.nan]])
    plot.draw(
        examples(
            [0, 1],
            [0, 1],
            held_out=np.array([False, True]),
            levels=np.array([-1.0, 9.0]),
            scale=(-1.0, 5.0),
            regions=Regions(QRectF(0, 0, 1, 1), values=values),
        )
    )
    low, high = (QColor.fromRgb(int(VIRIDIS[end])) for end in (0, -1))
    image = plot._region._image
    assert (image.pixelColor(0, 0), image.pixelColor(1, 0)) == (low, high)
    assert image.pixelColor(1, 1) not in (low, high)
    spots = plot._points.points()
    assert [spot.brush().color() for spot in spots] == [low, high]
    assert [spot.pen().color() for spot in spots] == [QColor(LIGHT.base), QColor(LIGHT.error)]


def test_ticks_and_names_of_axes_follow_the_font(plot):
    font = plot.font()
    font.setPointSizeF(2 * font.pointSizeF())
    plot.setFont(font)
    for axis in plot._axes:
        assert axis.label.font().pointSizeF() == font.pointSizeF()
        assert axis.style["tickFont"].pointSizeF() == font.pointSizeF()


def test_the_arrow_keys_point_at_examples_from_left_to_right(plot, pointed, qtbot):
    plot.draw(examples([3, 1, 2], [0, 0, 0]))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right):
        qtbot.keyClick(plot, key)
    qtbot.keyClick(plot, Qt.Key.Key_Left)
    qtbot.keyClick(plot, Qt.Key.Key_Home)
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    assert pointed == [1, 2, 0, 2, 1, -1]


def test_the_mouse_points_at_the_nearest_example_within_reach(plot, pointed):
    plot.draw(examples([0, 10], [0, 10]))
    plot._on_move(plot._box.mapViewToScene(QPointF(10, 10)))
    plot._on_move(plot._box.mapViewToScene(QPointF(5, 5)))
    assert pointed == [1, -1]


def test_other_examples_are_not_pointed_at(plot):
    plot.draw(examples([0, 1], [0, 1]))
    plot.point_at(1)
    plot.draw(examples([0, 1], [5, 5]))
    assert plot.current == 1
    plot.draw(examples([0], [0]))
    assert plot.current == -1
