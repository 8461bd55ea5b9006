"""Zoom: all that holds text grows with it; it is remembered; a picture keeps its own keys."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication, QTableView, QToolButton

from gradstep_gui.action_ids import LayoutId, ViewId
from gradstep_gui.settings import ZOOM, ZOOM_STEPS, Settings
from gradstep_gui.widgets.timeline.timeline_bar import TimelineBar
from tests.gui.triggering import TIMEOUT_S

PLAIN = QFontDatabase.SystemFont.GeneralFont


@pytest.fixture
def opened(make_window, open_fake):
    window = make_window(open_fake)
    window.controller.open(Path("parabola.json"))
    assert window.controller.wait_idle(TIMEOUT_S)
    return window


def press(window, *names):
    for name in names:
        window.actions_by_id[name].trigger()


def size():
    """The size of text, relative to what the desktop prefers."""
    plain = QFontDatabase.systemFont(PLAIN).pointSizeF()
    return pytest.approx(QApplication.font().pointSizeF() / plain)


def test_text_grows_and_shrinks_in_steps_that_end(opened):
    press(opened, "view.zoom_in")
    assert size() == 1.1
    press(opened, "view.zoom_in")
    assert size() == 1.25
    press(opened, *["view.zoom_out"] * 20)
    assert size() == ZOOM_STEPS[0]
    press(opened, *["view.zoom_in"] * 20)
    assert size() == ZOOM_STEPS[-1]
    press(opened, "view.zoom_reset")
    assert size() == 1


def test_the_zoom_is_remembered(opened, make_window, open_fake, tmp_path):
    press(opened, "view.zoom_in", "view.zoom_in")
    opened.close()
    assert Settings(tmp_path / "settings.ini").get(ZOOM) == 1.25
    QApplication.setFont(QFontDatabase.systemFont(PLAIN))
    make_window(open_fake)
    assert size() == 1.25


def test_what_holds_text_grows_also_where_it_has_a_font_of_its_own(opened):
    log = opened.docks[ViewId.EVENT_LOG].findChild(QTableView)
    code = opened.docks[ViewId.PROGRAM].widget().code
    bar = opened.findChild(TimelineBar)
    button = opened.toolbar.small_buttons["debug.run"]
    axis = opened.plots.stack.panels["loss"].canvas

    def sizes():
        return [
            log.font().pointSizeF(),
            log.verticalHeader().defaultSectionSize(),
            code.font().pointSizeF(),
            bar.sizeHint().height(),
            button.sizeHint().width(),
            axis.font().pointSizeF(),
            opened.centre.tabBar().font().pointSizeF(),
        ]

    before = sizes()
    press(opened, *["view.zoom_in"] * 5)
    assert size() == 2
    ratios = [after / earlier for after, earlier in zip(sizes(), before, strict=True)]
    assert min(ratios) > 1.6  # paddings stay as they are
    assert max(ratios) < 2.2
    press(opened, "view.zoom_reset")
    assert sizes() == pytest.approx(before, rel=0.06)


def test_the_present_layout_has_large_type_on_top_of_the_zoom(opened):
    press(opened, "view.zoom_in", "view.layout_present")
    assert size() == pytest.approx(1.1 * 1.4)
    press(opened, "view.layout_learn")
    assert size() == 1.1
    assert opened.layouts.current.id is LayoutId.LEARN


def test_the_keys_of_zooming_are_those_of_the_graph_while_it_has_the_focus(opened, qtbot):
    opened.show_view(ViewId.GRAPH)
    canvas = opened.centre.graph.canvas
    opened.activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus)
    before = canvas.scale
    qtbot.keyClick(canvas, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert canvas.scale > before
    assert size() == 1
    opened.toolbar.setFocus()
    qtbot.keyClick(opened, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert size() == 1.1


def test_full_screen_is_checked_and_left_again(opened):
    full = opened.actions_by_id["view.full_screen"]
    full.trigger()
    assert opened.isFullScreen()
    assert full.isChecked()
    full.trigger()
    assert not opened.isFullScreen()
    assert not full.isChecked()


def title_height(dock):
    """The height of the drawn title of a dock."""
    strip = dock.grab().toImage().copy(0, 0, 200, dock.widget().y())
    ground = strip.pixelColor(199, 0)
    rows = range(strip.height())
    inked = [y for y in rows if any(strip.pixelColor(x, y) != ground for x in range(120))]
    return inked[-1] - inked[0] + 1


def test_the_titles_of_docks_grow_too(opened, qtbot):
    opened.show()
    press(opened, "view.layout_learn")
    lesson = opened.docks[ViewId.LESSON]
    qtbot.waitUntil(lambda: lesson.widget().y() > 0)  # it is no tab any more
    before = title_height(lesson)
    press(opened, *["view.zoom_in"] * 5)
    QApplication.processEvents()
    assert title_height(lesson) == pytest.approx(2 * before, abs=3)
    press(opened, "view.zoom_reset")
    QApplication.processEvents()
    assert title_height(lesson) == pytest.approx(before, abs=1)


def test_icons_of_toolbars_and_of_the_findings_grow_with_the_text(opened):
    findings = opened.status_line.findChild(QToolButton, "status.findings")

    def sides():
        return opened.time_line.iconSize().width(), findings.iconSize().width()

    press(opened, "view.zoom_in", "view.zoom_reset")
    assert sides() == (24, 16)
    press(opened, *["view.zoom_in"] * 5)
    assert sides() == (48, 32)


def test_a_layout_with_other_type_gives_each_side_its_share(opened):
    opened.resize(1280, 800)
    opened.show()
    press(opened, "view.layout_present", "view.layout_learn")
    QApplication.processEvents()
    width = opened.docks[ViewId.LESSON].width()
    assert width == pytest.approx(0.27 * 1280, abs=8)
