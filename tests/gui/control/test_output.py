"""What scripts print that are started from the window, with real processes."""

from __future__ import annotations

import sys

import pytest

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep.script.command import ScriptCommand
from gradstep_gui.action_ids import ViewId
from gradstep_gui.resources import resource

TIMEOUT_MS = 60_000
EXAMPLE = resource("scripts/sine.gradstep")


@pytest.fixture
def script(tmp_path):
    def write(text, name="train.py"):
        path = tmp_path / name
        path.write_text(text)
        return ScriptCommand(str(path), (), sys.executable)

    return write


def output_of(window):
    return window.docks[ViewId.OUTPUT].widget()


def shown(window):
    return [text for _, text in output_of(window).text.lines]


def test_what_a_script_prints_is_shown_to_its_end(real_window, script, qtbot):
    assert real_window.docks[ViewId.OUTPUT].isHidden()
    real_window.controller.debug_here(script("print('hello')\nraise SystemExit(4)\n"))
    assert real_window.controller.wait_idle(60)
    real_window.show_view(ViewId.OUTPUT)
    end = "The script has ended with status 4."
    qtbot.waitUntil(lambda: shown(real_window) == ["hello", end], timeout=TIMEOUT_MS)
    assert not output_of(real_window).input.isEnabled()


def test_a_question_of_the_script_brings_the_dock_to_the_front(real_window, script, qtbot):
    real_window.docks[ViewId.OUTPUT].close()
    real_window.controller.debug_here(script("print('hello', input('Name: '))\n"))
    view = output_of(real_window)
    if sys.platform.startswith("linux"):
        qtbot.waitUntil(lambda: view.is_seen, timeout=TIMEOUT_MS)
    real_window.show_view(ViewId.OUTPUT)
    qtbot.waitUntil(view.input.isEnabled, timeout=TIMEOUT_MS)
    view.input.setText("Ada")
    view._send()
    qtbot.waitUntil(lambda: "hello Ada" in shown(real_window), timeout=TIMEOUT_MS)
    assert real_window.controller.wait_idle(60)


def test_a_script_that_cannot_be_started_leaves_the_output_of_the_other(real_window, script, qtbot):
    controller = real_window.controller
    controller.debug_here(script("print('first')\n"))
    assert controller.wait_idle(60)
    controller.debug_here(ScriptCommand(script("").script, (), "/nowhere/python"))
    assert controller.wait_idle(60)
    real_window.show_view(ViewId.OUTPUT)
    qtbot.waitUntil(lambda: shown(real_window)[:1] == ["first"], timeout=TIMEOUT_MS)
    assert len(controller.output.sources) == 1


def test_a_script_that_is_recorded_has_an_output_of_its_own(real_window, script, qtbot):
    controller = real_window.controller
    controller.debug_here(script("print('first')\n"))
    assert controller.wait_idle(60)
    controller.record(script("print('second')\n", "other.py"))
    assert controller.wait_idle(60)
    real_window.show_view(ViewId.OUTPUT)
    qtbot.waitUntil(lambda: shown(real_window)[:1] == ["second"], timeout=TIMEOUT_MS)
    assert [source.name for source in controller.output.sources] == ["train.py", "other.py"]


def test_the_dock_goes_when_a_program_is_opened_and_stays_closed_if_the_user_closed_it(
    real_window, script
):
    controller, dock = real_window.controller, real_window.docks[ViewId.OUTPUT]

    def open_script():
        controller.debug_here(script("pass\n"))
        assert controller.wait_idle(60)

    def open_program():
        controller.open(scenarios()[0].path, as_copy=True)
        assert controller.wait_idle(60)

    open_script()
    assert not dock.isHidden()
    open_program()
    assert dock.isHidden()
    open_script()
    dock.close()
    open_program()
    open_script()
    assert dock.isHidden()
    real_window._restore_layout()
    assert not dock.isHidden()
    open_program()
    real_window._restore_layout()
    assert dock.isHidden()


def test_a_session_of_a_script_brings_no_docks_for_what_it_does_not_have(make_window):
    window = make_window(Debugger.open)
    window.controller.open(EXAMPLE)
    assert window.controller.wait_idle(60)
    assert window.controller.document.recording.script == "sine.py"
    hidden = {name for name, dock in window.docks.items() if dock.isHidden()}
    assert {ViewId.OUTPUT, ViewId.VARIABLES} <= hidden
    window.show_view(ViewId.OUTPUT)
    assert "is not part of its session" in output_of(window).place.sentence
