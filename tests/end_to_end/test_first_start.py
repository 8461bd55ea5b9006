"""A first start: the welcome page, lesson 1 by Enter, and only what a beginner needs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradstep_gui import app
from gradstep_gui.action_ids import LayoutId, ViewId
from gradstep_gui.main_window import MainWindow
from gradstep_gui.settings import CHOSEN_LAYOUT, Settings
from gradstep_gui.widgets.buttons import MovementButton
from gradstep_gui.widgets.welcome import Welcome
from tests.end_to_end.driver import SCENARIOS, Driver


@pytest.fixture
def driver(qtbot, qapp, tmp_path):
    settings, crashes, font = Settings(tmp_path / "settings.ini"), [], qapp.font()
    _, window = app.build(["gradstep"], settings, tmp_path / "recordings")
    window.controller.crashed.connect(crashes.append)
    qtbot.addWidget(window, before_close_func=MainWindow.discard)
    window.resize(1280, 800)
    with qtbot.waitExposed(window):
        window.show()
    yield Driver(qtbot, window)
    window.discard()
    qapp.setFont(font)
    assert crashes == []


def test_enter_on_the_welcome_page_opens_lesson_1_in_the_learn_layout(driver, qtbot):
    window = driver.window
    items = window.findChild(Welcome).lessons.items
    assert window.toolbar.isHidden()
    qtbot.keyClick(items, Qt.Key.Key_Return)
    driver.settle()
    assert driver.controller.document.name == "Who does what"
    assert window.layouts.current.id is LayoutId.LEARN
    shown = {name for name, dock in window.docks.items() if not dock.isHidden()}
    assert shown == {"lesson", "program", "tensors"}
    assert [name for name, one in window.toolbar.small_buttons.items() if one.isVisible()] == [
        "debug.back",
        "debug.iterate",
        "debug.run",
    ]


def test_a_program_of_two_numbers_has_its_landscape_in_front_and_another_its_plots(driver):
    driver.open_scenario("07_rosenbrock")
    centre = driver.window.centre
    assert centre.currentWidget() is centre.views[ViewId.LANDSCAPE]
    driver.open_scenario("06_iris")
    assert centre.currentWidget() is centre.plots


def test_a_layout_is_chosen_on_the_welcome_page(driver, qtbot, tmp_path):
    buttons = driver.window.findChild(Welcome).findChildren(MovementButton)
    assert [button.text() for button in buttons] == ["Learn", "Debug", "Present"]
    assert [button.isChecked() for button in buttons] == [True, False, False]
    qtbot.mouseClick(buttons[1], Qt.MouseButton.LeftButton)
    assert [button.isChecked() for button in buttons] == [False, True, False]
    assert Settings(tmp_path / "settings.ini").get(CHOSEN_LAYOUT) is LayoutId.DEBUG
    driver.open(SCENARIOS / "06_iris.json")
    assert driver.window.docks["event_log"].isVisible()


def test_going_inside_an_operation_brings_up_what_shows_the_inside(driver):
    driver.open_scenario("06_iris")
    window = driver.window
    driver.trigger("debug.zero_grad")
    driver.trigger("debug.step_into")
    assert window.docks["inside"].widget().is_seen
    assert window.centre.currentWidget() is window.centre.graph
    driver.qtbot.waitUntil(window.toolbar.small_buttons["debug.step_out"].isVisible)
