"""The graph canvas: choosing by mouse and keys, hints, and what is kept between two moments."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from gradstep_gui import theme
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.graph.canvas import GraphCanvas
from gradstep_gui.widgets.graph.geometry import GraphGeometry
from gradstep_gui.widgets.graph.items import Box, Link
from gradstep_gui.widgets.graph.painter import GraphPainter

LOSS, PRODUCT, BIAS, RELU, WEIGHT = -1, 0, 1, 2, 3
BOXES = (
    Box(LOSS, "loss", ("0.5",), "root"),
    Box(PRODUCT, "AddmmBackward0", ("2 × 3",), hint="about the product"),
    Box(BIAS, "model.bias", ("3", ".grad None"), "leaf"),
    Box(RELU, "ReluBackward0", ("2 × 4",)),
    Box(WEIGHT, "model.weight", ("3 × 4", ".grad None"), "leaf"),
)
LINKS = (Link(1, 0), Link(2, 1), Link(3, 1), Link(4, 1))


@pytest.fixture(params=["light"])
def scheme(request, qapp):
    yield theme.apply(qapp, request.param)
    theme.apply(qapp, "light")


@pytest.fixture
def canvas(qtbot, scheme):
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(700, 400)
    canvas.show()
    canvas.show_graph(BOXES, LINKS)
    return canvas


def changed(box, **fields):
    return tuple(dataclasses.replace(b, **fields) if b.key == box else b for b in BOXES)


def place_of(canvas, key):
    return canvas.transform.map(canvas.rect_of(key).center())


def click(qtbot, canvas, point):
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=point.toPoint())


def colors_in(canvas, key):
    """Return the colours around and in a box, as text."""
    canvas.repaint()
    image: QImage = canvas.grab().toImage()
    rect = canvas.transform.mapRect(canvas.rect_of(key)).adjusted(-8, -8, 8, 8).toRect()
    return {
        image.pixelColor(x, y).name()
        for x in range(max(0, rect.left()), min(image.width(), rect.right()))
        for y in range(max(0, rect.top()), min(image.height(), rect.bottom()))
    }


def test_the_loss_is_at_the_bottom_and_leaves_above(canvas):
    assert place_of(canvas, LOSS).y() > place_of(canvas, PRODUCT).y() > place_of(canvas, BIAS).y()
    assert place_of(canvas, BIAS).x() < place_of(canvas, RELU).x() < place_of(canvas, WEIGHT).x()


def test_a_click_chooses_a_box_and_one_beside_lets_go(canvas, qtbot):
    with qtbot.waitSignal(canvas.box_chosen) as reported:
        click(qtbot, canvas, place_of(canvas, RELU))
    assert reported.args == [RELU]
    with qtbot.waitSignal(canvas.box_chosen) as reported:
        click(qtbot, canvas, QPointF(3, 3))
    assert reported.args == [None]


def test_arrow_keys_go_along_links_and_within_a_layer(canvas, qtbot):
    passed = []
    canvas.box_chosen.connect(passed.append)
    for key in ("Down", "Up", "Up", "Right", "Right", "Left", "Left", "Down", "Escape"):
        qtbot.keyClick(canvas, getattr(Qt.Key, f"Key_{key}"))
    assert passed == [LOSS, PRODUCT, RELU, WEIGHT, RELU, BIAS, PRODUCT, None]


def test_keys_begin_at_the_current_box(canvas, qtbot):
    canvas.show_graph(changed(RELU, lit="backward"), LINKS)
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    assert canvas.chosen == RELU


def test_the_selected_box_is_announced_to_screen_readers_and_followed(canvas):
    canvas.choose(BIAS)
    assert canvas.accessibleDescription() == "model.bias, 3, .grad None"
    canvas.show_graph(changed(BIAS, lines=("3", ".grad norm 1")), LINKS)
    assert canvas.accessibleDescription() == "model.bias, 3, .grad norm 1"


def test_boxes_and_links_have_tooltips(canvas):
    canvas.show_graph(BOXES, LINKS, {2: "what went along"}.__getitem__)
    assert canvas.hint_at(place_of(canvas, PRODUCT)) == "about the product"
    gap = (canvas.rect_of(RELU).bottom() + canvas.rect_of(PRODUCT).top()) / 2
    between = canvas.transform.map(QPointF(canvas.rect_of(RELU).center().x(), gap))
    assert canvas.hint_at(between) == "what went along"
    assert canvas.hint_at(QPointF(2, 2)) == ""


def test_another_moment_of_the_same_graph_keeps_the_zoom(canvas):
    canvas.zoom(2)
    scale, visible_area = canvas.scale, canvas.visible_area
    canvas.show_graph(changed(BIAS, lines=("3", ".grad norm 7")), LINKS)
    assert (canvas.scale, canvas.visible_area) == (scale, visible_area)


def test_another_graph_resets_the_zoom(canvas):
    canvas.zoom(5)
    canvas.show_graph(BOXES[:2], LINKS[:1])
    assert canvas.scale == 1.0


def test_a_large_graph_begins_at_its_loss_where_it_can_be_read(canvas):
    count = 60
    boxes = [Box(-1, "loss", look="root"), *[Box(at, "AddBackward0") for at in range(count)]]
    canvas.show_graph(boxes, [Link(at + 1, at) for at in range(count)])
    assert canvas.scale == pytest.approx(0.66)
    assert canvas.visible_area.contains(canvas.rect_of(-1))
    assert not canvas.visible_area.intersects(canvas.rect_of(count - 1))
    canvas.show_box(count - 1)
    assert canvas.visible_area.contains(canvas.rect_of(count - 1))
    canvas.fit()
    assert canvas.visible_area.contains(canvas.bounds())


@pytest.mark.parametrize("scheme", ["light", "dark"], indirect=True)
@pytest.mark.parametrize(
    ("fields", "color"),
    [
        ({"status": "changed"}, lambda t: t.error),
        ({"visited": True}, lambda t: t.kind("backward").soft),
        ({"lit": "forward"}, lambda t: t.kind("forward").strong),
        ({}, lambda t: t.raised),
    ],
)
def test_each_status_has_its_colour_in_both_themes(canvas, scheme, fields, color):
    canvas.show_graph(changed(RELU, **fields), LINKS)
    assert color(scheme) in colors_in(canvas, RELU)


def test_a_link_that_passed_a_gradient_is_drawn_in_the_colour_of_backward(canvas):
    strong = theme.LIGHT.kind("backward").strong
    assert strong not in colors_in(canvas, LOSS)
    canvas.show_graph(BOXES, (Link(1, 0, "1", lit=True), *LINKS[1:]))
    assert strong in colors_in(canvas, LOSS)


def test_a_label_stands_above_the_title_of_its_box(canvas):
    painter, box = GraphPainter(canvas.font(), theme.LIGHT), changed(PRODUCT, badge="freed")[1]
    rect = QRectF(QPointF(40, 60), QSizeF(*painter.size(box)))
    label = painter.badge_rect(box, rect)
    lines = QFontMetricsF(emphasis_font(canvas.font())).height() + painter.text_height
    padding = (rect.height() - lines) / 2
    assert rect.top() < label.bottom() <= rect.top() + padding
    assert rect.left() < label.left() < label.right() < rect.right()


@pytest.mark.parametrize("width", [320, 400, 500])
def test_no_box_near_the_loss_is_cut_at_an_edge_where_all_have_room(canvas, width):
    leaf = Box(9, "a_module_of_some_name.bias", ("3", ".grad None"), "leaf")
    rest = tuple(Box(10 + at, f"layer_{at}", ("1",)) for at in range(12))
    wide = tuple(Box(30 + at, f"parameter_{at}_of_a_wide_layer", ("1",), "leaf") for at in range(8))
    boxes = (*BOXES[:2], leaf, *rest, *wide)
    links = (Link(1, 0), Link(2, 1), Link(3, 1), *(Link(at + 1, at) for at in range(3, 14)))
    links += tuple(Link(15 + at, 14) for at in range(8))
    canvas.resize(width, 260)
    canvas.show_graph(boxes, links)
    seen = canvas.visible_area
    for box in (LOSS, PRODUCT, 9, 10):
        rect = canvas.rect_of(box)
        assert seen.left() <= rect.left()
        assert rect.right() <= seen.right()


def test_the_cursor_shape_shows_the_effect_of_a_press(canvas, qtbot):
    qtbot.mouseMove(canvas, place_of(canvas, RELU).toPoint())
    assert canvas.cursor().shape() == Qt.CursorShape.PointingHandCursor
    qtbot.mouseMove(canvas, QPoint(2, 2))
    assert canvas.cursor().shape() == Qt.CursorShape.OpenHandCursor


def test_a_double_click_beside_the_boxes_shows_the_whole_and_on_one_does_not(canvas, qtbot):
    canvas.zoom(3)
    scale = canvas.scale
    on_box = place_of(canvas, PRODUCT).toPoint()
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=on_box)
    assert canvas.scale == scale
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert canvas.scale < scale


def test_nothing_can_be_shown(canvas, qtbot):
    canvas.show_graph((), ())
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    assert canvas.chosen is None
    assert canvas.grab().toImage().pixelColor(5, 5) == QColor(theme.LIGHT.base)


def test_gradients_of_links_that_meet_do_not_cover_each_other(canvas):
    links = [Link(1, 0, "norm 0.258"), *(Link(at, 1, "norm 0.139") for at in (2, 3, 4))]
    figure = GraphGeometry([(100, 40)] * 5, links)
    brush = GraphPainter(canvas.font(), theme.LIGHT)
    picture = QImage(800, 600, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    taken = []
    for link, route in zip(links, figure.routes, strict=True):
        taken.append(brush.draw_text(painter, link, route, figure.bounds, taken))
    painter.end()
    shared = [one & other for one, other in combinations(taken, 2)]
    chip = taken[1].width() * taken[1].height()
    assert max(part.width() * part.height() for part in shared) < 0.15 * chip
    assert taken[1].center() == figure.routes[1].anchor


def test_a_title_without_other_words_stands_in_the_middle_of_its_box(canvas):
    painter = GraphPainter(canvas.font(), theme.LIGHT)
    box = Box(PRODUCT, "AddmmBackward0", ("",))
    width, height = painter.size(box)
    image = QImage(int(width) + 1, int(height) + 1, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    pen = QPainter(image)
    painter.draw_box(pen, box, QRectF(0, 0, width, height), selected=False)
    pen.end()
    dark = [
        y
        for y in range(4, image.height() - 4)
        if any(QColor(image.pixel(x, y)).lightness() < 100 for x in range(8, image.width() - 8))
    ]
    assert abs((dark[0] + dark[-1]) / 2 - height / 2) < 3
