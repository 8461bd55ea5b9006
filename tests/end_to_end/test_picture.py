"""The window's picture, by properties: every region is there, in its colours, and not empty."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QCursor, QImage

from gradstep_gui.theme import DARK, LIGHT, apply
from gradstep_gui.widgets.buttons import ActionButton


class Picture:
    """The pixels of the whole window, and where its widgets lie in it."""

    def __init__(self, window):
        self.window = window
        image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        self.ratio = image.devicePixelRatio()
        shape = (image.height(), image.bytesPerLine() // 4, 4)
        bgra = np.frombuffer(image.constBits(), np.uint8).reshape(shape)[:, : image.width()]
        self.rgb = bgra[:, :, 2::-1].copy()

    def rect(self, widget):
        return QRect(widget.mapTo(self.window, QPoint(0, 0)), widget.size())

    def part(self, widget):
        """The pixels of one widget."""
        r, k = self.rect(widget), self.ratio
        top, left = int(r.top() * k), int(r.left() * k)
        return self.rgb[top : top + int(r.height() * k), left : left + int(r.width() * k)]

    def count(self, widget, color, near=12):
        """How many pixels of a widget have about this colour."""
        wanted = np.array(QColor(color).getRgb()[:3])
        return int((np.abs(self.part(widget).astype(int) - wanted).max(axis=2) <= near).sum())


@pytest.fixture(params=["light", "dark"])
def theme(request, qapp):
    yield {"light": LIGHT, "dark": DARK}[request.param]
    apply(qapp, "light")


@pytest.fixture
def mouse_elsewhere(qapp):
    """Move the mouse from where a test before has left it: a button below would be drawn so."""
    QCursor.setPos(QPoint(-50, -50))
    qapp.processEvents()


@pytest.fixture
def trained(mouse_elsewhere, driver, qapp, theme):
    apply(qapp, theme.name)
    driver.open_scenario("06_iris")
    driver.iterate(20)
    driver.press("debug.zero_grad", "debug.forward", "debug.backward")
    return driver


def views(window):
    """The views that can be seen; a tab behind another lies outside of the window."""
    return {name: v for name, v in window.views.items() if not v.visibleRegion().isEmpty()}


def test_the_four_buttons_are_side_by_side_in_the_colours_of_their_kinds(trained, theme):
    picture = Picture(trained.window)
    buttons = [
        trained.button(f"debug.{kind}") for kind in ("zero_grad", "forward", "backward", "step")
    ]
    for button, kind in zip(buttons, ("zero_grad", "forward", "backward", "step"), strict=True):
        colors = theme.kind(kind)
        assert picture.count(button, colors.soft) > button.width() * button.height() / 3, kind
        assert picture.count(button, colors.strong) > 20, kind
        assert button.width() >= 48
        assert button.height() >= 44
    rects = [picture.rect(button) for button in buttons]
    assert len({rect.top() for rect in rects}) == 1
    assert [rect.left() for rect in rects] == sorted(rect.left() for rect in rects)


def test_every_view_lies_in_the_window_and_none_covers_another(trained):
    picture = Picture(trained.window)
    shown = views(trained.window)
    assert {"plots", "program", "optimizer", "event_log"} <= set(shown)
    rects = {name: picture.rect(view) for name, view in shown.items()}
    for name, rect in rects.items():
        assert trained.window.rect().contains(rect), name
        assert rect.width() >= 200, name
        assert rect.height() >= 120, name
    for name, rect in rects.items():
        for other, theirs in rects.items():
            assert name == other or not rect.intersects(theirs), (name, other)


def test_no_view_is_empty_and_words_are_there_in_the_colour_of_text(trained, theme):
    picture = Picture(trained.window)
    for name, view in views(trained.window).items():
        pixels = picture.part(view).reshape(-1, 3)
        assert len(np.unique(pixels, axis=0)) > 40, name
        assert picture.count(view, theme.text, near=40) > 200, name


def test_the_ground_is_light_or_dark(trained, theme):
    middle = np.median(Picture(trained.window).rgb)
    assert middle > 200 if theme is LIGHT else middle < 60


def test_each_panel_draws_its_curves_and_rings_the_values_that_just_changed(trained, theme):
    picture = Picture(trained.window)
    every = trained.window.plots.stack.panels
    panels = {key: panel for key, panel in every.items() if panel.isVisible()}
    assert list(panels) == ["loss", "grad", "parameters"]  # the program has no metrics
    for key, panel in panels.items():
        assert picture.count(panel.canvas, theme.curves[0], near=40) > 60, key
    rings = {key: len(panel.canvas._marks.rings) for key, panel in panels.items()}
    assert rings == {"loss": 0, "grad": 4, "parameters": 0}
    assert picture.count(panels["grad"].canvas, theme.kind("backward").strong, near=3) > 20
    assert picture.count(panels["grad"].legend, theme.kind("backward").soft, near=3) > 500
    assert picture.count(panels["parameters"].legend, theme.kind("backward").soft, near=3) == 0


def test_after_going_back_future_points_are_dimmed(trained, theme):
    canvas = trained.window.plots.stack.panels["loss"].canvas
    bright = Picture(trained.window).count(canvas, theme.curves[0])
    trained.controller.seek(8)
    trained.settle()
    picture = Picture(trained.window)
    dimmed = picture.count(canvas, theme.curves[0])
    assert 0 < dimmed < bright / 2
    assert picture.count(canvas, theme.accent, near=3) > canvas.height() / 2


def test_buttons_of_the_toolbar_are_named_and_their_words_fit(trained):
    for button in trained.window.toolbar.findChildren(ActionButton):
        assert button.accessibleName() or button.text()
        words = button.fontMetrics().horizontalAdvance(button.text())
        assert words <= button.width(), button.text()
