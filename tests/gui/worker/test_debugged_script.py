"""The window starts a script, waits for it on the worker's thread, and ends it."""

from __future__ import annotations

import sys
from time import monotonic

import pytest
from PySide6.QtGui import QAction

from gradstep.history.records.breakpoints import BreakpointSpec
from gradstep.program.gallery import scenarios
from gradstep.script.command import ScriptCommand
from gradstep_gui.action_ids import ActionId


@pytest.fixture
def controller(real_window):
    return real_window.controller


@pytest.fixture
def script(tmp_path):
    def write(text, *arguments):
        path = tmp_path / "train.py"
        path.write_text(text)
        return ScriptCommand(str(path), arguments, sys.executable)

    return write


def test_a_script_without_torch_opens_with_its_code_and_its_status(controller, script):
    command = script("import sys\nsys.exit(3)\n")
    controller.debug(command)
    assert controller.wait_idle(60)
    assert controller.listing.code == "import sys\nsys.exit(3)\n"
    assert controller.document.recording.status == 3
    assert not controller.document.recording.is_running
    assert controller.events_count() == 0


def test_closing_the_window_ends_a_script_that_is_waited_for(controller, script, qtbot):
    started = monotonic()
    controller.debug(script("import time\ntime.sleep(600)\n"))
    qtbot.waitUntil(lambda: controller._host._process is not None, timeout=20_000)
    process = controller._host._process
    controller.close()
    assert process.status == -15
    assert monotonic() - started < 60


def test_opening_something_else_ends_the_script(controller, script):
    controller.debug(script("import time\n"))
    assert controller.wait_idle(60)
    controller.open(scenarios()[0].path, as_copy=True)
    assert controller.wait_idle(60)
    assert controller.document.recording is None


def test_a_script_is_debugged_again_as_it_is_now_with_its_breakpoints_and_watches(
    controller, script, real_window
):
    again = real_window.findChild(QAction, ActionId.DEBUG_AGAIN)
    assert not again.isEnabled()
    controller.debug(script("import time\nx = 1\n"))
    assert controller.wait_idle(60)
    for line in (1, 2):
        controller.breakpoints.set_breakpoint(BreakpointSpec.at_line(f"train.py:{line}"))
    controller.breakpoints.set_watch("iteration")
    assert controller.wait_idle(60)
    script("import sys\n\nx = 1\nsys.exit(3)\n")
    again.trigger()
    assert controller.wait_idle(60)
    assert controller.listing.code == "import sys\n\nx = 1\nsys.exit(3)\n"
    assert controller.document.recording.status == 3
    lines = [point.spec.line for point in controller.debugger.breakpoints]
    assert lines == ["train.py:1", "train.py:3"]
    assert [watch.expression for watch in controller.debugger.watches] == ["iteration"]


def test_a_script_that_ended_without_training_says_so_until_another_is_opened(
    controller, script, real_window
):
    controller.debug(script("x = (1\n"))
    assert controller.wait_idle(60)
    assert "train.py ended: SyntaxError" in real_window.message_bar.message.text
    controller.debug(script("import time\n"))
    assert controller.wait_idle(60)
    assert real_window.message_bar.message.text == "train.py ended without training anything"
    assert len(real_window.messages.history) == 2
    controller.open(scenarios()[0].path, as_copy=True)
    assert controller.wait_idle(60)
    assert real_window.message_bar.message is None


def test_another_script_starts_without_the_breakpoints_of_the_last(controller, script):
    controller.debug(script("import time\n"))
    assert controller.wait_idle(60)
    controller.breakpoints.set_breakpoint(BreakpointSpec.at_line("train.py:1"))
    assert controller.wait_idle(60)
    controller.debug(script("import time\n", "--other"))
    assert controller.wait_idle(60)
    assert len(controller.debugger.breakpoints) == 0


def test_a_python_that_does_not_exist_leaves_what_is_open(controller, script, real_window):
    name = controller.document.name
    controller.debug(ScriptCommand(script("").script, (), "/nowhere/python"))
    assert controller.wait_idle(60)
    (message,) = real_window.messages.history
    assert "/nowhere/python cannot be started" in message.text
    assert controller.document.name == name
