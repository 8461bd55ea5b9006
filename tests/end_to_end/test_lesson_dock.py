"""The lesson dock is there with a lesson, or with a program that says what it is about."""

import json

import pytest

from gradstep_gui.action_ids import LayoutId, ViewId
from tests.end_to_end.driver import SCENARIOS

IRIS = SCENARIOS / "06_iris.json"


@pytest.fixture
def write(tmp_path):
    """Write a program that has no lesson."""

    def write(name, **fields):
        document = {
            "gradstep": 1,
            "tensors": {"x": {"value": [1.0, 2.0], "requires_grad": True}},
            "losses": {"loss": {"expression": "sum(x ** 2)"}},
            "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
            **fields,
        }
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(document))
        return path

    return write


def is_there(driver):
    return not driver.window.docks[ViewId.LESSON].isHidden()


@pytest.mark.parametrize("layout", list(LayoutId))
def test_it_comes_with_a_lesson_and_goes_without_one(driver, write, layout):
    driver.trigger(f"view.layout_{layout}")
    plain = write("plain")
    for path, expected in ((plain, False), (IRIS, True), (plain, False), (IRIS, True)):
        driver.open(path)
        assert is_there(driver) is expected


def test_what_a_program_says_about_itself_is_shown_in_it(driver, write):
    driver.trigger("view.layout_learn")
    driver.open(write("described", description="Two numbers."))
    assert is_there(driver)
    assert "Two numbers." in driver.window.docks[ViewId.LESSON].widget().text.toPlainText()


def test_it_leaves_its_room_to_the_rest_and_gets_its_share_back(driver, write, qtbot):
    driver.trigger("view.layout_learn")
    window, program = driver.window, driver.window.docks[ViewId.PROGRAM]
    driver.open(write("plain"))
    qtbot.waitUntil(lambda: program.width() > 0.6 * window.width())
    driver.open(IRIS)
    lesson = window.docks[ViewId.LESSON]
    qtbot.waitUntil(lambda: 0.2 < lesson.width() / window.width() < 0.3)


def test_a_layout_that_was_left_without_a_lesson_has_its_dock_with_one(driver, write):
    driver.trigger("view.layout_learn")
    driver.open(write("plain"))
    driver.trigger("view.layout_debug")
    driver.open(IRIS)
    driver.trigger("view.layout_learn")
    assert is_there(driver)


def test_opened_by_hand_without_a_lesson_it_says_how_to_get_one(driver, write):
    driver.trigger("view.layout_learn")
    driver.open(write("plain"))
    dock = driver.window.docks[ViewId.LESSON]
    dock.toggleViewAction().trigger()
    driver.settle()
    assert is_there(driver)
    assert dock.widget().place.sentence == "Open a lesson to see it here."
    assert not dock.widget().place.shows_content
