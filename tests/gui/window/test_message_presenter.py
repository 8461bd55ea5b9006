"""Messages of findings go when they have been seen, or are about another program."""

import pytest

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios


@pytest.fixture
def told(real_window):
    """A window that has just told of a mistake: one gradient was used by two Steps."""
    for action in ("forward", "backward", "step", "step"):
        real_window.actions_by_id[f"debug.{action}"].trigger()
        assert real_window.controller.wait_idle(10)
    assert real_window.message_bar.message.action == "view.findings"
    return real_window


def test_what_is_told_goes_when_the_findings_come_to_the_front(told):
    told.show_view("findings")
    assert told.message_bar.message is None


def test_what_is_told_goes_when_another_program_is_opened(told):
    told.controller.open(scenarios()[1].path, as_copy=True)
    assert told.controller.wait_idle(10)
    assert told.message_bar.message is None


def test_nothing_is_told_beside_the_findings_and_it_stays_in_the_history(real_window, qtbot):
    real_window.show_view("findings")
    qtbot.waitUntil(lambda: not real_window.docks["findings"].visibleRegion().isEmpty())
    for action in ("forward", "backward", "step", "step"):
        real_window.actions_by_id[f"debug.{action}"].trigger()
        assert real_window.controller.wait_idle(10)
    assert real_window.message_bar.message is None
    assert "used by two steps" in real_window.messages.history[-1].text


def test_the_lesson_of_another_program_comes_to_the_front(real_window, qtbot):
    program = real_window.docks["program"]
    real_window.show_view("parameters")
    qtbot.waitUntil(lambda: program.visibleRegion().isEmpty())
    real_window.controller.open(scenarios()[1].path, as_copy=True)
    assert real_window.controller.wait_idle(10)
    qtbot.waitUntil(lambda: not program.visibleRegion().isEmpty())


def test_a_program_dock_that_was_closed_stays_closed(make_window):
    window = make_window(Debugger.open)
    for program in scenarios()[:2]:
        window.controller.open(program.path, as_copy=True)
        assert window.controller.wait_idle(10)
        window.docks["program"].hide()
    window.controller.open(scenarios()[2].path, as_copy=True)
    assert window.controller.wait_idle(10)
    assert window.docks["program"].isHidden()
