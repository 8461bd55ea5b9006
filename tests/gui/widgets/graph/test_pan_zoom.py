"""A surface larger than its widget: zoom about a point, pan by a drag, fit."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from gradstep_gui.widgets.graph.pan_zoom import PanZoom

WHOLE = QRectF(0, 0, 1000, 500)


class Surface(PanZoom):
    def __init__(self):
        super().__init__()
        self.clicks = []

    def bounds(self):
        return WHOLE

    def clicked(self, point):
        self.clicks.append((point.x(), point.y()))


@pytest.fixture
def surface(qtbot):
    surface = Surface()
    qtbot.addWidget(surface)
    surface.resize(400, 300)
    surface.show()
    return surface


def turn(surface, at, notches):
    event = QWheelEvent(
        at,
        surface.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(surface, event)


def drag(qtbot, surface, start, end):
    qtbot.mousePress(surface, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(surface, (start + end) / 2)
    qtbot.mouseMove(surface, end)
    qtbot.mouseRelease(surface, Qt.MouseButton.LeftButton, pos=end)


def test_at_first_the_whole_is_in_sight(surface):
    assert surface.scale == pytest.approx(0.4)
    assert surface.visible_area.contains(WHOLE)


def test_a_small_surface_is_not_enlarged(surface):
    surface.bounds = lambda: QRectF(0, 0, 100, 100)
    surface.fit()
    assert surface.scale == 1.0
    assert surface.transform.map(QPointF(50, 50)) == QPointF(200, 150)


def test_the_wheel_zooms_about_the_mouse(surface):
    at = QPointF(100, 80)
    before = surface.transform.inverted()[0].map(at)
    turn(surface, at, 3)
    assert surface.scale == pytest.approx(0.4 * 1.2**3)
    after = surface.transform.inverted()[0].map(at)
    assert (after.x(), after.y()) == pytest.approx((before.x(), before.y()))


def test_zoom_ends_before_nothing_can_be_seen(surface):
    surface.zoom(99)
    assert surface.scale == 3.0
    surface.zoom(-99)
    assert surface.scale == 0.02


def test_a_drag_pans_and_is_not_a_click(surface, qtbot):
    before = surface.transform.map(QPointF(0, 0))
    drag(qtbot, surface, QPoint(50, 50), QPoint(90, 70))
    after = surface.transform.map(QPointF(0, 0))
    assert after - before == QPointF(40, 20)
    assert surface.clicks == []


def test_a_click_is_not_a_drag(surface, qtbot):
    qtbot.mouseClick(surface, Qt.MouseButton.LeftButton, pos=QPoint(50, 60))
    assert surface.clicks == [(50, 60)]


@pytest.mark.parametrize(
    ("key", "held", "steps"),
    [
        (Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier, 1),
        (Qt.Key.Key_Equal, Qt.KeyboardModifier.ControlModifier, 1),
        (Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier, -1),
    ],
)
def test_the_keys_of_browsers_zoom(surface, qtbot, key, held, steps):
    qtbot.keyClick(surface, key, held)
    assert surface.scale == pytest.approx(0.4 * 1.2**steps)


@pytest.mark.parametrize(
    ("key", "held"),
    [
        (Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier),
        (Qt.Key.Key_F, Qt.KeyboardModifier.NoModifier),
    ],
)
def test_a_key_and_a_double_click_fit_the_whole_in_again(surface, qtbot, key, held):
    surface.zoom(5)
    qtbot.keyClick(surface, key, held)
    assert surface.scale == pytest.approx(0.4)
    surface.zoom(5)
    qtbot.mouseDClick(surface, Qt.MouseButton.LeftButton, pos=QPoint(9, 9))
    assert surface.scale == pytest.approx(0.4)


def test_the_centre_of_the_view_is_kept_when_it_grows(surface, qtbot):
    surface.zoom(4)
    middle = surface.visible_area.center()
    surface.resize(600, 500)
    qtbot.waitUntil(lambda: surface.width() == 600)
    now = surface.visible_area.center()
    assert (now.x(), now.y()) == pytest.approx((middle.x(), middle.y()), abs=1.0)


def test_the_whole_stays_in_sight_when_the_room_shrinks(surface, qtbot):
    surface.resize(200, 150)
    qtbot.waitUntil(lambda: surface.width() == 200)
    assert surface.scale == pytest.approx(0.2)


def test_to_reveal_a_part_pans_only_as_far_as_needed(surface):
    surface.look_at(QRectF(0, 0, 400, 300), 1.0)
    inside = QRectF(10, 10, 50, 50)
    surface.reveal(inside)
    assert surface.visible_area.topLeft() == QPointF(0, 0)
    surface.reveal(QRectF(500, 100, 60, 50))
    assert surface.visible_area.right() == pytest.approx(560)
    assert surface.visible_area.top() == 0
